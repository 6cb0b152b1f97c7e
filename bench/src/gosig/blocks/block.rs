//! Blocks and their bundles of transactions.

use super::super::network::Node;
use crate::queue::Nanos;

/// The number of a block.
pub(super) type Id = u32;

/// The block that all nodes have committed at the start.
pub(super) const GENESIS: Id = 0;

/// Transactions that travel together.
pub(super) struct Bundle {
    pub(super) origin: Node,
    pub(super) at: Nanos,
    pub(super) committed: bool,
}

/// A block that was proposed.
pub(super) struct Block {
    pub(super) id: Id,
    pub(super) parent: Id,
    pub(super) height: u64,
    pub(super) round: u64,
    pub(super) proposer: Node,
    /// The lowest score wins.
    pub(super) score: u32,
    pub(super) proposed: Nanos,
    pub(super) bundles: Vec<u32>,
    /// Number of honest nodes that have committed it.
    pub(super) commits: usize,
}

impl Block {
    pub(super) fn genesis() -> Self {
        Self {
            id: GENESIS,
            parent: GENESIS,
            height: 0,
            round: 0,
            proposer: 0,
            score: 0,
            proposed: 0,
            bundles: Vec::new(),
            commits: 0,
        }
    }
}
