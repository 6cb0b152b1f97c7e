//! Scenarios that every protocol must pass. They are for tests: a violation ends them with a panic that shows the command
//! to replay it.

#![allow(clippy::panic, reason = "a violation ends the test")]

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use quorate::scheme::with_memo;
use quorate_simulator::{
    Behaviour, CrashPoint, Fault, Host, Latency, Network, Report, Scenario, Simulation, TraceEntry, check,
    check_seeds,
};

/// Number of trace entries shown of a failed run: the last ones.
const TRACE_TAIL: usize = 60;
/// The points within a step at which a node can crash.
const CRASH_POINTS: [CrashPoint; 3] =
    [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];

/// Runs a protocol in these scenarios.
pub struct ScenarioRunner<'a, H> {
    /// Returns a host for a given number of members.
    pub host: &'a dyn Fn(usize) -> H,
    /// Duration of a run of a local network.
    pub lasting: Duration,
    /// The command that replays a run, without the options that select the run.
    pub command: &'a str,
}

impl<H: Host> ScenarioRunner<'_, H> {
    /// Returns a scenario of a local network without faults.
    pub fn local(&self, name: &str, nodes: usize, seed: u64) -> Scenario {
        let latency = Latency::Tailed { floor: Duration::from_millis(1), mean: Duration::from_millis(1) };
        Scenario::new(name, nodes, seed)
            .network(Network::perfect(latency))
            .lasting(self.lasting)
            .live_within(Duration::from_secs(5))
    }

    /// Runs a scenario to its end.
    ///
    /// # Panics
    /// Panics on a violation.
    pub fn check(&self, scenario: &Scenario) -> Report {
        let host = |scenario: &Scenario| (self.host)(scenario.nodes);
        check(scenario, host, self.command).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Runs one scenario per seed.
    ///
    /// # Panics
    /// Panics at the first seed with a violation.
    pub fn check_seeds(&self, seeds: Range<u64>, scenario: impl FnMut(u64) -> Scenario) {
        let host = |scenario: &Scenario| (self.host)(scenario.nodes);
        let runs = check_seeds(seeds, scenario, host, self.command, |_| {});
        runs.unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Crashes two nodes at every point within their steps, one soon after the other, and restarts them after `down`.
    ///
    /// # Panics
    /// Panics on a violation.
    pub fn check_restarts(&self, down: Duration, lasting: Duration) {
        for after in 0..24u32 {
            for (seed, point) in (u64::from(after) * 3..).zip(CRASH_POINTS) {
                let crash = |node, after| Fault::Crash { node, point, after };
                let scenario = self
                    .local("restart", 4, seed)
                    .fault(Duration::from_millis(500), crash(1, after))
                    .fault(Duration::from_millis(700), crash(2, after / 2))
                    .restart(down, 1)
                    .restart(down + Duration::from_millis(500), 2)
                    .lasting(lasting);
                self.check(&scenario);
            }
        }
    }

    /// Crashes all nodes and restarts them with their durable records.
    ///
    /// # Panics
    /// Panics on a violation.
    pub fn check_blackouts(&self, lasting: Duration) {
        for seed in 0..6 {
            let mut scenario = self.local("blackout", 4, seed).lasting(lasting);
            for node in 0..4 {
                let point = if seed % 2 == 0 { CrashPoint::Now } else { CrashPoint::BeforeSend };
                scenario = scenario
                    .crash(Duration::from_millis(2000 + 10 * seed), node, point)
                    .restart(Duration::from_secs(4), node);
            }
            self.check(&scenario);
        }
    }

    /// Restores one of four members to an earlier state of its disk, in each run another one: without the last record, without
    /// the records of some steps, without any. All members make progress within `within` afterwards, also the restored one,
    /// again and again.
    ///
    /// # Panics
    /// Panics on a violation.
    pub fn check_rollbacks(&self, within: Duration) {
        for (seed, lost) in (0..).zip([1, 2, 3, 5, 8, 13, 34, 89, usize::MAX]) {
            let node = seed as usize % 4;
            let at = Duration::from_millis(4_000 + 37 * seed);
            let scenario = self.local("rollback", 4, seed).fault(at, Fault::Rollback { node, lost });
            self.check(&scenario.live_within(within));
        }
    }

    /// Runs each of the protocol's Byzantine behaviours alone.
    ///
    /// # Panics
    /// Panics on a violation, or if there is no progress for `live_within`.
    pub fn check_each_adversary(&self, adversaries: &[&str], live_within: Duration) {
        for (i, adversary) in adversaries.iter().enumerate() {
            let scenario = self
                .local(adversary, 4, i as u64)
                .byzantine(i % 4, Behaviour::Custom((*adversary).to_owned()))
                .live_within(live_within);
            self.check(&scenario);
        }
    }

    /// Checks that a run is the same if a valid signature is verified once instead of by each member.
    ///
    /// # Panics
    /// Panics on a violation, or if the runs differ.
    pub fn check_memo(&self, scenario: &Scenario) {
        let report = self.check(scenario);
        let with_memo = with_memo(|| self.check(scenario));
        assert_eq!(with_memo.trace_hash, report.trace_hash, "{report}");
    }

    /// Checks that an idle network is silent: after `busy`, within which all work is done, no node sends a message or sets a
    /// timer for an hour, and the value of `probe` does not change.
    ///
    /// # Panics
    /// Panics if a node does anything after `busy`.
    pub fn check_idle(
        &self,
        host: H,
        busy: Duration,
        probe: impl Fn(&Simulation<H>) -> u64,
    ) -> Simulation<H> {
        let hour = Duration::from_secs(3600);
        let mut scenario = self.local("idle", 4, 3).lasting(hour);
        scenario.checks.liveness = None;
        let later = Rc::new(RefCell::new(Vec::new()));
        let seen = later.clone();
        let observer = move |entry: &TraceEntry| {
            if u128::from(entry.at.0) > busy.as_micros() {
                seen.borrow_mut().push(entry.to_string());
            }
        };
        let mut simulation = Simulation::new(scenario, host).observed(Box::new(observer));
        assert!(simulation.advance(busy));
        let before = (simulation.metrics().sent(), probe(&simulation));
        simulation.advance(hour - busy - Duration::from_secs(1));
        assert_eq!(*later.borrow(), Vec::<String>::new(), "neither a message nor a timer for an hour");
        assert_eq!((simulation.metrics().sent(), probe(&simulation)), before);
        assert!(simulation.violation().is_none());
        simulation
    }
}

/// Runs a scenario to its end and returns the simulation.
///
/// # Panics
/// Panics on a violation.
pub fn finish<H: Host>(scenario: Scenario, host: H) -> Simulation<H> {
    let mut simulation = Simulation::new(scenario, host).keeping_trace(TRACE_TAIL);
    let report = simulation.run();
    assert!(report.outcome.is_ok(), "{report}");
    simulation
}
