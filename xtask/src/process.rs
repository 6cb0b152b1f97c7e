//! Child processes: in the terminal, or with their output in a log.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::processor::ProcessorTime;

/// Result of a task; the error is a text for the terminal.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Interval between two checks whether a logged child ended.
const POLL: Duration = Duration::from_millis(20);
/// Number of a log's last lines that are shown when its command failed.
const TAIL_LINES: usize = 60;
/// Maximum number of lines shown from the output of failed tests, wherever they are in the log.
const FAILURE_LINES: usize = 240;

/// Runs a command in the terminal.
pub(crate) fn run_in_terminal(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|e| not_started(command, &e))?;
    succeeded(command, status)
}

/// Runs a command in the terminal, in place of this process where that is possible.
pub(crate) fn replace_process(command: &mut Command) -> Outcome {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;

        let error = command.exec();
        Err(not_started(command, &error))
    }
    #[cfg(not(unix))]
    {
        run_in_terminal(command)
    }
}

/// A logged command that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What it printed.
    pub(crate) output: String,
    /// Processor time of it and its children.
    pub(crate) processor: Duration,
}

impl Ended {
    /// Returns the output, or why the command failed.
    pub(crate) fn success(self, command: &Command, log: &Path) -> Outcome<String> {
        match succeeded(command, self.status) {
            Ok(()) => Ok(self.output),
            Err(reason) => Err(failure_message(&self.output, &reason, log)),
        }
    }
}

/// Runs a command, appends its name and output to `log`, and kills it after `limit`.
pub(crate) fn run_logged(command: &mut Command, log: &Path, limit: Duration) -> Outcome<Ended> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let unwritten = |e: io::Error| format!("{}: {e}", log.display());
    let mut file = File::options().create(true).append(true).open(log).map_err(unwritten)?;
    writeln!(file, "$ {}", shown(command)).map_err(unwritten)?;
    let start = file.metadata().map_err(unwritten)?.len();
    let errors = file.try_clone().map_err(unwritten)?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|e| not_started(command, &e))?;
    let ended = wait(&mut child, limit);
    let output = read_from(log, start).map_err(unwritten)?;
    match ended? {
        Some((status, processor)) => Ok(Ended { status, output, processor }),
        None => {
            let reason = format!(
                "`{}` took longer than the limit of {} s and was killed",
                shown(command),
                limit.as_secs()
            );
            Err(failure_message(&output, &reason, log))
        }
    }
}

