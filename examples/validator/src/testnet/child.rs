use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use quorate_node::store;
use tokio::process::{Child, ChildStdin, Command};

use super::layout::NodePlace;
use crate::exit::{Exit, Failure, OrFail};

/// Time limit of a clean stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of bytes of the log shown when a validator ended unexpectedly.
const LOG_TAIL: usize = 2000;

/// A validator process. It cannot outlive this process: its standard input is a pipe that the operating system closes
/// when this process ends for any reason, and `run --stop-with-stdin` stops then.
#[derive(Debug)]
pub(crate) struct ValidatorProcess {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl ValidatorProcess {
    /// Starts the validator and appends its log to its file.
    pub(crate) fn start(place: &NodePlace, log_level: &str) -> Result<Self, Failure> {
        let executable =
            std::env::current_exe().or_fail(Exit::Failed, "cannot find this program's own file")?;
        let log = OpenOptions::new().create(true).append(true).open(&place.log);
        let log: File = log.or_fail(Exit::Setup, format!("cannot write {}", place.log.display()))?;
        let mut child = Command::new(executable)
            .arg("run")
            .arg("--config")
            .arg(&place.config)
            .args(["--log-level", log_level, "--stop-with-stdin"])
            .args(store::is_empty(&place.data).then_some("--new-validator"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            // Ctrl-C must reach only the testnet process, which then stops its validators in order.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .or_fail(Exit::Failed, format!("cannot start {}", place.name))?;
        let stdin = child.stdin.take();
        Ok(Self { child, stdin })
    }

    /// Returns the process id while the process runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the exit status if the process has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends SIGKILL and waits for the end of the process.
    pub(crate) async fn kill(mut self) {
        // It may have ended in between.
        let _ = self.child.kill().await;
    }

    /// Stops the process cleanly, or kills it after a time limit. Returns true if it stopped cleanly.
    pub(crate) async fn stop(mut self) -> bool {
        drop(self.stdin.take());
        match tokio::time::timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(Ok(status)) => status.success(),
            _ => {
                let _ = self.child.kill().await;
                false
            }
        }
    }
}

/// Returns the end of the log.
pub(crate) fn log_tail(place: &NodePlace) -> String {
    let log = fs::read(&place.log).unwrap_or_default();
    let tail = log.get(log.len().saturating_sub(LOG_TAIL)..).unwrap_or_default();
    String::from_utf8_lossy(tail).trim().to_owned()
}

/// Returns true if a validator ended because it is no longer a member.
pub(crate) fn has_left(status: ExitStatus) -> bool {
    status.code() == Some(Exit::Left as i32)
}

/// Describes an unexpected end of a validator, with the end of its log.
pub(crate) fn crashed(place: &NodePlace, status: ExitStatus) -> Failure {
    let taken = status.code() == Some(Exit::PortTaken as i32);
    let exit = if taken { Exit::PortTaken } else { Exit::Crashed };
    let text = format!(
        "{} ended unexpectedly ({status}); its log {} ends with:\n{}",
        place.name,
        place.log.display(),
        log_tail(place)
    );
    Failure::new(exit, text)
}

/// Resource usage of a process, as reported by Linux.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Usage {
    /// Processor time in seconds.
    pub cpu_seconds: f64,
    /// Peak resident memory in MiB.
    pub peak_mib: f64,
    /// Processor time in seconds of the threads of each name.
    pub threads: BTreeMap<String, f64>,
}

/// A process id and its resource usage; `None` if the process does not run.
pub(crate) type Sample = Option<(u32, Usage)>;

impl Usage {
    /// Reads the usage of a running process; `None` if there is no `/proc`.
    pub(crate) fn read(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name, which may contain any byte, fields 12 and 13 are user and system time in ticks.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: f64 = peak.split_whitespace().next()?.parse().ok()?;
        // Linux reports ticks of 10 ms on every architecture.
        let cpu_seconds = ticks as f64 / 100.0;
        Some(Self { cpu_seconds, peak_mib: (kib / 10.24).round() / 100.0, threads: thread_times(pid) })
    }
}

/// Reads the processor time of a process' threads in seconds, by their names; empty if the kernel keeps none.
fn thread_times(pid: u32) -> BTreeMap<String, f64> {
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let read = |file: &str| fs::read_to_string(task.path().join(file)).ok();
        // A thread may end in between.
        let (Some(name), Some(statistics)) = (read("comm"), read("schedstat")) else { continue };
        let nanoseconds = statistics.split_whitespace().next().and_then(|text| text.parse::<f64>().ok());
        *times.entry(name.trim().to_owned()).or_default() += nanoseconds.unwrap_or_default() / 1e9;
    }
    times
}
