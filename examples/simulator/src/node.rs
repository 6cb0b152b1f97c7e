//! A node of a run: its machine, its disk, its clock, its timers.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quorate::machine::{Machine, Step, Time};

use crate::adversary::Adversary;
use crate::fault::CrashPoint;
use crate::hash;
use crate::host::Node;
use crate::rng::{Rng, micros};
use crate::scenario::Clocks;

/// A message on the wire: encoded once, however many receive it.
pub(crate) struct Payload {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) hash: u64,
    /// An honest machine or host made it.
    pub(crate) honest: bool,
    canonical: AtomicBool,
}

impl Payload {
    pub(crate) fn new(bytes: Arc<[u8]>, honest: bool) -> Arc<Payload> {
        let hash = hash::bytes(&bytes);
        Arc::new(Payload { bytes, hash, honest, canonical: AtomicBool::new(false) })
    }

    /// Whether this was asked for the first time.
    pub(crate) fn first_check(&self) -> bool {
        !self.canonical.swap(true, Ordering::Relaxed)
    }
}

/// An input before it is decoded.
pub(crate) enum QueuedInput<M: Machine> {
    Start,
    Message { from: usize, payload: Arc<Payload> },
    Timer { timer: M::Timer, generation: u64 },
    Command(M::Command),
}

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// The run has not begun for it.
    New,
    Up,
    Down,
}

pub(crate) struct NodeState<M: Machine> {
    pub(crate) node: Node,
    pub(crate) status: Status,
    pub(crate) machine: Option<M>,
    pub(crate) adversary: Option<Box<dyn Adversary<M>>>,
    /// How many adversaries it had before: wake-ups of an earlier one are void.
    pub(crate) adversary_generation: u32,
    pub(crate) disk: Vec<Arc<[u8]>>,
    /// The timers that are set, with the generation that tells them from earlier settings.
    pub(crate) timers: BTreeMap<M::Timer, u64>,
    pub(crate) generation: u64,
    /// How often it crashed: events for an earlier life are void.
    pub(crate) incarnation: u32,
    pub(crate) clock: Clock,
    /// Where it is to crash, and after how many steps that have that point.
    pub(crate) armed: Option<(CrashPoint, u32)>,
    /// The step that is being worked on.
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

    /// Everything but the disk is gone.
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

/// A node's clock: ahead by an offset, and faster or slower by a drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    offset: i128,
    drift_ppm: i128,
}

impl Clock {
    fn new(clocks: Clocks, rng: &mut Rng) -> Self {
        let offset = rng.below(micros(clocks.offset).saturating_add(1));
        // A clock that stands still or runs backwards is no clock.
        let drift = u64::from(clocks.drift_ppm.min(500_000));
        Self {
            offset: i128::from(offset),
            drift_ppm: i128::from(rng.below(2 * drift + 1)) - i128::from(drift),
        }
    }

    /// What the clock shows.
    pub(crate) fn local(&self, now: u64) -> Time {
        let now = i128::from(now);
        let local = now + now * self.drift_ppm / 1_000_000 + self.offset;
        Time(u64::try_from(local).unwrap_or(u64::MAX))
    }

    /// The first moment at which the clock shows `after` more than now.
    pub(crate) fn later(&self, now: u64, after: Duration) -> u64 {
        let target = self.local(now).plus(after);
        if self.drift_ppm == 0 {
            return now.saturating_add(micros(after));
        }
        let guess = (i128::from(target.0) - self.offset) * 1_000_000 / (1_000_000 + self.drift_ppm);
        let mut at = u64::try_from(guess).unwrap_or(u64::MAX).max(now);
        // The division rounded down, twice; a few microseconds are missing at most.
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