/// Waits for a process: its status and processor time, or `None` if it was killed after `limit`.
fn wait(child: &mut Child, limit: Duration) -> Outcome<Option<(ExitStatus, Duration)>> {
    let began = Instant::now();
    let mut processor = Duration::ZERO;
    loop {
        // The times are there until the process is waited for, so its end is noticed here where they exist.
        let time = ProcessorTime::of_process(child.id());
        processor = time.map_or(processor, ProcessorTime::total);
        if time.is_none_or(|time| time.is_final)
            && let Some(status) = child.try_wait().map_err(|e| e.to_string())?
        {
            return Ok(Some((status, processor)));
        }
        if began.elapsed() > limit {
            // The child may have ended in the meantime.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

/// The same command with low priority: it takes a processor only when no other process wants it.
pub(crate) fn with_low_priority(command: &Command) -> Command {
    if !cfg!(unix) || !is_on_path("nice") {
        let mut same = Command::new(command.get_program());
        copy_settings(&mut same, command);
        return same;
    }
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"]).arg(command.get_program());
    copy_settings(&mut nice, command);
    nice
}

/// Copies arguments, variables and folder of another command.
fn copy_settings(command: &mut Command, other: &Command) {
    command.args(other.get_args());
    for (name, value) in other.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = other.get_current_dir() {
        command.current_dir(folder);
    }
}

fn failure_message(text: &str, reason: &str, log: &Path) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines.get(lines.len().saturating_sub(TAIL_LINES)..).unwrap_or_default();
    let shown = [failures(&lines).as_slice(), tail].concat().join("\n");
    format!("{shown}\n{reason}; the whole log: {}", log.display())
}

/// The contents of a file after its first `start` bytes.
fn read_from(file: &Path, start: u64) -> io::Result<String> {
    let mut file = File::open(file)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The standard output of a command; `None` if the command fails.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns true if a program can be started.
pub(crate) fn is_on_path(program: &str) -> bool {
    // OpenSSL 3.0 has a command instead of an option.
    ["--version", "version"].iter().any(|ask| output_of(Command::new(program).arg(ask)).is_some())
}

fn succeeded(command: &Command, status: ExitStatus) -> Outcome {
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", shown(command))
}

fn shown(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    command.get_args().fold(program, |line, argument| line + " " + &argument.to_string_lossy())
}

/// The output of failed Rust tests, which may be far from the end: other test programs print after them.
fn failures<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut within = false;
    let of_failures = lines.iter().filter(|line| {
        let ends = line.starts_with("test result: ");
        within = (within || **line == "failures:") && !ends;
        within && !is_frame(line)
    });
    of_failures.take(FAILURE_LINES).copied().collect()
}

/// Returns true for a frame of a backtrace outside our code: in the standard library, tokio and so on.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let is_numbered = line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    is_numbered || (line.starts_with("at ") && !line.starts_with("at ./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> std::path::PathBuf {
        crate::workspace::target("xtask/unit").join(format!("{:?}.log", thread::current().id()))
    }

    #[test]
    fn a_failing_command_shows_its_output_and_name() {
        let mut command = Command::new("cargo");
        command.arg("no-such-command");
        let ended = run_logged(&mut command, &log(), Duration::from_secs(60)).unwrap();
        let reason = ended.success(&command, &log()).unwrap_err();
        assert!(reason.contains("no-such-command") && reason.contains("failed"), "{reason}");
    }

    #[test]
    fn output_of_a_failed_test_is_shown_wherever_it_is() {
        let log = "test result: ok. 1 passed\n\nfailures:\n\n---- net::one stdout ----\npanicked at net.rs:7:1\nstack backtrace:\n\
            \x20  0: core::panic\n             at /rustc/panic.rs:80:14\n             at ./tests/net.rs:7\n\nfailures:\n    net::one\n\n\
            test result: FAILED. 0 passed; 1 failed\n"
            .to_owned()
            + &"another line\n".repeat(500);
        let shown = failure_message(&log, "it failed", Path::new("log"));
        for part in ["net::one stdout", "panicked at net.rs:7:1", "at ./tests/net.rs:7", "it failed"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("/rustc/") && !shown.contains("ok. 1 passed"), "{shown}");
        assert!(shown.lines().count() < FAILURE_LINES + TAIL_LINES + 2);
    }

    #[test]
    fn a_log_has_all_output_and_each_command_returns_its_own() {
        let log = log();
        let _ = fs::remove_file(&log);
        for word in ["one", "two"] {
            let ended = run_logged(Command::new("echo").arg(word), &log, Duration::from_secs(60)).unwrap();
            assert_eq!(ended.output, format!("{word}\n"));
        }
        assert_eq!(fs::read_to_string(&log).unwrap(), "$ echo one\none\n$ echo two\ntwo\n");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_of_grandchildren_counts() {
        let mut command = Command::new("sh");
        command.args(["-c", "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; true"]);
        let ended = run_logged(&mut command, &log(), Duration::from_secs(60)).unwrap();
        assert!(ended.status.success() && ended.processor >= Duration::from_millis(20), "{ended:?}");
    }

    #[test]
    fn a_command_is_killed_at_its_limit() {
        let began = Instant::now();
        let reason =
            run_logged(Command::new("sleep").arg("600"), &log(), Duration::from_millis(100)).unwrap_err();
        assert!(reason.contains("took longer") && began.elapsed() < Duration::from_secs(120), "{reason}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let reason = run_in_terminal(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(reason.contains("no-such-program-here"), "{reason}");
        assert!(!is_on_path("no-such-program-here"));
    }

    #[test]
    #[cfg(unix)]
    fn low_priority_changes_nothing_else() {
        let mut command = Command::new("sh");
        command.args(["-c", "nice; echo $GIVEN; pwd"]).env("GIVEN", "value").current_dir("/");
        let output = output_of(&mut with_low_priority(&command)).unwrap();
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines[1..], ["value", "/"]);
        assert!(lines[0].parse::<i32>().unwrap() >= 19, "{}", lines[0]);
    }
}
