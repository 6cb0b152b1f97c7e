//! Runs named steps, shows time and result of each, and ends with one line for machines. Some steps run in the
//! background of the others.

use std::cmp::Reverse;
use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::fingerprint::Fingerprint;
use crate::process::{self, Ended, Outcome};
use crate::{processor, workspace};

/// The work of a step. It returns a short text for the step's line.
pub(crate) type Work = Box<dyn FnOnce(&Log) -> Outcome<String>>;
/// The work of a step that runs on another thread.
type BackgroundWork = Box<dyn FnOnce(&Log) -> Outcome<String> + Send>;

/// Maximum duration of one command of a step: several times that of the slowest, the compilation of all tests, so that
/// only a hang reaches it, also on a machine that is slow for a while.
const LIMIT: Duration = Duration::from_secs(45 * 60);
/// The same for commands of low priority.
const LIMIT_LOW_PRIORITY: Duration = Duration::from_secs(75 * 60);

/// Smallest share of a run, in per cent of its time or of its processor time, with which a step has a line of its own in
/// the summary.
const SMALLEST_SHARE: u32 = 1;

/// The file that receives the output of a step's commands.
#[derive(Debug)]
pub(crate) struct Log {
    name: &'static str,
    /// Its commands run with low priority.
    is_low_priority: bool,
    /// Processor time of the commands that ended.
    processor: Mutex<Duration>,
}

impl Log {
    /// An empty log with this name. Deletes the log of an earlier run.
    pub(crate) fn new(name: &'static str) -> Self {
        let log = Self { name, is_low_priority: false, processor: Mutex::default() };
        let _ = fs::remove_file(log.path());
        log
    }

    fn low_priority(name: &'static str) -> Self {
        Self { is_low_priority: true, ..Self::new(name) }
    }

    /// Runs a command, appends its output to the log, and returns the output.
    pub(crate) fn run(&self, command: &mut Command) -> Outcome<String> {
        self.run_into(&self.path(), command)?.success(command, &self.path())
    }

    /// Runs a command whose output goes into the file `name` of the log's own folder: for commands that run side by side.
    pub(crate) fn run_beside(&self, command: &mut Command, name: &str) -> Outcome<String> {
        let path = self.path().with_extension("").join(format!("{name}.log"));
        let _ = fs::remove_file(&path);
        self.run_into(&path, command)?.success(command, &path)
    }

    /// Runs a command that may fail. Returns its exit code, unless a signal ended it, and its output.
    pub(crate) fn run_to_end(&self, command: &mut Command) -> Outcome<(Option<i32>, String)> {
        self.run_into(&self.path(), command).map(|ended| (ended.status.code(), ended.output))
    }

    /// Runs a command with the priority of this step.
    fn run_into(&self, path: &Path, command: &mut Command) -> Outcome<Ended> {
        let ended = if self.is_low_priority {
            process::run_logged(&mut process::with_low_priority(command), path, LIMIT_LOW_PRIORITY)
        } else {
            process::run_logged(command, path, LIMIT)
        }?;
        *self.processor.lock().unwrap_or_else(PoisonError::into_inner) += ended.processor;
        Ok(ended)
    }

    /// Processor time of the commands that ended.
    fn processor(&self) -> Duration {
        *self.processor.lock().unwrap_or_else(PoisonError::into_inner)
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

/// A step that ended.
struct StepResult {
    cost: Cost,
    outcome: Outcome<String>,
}

/// What a step took.
struct Cost {
    name: &'static str,
    duration: Duration,
    /// Processor time of its commands and of the thread that ran it.
    processor: Duration,
}

/// Does the work of a step on this thread.
fn measured(log: &Log, work: impl FnOnce(&Log) -> Outcome<String>) -> StepResult {
    let (began, thread) = (Instant::now(), processor::of_this_thread());
    let outcome = work(log);
    let processor = log.processor() + processor::of_this_thread().saturating_sub(thread);
    StepResult { cost: Cost { name: log.name, duration: began.elapsed(), processor }, outcome }
}

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
            costs: Vec::new(),
        };
        let began = Instant::now();
        let (background, results) = spawn_background();
        for (name, step) in list {
            match step {
                Step::Foreground(work) => {
                    report.begin(name);
                    report.end(measured(&Log::new(name), work));
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
            // The receiver is gone if the run was abandoned.
            let _ = sender.send(measured(&Log::low_priority(name), work));
        }
    });
    (steps, results)
}

/// Output about the steps while they run.
struct Report {
    print: fn(&str),
    total: usize,
    failed: Vec<&'static str>,
    /// The steps that ended.
    costs: Vec<Cost>,
}

impl Report {
    fn begin(&self, name: &str) {
        (self.print)(&format!("[{:>2}/{}] {name:<28} ", self.costs.len() + 1, self.total));
    }

    fn end(&mut self, StepResult { cost, outcome }: StepResult) {
        let seconds = cost.duration.as_secs_f64();
        match outcome {
            Ok(detail) => (self.print)(&format!("ok     {seconds:>7.1} s  {detail}\n")),
            Err(reason) => {
                (self.print)(&format!("FAILED {seconds:>7.1} s\n{}\n", indented(&reason)));
                self.failed.push(cost.name);
            }
        }
        self.costs.push(cost);
    }

    fn end_background(&mut self, StepResult { cost, outcome }: StepResult) {
        self.begin(cost.name);
        self.end(StepResult { cost, outcome: outcome.map(|detail| format!("{detail} (in the background)")) });
    }

    fn finish(self, title: &str, took: Duration) -> Outcome {
        let ended = self.costs.len();
        (self.print)(&format!("\n{}", table(self.costs, took, processor::of_this_process())));
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

/// Where the time of a run went: its steps, those with the most processor time first. Steps in the background run beside
/// others, so the durations add up to more than the run.
fn table(mut costs: Vec<Cost>, took: Duration, processor: Duration) -> String {
    costs.sort_by_key(|cost| Reverse((cost.processor, cost.duration)));
    let line = |name: &str, duration: Duration, processor: Duration| {
        format!("{name:<34} {:>7.0} s {:>9.0} s\n", duration.as_secs_f64(), processor.as_secs_f64())
    };
    let mut text = format!("{:<34} {:>9} {:>11}\n", "", "time", "processor");
    text += &line("all steps", took, processor);
    let is_small = |cost: &Cost| {
        cost.duration * 100 < took * SMALLEST_SHARE && cost.processor * 100 < processor * SMALLEST_SHARE
    };
    let (small, large): (Vec<Cost>, Vec<Cost>) = costs.into_iter().partition(is_small);
    large.iter().for_each(|cost| text += &line(cost.name, cost.duration, cost.processor));
    if !small.is_empty() {
        let duration = small.iter().map(|cost| cost.duration).sum();
        text += &line(
            &format!("{} others", small.len()),
            duration,
            small.iter().map(|cost| cost.processor).sum(),
        );
    }
    text
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
    fn the_summary_lists_large_steps_by_processor_time_and_adds_up_the_others() {
        let cost = |name, duration, processor| Cost {
            name,
            duration: Duration::from_secs(duration),
            processor: Duration::from_secs(processor),
        };
        let costs = vec![cost("waits", 50, 0), cost("a", 0, 1), cost("b", 0, 1), cost("computes", 20, 40)];
        let text = table(costs, Duration::from_secs(100), Duration::from_secs(150));
        let words: Vec<String> =
            text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            words,
            ["all steps 100 s 150 s", "computes 20 s 40 s", "waits 50 s 0 s", "2 others 0 s 2 s"]
        );
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
