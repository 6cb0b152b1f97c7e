//! The disk of a simulated node: its archive, and the records that a store retains.

use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::Time;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate_protocol::Executed;
use quorate_protocol::simulation::{GENESIS, Ledger};

use crate::chain::{Delivery, RECENT, Record, STATE_LAG};

/// The disk of a node, except the machine's records, and the state of its clients.
pub(super) struct Disk<V: Scheme> {
    pub(super) ledger: Ledger<Delivery<V>>,
    /// The states after the last blocks of the ledger.
    states: BTreeMap<u64, Hash>,
    /// Batches whose records are deleted.
    pub(super) obsolete: BTreeSet<Hash>,
    /// Height up to which the records of epochs are deleted.
    pub(super) pruned: u64,
    /// Number of the next batch.
    pub(super) sequence: u64,
    /// Number of submitted batches.
    pub(super) submitted: u64,
    /// When each batch was submitted, by its number.
    pub(super) submitted_at: BTreeMap<u64, Time>,
    pub(super) is_congested: bool,
}

impl<V: Scheme> Default for Disk<V> {
    fn default() -> Self {
        Self {
            ledger: Ledger::default(),
            states: BTreeMap::new(),
            obsolete: BTreeSet::new(),
            pruned: 0,
            sequence: 1,
            submitted: 0,
            submitted_at: BTreeMap::new(),
            is_congested: false,
        }
    }
}

impl<V: Scheme> Disk<V> {
    pub(super) fn remember(&mut self, executed: Executed) {
        self.states.insert(executed.height, executed.state_root);
        self.states = self.states.split_off(&executed.height.saturating_sub(8));
    }

    /// Drops what a copy of the disk does not have: all blocks above the last certified one, and later deletions of records.
    pub(super) fn roll_back(&mut self, certified: u64) {
        if self.ledger.executed().height > certified {
            self.ledger.roll_back(certified);
            self.pruned = self.pruned.min(certified);
            self.obsolete.clear();
        }
    }

    /// The states that running machines may name, up to the last executed one.
    pub(super) fn recent_states(&self) -> Vec<Executed> {
        let executed = self.ledger.executed().height;
        let range = executed.saturating_sub(STATE_LAG)..=executed;
        let known = self.states.range(range);
        let mut states: Vec<_> =
            known.map(|(height, root)| Executed { height: *height, state_root: *root }).collect();
        states.push(Executed { height: 0, state_root: GENESIS });
        states
    }

    /// The transactions of the last executed blocks, by height.
    pub(super) fn recent_transactions(&self) -> Vec<(u64, Vec<Hash>)> {
        let from = (self.ledger.executed().height + 1).saturating_sub(RECENT).max(1);
        let ids = |delivery: &Delivery<V>| delivery.batches.iter().flat_map(|b| b.ids().to_vec()).collect();
        (from..).zip(self.ledger.since(from).map(ids)).collect()
    }

    /// Returns the records that a store retains: the latest vote, and what is not pruned.
    pub(super) fn compact(&self, records: Vec<Record<V>>) -> Vec<Record<V>> {
        let executed = self.ledger.executed().height;
        let needed: BTreeSet<Hash> = records
            .iter()
            .filter_map(|record| match record {
                Record::Block(block) if block.height >= executed => Some(block),
                _ => None,
            })
            .flat_map(|block| block.payload.iter().map(|header| header.digest().0))
            .collect();
        let last_vote = records.iter().rposition(|record| matches!(record, Record::Vote(_)));
        let is_retained = |(place, record): &(usize, Record<V>)| match record {
            Record::Seed(_) => true,
            Record::Input { height, .. }
            | Record::Proposal { height, .. }
            | Record::Presigned { height }
            | Record::FallBack { height } => *height > self.pruned,
            Record::Spent(_) => true,
            Record::Vote(_) => Some(*place) == last_vote,
            Record::Batch(batch) => {
                let digest = batch.digest().0;
                needed.contains(&digest) || !self.obsolete.contains(&digest)
            }
            Record::Block(block) => block.height >= executed,
            Record::Certificate(finality) => finality.0.statement().view >= executed,
        };
        let retained = records.into_iter().enumerate().filter(is_retained);
        retained.map(|(_, record)| record).collect()
    }
}
