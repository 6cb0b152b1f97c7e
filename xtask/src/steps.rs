//! Runs named steps one after another, shows time and result of each, and closes with one line for machines. Some go on
//! beside the others.

use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{self, Outcome};
use crate::workspace;

/// What a step does. It answers with a few words for its line.
pub(crate) type Work = Box<dyn FnOnce(&Log) -> Outcome<String>>;
/// The same on a thread of its own.
type Aside = Box<dyn FnOnce(&Log) -> Outcome<String> + Send>;

/// Longest time for one command of a step: many times what the slowest needs, so only a hang meets it.
const LIMIT: Duration = Duration::from_secs(25 * 60);
/// The same where others go first.
const LIMIT_BESIDE: Duration = Duration::from_secs(50 * 60);

/// Where a step's commands put their output.
#[derive(Debug)]
pub(crate) struct Log {
    name: &'static str,
    /// Its commands take the processors only when nobody else wants them.
    gives_way: bool,
}

impl Log {
    /// The log of a step, or of something else with a name. What an earlier run of it left is gone.
    pub(crate) fn of(name: &'static str) -> Self {
        let log = Self { name, gives_way: false };
        let _ = fs::remove_file(log.path());
        log
    }

    fn giving_way(name: &'static str) -> Self {
        Self { gives_way: true, ..Self::of(name) }
    }

    /// Runs a command with its output at the end of this step's log.
    pub(crate) fn run(&self, command: &mut Command) -> Outcome<String> {
        self.either(command, process::quiet)
    }

    /// The same for a command whose failure is an answer: its exit code, unless a signal ended it, and what it printed.
    pub(crate) fn run_to_end(&self, command: &mut Command) -> Outcome<(Option<i32>, String)> {
        self.either(command, process::to_end).map(|(status, text)| (status.code(), text))
    }

    /// Runs a command as the step's commands are run.
    fn either<T>(
        &self,
        command: &mut Command,
        run: fn(&mut Command, &Path, Duration) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.gives_way {
            run(&mut process::giving_way(command), &self.path(), LIMIT_BESIDE)
        } else {
            run(command, &self.path(), LIMIT)
        }
    }

    fn path(&self) -> PathBuf {
        workspace::target("xtask/logs").join(format!("{}.log", self.name.replace(' ', "-")))
    }
}

/// Work that several steps need and the first of them does.
#[derive(Debug)]
pub(crate) struct Once(AtomicBool);

impl Once {
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Does the work, unless this process did it already. What failed is tried again by the next who asks.
    pub(crate) fn run(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        if !self.0.load(Ordering::Relaxed) {
            work()?;
            self.done();
        }
        Ok(())
    }

