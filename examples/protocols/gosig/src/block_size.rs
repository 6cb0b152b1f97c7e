//! Adaptive block size: limits on the transactions that this member proposes, derived from recently committed blocks.
//!
//! The cost of a round beyond its signatures grows with the transactions of its block: members name, find, request, hash
//! and store them. A block that takes longer than its round is not committed. If the next block held all pending
//! transactions, more of them by then, it would take longer still, and no block would be committed again. So an undecided
//! round halves the limits of this member's next proposal, and a full block that is committed raises them: to the double
//! until a round is lost, and by a fixed step from then on. The step is fixed because a faulty third that lets its rounds
//! fail could reduce a proportional step to nothing.

use crate::parameters::Parameters;
use crate::payload::Summary;

/// Minimum limits: any round can decide a block of this size.
const MIN_LIMITS: BlockLimits = BlockLimits { transactions: 64, bytes: 64 << 10 };
/// Step by which a full block raises the limits once a round was lost.
const INCREMENT: BlockLimits = BlockLimits { transactions: 256, bytes: 64 << 10 };
/// Number of full blocks that may be pending before clients are asked to hold back.
const BACKLOG_BLOCKS: usize = 8;

/// Limits of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockLimits {
    pub(crate) transactions: usize,
    /// Bytes of the transactions, each with its 4-byte length.
    pub(crate) bytes: usize,
}

/// State of the adaptive block size. See the [module](self).
#[derive(Debug)]
pub(crate) struct BlockSizeController {
    limits: BlockLimits,
    max: BlockLimits,
    /// True once a round was lost.
    has_lost: bool,
}

impl BlockSizeController {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let max = BlockLimits {
            transactions: parameters.max_block_transactions,
            bytes: parameters.max_block_bytes,
        };
        let first = BlockLimits {
            transactions: parameters.first_block_transactions,
            bytes: parameters.first_block_bytes,
        };
        Self { limits: first.min(max), max, has_lost: false }
    }

    /// Limits of the next block.
    pub(crate) fn limits(&self) -> BlockLimits {
        self.limits
    }

    /// Raises the limits if a committed block was at least half full.
    pub(crate) fn on_commit(&mut self, payload: &Summary) {
        let BlockLimits { transactions, bytes } = self.limits;
        let full = 2 * payload.count as usize >= transactions || 2 * payload.bytes as usize >= bytes;
        if full {
            let rise = if self.has_lost { INCREMENT } else { self.limits };
            self.limits = self.limits.plus(rise).min(self.max);
        }
    }

    /// Halves the limits after a round that did not decide its block.
    pub(crate) fn on_lost_round(&mut self) {
        self.has_lost = true;
        let half = BlockLimits { transactions: self.limits.transactions / 2, bytes: self.limits.bytes / 2 };
        self.limits = half.max(MIN_LIMITS).min(self.max);
    }

    /// Returns true if the backlog is so large that clients should hold back. Congestion ends at half the backlog at
    /// which it begins.
    pub(crate) fn is_congested(&self, transactions: usize, bytes: usize, was_congested: bool) -> bool {
        let blocks = if was_congested { BACKLOG_BLOCKS / 2 } else { BACKLOG_BLOCKS };
        let BlockLimits { transactions: most, bytes: most_bytes } = self.limits;
        transactions > most.saturating_mul(blocks) || bytes > most_bytes.saturating_mul(blocks)
    }
}

impl BlockLimits {
    fn plus(self, other: Self) -> Self {
        Self {
            transactions: self.transactions.saturating_add(other.transactions),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    fn min(self, other: Self) -> Self {
        Self { transactions: self.transactions.min(other.transactions), bytes: self.bytes.min(other.bytes) }
    }

    fn max(self, other: Self) -> Self {
        Self { transactions: self.transactions.max(other.transactions), bytes: self.bytes.max(other.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(controller: &BlockSizeController) -> Summary {
        let BlockLimits { transactions, bytes } = controller.limits();
        Summary { count: transactions as u32, bytes: bytes as u32, root: [0; 32] }
    }

    #[test]
    fn full_blocks_double_the_limits_until_a_round_is_lost() {
        let parameters = Parameters::default();
        let mut controller = BlockSizeController::new(&parameters);
        for _ in 0..9 {
            controller.on_commit(&full(&controller));
        }
        let most = BlockLimits {
            transactions: parameters.max_block_transactions,
            bytes: parameters.max_block_bytes,
        };
        assert_eq!(controller.limits(), most);
        controller.on_lost_round();
        let half = controller.limits();
        assert_eq!(half.transactions, most.transactions / 2);
        controller.on_commit(&full(&controller));
        assert_eq!(controller.limits(), half.plus(INCREMENT));
    }

    #[test]
    fn small_blocks_do_not_change_the_limits() {
        let mut controller = BlockSizeController::new(&Parameters::default());
        let first = controller.limits();
        controller.on_commit(&Summary { count: 10, bytes: 1000, root: [0; 32] });
        assert_eq!(controller.limits(), first);
        controller.on_commit(&Summary { count: 10, bytes: first.bytes as u32, root: [0; 32] });
        assert_eq!(controller.limits(), first.plus(first), "a few large transactions fill a block, too");
    }

    #[test]
    fn limits_stay_within_their_bounds() {
        let mut controller = BlockSizeController::new(&Parameters::default());
        (0..100).for_each(|_| controller.on_lost_round());
        assert_eq!(controller.limits(), MIN_LIMITS);
        let few = Parameters { max_block_transactions: 3, max_block_bytes: 100, ..Parameters::default() };
        let mut controller = BlockSizeController::new(&few);
        controller.on_lost_round();
        assert_eq!(controller.limits(), BlockLimits { transactions: 3, bytes: 100 });
    }

    /// Two of three rounds are decided: a third of the members lets its rounds fail.
    #[test]
    fn a_faulty_third_cannot_reduce_the_limits_to_nothing() {
        let mut controller = BlockSizeController::new(&Parameters::default());
        let mut least = usize::MAX;
        for round in 0..300 {
            match round % 3 {
                0 => controller.on_lost_round(),
                _ => controller.on_commit(&full(&controller)),
            }
            if round > 100 {
                least = least.min(controller.limits().transactions);
            }
        }
        assert!(least >= 2 * INCREMENT.transactions - 2, "{least}");
    }

    #[test]
    fn congestion_ends_at_half_the_backlog_at_which_it_begins() {
        let controller = BlockSizeController::new(&Parameters::default());
        let BlockLimits { transactions, bytes } = controller.limits();
        let is_congested = |transactions, bytes, was| controller.is_congested(transactions, bytes, was);
        assert!(!is_congested(8 * transactions, 8 * bytes, false));
        assert!(is_congested(8 * transactions + 1, 0, false) && is_congested(0, 8 * bytes + 1, false));
        assert!(is_congested(5 * transactions, 0, true) && !is_congested(4 * transactions, 0, true));
    }
}
