//! Validators join and leave a running Gosig chain: real processes, killed at critical moments, and clients that verify
//! everything against the genesis file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::os::unix::process::ExitStatusExt;

use quorate_support::ports::free_address;
use serde_json::{Value, json};
use support::{Running, Sandbox, eventually};

/// A chain with one process per validator.
struct Chain {
    sandbox: Sandbox,
    running: Vec<(&'static str, Running)>,
}

const FOUNDERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

impl Chain {
    fn new() -> Self {
        let chain = Self { sandbox: Sandbox::new(), running: Vec::new() };
        let mut arguments = vec!["genesis".to_owned(), "--chain".into(), "test".into()];
        arguments.extend(["--protocol".into(), "gosig".into()]);
        for name in FOUNDERS {
            chain.keys(name);
            chain.configure(name, "");
            arguments.push(format!("{name}/public.toml"));
        }
        chain.sandbox.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        chain
    }

    fn keys(&self, name: &str) {
        let address = free_address().unwrap().to_string();
        self.sandbox.ok(&["keygen", "--name", name, "--address", &address, "--out", name]);
    }

    /// Writes a configuration with unique addresses, an empty data directory, and extra lines under `[node]`.
    fn configure(&self, name: &str, more: &str) {
        let (http, stream) = (free_address().unwrap(), free_address().unwrap());
        let public = self.sandbox.read(&format!("{name}/public.toml"));
        let address = public.lines().find_map(|line| line.strip_prefix("address = ")).unwrap();
        let config = format!(
            "[node]\ngenesis = '../genesis.toml'\nkeys = 'keys'\ndata = 'data'\n{more}\
             [links]\nlisten = {address}\n\
             [clients]\nhttp = '{http}'\nstream = '{stream}'\n"
        );
        self.sandbox.write(&format!("{name}/config.toml"), config);
    }

    fn start(&mut self, name: &'static str) {
        let path = self.sandbox.path(&format!("{name}/log.txt"));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        let mut command = self.sandbox.command(&["run", "--config", &format!("{name}/config.toml")]);
        command.stdout(std::process::Stdio::null()).stderr(log);
        self.running.push((name, Running { child: command.spawn().unwrap() }));
    }

    fn process(&mut self, name: &str) -> &mut Running {
        &mut self.running.iter_mut().find(|(running, _)| *running == name).unwrap().1
    }

    /// Kills the validator with SIGKILL.
    fn kill(&mut self, name: &str) {
        let process = self.process(name);
        process.signal("KILL");
        assert_eq!(process.child.wait().unwrap().signal(), Some(9), "the process was running");
        self.running.retain(|(running, _)| *running != name);
    }

    /// Waits for the process to end, and returns its exit code and its log.
    fn wait_for_exit(&mut self, name: &str) -> (Option<i32>, String) {
        let mut code = None;
        eventually("the process exits", || {
            let ended = self.process(name).child.try_wait().unwrap();
            code = ended.and_then(|status| status.code());
            ended.is_some()
        });
        self.running.retain(|(running, _)| *running != name);
        (code, self.sandbox.read(&format!("{name}/log.txt")))
    }

    fn node(&self, name: &str) -> String {
        let config = self.sandbox.read(&format!("{name}/config.toml"));
        let http = config.lines().find(|line| line.starts_with("http")).unwrap();
        format!("http://{}", http.split('\'').nth(1).unwrap())
    }

    /// Adds the arguments for the validator and the genesis file.
    fn ask(&self, name: &str, arguments: &[&str]) -> Vec<String> {
        let target = ["--node".to_owned(), self.node(name), "--genesis".into(), "genesis.toml".into()];
        arguments.iter().map(|argument| (*argument).to_owned()).chain(target).collect()
    }

