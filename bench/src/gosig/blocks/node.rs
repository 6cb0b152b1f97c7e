//! The state of a node in whole rounds.

use std::collections::{BTreeMap, BTreeSet};

use quorate::gossip::{Gossip, Peers};
use quorate::scheme::Toy;

use super::super::network::Node;
use super::block::{GENESIS, Id};
use crate::queue::Nanos;

/// An honest node.
pub(super) struct Member {
    /// Bundles that were received unrequested, or are committed.
    pub(super) pool: Bits,
    /// Bundles that were requested, or received in a segment.
    pub(super) fetched: Bits,
    pub(super) rounds: BTreeMap<u64, Round>,
    pub(super) bodies: BTreeMap<Id, Body>,
    /// Headers of the block after the next, and their senders.
    pub(super) early: Vec<(Id, Node)>,
    /// The last block that it committed.
    pub(super) tip: Id,
    /// A block that a quorum has committed and of which transactions are missing.
    pub(super) certified: Option<Id>,
    /// The node's round: that of the clock, or the next one.
    pub(super) round: u64,
    /// Its score, if it was drawn in that round and has not proposed yet.
    pub(super) ticket: Option<u32>,
    /// The round of the clock, and whether Stage II has begun.
    pub(super) clock: u64,
    pub(super) begun: bool,
    /// The last block for which it signed P.
    pub(super) prepared: Option<Id>,
    /// The last rounds in which it signed P and TC.
    pub(super) signed: [u64; 2],
    pub(super) peers: Peers,
    pub(super) busy: Nanos,
    /// Number of other signatures to verify, each at the cost of an aggregate.
    pub(super) pending_checks: usize,
    pub(super) next_check: Nanos,
}

/// A round at a node.
#[derive(Default)]
pub(super) struct Round {
    pub(super) headers: Vec<Id>,
    /// The best of them.
    pub(super) best: Option<Id>,
    /// Blocks known only from votes, with the time of the last request for their header.
    pub(super) unknown: BTreeMap<Id, Nanos>,
    /// Signatures of P and TC.
    pub(super) votes: BTreeMap<(Id, usize), Votes>,
}

/// Signatures on a block.
pub(super) struct Votes {
    pub(super) gossip: Box<Gossip<Toy>>,
    /// True if the quorum was recorded.
    pub(super) is_recorded: bool,
}

/// The partial body of a block.
#[derive(Default)]
pub(super) struct Body {
    /// Received segments, one bit each.
    pub(super) segments: u64,
    /// Missing transactions that a received segment names.
    pub(super) missing: BTreeSet<u32>,
    pub(super) whole: bool,
    /// Time of the next request, the node to ask, and the number of unanswered requests.
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
            tip: GENESIS,
            certified: None,
            round: 0,
            ticket: None,
            clock: 0,
            begun: false,
            prepared: None,
            signed: [0; 2],
            peers,
            busy: 0,
            pending_checks: 0,
            next_check: 0,
        }
    }

    pub(super) fn has(&self, bundle: u32) -> bool {
        self.pool.has(bundle) || self.fetched.has(bundle)
    }

    /// Returns true if the node has the whole block.
    pub(super) fn has_all(&self, block: Id) -> bool {
        self.bodies.get(&block).is_some_and(|body| body.whole)
    }

    /// Removes a received bundle from the missing ones; returns true if a block needed it.
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

    /// Adds a number; returns false if it was present.
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
