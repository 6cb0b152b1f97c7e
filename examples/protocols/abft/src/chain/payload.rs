//! The block that follows from what an epoch decided: a function that is the same at all members.

use std::sync::Arc;

use quorate::Result;
use quorate::merkle::Hash;
use quorate_protocol::Executed;
use quorate_protocol::batch::{Batch, MAX_BATCH_BYTES, MAX_TRANSACTIONS, TRANSACTIONS};

use super::block::{Block, BlockDigest};
use crate::epoch::Ordered;

/// Makes the batches of a block from what an epoch decided: the transactions of each proposer in their order, without those
/// of the last [`RECENT`](super::RECENT) blocks. What exceeds the limits of a batch is left out; no correct member proposes as
/// much. All members make the same batches.
///
/// # Errors
/// [`Error::Malformed`](quorate::Error::Malformed) for a height that no batch can have.
pub fn decided_batches(
    decided: &[Ordered],
    height: u64,
    is_recent: impl Fn(&Hash) -> bool,
) -> Result<Vec<Arc<Batch>>> {
    let mut batches = Vec::new();
    for proposed in decided.chunk_by(|(a, _), (b, _)| a == b) {
        let (mut bytes, mut transactions) = (0, Vec::new());
        for (_, transaction) in proposed {
            let len = 4 + transaction.len();
            let fits = bytes + len <= MAX_BATCH_BYTES && transactions.len() < MAX_TRANSACTIONS;
            if fits && !is_recent(&TRANSACTIONS.leaf(transaction)) {
                bytes += len;
                transactions.push(transaction);
            }
        }
        if let (Some((proposer, _)), false) = (proposed.first(), transactions.is_empty()) {
            batches.push(Arc::new(Batch::new(*proposer, height, transactions)?));
        }
    }
    Ok(batches)
}

/// Makes the block.
pub(super) fn block(
    epoch: u64,
    height: u64,
    parent: BlockDigest,
    executed: Executed,
    batches: &[Arc<Batch>],
) -> Block {
    Block { epoch, height, parent, executed, payload: batches.iter().map(|batch| *batch.header()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_batch_of_each_proposer_with_new_transactions() {
        let transaction = |text: &str| text.as_bytes().to_vec();
        let decided =
            [(2, transaction("a")), (2, transaction("b")), (3, transaction("b2")), (0, transaction("c"))];
        let known = TRANSACTIONS.leaf(b"b2");
        let batches = decided_batches(&decided, 7, |id| *id == known).unwrap();
        let parts: Vec<_> = batches.iter().map(|b| (b.author(), b.sequence(), b.len())).collect();
        assert_eq!(parts, [(2, 7, 2), (0, 7, 1)]);
        let executed = Executed { height: 3, state_root: [1; 32] };
        let block = block(0, 7, BlockDigest([2; 32]), executed, &batches);
        assert_eq!(block.payload.len(), 2);
    }

    #[test]
    fn a_proposal_beyond_the_limits_is_cut() {
        let decided: Vec<_> =
            (0..MAX_TRANSACTIONS as u32 + 5).map(|n| (1, n.to_le_bytes().to_vec())).collect();
        assert_eq!(decided_batches(&decided, 1, |_| false).unwrap()[0].len(), MAX_TRANSACTIONS);
        let large = [(1, vec![1; MAX_BATCH_BYTES - 10]), (1, vec![2; 100]), (1, vec![3; 1])];
        assert_eq!(decided_batches(&large, 1, |_| false).unwrap()[0].len(), 2, "what fits after it is kept");
    }
}
