//! Runs over many seeds, with a report, a replay command and a smaller scenario for the first failure.

use core::cell::RefCell;
use core::fmt;
use core::ops::Range;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::checker::Violation;
use crate::fault::Fault;
use crate::host::Host;
use crate::network::Network;
use crate::report::Report;
use crate::scenario::Scenario;
use crate::simulation::Simulation;
use crate::trace::{TraceEntry, TraceObserver};

/// Number of trace entries kept with a failure.
const TAIL: usize = 60;

/// A failed run with the command that replays it.
#[derive(Debug)]
pub struct Failure {
    /// Report of the repeated run, with the last entries of its trace.
    pub report: Report,
    /// The scenario that was run.
    pub scenario: Scenario,
    /// Command that replays the run.
    pub command: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scenario { network, faults, byzantine, clocks, work, .. } = &self.scenario;
        writeln!(f, "{}\n", self.report)?;
        writeln!(f, "Byzantine: {byzantine:?}\n{clocks:?}\n{work:?}\n{network:?}\nfaults:")?;
        for scheduled in faults {
            writeln!(f, "  {:?} {:?}", scheduled.at, scheduled.fault)?;
        }
        write!(f, "replay: {}", self.command)
    }
}

/// Runs a scenario. A panic is reported as the violation `panic`, so that its seed is not lost.
pub fn run<H: Host>(scenario: &Scenario, host: impl FnOnce(&Scenario) -> H) -> Report {
    guarded(scenario, || Simulation::new(scenario.clone(), host(scenario)).run())
}

/// Runs a scenario and passes every trace entry to `observer`.
pub fn replay<H: Host>(
    scenario: &Scenario,
    host: impl FnOnce(&Scenario) -> H,
    observer: TraceObserver,
) -> Report {
    guarded(scenario, || Simulation::new(scenario.clone(), host(scenario)).observed(observer).run())
}

/// Runs a scenario twice and compares the two runs.
///
/// # Errors
/// `determinism` if the runs differ; otherwise the violation of the first run, if any.
pub fn repeatable<H: Host>(
    scenario: &Scenario,
    mut host: impl FnMut(&Scenario) -> H,
) -> Result<Report, Violation> {
    let (first, second) = (run(scenario, &mut host), run(scenario, &mut host));
    if first.trace_hash != second.trace_hash {
        let detail = format!("traces {:016x} and {:016x} of one seed", first.trace_hash, second.trace_hash);
        return Err(Violation::new("determinism", detail));
    }
    first.outcome.clone().map(|()| first)
}

/// Runs a scenario; if it fails, runs it again with a trace and checks that both runs are equal.
///
/// `command` is the command line without the options that this function adds.
///
/// # Errors
/// The failure. Its `Display` form is a complete report with the replay command.
pub fn check<H: Host>(
    scenario: &Scenario,
    mut host: impl FnMut(&Scenario) -> H,
    command: &str,
) -> Result<Report, Box<Failure>> {
    let first = run(scenario, &mut host);
    let Err(violation) = &first.outcome else { return Ok(first) };
    // Outside the run, so that it survives a panic of the machine.
    let tail = Rc::new(RefCell::new(VecDeque::with_capacity(TAIL)));
    let kept = Rc::clone(&tail);
    let observer = move |entry: &TraceEntry| {
        let mut kept = kept.borrow_mut();
        if kept.len() == TAIL {
            kept.pop_front();
        }
        kept.push_back(entry.clone());
    };
    let mut report = replay(scenario, &mut host, Box::new(observer));
    report.tail = tail.take().into();
    // A panic discards the hash of the run that it ended.
    if violation.property != "panic" && report.trace_hash != first.trace_hash {
        let detail = format!("two runs of one seed differ; the first ended with {violation}");
        report.outcome = Err(Violation::new("determinism", detail));
    }
    let Scenario { name, nodes, seed, .. } = scenario;
    let command = format!("{command} --scenario {name} --nodes {nodes} --seed {seed} --trace");
    Err(Box::new(Failure { report, scenario: scenario.clone(), command }))
}

/// Runs seeds in order until the first failure. `progress` receives each successful report.
///
/// # Errors
/// The first failure.
pub fn check_seeds<H: Host>(
    seeds: Range<u64>,
    mut scenario: impl FnMut(u64) -> Scenario,
    mut host: impl FnMut(&Scenario) -> H,
    command: &str,
    mut progress: impl FnMut(&Report),
) -> Result<u64, Box<Failure>> {
    let mut runs = 0;
    for seed in seeds {
        progress(&check(&scenario(seed), &mut host, command)?);
        runs += 1;
    }
    Ok(runs)
}

/// Searches for a smaller scenario that violates the same property, with at most `runs` runs.
///
/// Candidates drop a fault or a Byzantine node, or replace lossy links and skewed clocks by perfect ones. The result
/// is no longer the scenario that the preset generates from the seed; its `Debug` form describes it.
pub fn shrink<H: Host>(failure: &Failure, mut host: impl FnMut(&Scenario) -> H, mut runs: usize) -> Scenario {
    let mut best = failure.scenario.clone();
    let Err(wanted) = &failure.report.outcome else { return best };
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| {
            runs = runs.saturating_sub(1);
            let outcome = if runs > 0 { run(candidate, &mut host).outcome } else { Ok(()) };
            outcome.is_err_and(|violation| violation.property == wanted.property)
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Returns all one-step simplifications, the largest first.
fn candidates(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Scenario)| {
        let mut candidate = scenario.clone();
        change(&mut candidate);
        if candidate != *scenario {
            all.push(candidate);
        }
    };
    let half = scenario.faults.len() / 2;
    if half > 0 {
        add(&|s| s.faults.truncate(half));
        add(&|s| drop(s.faults.drain(..half)));
    }
    add(&|s| {
        s.network =
            Network { stable_from: s.network.stable_from, before: s.network.after, ..s.network.clone() }
    });
    add(&|s| s.clocks = Default::default());
    add(&|s| s.work = Default::default());
    for node in scenario.byzantine.keys() {
        add(&|s| drop(s.byzantine.remove(node)));
    }
    for i in 0..scenario.faults.len() {
        add(&|s| {
            // A crash is removed with its restart, since the node would stay down otherwise; a partition with its
            // end.
            let later = |f: &Fault| match (s.faults.get(i).map(|scheduled| &scheduled.fault), f) {
                (Some(Fault::Crash { node, .. }), Fault::Restart { node: other })
                | (Some(Fault::Degrade { node, .. }), Fault::Recover { node: other }) => node == other,
                (Some(Fault::Split { .. }), Fault::Heal) => true,
                _ => false,
            };
            let end = s.faults.iter().skip(i + 1).position(|scheduled| later(&scheduled.fault));
            if let Some(end) = end {
                s.faults.remove(i + 1 + end);
            }
            s.faults.remove(i);
        });
    }
    all
}

fn guarded(scenario: &Scenario, run: impl FnOnce() -> Report) -> Report {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Report::panicked(scenario, text)
    })
}
