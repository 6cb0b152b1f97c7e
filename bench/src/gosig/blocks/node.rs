//! What a node knows in whole rounds.

use std::collections::{BTreeMap, BTreeSet};

use quorate::gossip::{Gossip, Peers};
use quorate::scheme::Toy;

use super::super::network::Node;
use super::super::queue::Nanos;
use super::chain::{BEGINNING, Id};

/// An honest node.
pub(super) struct Member {
    /// Bundles that came by themselves, or are committed.
    pub(super) pool: Bits,
    /// Bundles that came because they were asked for, or in a segment.
    pub(super) fetched: Bits,
    pub(super) rounds: BTreeMap<u64, Round>,
    pub(super) bodies: BTreeMap<Id, Body>,
    /// Headers of the block after the next, and from whom they came.
    pub(super) early: Vec<(Id, Node)>,
    /// The last block that it committed.
    pub(super) tip: Id,
    /// A quorum has committed this one, whose transactions are not all here.
    pub(super) certified: Option<Id>,
    /// The round that it is in: that of the clock, or the next one.
    pub(super) round: u64,
    /// Its score, if it was drawn in that round and did not propose yet.
    pub(super) ticket: Option<u32>,
    /// The round of the clock, and whether Stage II has begun.
    pub(super) clock: u64,
    pub(super) begun: bool,
    /// What it signed P for last.
    pub(super) prepared: Option<Id>,
    /// The rounds in which it signed P and TC last.
    pub(super) signed: [u64; 2],
    pub(super) peers: Peers,
    pub(super) busy: Nanos,
    /// Signatures that are to be checked besides votes, each as long as an aggregate takes.
    pub(super) owes_checks: usize,
    pub(super) looks: Nanos,
}

/// A round at a node.
#[derive(Default)]
pub(super) struct Round {
    pub(super) headers: Vec<Id>,
    /// The best of them.
    pub(super) best: Option<Id>,
    /// Headers of which only votes speak: when they were asked for.
    pub(super) unknown: BTreeMap<Id, Nanos>,
    /// Signatures of P and TC.
    pub(super) votes: BTreeMap<(Id, usize), Votes>,
}

/// Signatures on a block.
pub(super) struct Votes {
    pub(super) gossip: Box<Gossip<Toy>>,
    /// That there is a quorum was noted.
    pub(super) noted: bool,
}

/// A block's transactions on their way together.
#[derive(Default)]
pub(super) struct Body {
    /// Which segments are there, a bit each.
    pub(super) segments: u64,
    /// Named by a segment that is there, and not there.
    pub(super) missing: BTreeSet<u32>,
    pub(super) whole: bool,
    /// When somebody is asked next, who it is, and how often nobody answered.
    pub(super) asks: Nanos,
    pub(super) hint: Option<Node>,
    pub(super) tries: u32,
}

impl Member {
    pub(super) fn new(peers: Peers) -> Self {
        Self {
            pool: Bits::default(),
            fetched: Bits::default(),
            rounds: BTreeMap::new(),
            bodies: BTreeMap::new(),
            early: Vec::new(),
            tip: BEGINNING,
            certified: None,
            round: 0,
            ticket: None,
            clock: 0,
            begun: false,
            prepared: None,
            signed: [0; 2],
            peers,
            busy: 0,
            owes_checks: 0,
            looks: 0,
        }
    }

    pub(super) fn has(&self, bundle: u32) -> bool {
        self.pool.has(bundle) || self.fetched.has(bundle)
    }

    /// Whether it has all of a block.
    pub(super) fn has_all(&self, block: Id) -> bool {
        self.bodies.get(&block).is_some_and(|body| body.whole)
    }

    /// The bundle is here: no block misses it any more. Whether one did.
    pub(super) fn found(&mut self, bundle: u32) -> bool {
        let removed = |before: bool, body: &mut Body| body.missing.remove(&bundle) || before;
        self.bodies.values_mut().fold(false, removed)
    }
}

/// A set of small numbers.
#[derive(Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(super) fn has(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// False if it was there.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let place = number as usize / 64;
        if self.words.len() <= place {
            self.words.resize(place + 1, 0);
        }
        let bit = 1 << (number % 64);
        match self.words.get_mut(place) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_in_the_set_once() {
        let mut bits = Bits::default();
        for number in [0, 63, 64, 1000] {
            assert!(!bits.has(number) && bits.insert(number) && bits.has(number) && !bits.insert(number));
        }
        assert!(!bits.has(1) && !bits.has(5000));
    }
}
