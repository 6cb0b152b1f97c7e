//! A scenario says everything about a run that the host does not: it is plain data, and together with the host it
//! determines the run.

use std::collections::BTreeMap;

use core::time::Duration;

use crate::fault::{Behaviour, CrashPoint, Fault, Scheduled};
use crate::network::{Latency, Network};
use crate::rng::micros;

/// How long a node's own work takes. The default is no time at all: then a step is carried out at the moment of its
/// input. Otherwise the node is busy meanwhile, and inputs that wait are handled together, with one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// For each input.
    pub per_input: Duration,
    /// For each thousand bytes of a message.
    pub per_kilobyte: Duration,
    /// For a write, if there is something to persist.
    pub write: Latency,
    /// So many inputs may wait; messages beyond are lost.
    pub inbox: usize,
    /// So many inputs at most are handled before a write.
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

/// How wrong the nodes' clocks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// A node's clock is ahead by up to this.
    pub offset: Duration,
    /// A node's clock runs faster or slower by up to so many parts per million.
    pub drift_ppm: u32,
}

/// What the simulator checks by itself in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Every correct node makes progress ([`Actions::progress`](crate::Actions::progress)) within this time, again
    /// and again, once the network is stable and the last fault is over.
    pub liveness: Option<Duration>,
    /// Whatever decodes encodes to the same bytes.
    pub canonical: bool,
    /// What an honest node sent is never refused by an honest node's decoder, unless the host allows it
    /// ([`Host::on_refused`](crate::Host::on_refused)).
    pub readable: bool,
    /// No honest node accuses an honest member.
    pub fair: bool,
    /// A run of more events than this spins.
    pub events: u64,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { liveness: None, canonical: true, readable: true, fair: true, events: 50_000_000 }
    }
}

/// A run's circumstances. Made by [`Scenario::new`] and the methods below, or by [`preset`](crate::preset).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// For reports, and for the command that replays it.
    pub name: String,
    /// All randomness comes from here.
    pub seed: u64,
    /// How many members there are. Node `i` is member `i`; twins get numbers from here on.
    pub nodes: usize,
    /// How long the run is, in virtual time.
    pub duration: Duration,
    /// The links.
    pub network: Network,
    /// The nodes' own work.
    pub work: Work,
    /// The nodes' clocks.
    pub clocks: Clocks,
    /// What goes wrong; any order.
    pub faults: Vec<Scheduled>,
    /// Who is Byzantine, and how.
    pub byzantine: BTreeMap<usize, Behaviour>,
    /// What is checked besides the host's own checks.
    pub checks: Checks,
}

impl Scenario {
    /// Perfect links of 10 ms, no faults, ten seconds.
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
        }
    }

    /// Sets how long the run is.
    #[must_use]
    pub fn lasting(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }

    /// Sets the links.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Sets the nodes' own work.
    #[must_use]
    pub fn work(mut self, work: Work) -> Self {
        self.work = work;
        self
    }

    /// Sets how wrong clocks are.
    #[must_use]
    pub fn clocks(mut self, offset: Duration, drift_ppm: u32) -> Self {
        self.clocks = Clocks { offset, drift_ppm };
        self
    }

    /// Demands progress of every correct node within `bound`.
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

    /// The node is down from the start and stays so.
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

    /// From when on nothing disturbs the nodes any more, in microseconds.
    pub(crate) fn quiet_from(&self) -> u64 {
        let last = self.faults.iter().map(|fault| micros(fault.at)).max().unwrap_or(0);
        last.max(micros(self.network.stable_from))
    }
}
