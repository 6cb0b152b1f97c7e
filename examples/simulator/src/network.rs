//! What links do to messages: the description here, the state of a run in [`links`](crate::links).

use std::collections::BTreeMap;

use core::time::Duration;

use crate::rng::{Chance, Rng, micros};

/// How long a message takes, without queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Always the same.
    Fixed(Duration),
    /// Anything between the two, equally likely.
    Uniform(Duration, Duration),
    /// A floor and an exponential tail of the given mean, cut at ten times the mean: what the internet looks like.
    Tailed {
        /// The least.
        floor: Duration,
        /// The mean of what is added to the floor.
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

/// One direction between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Time on the wire.
    pub latency: Latency,
    /// How often a message is lost.
    pub loss: Chance,
    /// How often a message arrives twice.
    pub duplicate: Chance,
    /// How often a message is held up, by up to [`held_up_by`](Link::held_up_by), so that later ones overtake it.
    pub reorder: Chance,
    /// How long at most.
    pub held_up_by: Duration,
    /// Bytes per second; what exceeds it queues at the sender. `None` is unlimited.
    pub bandwidth: Option<u64>,
    /// A message that would queue for longer than this is dropped: a sender's queue is bounded.
    pub longest_queue: Duration,
    /// Messages arrive in the order in which they were sent, as on a TCP connection. Otherwise latencies alone
    /// decide. Order and bandwidth cost an entry in a map for each pair that talks: with ten thousand nodes that
    /// all talk to each other, do without.
    pub ordered: bool,
}

impl Link {
    /// A perfect link of the given latency, in order.
    pub const fn perfect(latency: Latency) -> Link {
        Link {
            latency,
            loss: Chance::NEVER,
            duplicate: Chance::NEVER,
            reorder: Chance::NEVER,
            held_up_by: Duration::ZERO,
            bandwidth: None,
            longest_queue: Duration::from_secs(10),
            ordered: true,
        }
    }

    /// Loses messages.
    pub const fn losing(mut self, loss: Chance) -> Link {
        self.loss = loss;
        self
    }

    /// Does not keep the order.
    pub const fn unordered(mut self) -> Link {
        self.ordered = false;
        self
    }

    /// Repeats messages.
    pub const fn repeating(mut self, duplicate: Chance) -> Link {
        self.duplicate = duplicate;
        self
    }

    /// Lets messages overtake each other.
    pub const fn reordering(mut self, reorder: Chance, held_up_by: Duration) -> Link {
        self.reorder = reorder;
        self.held_up_by = held_up_by;
        self.ordered = false;
        self
    }

    /// Carries so many bytes per second.
    pub const fn limited(mut self, bytes_per_second: u64) -> Link {
        self.bandwidth = Some(bytes_per_second);
        self
    }
}

/// Where nodes are, for distances that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// The region of node `i` is `region_of_node[i % region_of_node.len()]`.
    pub region_of_node: Vec<usize>,
    /// What a message from region `a` to region `b` takes beyond the link's latency: `extra[a][b]`.
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

/// All links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Every link before stabilisation.
    pub before: Link,
    /// Every link from stabilisation on.
    pub after: Link,
    /// The global stabilisation time. Faults of the schedule may still happen later; liveness is expected from the
    /// last of both.
    pub stable_from: Duration,
    /// Links that differ from the rest, always: (from, to).
    pub special: BTreeMap<(usize, usize), Link>,
    /// Distances.
    pub regions: Option<Regions>,
    /// Bytes per second that a node can send on all its links together.
    pub uplink: Option<u64>,
}

impl Network {
    /// The same perfect link everywhere, from the start.
    pub fn perfect(latency: Latency) -> Network {
        Network::stable(Link::perfect(latency))
    }

    /// The same link everywhere, from the start.
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

    /// `before` until `stable_from`, then `after`.
    pub fn stabilising(before: Link, stable_from: Duration, after: Link) -> Network {
        Network { before, stable_from, ..Network::stable(after) }
    }

    /// The link from `from` to `to` at `now`, and what distance adds to its latency.
    pub(crate) fn link(&self, now: u64, from: usize, to: usize) -> (&Link, u64) {
        let usual = if now < micros(self.stable_from) { &self.before } else { &self.after };
        let special = if self.special.is_empty() { None } else { self.special.get(&(from, to)) };
        (special.unwrap_or(usual), self.regions.as_ref().map_or(0, |regions| regions.extra(from, to)))
    }
}
