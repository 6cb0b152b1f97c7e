//! `examples/audited-redis`: its tour, as a user walks through it, on a real Redis. Its tests run with all others.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::workspace;

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("audited redis", |log| {
        let program = workspace::binary(log, "audited-redis")?;
        let entries = tour(log, &program)?;
        let measured = log.run(Command::new(&program).args(["bench", "--json", "--ops", "500"]))?;
        Ok(format!("{entries} entries audited; median latency {}", medians(&measured)?))
    });
}

/// From a key to a proof; answers with the number of entries.
fn tour(log: &Log, program: &Path) -> Outcome<u64> {
    let folder = workspace::target("xtask/audited-redis");
    // What an earlier run left.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let place = Place { folder, program: program.to_owned() };
    // A path of a Unix socket must be short, whatever the target folder is called.
    let _redis = place.start("redis-server", &["--port", "0", "--save", "", "--unixsocket", "redis.sock"])?;
    place.wait_for("redis.sock")?;
    let key = place.run(log, &["keygen", "--out", "alice.key"])?.trim().to_owned();
    let port = free_port()?;
    let front = format!("127.0.0.1:{port}");
    let config = format!(
        "listen = \"{front}\"\nredis = \"unix:redis.sock\"\nlog = \"audit.log\"\nrefusals = \"refusals.jsonl\"\n\
         [[client]]\nname = \"alice\"\nkey = \"{key}\"\n"
    );
    std::fs::write(place.folder.join("front.toml"), config).map_err(|e| e.to_string())?;
    let running = place.start(&program.display().to_string(), &["front", "--config", "front.toml"])?;
    place.wait_for("audit.log")?;
    let call = ["call", "--front", &front, "--key", "alice.key"];
    patiently(|| place.run(log, &[&call[..], &["SET", "greeting", "hello"]].concat()))?;
    let sidecar_port = free_port()?;
    let listen = format!("127.0.0.1:{sidecar_port}");
    let sidecar = ["sidecar", "--listen", &listen, "--front", &front, "--key", "alice.key"];
    let _sidecar = place.start(&program.display().to_string(), &sidecar)?;
    let said = patiently(|| {
        let mut cli = Command::new("redis-cli");
        let said = output_of(cli.args(["-p", &sidecar_port.to_string(), "GET", "greeting"]));
        said.filter(|said| !said.is_empty()).ok_or_else(|| "redis-cli gets no answer".to_owned())
    })?;
    if said != "hello" {
        return Err(format!("redis-cli got {said:?}"));
    }
    place.run(log, &["prove", "audit.log", "--entry", "1", "--out", "proof"])?;
    place.run(log, &["check-proof", "proof", "--signer", &key])?;
    drop(running);
    let report = place.run(log, &["audit", "--json", "audit.log", "--clients", "front.toml"])?;
    let report: Value = serde_json::from_str(report.trim()).map_err(|e| format!("{e}: {report}"))?;
    report.get("entries").and_then(Value::as_u64).ok_or_else(|| format!("no entries: {report}"))
}

struct Place {
    folder: PathBuf,
    program: PathBuf,
}

/// Ended when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Place {
    fn run(&self, log: &Log, arguments: &[&str]) -> Outcome<String> {
        log.run(Command::new(&self.program).current_dir(&self.folder).args(arguments))
    }

    fn start(&self, program: &str, arguments: &[&str]) -> Outcome<Running> {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).args(arguments);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().map(Running).map_err(|e| format!("{program}: {e}"))
    }

    fn wait_for(&self, file: &str) -> Outcome {
        let path = self.folder.join(file);
        patiently(|| if path.exists() { Ok(()) } else { Err(format!("{} does not appear", path.display())) })
    }
}

fn patiently<T>(mut work: impl FnMut() -> Outcome<T>) -> Outcome<T> {
    let began = Instant::now();
    loop {
        match work() {
            Err(_) if began.elapsed() < Duration::from_secs(30) => thread::sleep(Duration::from_millis(50)),
            outcome => return outcome,
        }
    }
}

fn free_port() -> Outcome<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
    Ok(listener.local_addr().map_err(|e| e.to_string())?.port())
}

/// `direct 41 µs, none 112 µs, …`, in the profile of the tests.
fn medians(output: &str) -> Outcome<String> {
    let report: Value = serde_json::from_str(output.trim()).map_err(|e| format!("{e}: {output}"))?;
    let lines = report.get("results").and_then(Value::as_array).ok_or("the bench gives no results")?;
    let median = |line: &Value| {
        let (signer, p50) = (line.get("signer")?.as_str()?, line.get("p50")?.as_f64()?);
        Some(format!("{signer} {p50:.0} µs"))
    };
    let medians: Option<Vec<_>> = lines.iter().map(median).collect();
    Ok(medians.ok_or("a result without a median")?.join(", "))
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
