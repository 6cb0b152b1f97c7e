//! `examples/apps/audited-redis`: its tour on a real Redis; the clients in Python and in Node with their tests; and one log
//! that clients in three languages write. The tests of the Rust program run with the unit and integration tests.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bindings::{node, python};
use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::{npm, workspace};

/// The signature options that each language is tested with.
const SIGNATURE_OPTIONS: &[[&str; 2]] = &[
    ["--signer", "eddsa"],
    ["--suite", "wots-haraka-512"],
    ["--suite", "wots-haraka-256"],
    ["--suite", "wots-blake3"],
    ["--suite", "wots-blake3-256"],
];

/// Adds the steps.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("audited redis", |log| {
        let program = crate::build::binary(log, "audited-redis")?;
        let entries = tour(log, &program)?;
        let measured = log.run(Command::new(&program).args(["bench", "--json", "--ops", "500"]))?;
        Ok(format!("{entries} entries audited; median latency {}", medians(&measured)?))
    });
    steps.add("audited redis, python and node", |log| {
        let program = crate::build::binary(log, "audited-redis")?;
        let python = Python { interpreter: python::environment(log)?, package: python::assemble(log)? };
        node::build(log)?;
        npm::install(log, &source("node"))?;
        let (in_python, in_node) = (python.test(log, &program)?, test_in_node(log, &program)?);
        let entries = test_in_three_languages(log, &program, &python)?;
        Ok(format!("Python {in_python}, Node {in_node} tests; {entries} entries of three languages audited"))
    });
}

/// Runs the tour from a key to a proof; returns the number of log entries.
fn tour(log: &Log, program: &Path) -> Outcome<u64> {
    let fixture = RedisFixture::open(log, "xtask/audited-redis", program)?;
    fixture
        .run(log, &["call", "--front", &fixture.front, "--key", "alice.key", "SET", "greeting", "hello"])?;
    let sidecar_address = free_address()?;
    let (listen, port) = (sidecar_address.to_string(), sidecar_address.port().to_string());
    let sidecar = ["sidecar", "--listen", &listen, "--front", &fixture.front, "--key", "alice.key"];
    let _sidecar = start(&fixture.folder, &program.display().to_string(), &sidecar)?;
    let output = retry(|| {
        let mut cli = Command::new("redis-cli");
        let output =
            output_of(cli.args(["-h", &sidecar_address.ip().to_string(), "-p", &port, "GET", "greeting"]));
        output.filter(|output| !output.is_empty()).ok_or_else(|| "redis-cli received no answer".to_owned())
    })?;
    if output != "hello" {
        return Err(format!("expected the answer `hello`, but redis-cli printed {output:?}"));
    }
    fixture.prove(log, 1)?;
    fixture.audit(log)
}

/// Sends one client's commands from the programs of three languages in turn; returns the number of log entries.
fn test_in_three_languages(log: &Log, program: &Path, python: &Python) -> Outcome<u64> {
    let fixture = RedisFixture::open(log, "xtask/audited-redis-together", program)?;
    let mut count = 0;
    for options in SIGNATURE_OPTIONS {
        for language in ["Rust", "Python", "Node"] {
            let mut call = match language {
                "Python" => python.run(&["audited_redis"]),
                "Node" => command("node".as_ref(), &source("node/call.mjs")),
                _ => command(program, "call".as_ref()),
            };
            call.current_dir(&fixture.folder).args([
                "--front",
                &fixture.front,
                "--key",
                "alice.key",
                "--json",
            ]);
            count += 1;
            let output = log.run(call.args(options).args(["INCR", "n"]))?;
            let output: Value = serde_json::from_str(output.trim()).map_err(|e| format!("{e}: {output}"))?;
            for field in ["sequence", "entry", "reply"] {
                if output.get(field).and_then(Value::as_u64) != Some(count) {
                    return Err(format!(
                        "{language}, {}: {field} is not {count}: {output}",
                        options.join(" ")
                    ));
                }
            }
            fixture.prove(log, count)?;
        }
    }
    let entries = fixture.audit(log)?;
    if entries == count { Ok(entries) } else { Err(format!("expected {count} entries, found {entries}")) }
}

/// An interpreter that finds the package `quorate`.
struct Python {
    interpreter: PathBuf,
    package: PathBuf,
}

impl Python {
    /// A command that runs a module of the interpreter or of the client.
    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.interpreter);
        let path = [source("python"), self.package.clone()].map(|folder| folder.display().to_string());
        command.env("PYTHONPATH", path.join(":")).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("MYPYPATH", &self.package).env("MYPY_CACHE_DIR", workspace::target("xtask/mypy"));
        command.current_dir(source("python")).arg("-m").args(arguments);
        command
    }

    /// Runs the client's tests and checks its types; returns the number of tests.
    fn test(&self, log: &Log, program: &Path) -> Outcome<String> {
        log.run(&mut self.run(&["mypy", "--strict", "audited_redis", "tests"]))?;
        let tests = &["pytest", "-p", "no:cacheprovider"];
        let output = log.run(self.run(tests).env("AUDITED_REDIS", program))?;
        let passed = output.lines().rev().find_map(|line| line.split_once(" passed"));
        Ok(passed.ok_or("pytest printed no number of passed tests")?.0.trim_matches([' ', '=']).to_owned())
    }
}

