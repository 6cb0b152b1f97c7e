//! The real program: member processes that are killed and restarted, and the output of `bench`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod evidence;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use quorate_support::ports::{RANGE, free_block};
use serde_json::Value;
use tempfile::TempDir;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-broadcast"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn fails(code: i32, says: &str, arguments: &[&str]) {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(!says.is_empty() && text.contains(says), "{arguments:?}: {text}");
    assert!(!text.contains("panicked"), "{arguments:?}: {text}");
}

/// Returns the program's JSON output, one value per line.
fn json(arguments: &[&str]) -> Vec<Value> {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Creates a group of four at free ports.
fn group() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let port = free_block(RANGE, 4).unwrap();
    let made = run(&["init", "--port", &port.to_string(), "--out", &dir.path().join("g").to_string_lossy()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    dir
}

/// A running member; killed when dropped.
struct Member {
    child: Child,
    lines: Receiver<String>,
    delivered: BTreeMap<(String, u64), String>,
    /// File with its standard error.
    log: PathBuf,
}

impl Member {
    fn start(dir: &Path, i: usize, signer: &str) -> Self {
        let at = |name: String| dir.join("g").join(name).to_string_lossy().into_owned();
        let mut command = program(&[
            "run",
            "--group",
            &at("group.toml".into()),
            "--keys",
            &at(format!("node{i}.keys")),
            "--data",
            &at(format!("data{i}")),
            "--signer",
            signer,
            "--json",
        ]);
        let log = dir.join(format!("g/log{i}"));
        let said = File::options().create(true).append(true).open(&log).unwrap();
        let mut child = command.stdin(Stdio::piped()).stderr(said).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            // The test may be over and the receiver gone.
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines, delivered: BTreeMap::new(), log }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{text}").unwrap();
    }

    /// Waits until the member delivers a message.
    fn hears(&mut self, wanted: &str) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while !self.delivered.values().any(|text| text == wanted) {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("{wanted:?} is not delivered: {}", self.log()));
            let line: Value = serde_json::from_str(&line).unwrap();
            let digits = line["message"].as_str().unwrap();
            let bytes =
                (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap());
            let slot = (line["sender"].as_str().unwrap().to_owned(), line["sequence"].as_u64().unwrap());
            let text = String::from_utf8(bytes.collect()).unwrap();
            let before = self.delivered.insert(slot.clone(), text.clone());
            assert!(before.is_none_or(|before| before == text), "two messages in {slot:?}");
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Sends SIGKILL: nothing is completed or flushed.
    fn kill(mut self) -> BTreeMap<(String, u64), String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::take(&mut self.delivered)
    }

    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Checks that all members delivered the same messages.
fn agree<'a>(all: impl IntoIterator<Item = &'a BTreeMap<(String, u64), String>>) {
    let mut agreed = BTreeMap::new();
    for (slot, text) in all.into_iter().flatten() {
        let before = agreed.insert(slot.clone(), text.clone());
        assert!(before.is_none_or(|before| before == *text), "two messages in {slot:?}");
    }
}

fn killed_and_restarted(signer: &str) {
    let dir = group();
    let mut members: Vec<Member> = (0..4).map(|i| Member::start(dir.path(), i, signer)).collect();
    members[0].say("hello");
    members.iter_mut().for_each(|member| member.hears("hello"));
    let mut heard = Vec::new();
    for round in 0..3 {
        // Some members, including the sender, are killed while messages are in transit.
        for i in 0..20 {
            members[1].say(&format!("round {round} line {i}"));
            members[2].say(&format!("other {round} line {i}"));
        }
        let victim = 1 + round % 2;
        heard.push(members.remove(victim).kill());
        members.insert(victim, Member::start(dir.path(), victim, signer));
        let after = format!("after {round}");
        members[victim].say(&after);
        members.iter_mut().for_each(|member| member.hears(&after));
    }
    // All members at once.
    heard.extend(members.drain(..).map(Member::kill));
    let mut members: Vec<Member> = (0..4).map(|i| Member::start(dir.path(), i, signer)).collect();
    members[3].say("again");
    members.iter_mut().for_each(|member| member.hears("again"));
    // The tail is delivered again, equal to the first delivery.
    members[0].hears("after 2");
    agree(heard.iter().chain(members.iter().map(|member| &member.delivered)));
    members.pop().unwrap().interrupt();
}

#[test]
fn killed_members_continue_with_dsig() {
    killed_and_restarted("dsig");
}

#[test]
fn killed_members_continue_with_ed25519() {
    killed_and_restarted("eddsa");
}

