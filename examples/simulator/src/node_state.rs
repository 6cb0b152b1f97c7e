//! State of a simulated node: machine, disk, clock and timers.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quorate::machine::{Machine, Step, Time};

use crate::adversary::Adversary;
use crate::fault::CrashPoint;
use crate::hash;
use crate::node::Node;
use crate::rng::{Rng, micros};
use crate::scenario::Clocks;

/// An encoded message, shared by all its receivers.
pub(crate) struct Payload {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) hash: u64,
    /// True if an honest machine or host created it.
    pub(crate) honest: bool,
    canonical: AtomicBool,
}

impl Payload {
    pub(crate) fn new(bytes: Arc<[u8]>, honest: bool) -> Arc<Payload> {
        let hash = hash::bytes(&bytes);
        Arc::new(Payload { bytes, hash, honest, canonical: AtomicBool::new(false) })
    }

    /// Returns `true` on the first call only.
    pub(crate) fn first_check(&self) -> bool {
        !self.canonical.swap(true, Ordering::Relaxed)
    }
}

/// An input that is not decoded yet.
pub(crate) enum QueuedInput<M: Machine> {
    Start,
    Message { from: usize, payload: Arc<Payload> },
    Timer { timer: M::Timer, generation: u64 },
    Command(M::Command),
}

/// Execution status of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Not started yet.
    New,
    Up,
    Down,
}

pub(crate) struct NodeState<M: Machine> {
    pub(crate) node: Node,
    pub(crate) status: Status,
    pub(crate) machine: Option<M>,
    pub(crate) adversary: Option<Box<dyn Adversary<M>>>,
    /// Number of earlier adversaries. Wake-ups of an earlier adversary are ignored.
    pub(crate) adversary_generation: u32,
    pub(crate) disk: Vec<Arc<[u8]>>,
    /// True once the node has started from an earlier state of its disk.
    pub(crate) was_rolled_back: bool,
    /// The active timers, each with a generation that identifies its latest setting.
    pub(crate) timers: BTreeMap<M::Timer, u64>,
    pub(crate) generation: u64,
    /// Number of crashes. Events of an earlier incarnation are ignored.
    pub(crate) incarnation: u32,
    pub(crate) clock: Clock,
    /// The armed crash point, and the number of steps with that point to pass first.
    pub(crate) armed: Option<(CrashPoint, u32)>,
    /// The step in progress.
    pub(crate) busy: Option<Step<M>>,
    pub(crate) inbox: VecDeque<QueuedInput<M>>,
    pub(crate) rng: Rng,
}

impl<M: Machine> NodeState<M> {
    pub(crate) fn new(node: Node, clocks: Clocks, seed: u64) -> Self {
        let mut rng = Rng::stream(seed, "node", node.slot as u64);
        let clock = Clock::new(clocks, &mut rng);
        Self {
            node,
            status: Status::New,
            machine: None,
            adversary: None,
            adversary_generation: 0,
            disk: Vec::new(),
            was_rolled_back: false,
            timers: BTreeMap::new(),
            generation: 0,
            incarnation: 0,
            clock,
            armed: None,
            busy: None,
            inbox: VecDeque::new(),
            rng,
        }
    }

    /// Removes everything but the disk.
    pub(crate) fn lose_memory(&mut self) {
        self.status = Status::Down;
        self.machine = None;
        self.timers.clear();
        self.incarnation += 1;
        self.armed = None;
        self.busy = None;
        self.inbox.clear();
    }
}

/// A node's clock, with an offset and a drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    offset: i128,
    drift_ppm: i128,
}

impl Clock {
    fn new(clocks: Clocks, rng: &mut Rng) -> Self {
        let offset = rng.below(micros(clocks.offset).saturating_add(1));
        // Limits the drift so that the clock never stops or runs backwards.
        let drift = u64::from(clocks.drift_ppm.min(500_000));
        Self {
            offset: i128::from(offset),
            drift_ppm: i128::from(rng.below(2 * drift + 1)) - i128::from(drift),
        }
    }

    /// Returns the clock's reading at simulator time `now`.
    pub(crate) fn local(&self, now: u64) -> Time {
        let now = i128::from(now);
        let local = now + now * self.drift_ppm / 1_000_000 + self.offset;
        Time(u64::try_from(local).unwrap_or(u64::MAX))
    }

    /// Returns the first simulator time at which the clock has advanced by `after`.
    pub(crate) fn later(&self, now: u64, after: Duration) -> u64 {
        let target = self.local(now).plus(after);
        if self.drift_ppm == 0 {
            return now.saturating_add(micros(after));
        }
        let guess = (i128::from(target.0) - self.offset) * 1_000_000 / (1_000_000 + self.drift_ppm);
        let mut at = u64::try_from(guess).unwrap_or(u64::MAX).max(now);
        // The two divisions round down; at most a few microseconds are missing.
        while at < u64::MAX && self.local(at) < target {
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_timer_fires_at_its_local_time_or_a_few_microseconds_later(
            seed: u64, now in 0u64..1 << 50, after in 0u64..1 << 40,
        ) {
            let clocks = Clocks { offset: Duration::from_secs(5), drift_ppm: 50_000 };
            let clock = Clock::new(clocks, &mut crate::rng::Rng::new(seed));
            let at = clock.later(now, Duration::from_micros(after));
            let target = clock.local(now).plus(Duration::from_micros(after));
            prop_assert!(clock.local(at) >= target);
            prop_assert!(at < now + 3 || clock.local(at - 3) < target);
        }

        #[test]
        fn a_clock_never_goes_backwards(seed: u64, now in 0u64..1 << 50) {
            let clock = Clock::new(Clocks { offset: Duration::ZERO, drift_ppm: 500_000 }, &mut crate::rng::Rng::new(seed));
            prop_assert!(clock.local(now + 1) >= clock.local(now));
        }
    }

    #[test]
    fn a_timer_that_never_fires_does_not_overflow() {
        let clock = Clock { offset: 7, drift_ppm: -100 };
        assert_eq!(clock.later(1 << 40, Duration::MAX), u64::MAX);
    }
}