    /// The work is done, on the way of something else.
    pub(crate) fn done(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A list of steps.
#[derive(Default)]
pub(crate) struct Steps {
    list: Vec<(&'static str, Step)>,
    on_standard_error: bool,
}

enum Step {
    /// The next waits for it.
    Alone(Work),
    /// The next does not.
    Beside(Aside),
}

/// A step that ended: its name, how long it took, and what it answered.
type Ended = (&'static str, Duration, Outcome<String>);

impl Steps {
    /// A list that leaves the standard output to what programs read.
    pub(crate) fn on_standard_error() -> Self {
        Self { on_standard_error: true, ..Self::default() }
    }

    /// Adds a step.
    pub(crate) fn add(&mut self, name: &'static str, work: impl FnOnce(&Log) -> Outcome<String> + 'static) {
        self.list.push((name, Step::Alone(Box::new(work))));
    }

    /// Adds a step that goes on beside those that are added later, which should leave processors idle: one that compiles
    /// nothing, or into a folder of its own. Such steps follow each other.
    pub(crate) fn beside(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Log) -> Outcome<String> + Send + 'static,
    ) {
        self.list.push((name, Step::Beside(Box::new(work))));
    }

    /// Drops the steps whose name does not contain `text`.
    pub(crate) fn keep(&mut self, text: Option<&str>) -> Outcome {
        let names: Vec<_> = self.list.iter().map(|(name, _)| *name).collect();
        self.list.retain(|(name, _)| text.is_none_or(|text| name.contains(text)));
        if self.list.is_empty() {
            Err(format!("no such step; there are: {}", names.join(", ")))
        } else {
            Ok(())
        }
    }

    /// Runs all steps, whatever fails, and closes with `<title>: N passed, N failed`.
    pub(crate) fn run(self, title: &str) -> Outcome {
        let Self { list, on_standard_error } = self;
        let mut report = Report {
            say: if on_standard_error { self::on_standard_error } else { on_standard_output },
            total: list.len(),
            ended: 0,
            failed: Vec::new(),
        };
        let began = Instant::now();
        let (beside, others) = aside();
        for (name, step) in list {
            match step {
                Step::Alone(work) => {
                    report.begin(name);
                    let step_began = Instant::now();
                    let outcome = work(&Log::of(name));
                    report.end((name, step_began.elapsed(), outcome));
                }
                Step::Beside(work) => beside.send((name, work)).map_err(|error| error.to_string())?,
            }
            others.try_iter().for_each(|ended| report.of_beside(ended));
        }
        drop(beside);
        others.iter().for_each(|ended| report.of_beside(ended));
        let Report { say, total, failed, ended } = report;
        say(&format!("\ntook {:.0} s\n", began.elapsed().as_secs_f64()));
        say(&format!("{title}: {} passed, {} failed\n", ended - failed.len(), failed.len()));
        match failed.is_empty() {
            true if ended == total => Ok(()),
            true => Err(format!("{} steps did not end", total - ended)),
            false => Err(format!("failed: {}", failed.join(", "))),
        }
    }
}

/// A thread that runs the steps that it is sent, one after another.
fn aside() -> (Sender<(&'static str, Aside)>, Receiver<Ended>) {
    let (steps, waiting) = channel::<(&'static str, Aside)>();
    let (sender, ended) = channel();
    thread::spawn(move || {
        for (name, work) in waiting {
            let began = Instant::now();
            let outcome = work(&Log::giving_way(name));
            // Nobody listens any more if the tests were given up.
            let _ = sender.send((name, began.elapsed(), outcome));
        }
    });
    (steps, ended)
}

/// What is said of steps while they run.
struct Report {
    say: fn(&str),
    total: usize,
    ended: usize,
    failed: Vec<&'static str>,
}

impl Report {
    fn begin(&self, name: &str) {
        (self.say)(&format!("[{:>2}/{}] {name:<28} ", self.ended + 1, self.total));
    }

    fn end(&mut self, (name, took, outcome): Ended) {
        self.ended += 1;
        let seconds = took.as_secs_f64();
        match outcome {
            Ok(detail) => (self.say)(&format!("ok     {seconds:>7.1} s  {detail}\n")),
            Err(reason) => {
                (self.say)(&format!("FAILED {seconds:>7.1} s\n{}\n", indented(&reason)));
                self.failed.push(name);
            }
        }
    }

    /// Of one that went on beside the others.
    fn of_beside(&mut self, (name, took, outcome): Ended) {
        self.begin(name);
        self.end((name, took, outcome.map(|detail| format!("{detail} (beside the others)"))));
    }
}

/// A closed terminal is no reason to stop testing.
fn on_standard_output(text: &str) {
    print!("{text}");
    let _ = stdout().flush();
}

fn on_standard_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// How many tests ran, from the lines that test binaries end with.
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
    fn tests_of_several_binaries_are_added_up() {
        let output = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\nnoise\n\
                      test result: ok. 14 passed; 0 failed; 2 ignored; 0 measured";
        assert_eq!(tests_in(output), "17 tests, 2 ignored");
    }

    #[test]
    fn shared_work_is_done_once_and_tried_again_if_it_failed() {
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
    fn one_failed_step_fails_the_list_and_the_others_still_run() {
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
    fn who_goes_on_beside_the_others_does_not_hold_them_up_and_counts() {
        let (go, wait) = channel();
        let mut steps = Steps::default();
        steps.add("first", |_| Ok(String::new()));
        // It ends only if the last begins before.
        steps.beside("beside", move |_| {
            wait.recv_timeout(Duration::from_secs(60)).map_err(|error| error.to_string())?;
            Err("broken".to_owned())
        });
        steps.add("last", move |_| go.send(()).map(|()| String::new()).map_err(|error| error.to_string()));
        assert_eq!(steps.run("unit"), Err("failed: beside".to_owned()));

        let mut steps = Steps::default();
        steps.add("one", |_| Ok(String::new()));
        steps.beside("other", |_| Err("broken".to_owned()));
        assert_eq!(steps.keep(Some("other")), Ok(()));
        assert_eq!(steps.run("unit"), Err("failed: other".to_owned()), "also alone");
    }
}
