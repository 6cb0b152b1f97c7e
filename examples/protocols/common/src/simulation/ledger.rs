//! The toy application of a simulated node, and its archive of blocks.

use std::time::Duration;

use quorate::machine::{Machine, Time};
use quorate::merkle::Hash;
use quorate::wire::domain;
use quorate_simulator::{Actions, Node, Violation};

use crate::Executed;

/// State root before block 1.
pub const GENESIS: Hash = [7; 32];

/// The blocks that a node executed, in the form `B` that its protocol archives, each with the state root after it. A
/// state root is a hash of everything executed.
#[derive(Clone, Debug)]
pub struct Ledger<B> {
    blocks: Vec<(B, Hash)>,
    /// Time at which the application is free; it executes one block at a time.
    busy_until: Time,
}

impl<B> Default for Ledger<B> {
    fn default() -> Self {
        Self { blocks: Vec::new(), busy_until: Time(0) }
    }
}

impl<B> Ledger<B> {
    /// Returns the newest state.
    pub fn executed(&self) -> Executed {
        let state_root = self.blocks.last().map_or(GENESIS, |(_, root)| *root);
        Executed { height: self.blocks.len() as u64, state_root }
    }

    /// Returns all blocks from a height on.
    pub fn since(&self, height: u64) -> impl DoubleEndedIterator<Item = &B> {
        let from = usize::try_from(height.saturating_sub(1)).unwrap_or(usize::MAX);
        self.blocks.get(from..).unwrap_or_default().iter().map(|(block, _)| block)
    }

    /// Returns the block at a height.
    pub fn at(&self, height: u64) -> Option<&B> {
        self.since(height.max(1)).next().filter(|_| height > 0)
    }

    /// Computes the state root after the next block from its digest and its transactions.
    pub fn next_root<'a>(&self, block: &[u8; 32], transactions: impl Iterator<Item = &'a Hash>) -> Hash {
        let mut state = self.executed().state_root.to_vec();
        state.extend_from_slice(block);
        transactions.for_each(|id| state.extend_from_slice(id));
        domain::hash(domain::LEDGER_ROOT, &state)
    }

    /// Restarts the application. After a crash, up to three of the last blocks are lost, as if they had not been durable; the
    /// protocol delivers them again.
    pub fn restart(&mut self, after_crash: bool, seed: &[u8; 32]) {
        let lost = if after_crash { usize::from(seed[0] % 4) } else { 0 };
        self.blocks.truncate(self.blocks.len().saturating_sub(lost));
    }

    /// Drops the blocks above a height: an old copy of the disk does not have them.
    pub fn roll_back(&mut self, height: u64) {
        self.blocks.truncate(usize::try_from(height).unwrap_or(usize::MAX));
    }

    /// Executes a block. Returns the state after it and the time until the execution is done.
    ///
    /// # Errors
    /// A violation `order` if it is not the next block.
    pub fn execute<M: Machine>(
        &mut self,
        node: Node,
        height: u64,
        (block, root): (B, Hash),
        actions: &mut Actions<'_, M>,
    ) -> Result<(Executed, Duration), Violation> {
        if self.blocks.len() as u64 + 1 != height {
            let detail = format!("node {} executes height {height} out of order", node.slot);
            return Err(Violation::new("order", detail));
        }
        self.blocks.push((block, root));
        let pause = actions.rng().duration(Duration::ZERO, Duration::from_millis(3));
        self.busy_until = self.busy_until.max(actions.now()).plus(pause);
        actions.progress(height);
        Ok((self.executed(), self.busy_until.since(actions.now())))
    }
}
