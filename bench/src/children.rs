//! Our programs, measured as child processes: with a time limit, and killed when this process ends.

use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;
use std::{env, process, thread};

use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Time that a program has to stop its own children after it was signalled to end.
const GRACE: Duration = Duration::from_secs(10);

/// Exit code that shells report for a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// One of our programs, which cargo builds beside this one.
pub(crate) struct Program {
    path: std::path::PathBuf,
    name: &'static str,
}

impl Program {
    /// Finds a program that `cargo xtask bench` built.
    pub(crate) fn beside(name: &'static str) -> Result<Self, String> {
        let path = env::current_exe().map_err(|e| e.to_string())?.with_file_name(name);
        if path.exists() {
            return Ok(Self { path, name });
        }
        Err(format!("{} is not built: run `cargo xtask bench`, which builds it", path.display()))
    }

    /// Runs it to its end and reads the JSON object that it prints. After `limit` it is signalled to end, and then
    /// killed.
    ///
    /// # Errors
    /// Its standard error, if it failed.
    pub(crate) fn report(&self, arguments: &[&str], limit: Duration) -> Result<Value, String> {
        let shown = format!("{} {}", self.name, arguments.join(" "));
        let mut command = Command::new(&self.path);
        watch()?;
        let output = CHILDREN.run(command.args(arguments), limit);
        if CHILDREN.state().interrupted {
            // The thread that received the signal ends this process.
            thread::sleep(GRACE);
        }
        let output = output.map_err(|reason| format!("`{shown}` {reason}"))?;
        let errors = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if !output.status.success() {
            return Err(format!("`{shown}` failed ({}); its error output:\n{}", output.status, errors()));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("`{shown}` printed no JSON object ({e}); its error output:\n{}", errors()))
    }
}

/// The running child, of which there is one at a time, and whether children may run.
struct ChildRunner {
    state: Mutex<State>,
    empty: Condvar,
}

struct State {
    id: Option<u32>,
    /// True if no further child may be started.
    interrupted: bool,
}

static CHILDREN: ChildRunner = ChildRunner::new();

impl ChildRunner {
    const fn new() -> Self {
        Self { state: Mutex::new(State { id: None, interrupted: false }), empty: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, command: &mut Command, limit: Duration) -> Result<Output, String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut state = self.state();
        if state.interrupted {
            return Err("was not started: interrupted".to_owned());
        }
        let child = command.spawn().map_err(|e| format!("could not be started: {e}"))?;
        let id = child.id();
        state.id = Some(id);
        drop(state);
        let (tell, ended) = mpsc::channel();
        // The receiver is gone if the process did not end when it was killed.
        thread::spawn(move || drop(tell.send(child.wait_with_output())));
        let output = ended.recv_timeout(limit).map_or_else(
            |_| {
                send_signal(id, "INT");
                // A program that is signalled to end stops its own children; one that is killed does not.
                if ended.recv_timeout(GRACE).is_err() {
                    send_signal(id, "KILL");
                    let _ = ended.recv_timeout(GRACE);
                }
                Err(format!("took longer than {} s and was ended", limit.as_secs()))
            },
            |output| output.map_err(|e| e.to_string()),
        );
        let mut state = self.state();
        state.id = None;
        self.empty.notify_all();
        if state.interrupted { Err("was interrupted".to_owned()) } else { output }
    }

    /// Kills the child and prevents further ones.
    fn close(&self) {
        let mut state = self.state();
        state.interrupted = true;
        let Some(id) = state.id else { return };
        send_signal(id, "INT");
        let waited = self.empty.wait_timeout_while(state, GRACE, |state| state.id.is_some());
        if waited.is_ok_and(|(_, timeout)| timeout.timed_out()) {
            send_signal(id, "KILL");
        }
    }
}

/// Sends a signal to a child that was not waited for yet.
fn send_signal(id: u32, name: &str) {
    // The child may have ended in the meantime.
    let _ = Command::new("kill").args([format!("-{name}"), id.to_string()]).stderr(Stdio::null()).status();
}

