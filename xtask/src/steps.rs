//! Runs named steps, shows time and result of each, and ends with one line for machines. Some steps run in the
//! background of the others.

use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::fingerprint::Fingerprint;
use crate::process::{self, Outcome};
use crate::workspace;

/// The work of a step. It returns a short text for the step's line.
pub(crate) type Work = Box<dyn FnOnce(&Log) -> Outcome<String>>;
/// The work of a step that runs on another thread.
type BackgroundWork = Box<dyn FnOnce(&Log) -> Outcome<String> + Send>;

/// Maximum duration of one command of a step: several times that of the slowest, the compilation of all tests, so that
/// only a hang reaches it, also on a machine that is slow for a while.
const LIMIT: Duration = Duration::from_secs(45 * 60);
/// The same for commands of low priority.
const LIMIT_LOW_PRIORITY: Duration = Duration::from_secs(75 * 60);

/// Number of slow steps that the summary lists.
const SLOWEST: usize = 8;

/// The file that receives the output of a step's commands.
#[derive(Debug)]
pub(crate) struct Log {
    name: &'static str,
    /// Its commands run with low priority.
    is_low_priority: bool,
}

impl Log {
    /// An empty log with this name. Deletes the log of an earlier run.
    pub(crate) fn new(name: &'static str) -> Self {
        let log = Self { name, is_low_priority: false };
        let _ = fs::remove_file(log.path());
        log
    }

    fn low_priority(name: &'static str) -> Self {
        Self { is_low_priority: true, ..Self::new(name) }
    }

    /// Runs a command, appends its output to the log, and returns the output.
    pub(crate) fn run(&self, command: &mut Command) -> Outcome<String> {
        self.run_with(command, process::run_logged)
    }

    /// Runs a command whose output goes into the file `name` of the log's own folder: for commands that run side by side.
    pub(crate) fn run_beside(&self, command: &mut Command, name: &str) -> Outcome<String> {
        let path = self.path().with_extension("").join(format!("{name}.log"));
        let _ = fs::remove_file(&path);
        process::run_logged(command, &path, LIMIT)
    }

    /// Runs a command that may fail. Returns its exit code, unless a signal ended it, and its output.
    pub(crate) fn run_to_end(&self, command: &mut Command) -> Outcome<(Option<i32>, String)> {
        self.run_with(command, process::run_to_status).map(|(status, text)| (status.code(), text))
    }

    /// Runs a command with the priority of this step.
    fn run_with<T>(
        &self,
        command: &mut Command,
        run: fn(&mut Command, &Path, Duration) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.is_low_priority {
            run(&mut process::with_low_priority(command), &self.path(), LIMIT_LOW_PRIORITY)
        } else {
            run(command, &self.path(), LIMIT)
        }
    }

    /// The file.
    pub(crate) fn path(&self) -> PathBuf {
        workspace::target("xtask/logs").join(format!("{}.log", self.name.replace(' ', "-")))
    }
}

/// Work that several steps need and the first of them does; the others wait meanwhile.
#[derive(Debug)]
pub(crate) struct Once(Mutex<bool>);

