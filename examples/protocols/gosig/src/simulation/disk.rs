//! The disk of a simulated node: its archive, and the records that a store retains.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::merkle::Hash;
use quorate_protocol::simulation::Ledger;

use crate::{Block, Finality, GosigScheme, Payload, PayloadDigest, Record};

/// Number of last blocks whose transactions a node remembers.
const REMEMBERED: usize = 64;

/// A block in a node's archive.
#[derive(Clone)]
pub(super) struct Archived<S: GosigScheme> {
    pub(super) block: Arc<Block<S>>,
    pub(super) payload: Arc<Payload>,
    pub(super) finality: Arc<Finality<S>>,
}

/// The disk of a node, except the replica's records, and the state of its clients.
pub(super) struct Disk<S: GosigScheme> {
    pub(super) ledger: Ledger<Archived<S>>,
    pub(super) pruned: BTreeSet<PayloadDigest>,
    pub(super) submitted: u64,
    pub(super) congested: bool,
    /// Index of the node's epoch, and whether its successor is known.
    pub(super) epoch: usize,
    pub(super) is_over: bool,
}

impl<S: GosigScheme> Default for Disk<S> {
    fn default() -> Self {
        Self {
            ledger: Ledger::default(),
            pruned: BTreeSet::new(),
            submitted: 0,
            congested: false,
            epoch: 0,
            is_over: false,
        }
    }
}

impl<S: GosigScheme> Disk<S> {
    /// Returns the identifiers of the transactions in the last blocks.
    pub(super) fn committed_transactions(&self) -> Vec<Hash> {
        let last = self.ledger.since(1).rev().take(REMEMBERED);
        last.flat_map(|archived| archived.payload.ids().iter().copied()).collect()
    }
}

/// Returns the records that a key-value store retains: the last record of each key, no blocks and commits below the executed
/// height, and no obsolete payloads.
pub(super) fn compact<S: GosigScheme>(
    records: Vec<Record<S>>,
    executed: u64,
    pruned: &BTreeSet<PayloadDigest>,
) -> Vec<Record<S>> {
    let committed = |record: &Record<S>| match record {
        Record::Committed(committed) => Some((committed.height, committed.digest)),
        _ => None,
    };
    let tip = records.iter().filter_map(committed).max();
    let locked = records.iter().rev().find_map(|record| match record {
        Record::Lock(lock) => Some(lock.as_ref().map(|lock| lock.block)),
        _ => None,
    });
    let needed = |block: &Block<S>| {
        let digest = block.digest();
        block.height > executed
            || tip.is_some_and(|(_, tip)| tip == digest)
            || locked.flatten() == Some(digest)
    };
    let payloads: BTreeSet<PayloadDigest> = records
        .iter()
        .filter_map(|record| match record {
            Record::Block(block) if needed(block) => Some(block.payload.digest()),
            _ => None,
        })
        .collect();
    let mut retained = BTreeMap::new();
    for record in records {
        let is_needed = match &record {
            Record::Block(block) => needed(block),
            Record::Payload(payload) => {
                payloads.contains(&payload.digest()) || !pruned.contains(&payload.digest())
            }
            Record::Committed(committed) => {
                committed.height > executed || tip.is_some_and(|(height, _)| height == committed.height)
            }
            _ => true,
        };
        if is_needed {
            retained.insert(record.key(), record);
        }
    }
    retained.into_values().collect()
}
