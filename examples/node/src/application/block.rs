use std::borrow::Cow;

use quorate::wire::domain;

/// Transactions of one batch, in order, with their identifiers.
#[derive(Clone, Debug)]
pub struct ExecutionBatch<'a> {
    /// Identifiers of the transactions: the leaf hashes of the batch's Merkle tree.
    pub ids: Cow<'a, [[u8; 32]]>,
    /// The transactions, one per identifier.
    pub transactions: Vec<&'a [u8]>,
}

/// A committed block as the application sees it.
#[derive(Clone, Debug)]
pub struct ExecutionBlock<'a> {
    /// Height in the chain; the first block has height 1.
    pub height: u64,
    /// Time of the proposal on the author's clock, in milliseconds since 1970. The committee does not verify it.
    pub timestamp: u64,
    /// Its batches, in order.
    pub batches: Vec<ExecutionBatch<'a>>,
}

impl<'a> ExecutionBlock<'a> {
    /// Creates a block with one batch of these transactions, for tests and examples.
    pub fn from_transactions(height: u64, timestamp: u64, transactions: &[&'a [u8]]) -> Self {
        let ids = transactions.iter().map(|tx| domain::hash(domain::BATCH_LEAF, tx)).collect();
        let batch = ExecutionBatch { ids: Cow::Owned(ids), transactions: transactions.to_vec() };
        Self { height, timestamp, batches: vec![batch] }
    }

    /// All transactions with their identifiers, in chain order.
    pub fn transactions(&self) -> impl Iterator<Item = (&[u8; 32], &'a [u8])> {
        self.batches.iter().flat_map(|batch| batch.ids.iter().zip(batch.transactions.iter().copied()))
    }
}