impl Once {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(false))
    }

    /// Does the work unless this process did it already. The next caller repeats work that failed.
    pub(crate) fn run(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        let mut done = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !*done {
            work()?;
            *done = true;
        }
        Ok(())
    }

    /// Records that other work did this work too.
    pub(crate) fn mark_done(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// A list of steps.
#[derive(Default)]
pub(crate) struct Steps {
    list: Vec<(&'static str, Step)>,
    on_standard_error: bool,
}

enum Step {
    /// The next step waits for it.
    Foreground(Work),
    /// The next step does not wait for it.
    Background(BackgroundWork),
}

/// A step that ended: name, duration, result.
type StepResult = (&'static str, Duration, Outcome<String>);

impl Steps {
    /// An empty list that reports on the standard error, and leaves the standard output to the result.
    pub(crate) fn on_standard_error() -> Self {
        Self { on_standard_error: true, ..Self::default() }
    }

    /// Adds a step.
    pub(crate) fn add(&mut self, name: &'static str, work: impl FnOnce(&Log) -> Outcome<String> + 'static) {
        self.list.push((name, Step::Foreground(Box::new(work))));
    }

    /// Adds a step that runs in the background of the steps added later: one that compiles nothing, or into a folder of
    /// its own. Background steps run one after the other, with low priority.
    pub(crate) fn add_background(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Log) -> Outcome<String> + Send + 'static,
    ) {
        self.list.push((name, Step::Background(Box::new(work))));
    }

    /// The names of all steps, in their order.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.list.iter().map(|(name, _)| *name).collect()
    }

    /// Drops the steps for which `wanted` is false, and returns their names.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let dropped = self.names().into_iter().filter(|name| !wanted(name)).collect();
        self.list.retain(|(name, _)| wanted(name));
        dropped
    }

    /// Replaces the work of a step, if the list has it.
    pub(crate) fn replace(&mut self, name: &str, work: impl FnOnce(&Log) -> Outcome<String> + 'static) {
        if let Some((_, step)) = self.list.iter_mut().find(|(own, _)| *own == name) {
            *step = Step::Foreground(Box::new(work));
        }
    }

    /// Records with which files the step of this name passes. With `skip`, it does not run again with the same files.
    pub(crate) fn remember(&mut self, fingerprint: Fingerprint, skip: bool) {
        let Some((_, step)) = self.list.iter_mut().find(|(name, _)| *name == fingerprint.name) else {
            return;
        };
        let work = std::mem::replace(step, Step::Foreground(Box::new(|_| Ok(String::new()))));
        *step = match work {
            Step::Foreground(work) => {
                Step::Foreground(Box::new(move |log| unless_passed(fingerprint, skip, || work(log))))
            }
            Step::Background(work) => {
                Step::Background(Box::new(move |log| unless_passed(fingerprint, skip, || work(log))))
            }
        };
    }

    /// Drops the steps whose name does not contain `text`.
    pub(crate) fn keep(&mut self, text: Option<&str>) -> Outcome {
        let names = self.names();
        self.retain(|name| text.is_none_or(|text| name.contains(text)));
        if self.list.is_empty() {
            let text = text.unwrap_or_default();
            Err(format!("no step's name contains `{text}`; expected a part of one of: {}", names.join(", ")))
        } else {
            Ok(())
        }
    }

    /// Runs all steps, also after a failure, and ends with `<title>: N passed, N failed`.
    pub(crate) fn run(self, title: &str) -> Outcome {
        let Self { list, on_standard_error } = self;
        let mut report = Report {
            print: if on_standard_error { print_to_standard_error } else { print_to_standard_output },
            total: list.len(),
            failed: Vec::new(),
            durations: Vec::new(),
        };
        let began = Instant::now();
        let (background, results) = spawn_background();
        for (name, step) in list {
            match step {
                Step::Foreground(work) => {
                    report.begin(name);
                    let step_began = Instant::now();
                    let outcome = work(&Log::new(name));
                    report.end((name, step_began.elapsed(), outcome));
                }
                Step::Background(work) => background.send((name, work)).map_err(|error| error.to_string())?,
            }
            results.try_iter().for_each(|result| report.end_background(result));
        }
        drop(background);
        results.iter().for_each(|result| report.end_background(result));
        report.finish(title, began.elapsed())
    }
}

/// Does the work of a step, unless it passed with the same files and `skip`.
fn unless_passed(
    fingerprint: Fingerprint,
    skip: bool,
    work: impl FnOnce() -> Outcome<String>,
) -> Outcome<String> {
    let contents = fingerprint.contents()?;
    if skip && fingerprint.passed_with(&contents) {
        return Ok("unchanged since it last passed".to_owned());
    }
    let detail = work()?;
    fingerprint.record(&contents)?;
    Ok(detail)
}

