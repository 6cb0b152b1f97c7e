/// Where a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransactionLocation {
    /// Height of the block.
    pub height: u64,
    /// Which of the block's batches.
    pub batch: u16,
    /// Its place in the batch.
    pub position: u32,
}
