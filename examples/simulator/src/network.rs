//! Description of the network. The state of a run is in [`links`](crate::links).

use std::collections::BTreeMap;

use core::time::Duration;

use crate::rng::{Probability, Rng, micros};

/// Distribution of a message's latency, without queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Constant.
    Fixed(Duration),
    /// Uniform between the two bounds.
    Uniform(Duration, Duration),
    /// A minimum plus an exponential tail with the given mean, cut at ten times the mean, as observed on the
    /// internet.
    Tailed {
        /// The minimum.
        floor: Duration,
        /// The mean of the tail.
        mean: Duration,
    },
}

impl Latency {
    /// No latency.
    pub const ZERO: Latency = Latency::Fixed(Duration::ZERO);

    pub(crate) fn sample(&self, rng: &mut Rng) -> u64 {
        match *self {
            Latency::Fixed(latency) => micros(latency),
            Latency::Uniform(low, high) => rng.between(micros(low), micros(high)),
            Latency::Tailed { floor, mean } => {
                let mean = micros(mean);
                micros(floor).saturating_add(rng.exponential(mean).min(mean.saturating_mul(10)))
            }
        }
    }
}

/// One direction of a connection between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Time on the wire.
    pub latency: Latency,
    /// Probability that a message is lost.
    pub loss: Probability,
    /// Probability that a message arrives twice.
    pub duplicate: Probability,
    /// Probability that a message is delayed further, by up to [`held_up_by`](Link::held_up_by), so that later
    /// messages overtake it.
    pub reorder: Probability,
    /// Maximum additional delay of reordered messages.
    pub held_up_by: Duration,
    /// Bytes per second; further messages queue at the sender. `None` is unlimited.
    pub bandwidth: Option<u64>,
    /// Maximum queueing delay. A message that would queue longer is dropped.
    pub longest_queue: Duration,
    /// If true, messages arrive in the order of sending, as on a TCP connection; otherwise latencies alone decide.
    /// Ordering and bandwidth need a map entry per communicating pair; avoid both with ten thousand nodes that all
    /// communicate.
    pub ordered: bool,
}

impl Link {
    /// Creates a lossless, ordered link with the given latency.
    pub const fn perfect(latency: Latency) -> Link {
        Link {
            latency,
            loss: Probability::NEVER,
            duplicate: Probability::NEVER,
            reorder: Probability::NEVER,
            held_up_by: Duration::ZERO,
            bandwidth: None,
            longest_queue: Duration::from_secs(10),
            ordered: true,
        }
    }

    /// Sets the loss probability.
    pub const fn losing(mut self, loss: Probability) -> Link {
        self.loss = loss;
        self
    }

    /// Removes the ordering guarantee.
    pub const fn unordered(mut self) -> Link {
        self.ordered = false;
        self
    }

    /// Sets the duplication probability.
    pub const fn repeating(mut self, duplicate: Probability) -> Link {
        self.duplicate = duplicate;
        self
    }

    /// Sets the reordering probability and the maximum additional delay; removes the ordering guarantee.
    pub const fn reordering(mut self, reorder: Probability, held_up_by: Duration) -> Link {
        self.reorder = reorder;
        self.held_up_by = held_up_by;
        self.ordered = false;
        self
    }

    /// Limits the bandwidth.
    pub const fn limited(mut self, bytes_per_second: u64) -> Link {
        self.bandwidth = Some(bytes_per_second);
        self
    }
}

/// Regions of nodes, and the additional latency between regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// The region of node `i` is `region_of_node[i % region_of_node.len()]`.
    pub region_of_node: Vec<usize>,
    /// Additional latency from region `a` to region `b`: `extra[a][b]`.
    pub extra: Vec<Vec<Duration>>,
}

impl Regions {
    fn extra(&self, from: usize, to: usize) -> u64 {
        let region = |node: usize| {
            node.checked_rem(self.region_of_node.len())
                .and_then(|i| self.region_of_node.get(i))
                .copied()
                .unwrap_or(0)
        };
        self.extra.get(region(from)).and_then(|row| row.get(region(to))).map_or(0, |extra| micros(*extra))
    }
}

/// The links of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Properties of every link before stabilisation.
    pub before: Link,
    /// Properties of every link after stabilisation.
    pub after: Link,
    /// Global stabilisation time (GST). Scheduled faults may occur later; liveness is checked from the later of the
    /// two.
    pub stable_from: Duration,
    /// Links with properties of their own, by (from, to).
    pub special: BTreeMap<(usize, usize), Link>,
    /// Additional latency by region.
    pub regions: Option<Regions>,
    /// Total bandwidth of a node's outgoing links, in bytes per second.
    pub uplink: Option<u64>,
}

impl Network {
    /// Creates a network with the same lossless link everywhere, stable from the start.
    pub fn perfect(latency: Latency) -> Network {
        Network::stable(Link::perfect(latency))
    }

    /// Creates a network with the same link everywhere, stable from the start.
    pub fn stable(link: Link) -> Network {
        Network {
            before: link,
            after: link,
            stable_from: Duration::ZERO,
            special: BTreeMap::new(),
            regions: None,
            uplink: None,
        }
    }

    /// Creates a network with the links `before` until `stable_from`, then `after`.
    pub fn stabilising(before: Link, stable_from: Duration, after: Link) -> Network {
        Network { before, stable_from, ..Network::stable(after) }
    }

    /// Returns the link from `from` to `to` at `now`, and the additional latency of their regions.
    pub(crate) fn link(&self, now: u64, from: usize, to: usize) -> (&Link, u64) {
        let usual = if now < micros(self.stable_from) { &self.before } else { &self.after };
        let special = if self.special.is_empty() { None } else { self.special.get(&(from, to)) };
        (special.unwrap_or(usual), self.regions.as_ref().map_or(0, |regions| regions.extra(from, to)))
    }
}