#[test]
fn a_bench_prints_machine_readable_results() {
    let output = run(&["bench", "--requests", "40", "--warm-up", "10", "--members", "4", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["members"].as_u64(), report["records"].as_str()), (Some(4), Some("memory")));
    let results = report["results"].as_array().unwrap();
    let names: Vec<_> = results.iter().map(|result| result["signer"].as_str().unwrap()).collect();
    let expected: &[(&str, u64)] = match cfg!(feature = "sodium") {
        true => &[("none", 0), ("eddsa", 64), ("sodium", 64), ("dsig", 1_584)],
        false => &[("none", 0), ("eddsa", 64), ("dsig", 1_584)],
    };
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (result, (_, bytes)) in results.iter().zip(expected) {
        let bytes = *bytes;
        assert_eq!(result["signature_bytes"].as_u64(), Some(bytes));
        for latency in ["latency_us", "everywhere_us"] {
            let value = |name: &str| result[latency][name].as_f64().unwrap();
            assert!(
                value("p10") > 0.0 && value("p10") <= value("p50") && value("p50") <= value("p90"),
                "{result}"
            );
        }
        assert!(result["bytes_per_broadcast"].as_f64().unwrap() > 3.0 * bytes as f64, "{result}");
    }
    let disk = run(&["bench", "--signer", "eddsa", "--records", "disk", "--requests", "5", "--warm-up", "1"]);
    let text = String::from_utf8_lossy(&disk.stdout);
    assert!(disk.status.success() && text.contains("eddsa"), "{text}");
}

#[test]
fn errors_state_remedies_and_have_exit_codes() {
    let dir = group();
    let at = |name: &str| dir.path().join("g").join(name).to_string_lossy().into_owned();
    let (file, keys, data) = (at("group.toml"), at("node0.keys"), at("data0"));
    fails(2, "--suite", &["bench", "--suite", "rsa"]);
    if !cfg!(feature = "sodium") {
        fails(2, "libsodium-dev", &["bench", "--signer", "sodium"]);
    }
    fails(3, "choose another directory", &["init", "--out", &at("")]);
    fails(3, "nowhere", &["run", "--group", "nowhere", "--keys", &keys, "--data", &data]);
    let other_group = tempfile::tempdir().unwrap();
    let elsewhere = other_group.path().join("g");
    assert!(run(&["init", "--out", &elsewhere.to_string_lossy()]).status.success());
    let strange = elsewhere.join("node0.keys").to_string_lossy().into_owned();
    fails(3, "belongs to no member", &["run", "--group", &file, "--keys", &strange, "--data", &data]);
    // A data directory is used by one process, and belongs to one group, member and authentication.
    let mut running: Vec<Member> = (0..3).map(|i| Member::start(dir.path(), i, "dsig")).collect();
    running[0].say("up");
    running[0].hears("up");
    let again = ["run", "--group", &file, "--keys", &keys, "--data", &data];
    fails(3, "another process uses the data directory", &again);
    running.into_iter().for_each(|member| drop(member.kill()));
    fails(3, "belongs to another group and member", &[&again[..], &["--signer", "eddsa"]].concat());
    // More memory than any machine should promise.
    let much = ["--tail", "65536", "--max-message", "1048576"];
    fails(2, "lower --tail to ", &[&again[..], &much].concat());
    fails(2, "--max-memory allows 1;", &[&again[..], &["--max-memory", "1"]].concat());
    let unmade = at("unmade");
    fails(2, "lower --tail to ", &[&["init", "--out", &unmade][..], &much].concat());
    fails(2, "or take fewer members", &["init", "--out", &unmade, "--members", "1000"]);
    assert!(!Path::new(&unmade).exists());
    let simulated = run(&["simulate", "--seeds", "4"]);
    let text = String::from_utf8_lossy(&simulated.stdout);
    assert!(text.ends_with("4 runs, no violation\n"), "{text}");
}

#[test]
fn init_and_simulate_print_machine_readable_results() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("g").to_string_lossy().into_owned();
    let made = json(&["init", "--members", "7", "--port", "7500", "--out", &out, "--json"]);
    let [made] = &made[..] else { panic!("one object: {made:?}") };
    assert!(Path::new(made["group"].as_str().unwrap()).exists());
    // The memory bound of `spec/broadcast.md`, section Bounds, with DSig's suite 3 and the defaults.
    let (n, t, m, s) = (7, 128, 16_384, 1_584);
    let bytes = n * t * (m + 2 * s) + n * n * t * (50 + s) + n * t * (m + s) + 1_024 * m;
    assert_eq!(made["memory_bytes"].as_u64(), Some(bytes));
    let members = made["members"].as_array().unwrap();
    assert_eq!(members.len(), 7);
    assert_eq!((&members[6]["name"], &members[6]["address"]), (&"node6".into(), &"127.0.0.1:7506".into()));
    assert!(members.iter().all(|member| Path::new(member["keys"].as_str().unwrap()).exists()));

    let runs = json(&["simulate", "--seeds", "3", "--signer", "eddsa", "--json"]);
    assert_eq!(runs.iter().map(|run| run["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    for run in runs {
        assert_eq!((&run["signer"], &run["violated"]), (&"eddsa".into(), &Value::Null));
        assert!(run["own_delivery_median_us"].as_u64().unwrap() > 0 && run["events"].as_u64().unwrap() > 0);
    }
}