/// Makes signals that end this process end the running child too.
fn watch() -> Result<(), String> {
    static WATCHING: OnceLock<Result<(), String>> = OnceLock::new();
    let start = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let runtime = runtime.map_err(|e| format!("needs a runtime for signals: {e}"))?;
        let listen = |kind| {
            let _context = runtime.enter();
            signal(kind).map_err(|e| format!("needs to hear signals: {e}"))
        };
        let (mut interrupt, mut terminate) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
        thread::spawn(move || {
            runtime.block_on(either(&mut interrupt, &mut terminate));
            CHILDREN.close();
            process::exit(INTERRUPTED);
        });
        Ok(())
    };
    WATCHING.get_or_init(start).clone()
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;

    fn shell() -> Program {
        Program { path: "/bin/sh".into(), name: "sh" }
    }

    #[test]
    fn a_report_is_read_and_a_failure_has_its_reason() {
        let sh = shell();
        let limit = Duration::from_secs(60);
        let report = sh.report(&["-c", "echo '{\"p50\": 4.5}'; echo careful >&2"], limit).unwrap();
        assert_eq!(report.pointer("/p50").and_then(Value::as_f64), Some(4.5));
        let reason = sh.report(&["-c", "echo no such thing >&2; exit 3"], limit).unwrap_err();
        assert!(reason.contains("no such thing") && reason.contains("exit 3"), "{reason}");
        let reason = sh.report(&["-c", "echo nothing"], limit).unwrap_err();
        assert!(reason.contains("no JSON object"), "{reason}");
    }

    #[test]
    fn a_child_above_its_time_limit_is_killed() {
        let began = Instant::now();
        let reason = shell().report(&["-c", "exec sleep 60"], Duration::from_millis(200)).unwrap_err();
        assert!(reason.contains("took longer") && began.elapsed() < Duration::from_secs(30), "{reason}");
    }

    #[test]
    fn an_interrupt_ends_the_child_and_prevents_others() {
        let runner = ChildRunner::new();
        let began = Instant::now();
        let reasons = thread::scope(|scope| {
            let running =
                scope.spawn(|| runner.run(Command::new("sleep").arg("60"), Duration::from_secs(60)));
            while runner.state().id.is_none() {
                thread::yield_now();
            }
            runner.close();
            let late = runner.run(&mut Command::new("true"), Duration::from_secs(60));
            [running.join().unwrap().unwrap_err(), late.unwrap_err()]
        });
        assert_eq!(reasons, ["was interrupted", "was not started: interrupted"]);
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    #[ignore = "the next test runs it in a separate process"]
    fn a_child_that_takes_a_minute() {
        let file = env::var("QUORATE_BENCH_PID_FILE").unwrap();
        let script = "echo $$ > \"$0\"; exec sleep 60";
        shell().report(&["-c", script, &file], Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn control_c_ends_the_child_before_us() {
        let file = env::temp_dir().join(format!("quorate-bench-{}", process::id()));
        let test = "children::tests::a_child_that_takes_a_minute";
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--ignored", "--exact", test]).env("QUORATE_BENCH_PID_FILE", &file);
        let mut us = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        let child: u32 = loop {
            assert!(began.elapsed() < Duration::from_secs(60), "no child");
            if let Some(id) = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok()) {
                break id;
            }
            thread::yield_now();
        };
        send_signal(us.id(), "INT");
        assert_eq!(us.wait().unwrap().code(), Some(INTERRUPTED));
        assert!(began.elapsed() < Duration::from_secs(60), "the child ended before the signal");
        let there = Command::new("kill").args(["-0", &child.to_string()]).stderr(Stdio::null()).status();
        assert!(!there.unwrap().success(), "the child still runs");
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_missing_program_is_reported() {
        let reason = Program::beside("no-such-program").err().unwrap();
        assert!(reason.contains("no-such-program") && reason.contains("cargo xtask bench"), "{reason}");
    }
}
