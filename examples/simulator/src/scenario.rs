//! Description of a run as plain data. A scenario and a host determine the run.

use std::collections::BTreeMap;

use core::time::Duration;

use crate::fault::{Behaviour, CrashPoint, Fault, Scheduled};
use crate::network::{Latency, Network};
use crate::rng::micros;

/// Duration of a node's own work.
///
/// By default work takes no time and a step is executed at the moment of its input. Otherwise the node is busy, and
/// the inputs that queue meanwhile are processed together, with one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Time per input.
    pub per_input: Duration,
    /// Time per 1,000 bytes of a message.
    pub per_kilobyte: Duration,
    /// Time per write of a step that persists records.
    pub write: Latency,
    /// Maximum number of queued inputs; further messages are lost.
    pub inbox: usize,
    /// Maximum number of inputs processed before a write.
    pub group: usize,
}

impl Default for Work {
    fn default() -> Self {
        Work {
            per_input: Duration::ZERO,
            per_kilobyte: Duration::ZERO,
            write: Latency::ZERO,
            inbox: 65_536,
            group: 64,
        }
    }
}

/// Errors of the nodes' clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Maximum offset of a node's clock, always ahead.
    pub offset: Duration,
    /// Maximum drift of a node's clock in either direction, in parts per million.
    pub drift_ppm: u32,
}

/// The checks that the simulator performs in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Time within which every correct node must report progress ([`Actions::progress`](crate::Actions::progress)),
    /// repeatedly, once the network is stable and the last fault is over.
    pub liveness: Option<Duration>,
    /// Decoded values must re-encode to the same bytes.
    pub canonical: bool,
    /// An honest node must decode the messages of honest nodes, unless the host permits the refusal
    /// ([`Host::on_refused`](crate::Host::on_refused)).
    pub readable: bool,
    /// Honest nodes must not accuse honest members.
    pub fair: bool,
    /// Maximum number of events of a run.
    pub events: u64,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { liveness: None, canonical: true, readable: true, fair: true, events: 50_000_000 }
    }
}

/// The circumstances of a run. Created by [`Scenario::new`] and the methods below, or by [`preset`](crate::preset).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name for reports and for the replay command.
    pub name: String,
    /// Seed of all randomness.
    pub seed: u64,
    /// Number of members. Node `i` is member `i`; the second nodes of twins get the slots from this number on.
    pub nodes: usize,
    /// Duration of the run in virtual time.
    pub duration: Duration,
    /// Properties of the links.
    pub network: Network,
    /// Duration of the nodes' own work.
    pub work: Work,
    /// Errors of the nodes' clocks.
    pub clocks: Clocks,
    /// Scheduled faults, in any order.
    pub faults: Vec<Scheduled>,
    /// Nodes that are Byzantine from the start, with their behaviour.
    pub byzantine: BTreeMap<usize, Behaviour>,
    /// Checks in addition to those of the host.
    pub checks: Checks,
    /// The run ends when, after the last fault, every correct node reports progress this far beyond the highest progress of
    /// a correct node at that time; `None` if it lasts for its duration.
    pub enough_progress: Option<u64>,
}

impl Scenario {
    /// Creates a scenario with perfect links of 10 ms, without faults, lasting ten seconds.
    pub fn new(name: &str, nodes: usize, seed: u64) -> Scenario {
        Scenario {
            name: name.to_owned(),
            seed,
            nodes,
            duration: Duration::from_secs(10),
            network: Network::perfect(Latency::Fixed(Duration::from_millis(10))),
            work: Work::default(),
            clocks: Clocks::default(),
            faults: Vec::new(),
            byzantine: BTreeMap::new(),
            checks: Checks::default(),
            enough_progress: None,
        }
    }

    /// Sets the duration of the run.
    #[must_use]
    pub fn lasting(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }

    /// Sets the properties of the links.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Sets the duration of the nodes' own work.
    #[must_use]
    pub fn work(mut self, work: Work) -> Self {
        self.work = work;
        self
    }

    /// Sets the errors of the clocks.
    #[must_use]
    pub fn clocks(mut self, offset: Duration, drift_ppm: u32) -> Self {
        self.clocks = Clocks { offset, drift_ppm };
        self
    }

    /// Requires progress of every correct node within `bound`.
    #[must_use]
    pub fn live_within(mut self, bound: Duration) -> Self {
        self.checks.liveness = Some(bound);
        self
    }

    /// Adds a fault.
    #[must_use]
    pub fn fault(mut self, at: Duration, fault: Fault) -> Self {
        self.faults.push(Scheduled { at, fault });
        self
    }

    /// Adds a crash.
    #[must_use]
    pub fn crash(self, at: Duration, node: usize, point: CrashPoint) -> Self {
        self.fault(at, Fault::Crash { node, point, after: 0 })
    }

    /// Adds a restart.
    #[must_use]
    pub fn restart(self, at: Duration, node: usize) -> Self {
        self.fault(at, Fault::Restart { node })
    }

    /// Adds a partition that loses messages in both directions.
    #[must_use]
    pub fn split(self, at: Duration, until: Duration, groups: Vec<Vec<usize>>) -> Self {
        self.fault(at, Fault::Split { groups, holds: false, one_way: false }).fault(until, Fault::Heal)
    }

    /// Keeps the node down during the whole run.
    #[must_use]
    pub fn dead(self, node: usize) -> Self {
        self.crash(Duration::ZERO, node, CrashPoint::Now)
    }

    /// Makes a node Byzantine.
    #[must_use]
    pub fn byzantine(mut self, node: usize, behaviour: Behaviour) -> Self {
        self.byzantine.insert(node, behaviour);
        self
    }

    /// Returns the time after which no fault occurs and the network is stable, in microseconds.
    pub(crate) fn quiet_from(&self) -> u64 {
        let last = self.faults.iter().map(|fault| micros(fault.at)).max().unwrap_or(0);
        last.max(micros(self.network.stable_from))
    }
}
