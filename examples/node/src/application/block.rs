use std::borrow::Cow;

use quorate::wire::domain;

/// The transactions of one batch, in order, with their identities.
#[derive(Clone, Debug)]
pub struct ExecutionBatch<'a> {
    /// Each transaction's identity, the leaf hash of the batch's Merkle tree.
    pub ids: Cow<'a, [[u8; 32]]>,
    /// Each transaction's bytes; as many as identities.
    pub transactions: Vec<&'a [u8]>,
}

/// A committed block as the application sees it.
#[derive(Clone, Debug)]
pub struct ExecutionBlock<'a> {
    /// Its place in the chain; the first block has 1.
    pub height: u64,
    /// When its author made it: milliseconds since 1970 by the author's clock, which nobody vouches for.
    pub timestamp: u64,
    /// Its batches, in order.
    pub batches: Vec<ExecutionBatch<'a>>,
}

impl<'a> ExecutionBlock<'a> {
    /// A block of one batch of these transactions: for tests and examples.
    pub fn of(height: u64, timestamp: u64, transactions: &[&'a [u8]]) -> Self {
        let ids = transactions.iter().map(|tx| domain::hash(domain::BATCH_LEAF, tx)).collect();
        let batch = ExecutionBatch { ids: Cow::Owned(ids), transactions: transactions.to_vec() };
        Self { height, timestamp, batches: vec![batch] }
    }

    /// Every transaction with its identity, in chain order.
    pub fn transactions(&self) -> impl Iterator<Item = (&[u8; 32], &'a [u8])> {
        self.batches.iter().flat_map(|batch| batch.ids.iter().zip(batch.transactions.iter().copied()))
    }
}