/// A thread that runs the steps it receives, one after the other.
fn spawn_background() -> (Sender<(&'static str, BackgroundWork)>, Receiver<StepResult>) {
    let (steps, waiting) = channel::<(&'static str, BackgroundWork)>();
    let (sender, results) = channel();
    thread::spawn(move || {
        for (name, work) in waiting {
            let began = Instant::now();
            let outcome = work(&Log::low_priority(name));
            // The receiver is gone if the run was abandoned.
            let _ = sender.send((name, began.elapsed(), outcome));
        }
    });
    (steps, results)
}

/// Output about the steps while they run.
struct Report {
    print: fn(&str),
    total: usize,
    failed: Vec<&'static str>,
    /// Duration and name of each step that ended.
    durations: Vec<(Duration, &'static str)>,
}

impl Report {
    fn begin(&self, name: &str) {
        (self.print)(&format!("[{:>2}/{}] {name:<28} ", self.durations.len() + 1, self.total));
    }

    fn end(&mut self, (name, took, outcome): StepResult) {
        self.durations.push((took, name));
        let seconds = took.as_secs_f64();
        match outcome {
            Ok(detail) => (self.print)(&format!("ok     {seconds:>7.1} s  {detail}\n")),
            Err(reason) => {
                (self.print)(&format!("FAILED {seconds:>7.1} s\n{}\n", indented(&reason)));
                self.failed.push(name);
            }
        }
    }

    fn end_background(&mut self, (name, took, outcome): StepResult) {
        self.begin(name);
        self.end((name, took, outcome.map(|detail| format!("{detail} (in the background)"))));
    }

    fn finish(mut self, title: &str, took: Duration) -> Outcome {
        let ended = self.durations.len();
        self.durations.sort_by(|a, b| b.cmp(a));
        let slowest = self.durations.iter().take(SLOWEST);
        let slowest: Vec<String> =
            slowest.map(|(took, name)| format!("{name} {:.0} s", took.as_secs_f64())).collect();
        (self.print)(&format!("\ntook {:.0} s; slowest: {}\n", took.as_secs_f64(), slowest.join(", ")));
        (self.print)(&format!(
            "{title}: {} passed, {} failed\n",
            ended - self.failed.len(),
            self.failed.len()
        ));
        match self.failed.is_empty() {
            true if ended == self.total => Ok(()),
            true => Err(format!("{} of {} steps did not end", self.total - ended, self.total)),
            false => Err(format!("failed: {}", self.failed.join(", "))),
        }
    }
}

/// Prints and ignores errors: a closed terminal is no reason to stop the tests.
fn print_to_standard_output(text: &str) {
    print!("{text}");
    let _ = stdout().flush();
}

fn print_to_standard_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Number of tests that ran, from the last lines of test programs.
pub(crate) fn tests_in(output: &str) -> String {
    let mut passed = 0u64;
    let mut ignored = 0u64;
    for line in output.lines().filter(|line| line.starts_with("test result:")) {
        let number_before = |word: &str| {
            let (before, _) = line.split_once(word)?;
            before.trim().rsplit(' ').next()?.parse::<u64>().ok()
        };
        passed += number_before(" passed").unwrap_or(0);
        ignored += number_before(" ignored").unwrap_or(0);
    }
    if ignored == 0 { format!("{passed} tests") } else { format!("{passed} tests, {ignored} ignored") }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("        | {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_several_programs_are_added_up() {
        let output = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\nnoise\n\
                      test result: ok. 14 passed; 0 failed; 2 ignored; 0 measured";
        assert_eq!(tests_in(output), "17 tests, 2 ignored");
    }

    #[test]
    fn shared_work_is_done_once_and_repeated_after_a_failure() {
        let (once, mut attempts) = (Once::new(), 0);
        for outcome in [Err("broken".to_owned()), Ok(()), Ok(())] {
            let _ = once.run(|| {
                attempts += 1;
                outcome
            });
        }
        assert_eq!(attempts, 2);
    }

    #[test]
    fn a_failed_step_fails_the_list_and_stops_no_other() {
        use std::cell::Cell;
        use std::rc::Rc;
        let ran = Rc::new(Cell::new(false));
        let seen = Rc::clone(&ran);
        let mut steps = Steps::default();
        steps.add("one", |_| Err("broken".to_owned()));
        steps.add("two", move |_| {
            seen.set(true);
            Ok(String::new())
        });
        assert_eq!(steps.run("unit"), Err("failed: one".to_owned()));
        assert!(ran.get());
    }

    #[test]
    fn a_step_is_not_repeated_with_the_same_files() {
        let fingerprint = Fingerprint { name: "unit remembered", inputs: &["xtask/src/steps.rs"] };
        fingerprint.record("other contents").unwrap();
        for (skip, expected) in [(true, "ran"), (true, "unchanged since it last passed"), (false, "ran")] {
            let detail = unless_passed(fingerprint, skip, || Ok("ran".to_owned()));
            assert_eq!(detail, Ok(expected.to_owned()));
        }
        fingerprint.record("other contents").unwrap();
        assert_eq!(unless_passed(fingerprint, true, || Err("broken".to_owned())), Err("broken".to_owned()));
        assert_eq!(unless_passed(fingerprint, true, || Ok("ran".to_owned())), Ok("ran".to_owned()));
    }

    #[test]
    fn a_background_step_delays_no_other_and_counts() {
        let (go, wait) = channel();
        let mut steps = Steps::default();
        steps.add("first", |_| Ok(String::new()));
        // It ends only if the last step begins before.
        steps.add_background("background", move |_| {
            wait.recv_timeout(Duration::from_secs(60)).map_err(|error| error.to_string())?;
            Err("broken".to_owned())
        });
        steps.add("last", move |_| go.send(()).map(|()| String::new()).map_err(|error| error.to_string()));
        assert_eq!(steps.run("unit"), Err("failed: background".to_owned()));

        let mut steps = Steps::default();
        steps.add("one", |_| Ok(String::new()));
        steps.add_background("other", |_| Err("broken".to_owned()));
        assert_eq!(steps.keep(Some("other")), Ok(()));
        assert_eq!(steps.run("unit"), Err("failed: other".to_owned()), "alone");
    }
}
