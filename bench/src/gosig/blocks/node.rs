//! What a node knows in whole rounds.

use std::collections::BTreeMap;

use quorate::gossip::{Gossip, Peers};
use quorate::scheme::Toy;

use super::super::queue::Nanos;

/// An honest node.
pub(super) struct Member {
    /// Which bundles it has, a bit each.
    has: Vec<u64>,
    pub(super) rounds: BTreeMap<u64, Round>,
    pub(super) peers: Peers,
    pub(super) busy: Nanos,
    pub(super) looks: Nanos,
    /// The last round whose block it committed, or that it gave up.
    pub(super) settled: u64,
}

/// A round at a node.
#[derive(Default)]
pub(super) struct Round {
    pub(super) header: bool,
    /// Which segments are there, a bit each.
    pub(super) segments: u32,
    /// Bundles that are named by a segment that is there, and are not there themselves: when they were asked for.
    pub(super) missing: BTreeMap<u32, Nanos>,
    /// Until then nothing is asked for again.
    pub(super) asked: Nanos,
    /// Stage II has begun by its clock.
    pub(super) begun: bool,
    /// Nothing is missing any more; noted once.
    pub(super) whole: bool,
    pub(super) signed: [bool; 2],
    pub(super) certified: [bool; 2],
    pub(super) gossips: [Option<Box<Gossip<Toy>>>; 2],
}

impl Member {
    pub(super) fn new(peers: Peers) -> Self {
        Self { has: Vec::new(), rounds: BTreeMap::new(), peers, busy: 0, looks: 0, settled: 0 }
    }

    pub(super) fn has(&self, bundle: u32) -> bool {
        self.has.get(bundle as usize / 64).is_some_and(|word| word >> (bundle % 64) & 1 == 1)
    }

    /// False if it was there.
    pub(super) fn take(&mut self, bundle: u32) -> bool {
        let place = bundle as usize / 64;
        if self.has.len() <= place {
            self.has.resize(place + 1, 0);
        }
        let bit = 1 << (bundle % 64);
        match self.has.get_mut(place) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                self.rounds.values_mut().for_each(|round| drop(round.missing.remove(&bundle)));
                true
            }
            _ => false,
        }
    }
}
