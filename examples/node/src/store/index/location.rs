/// Location of a committed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransactionLocation {
    /// Height of the block.
    pub height: u64,
    /// Index of the batch in the block.
    pub batch: u16,
    /// Position in the batch.
    pub position: u32,
}
