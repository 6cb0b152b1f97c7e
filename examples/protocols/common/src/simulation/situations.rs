//! Situations that every protocol must bear. They are for tests: what is violated ends them with a panic that says how to
//! replay it.

#![allow(clippy::panic, reason = "a violation is to end the test")]

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use quorate_simulator::{
    Behaviour, CrashPoint, Fault, Host, Latency, Network, Report, Scenario, Simulation, TraceEntry, check,
    check_seeds,
};

/// How many of the last entries of a trace are shown of a run that failed.
const TAIL: usize = 60;
/// The points of a step at which a crash is not between steps.
const POINTS: [CrashPoint; 3] = [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];

/// A protocol in these situations.
pub struct Situations<'a, H> {
    /// A run with so many members.
    pub host: &'a dyn Fn(usize) -> H,
    /// How long a run of a local network lasts.
    pub lasting: Duration,
    /// The command that replays a run, up to its options for the run.
    pub command: &'a str,
}

impl<H: Host> Situations<'_, H> {
    /// A local network without faults.
    pub fn local(&self, name: &str, nodes: usize, seed: u64) -> Scenario {
        let latency = Latency::Tailed { floor: Duration::from_millis(1), mean: Duration::from_millis(1) };
        Scenario::new(name, nodes, seed)
            .network(Network::perfect(latency))
            .lasting(self.lasting)
            .live_within(Duration::from_secs(5))
    }

    /// Nothing is violated in this run.
    ///
    /// # Panics
    /// If something is.
    pub fn must(&self, scenario: &Scenario) -> Report {
        let host = |scenario: &Scenario| (self.host)(scenario.nodes);
        check(scenario, host, self.command).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Nothing is violated in the runs of these seeds.
    ///
    /// # Panics
    /// At the first seed for which something is.
    pub fn seeds(&self, seeds: Range<u64>, scenario: impl FnMut(u64) -> Scenario) {
        let host = |scenario: &Scenario| (self.host)(scenario.nodes);
        let runs = check_seeds(seeds, scenario, host, self.command, |_| {});
        runs.unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// A node crashes in the middle of its steps, sooner or later, and another one soon after it. They come back after
    /// `down`.
    ///
    /// # Panics
    /// If something is violated.
    pub fn restarts_at_every_point(&self, down: Duration, lasting: Duration) {
        for after in 0..24u32 {
            for (seed, point) in (u64::from(after) * 3..).zip(POINTS) {
                let crash = |node, after| Fault::Crash { node, point, after };
                let scenario = self
                    .local("restart", 4, seed)
                    .fault(Duration::from_millis(500), crash(1, after))
                    .fault(Duration::from_millis(700), crash(2, after / 2))
                    .restart(down, 1)
                    .restart(down + Duration::from_millis(500), 2)
                    .lasting(lasting);
                self.must(&scenario);
            }
        }
    }

    /// All crash, and come back with what was durable.
    ///
    /// # Panics
    /// If something is violated.
    pub fn blackouts(&self, lasting: Duration) {
        for seed in 0..6 {
            let mut scenario = self.local("blackout", 4, seed).lasting(lasting);
            for node in 0..4 {
                let point = if seed % 2 == 0 { CrashPoint::Now } else { CrashPoint::BeforeSend };
                scenario = scenario
                    .crash(Duration::from_millis(2000 + 10 * seed), node, point)
                    .restart(Duration::from_secs(4), node);
            }
            self.must(&scenario);
        }
    }

    /// Each of the protocol's Byzantine members, alone.
    ///
    /// # Panics
    /// If something is violated, or there is no progress for so long.
    pub fn villains_alone(&self, villains: &[&str], live_within: Duration) {
        for (i, villain) in villains.iter().enumerate() {
            let scenario = self
                .local(villain, 4, i as u64)
                .byzantine(i % 4, Behaviour::Custom((*villain).to_owned()))
                .live_within(live_within);
            self.must(&scenario);
        }
    }

    /// There is work for less than `busy`, then nothing to do for an hour: no message, no timer, and what `look` sees
    /// stays as it is.
    ///
    /// # Panics
    /// If something happens.
    pub fn idle(&self, host: H, busy: Duration, look: impl Fn(&Simulation<H>) -> u64) -> Simulation<H> {
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
        let before = (simulation.metrics().sent(), look(&simulation));
        simulation.advance(hour - busy - Duration::from_secs(1));
        assert_eq!(*later.borrow(), Vec::<String>::new(), "neither a message nor a timer for an hour");
        assert_eq!((simulation.metrics().sent(), look(&simulation)), before);
        assert!(simulation.violation().is_none());
        simulation
    }
}

/// Runs to the end, and hands out the simulation.
///
/// # Panics
/// If something is violated.
pub fn finish<H: Host>(scenario: Scenario, host: H) -> Simulation<H> {
    let mut simulation = Simulation::new(scenario, host).keeping_trace(TAIL);
    let report = simulation.run();
    assert!(report.outcome.is_ok(), "{report}");
    simulation
}