    fn ok(&self, name: &str, arguments: &[&str]) -> String {
        let arguments = self.ask(name, arguments);
        self.sandbox.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn fails(&self, code: i32, expected: &str, name: &str, arguments: &[&str]) {
        let arguments = self.ask(name, arguments);
        self.sandbox.fails(code, expected, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn status(&self, name: &str) -> Option<Value> {
        let done = self.sandbox.run(&["status", "--json", "--node", &self.node(name)]);
        let list: Value = serde_json::from_str(&done.stdout).ok()?;
        Some(list[0].clone()).filter(|status| status["height"].is_u64())
    }

    /// Waits until the validator is a member of the epoch.
    fn wait_for_membership(&self, name: &str, epoch: u64) {
        eventually(&format!("{name} as a member of epoch {epoch}"), || {
            self.status(name).is_some_and(|status| {
                status["epoch"] == json!(epoch) && status["me"].is_u64() && status["syncing"] == json!(false)
            })
        });
    }

    /// Submits a transaction through this validator, and verifies the proof of its commit.
    fn commit(&self, name: &str, text: &str) -> String {
        let id = self.ok(name, &["submit", "--wait=120", text]);
        id.trim().to_owned()
    }

    /// Waits until all running validators have the same newest block, and compares their states.
    fn compare_states(&self) {
        let mut roots = Vec::new();
        eventually("all validators report one height", || {
            let all: Option<Vec<Value>> = self.running.iter().map(|(name, _)| self.status(name)).collect();
            let Some(all) = all else { return false };
            roots = all
                .iter()
                .map(|status| (status["executed_height"].clone(), status["state_root"].clone()))
                .collect();
            roots.iter().all(|(height, _)| *height == roots[0].0)
        });
        assert!(roots.iter().all(|(_, root)| root.is_string() && *root == roots[0].1), "{roots:?}");
    }
}

#[test]
fn validators_join_and_leave_while_others_are_killed() {
    let mut chain = Chain::new();
    FOUNDERS.iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    let first = chain.commit("alice", "put first of-epoch-0");

    // A fifth validator with an empty directory: a node that is no member is refused unless it observes.
    chain.keys("erin");
    chain.configure("erin", "");
    chain.start("erin");
    let (code, log) = chain.wait_for_exit("erin");
    assert_eq!(code, Some(3), "{log}");
    assert!(log.contains("observe"), "{log}");
    chain.configure("erin", "observe = true\n");
    chain.start("erin");
    eventually("erin responds", || chain.status("erin").is_some());
    assert_eq!(chain.status("erin").unwrap()["me"], Value::Null);

    // Erin requests to join. The members approve in a file and a copy. Too few approvals are refused.
    chain.ok("alice", &["member", "join", "erin/public.toml", "--out", "erin.toml"]);
    chain.fails(3, "exists", "alice", &["member", "join", "erin/public.toml", "--out", "erin.toml"]);
    let allow = |who: &str, file: &str, more: &[&str]| {
        let keys = format!("{who}/keys");
        let all = [&["member", "allow", file, "--keys", &keys, "--yes"][..], more].concat();
        chain.ok("alice", &all)
    };
    assert!(allow("alice", "erin.toml", &["--out", "copy.toml"]).contains("alice approves: erin joins"));
    allow("bob", "erin.toml", &[]);
    chain.fails(12, "weight 2 of", "alice", &["member", "submit", "erin.toml", "copy.toml"]);
    chain.fails(
        3,
        "not the keys of a member",
        "alice",
        &["member", "allow", "erin.toml", "--keys", "erin/keys", "--yes"],
    );
    chain.fails(2, "--yes", "alice", &["member", "allow", "erin.toml", "--keys", "dave/keys"]);
    allow("dave", "erin.toml", &[]);
    let shown: Value =
        serde_json::from_str(&chain.ok("alice", &["member", "show", "erin.toml", "copy.toml", "--json"]))
            .unwrap();
    assert_eq!((&shown["allowed_by"], &shown["allowed"]), (&json!(["alice", "bob", "dave"]), &json!(true)));

    // One validator is killed while the epoch ends, and restarts in the next epoch.
    chain.ok("alice", &["member", "submit", "erin.toml", "copy.toml"]);
    chain.kill("bob");
    for name in ["alice", "carol", "dave", "erin"] {
        chain.wait_for_membership(name, 1);
    }
    chain.start("bob");
    chain.wait_for_membership("bob", 1);
    // Erin has read the blocks committed before she joined.
    assert_eq!(chain.status("erin").unwrap()["me"], json!(4));
    assert_eq!(chain.ok("erin", &["get", &first]), "put first of-epoch-0\n");
    let second = chain.commit("erin", "put second of-epoch-1");
    chain.compare_states();
    chain.fails(3, "in epoch 1; create it again", "bob", &["member", "submit", "erin.toml", "copy.toml"]);

    // A member in the middle leaves, so that later members change their index, and another one is killed.
    chain.ok("erin", &["member", "leave", "bob", "--out", "bob.toml"]);
    for who in ["alice", "carol", "erin", "dave"] {
        chain.ok("erin", &["member", "allow", "bob.toml", "--keys", &format!("{who}/keys"), "--yes"]);
    }
    chain.ok("erin", &["member", "submit", "bob.toml"]);
    chain.kill("dave");
    let (code, log) = chain.wait_for_exit("bob");
    assert_eq!(code, Some(11), "{log}");
    assert!(log.contains("left"), "{log}");
    chain.start("dave");
    for name in ["alice", "carol", "dave", "erin"] {
        chain.wait_for_membership(name, 2);
    }
    assert_eq!(chain.status("dave").unwrap()["me"], json!(2));
    let third = chain.commit("dave", "put third of-epoch-2");
    chain.compare_states();

    // A validator that left stops with the same error after a restart, and its keys cannot join again.
    chain.start("bob");
    assert_eq!(chain.wait_for_exit("bob").0, Some(11));
    chain.fails(
        3,
        "was in use in epoch 0",
        "erin",
        &["member", "join", "bob/public.toml", "--out", "again.toml"],
    );

    // Validators of all epochs prove blocks of each epoch to a client that has only the genesis file.
    for name in ["alice", "erin"] {
        for (id, text) in [
            (&first, "put first of-epoch-0"),
            (&second, "put second of-epoch-1"),
            (&third, "put third of-epoch-2"),
        ] {
            assert_eq!(chain.ok(name, &["get", id]), format!("{text}\n"), "{name}");
        }
        assert_eq!(chain.ok(name, &["get", "--key", "second"]), "of-epoch-1\n");
    }
    let epochs: Value =
        serde_json::from_str(&chain.ok("carol", &["member", "list", "--json", "--save", "epochs.json"]))
            .unwrap();
    let names = |epoch: usize| {
        let members = epochs[epoch]["members"].as_array().unwrap();
        members.iter().map(|member| member["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(epochs.as_array().unwrap().len(), 3);
    assert_eq!(names(0), FOUNDERS);
    assert_eq!(names(1), ["alice", "bob", "carol", "dave", "erin"]);
    assert_eq!(names(2), ["alice", "carol", "dave", "erin"]);

    // The saved epochs replace a validator, unless an epoch was omitted or changed.
    let list = ["member", "list", "--genesis", "genesis.toml", "--epochs"];
    let with = |file: &'static str| [&list[..], &[file]].concat();
    assert!(chain.sandbox.ok(&with("epochs.json")).contains("epoch 2"));
    let kept: Value = serde_json::from_str(&chain.sandbox.read("epochs.json")).unwrap();
    for (field, from) in [("payload", 1), ("finality", 1), ("block", 0)] {
        let mut wrong = kept.clone();
        let mut bytes = hex::decode(wrong["epochs"][from][field].as_str().unwrap()).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        wrong["epochs"][from][field] = json!(hex::encode(bytes));
        chain.sandbox.write("wrong.json", wrong.to_string());
        chain.sandbox.fails(7, "do not follow from the genesis", &with("wrong.json"));
    }
    let skipped = json!({ "epochs": [kept["epochs"][1]] });
    chain.sandbox.write("wrong.json", skipped.to_string());
    chain.sandbox.fails(7, "do not follow from the genesis", &with("wrong.json"));
}

/// Commands and errors that need no running validator.
#[test]
fn changes_are_created_and_verified_without_a_network() {
    let chain = Chain::new();
    let sandbox = &chain.sandbox;
    sandbox.write("epochs.json", "{\"epochs\":[]}");
    let offline = |arguments: &[&'static str]| {
        [arguments, &["--genesis", "genesis.toml", "--epochs", "epochs.json"]].concat()
    };
    let ok = |arguments: &[&'static str]| sandbox.ok(&offline(arguments));
    let fails =
        |code, expected: &str, arguments: &[&'static str]| sandbox.fails(code, expected, &offline(arguments));
    assert!(ok(&["member", "list"]).contains("epoch 0"));
    chain.keys("erin");
    let printed = ok(&["member", "join", "erin/public.toml=3", "--out", "erin.toml"]);
    assert!(printed.contains("erin joins") && printed.contains("total weight 7"), "{printed}");
    fails(3, "already named bob", &["member", "join", "bob/public.toml", "--out", "x.toml"]);
    fails(3, "weight 0", &["member", "join", "erin/public.toml=0", "--out", "x.toml"]);
    fails(6, "no member is named erin", &["member", "leave", "erin", "--out", "x.toml"]);
    ok(&["member", "leave", "bob", "--out", "bob.toml"]);
    ok(&["member", "allow", "bob.toml", "--keys", "alice/keys", "--yes"]);
    // A second approval by the same member changes nothing.
    let shown = ok(&["member", "allow", "bob.toml", "--keys", "alice/keys", "--yes", "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["weight"], &shown["quorum"], &shown["allowed"]),
        (&json!("1"), &json!("3"), &json!(false))
    );

    let change = |file: &str, from: &str, to: &str| {
        let text = sandbox.read(file);
        assert!(text.contains(from), "{text}");
        sandbox.write("wrong.toml", text.replacen(from, to, 1));
    };
    let show = ["member", "show", "wrong.toml"];
    change("bob.toml", "epoch = 0", "epoch = 1");
    fails(3, "create it again", &show);
    change("bob.toml", "name = \"bob\"", "name = \"carol\"");
    fails(3, "the name carol and this identity key", &show);
    change("erin.toml", "weight = 3", "weight = 4");
    assert!(ok(&show).contains("no member yet"));
    change("erin.toml", "identity_possession = \"", "identity_possession = \"00");
    fails(3, "identity key of erin", &show);
    fails(3, "different changes", &["member", "show", "bob.toml", "erin.toml"]);
    // A signature on another change is reported as invalid.
    let signed = sandbox.read("bob.toml").split_once("\n[[allowed]]").unwrap().1.to_owned();
    sandbox.write("wrong.toml", format!("{}\n[[allowed]]{signed}", sandbox.read("erin.toml")));
    let shown = ok(&show);
    assert!(shown.contains("no member yet") && shown.contains("invalid approval: alice"), "{shown}");

    sandbox.ok(&[
        "genesis",
        "--chain",
        "other",
        "--out",
        "other.toml",
        "alice/public.toml",
        "--protocol",
        "gosig",
    ]);
    sandbox.fails(
        3,
        "not for other",
        &["member", "show", "bob.toml", "--genesis", "other.toml", "--epochs", "epochs.json"],
    );
    let last =
        ["member", "leave", "alice", "--out", "x.toml", "--genesis", "other.toml", "--epochs", "epochs.json"];
    sandbox.fails(3, "the last member", &last);
    sandbox.ok(&["genesis", "--chain", "fixed", "--out", "fixed.toml", "alice/public.toml"]);
    sandbox.fails(
        3,
        "runs jolteon",
        &["member", "list", "--genesis", "fixed.toml", "--epochs", "epochs.json"],
    );
    sandbox.fails(2, "--protocol gosig", &["testnet", "--join", "1", "--duration", "2"]);
}