/// Runs the client's tests and checks its types; returns the number of tests.
fn test_in_node(log: &Log, program: &Path) -> Outcome<String> {
    let run = |script| {
        let mut npm = Command::new("npm");
        log.run(npm.current_dir(source("node")).env("AUDITED_REDIS", program).args(["run", script]))
    };
    run("types")?;
    let output = run("test")?;
    let passed =
        output.lines().find_map(|line| line.trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("pass "));
    Ok(passed.ok_or("node printed no number of passed tests")?.trim().to_owned())
}

fn command(program: &Path, first: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(first);
    command
}

/// A file or folder of the example.
fn source(name: &str) -> PathBuf {
    workspace::root().join("examples/apps/audited-redis").join(name)
}

/// A running Redis and its front in a folder of their own, with one client, alice.
struct RedisFixture {
    folder: PathBuf,
    program: PathBuf,
    /// Address of the front.
    front: String,
    /// Alice's public key.
    key: String,
    _running: [Running; 2],
}

impl RedisFixture {
    fn open(log: &Log, name: &str, program: &Path) -> Outcome<Self> {
        let folder = workspace::target(name);
        // Remains of an earlier run.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let shown = program.display().to_string();
        // The path of a Unix socket must be short, so it is relative.
        let socket = ["--port", "0", "--save", "", "--unixsocket", "redis.sock"];
        let redis = start(&folder, "redis-server", &socket)?;
        wait_for(&folder.join("redis.sock"))?;
        let keygen = ["keygen", "--out", "alice.key"];
        let key = log.run(Command::new(program).current_dir(&folder).args(keygen))?.trim().to_owned();
        let front = free_address()?.to_string();
        let config = format!(
            "listen = \"{front}\"\nredis = \"unix:redis.sock\"\nlog = \"audit.log\"\nrefusals = \"refusals.jsonl\"\n\
             accept = [\"dsig\", \"eddsa\"]\n[[client]]\nname = \"alice\"\nkey = \"{key}\"\n"
        );
        std::fs::write(folder.join("front.toml"), config).map_err(|e| e.to_string())?;
        let running = start(&folder, &shown, &["front", "--config", "front.toml"])?;
        retry(|| std::net::TcpStream::connect(&front).map(drop).map_err(|e| format!("{front}: {e}")))?;
        Ok(Self { folder, program: program.to_owned(), front, key, _running: [redis, running] })
    }

    fn run(&self, log: &Log, arguments: &[&str]) -> Outcome<String> {
        log.run(Command::new(&self.program).current_dir(&self.folder).args(arguments))
    }

    /// Extracts the proof of an entry and verifies it with alice's public key alone.
    fn prove(&self, log: &Log, entry: u64) -> Outcome {
        self.run(log, &["prove", "audit.log", "--entry", &entry.to_string(), "--out", "proof"])?;
        self.run(log, &["check-proof", "proof", "--signer", &self.key]).map(drop)
    }

    /// Number of entries that the audit reports; fails if it finds a violation.
    fn audit(&self, log: &Log) -> Outcome<u64> {
        let report = self.run(log, &["audit", "--json", "audit.log", "--clients", "front.toml"])?;
        let report: Value = serde_json::from_str(report.trim()).map_err(|e| format!("{e}: {report}"))?;
        report.get("entries").and_then(Value::as_u64).ok_or_else(|| format!("no entries: {report}"))
    }
}

/// A child process that is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, program: &str, arguments: &[&str]) -> Outcome<Running> {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().map(Running).map_err(|e| format!("{program}: {e}"))
}

fn wait_for(path: &Path) -> Outcome {
    retry(|| if path.exists() { Ok(()) } else { Err(format!("{} was not created", path.display())) })
}

fn retry<T>(mut work: impl FnMut() -> Outcome<T>) -> Outcome<T> {
    let began = Instant::now();
    loop {
        match work() {
            Err(_) if began.elapsed() < Duration::from_secs(120) => thread::sleep(Duration::from_millis(50)),
            outcome => return outcome,
        }
    }
}

/// An address of this machine that is free.
fn free_address() -> Outcome<SocketAddr> {
    quorate_support::ports::free_address().map_err(|e| e.to_string())
}

/// `direct 41 µs, none 112 µs, …`, in the profile of the tests.
fn medians(output: &str) -> Outcome<String> {
    let report: Value = serde_json::from_str(output.trim()).map_err(|e| format!("{e}: {output}"))?;
    let lines = report.get("results").and_then(Value::as_array).ok_or("the benchmark printed no results")?;
    let median = |line: &Value| {
        let (signer, p50) = (line.get("signer")?.as_str()?, line.get("p50")?.as_f64()?);
        Some(format!("{signer} {p50:.0} µs"))
    };
    let medians: Option<Vec<_>> = lines.iter().map(median).collect();
    Ok(medians.ok_or("a result has no median")?.join(", "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn medians_are_read() {
        let output = r#"{"results":[{"signer":"none","p50":100.4},{"signer":"dsig","p50":104.0}]}"#;
        assert_eq!(super::medians(output).unwrap(), "none 100 µs, dsig 104 µs");
        assert!(super::medians("{}").is_err());
    }
}
