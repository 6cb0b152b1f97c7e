//! How much this member puts into a block: about what was committed lately.
//!
//! Whatever a round costs beyond its signatures grows with the transactions of its block: naming them, finding them,
//! asking for those that are missing, hashing and storing them. A block that takes longer than its round is not
//! committed; if the next one held all that waits, and more waits by then, it would take longer still, and nothing would
//! ever be committed again. So an undecided round halves what this member proposes next, and a full block that is
//! committed raises it: to the double as long as no round was ever lost, and by a fixed step from then on. A fixed one,
//! because a faulty third that lets its rounds fail could bring any step that is a part of the whole down to nothing.

use crate::parameters::Parameters;
use crate::payload::Summary;

/// No round is so short that it cannot manage that many transactions, or bytes of them.
const LEAST: BlockLimits = BlockLimits { transactions: 64, bytes: 64 << 10 };
/// By how much full blocks rise once a round was lost.
const RISE: BlockLimits = BlockLimits { transactions: 256, bytes: 64 << 10 };
/// So many blocks' worth of transactions may wait before clients are asked to hold back.
const BACKLOG: usize = 8;

/// The most that a block may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockLimits {
    pub(crate) transactions: usize,
    /// With four for the length of each.
    pub(crate) bytes: usize,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct BlockSizeController {
    now: BlockLimits,
    most: BlockLimits,
    /// Whether a round was lost.
    has_lost: bool,
}

impl BlockSizeController {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let most = BlockLimits {
            transactions: parameters.max_block_transactions,
            bytes: parameters.max_block_bytes,
        };
        let first = BlockLimits {
            transactions: parameters.first_block_transactions,
            bytes: parameters.first_block_bytes,
        };
        Self { now: first.min(most), most, has_lost: false }
    }

    /// What the next block may hold.
    pub(crate) fn allowance(&self) -> BlockLimits {
        self.now
    }

    /// A block with this payload is committed.
    pub(crate) fn committed(&mut self, payload: &Summary) {
        let BlockLimits { transactions, bytes } = self.now;
        let full = 2 * payload.count as usize >= transactions || 2 * payload.bytes as usize >= bytes;
        if full {
            let rise = if self.has_lost { RISE } else { self.now };
            self.now = self.now.plus(rise).min(self.most);
        }
    }

    /// A round ended without its block.
    pub(crate) fn lost(&mut self) {
        self.has_lost = true;
        let half = BlockLimits { transactions: self.now.transactions / 2, bytes: self.now.bytes / 2 };
        self.now = half.max(LEAST).min(self.most);
    }

    /// Whether so much waits that clients should hold back; less is needed to begin with it than to go on.
    pub(crate) fn is_behind(&self, transactions: usize, bytes: usize, was_behind: bool) -> bool {
        let blocks = if was_behind { BACKLOG / 2 } else { BACKLOG };
        let BlockLimits { transactions: most, bytes: most_bytes } = self.now;
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

    fn full(pace: &BlockSizeController) -> Summary {
        let BlockLimits { transactions, bytes } = pace.allowance();
        Summary { count: transactions as u32, bytes: bytes as u32, root: [0; 32] }
    }

    #[test]
    fn full_blocks_double_until_a_round_is_lost_and_rise_in_steps_from_then_on() {
        let parameters = Parameters::default();
        let mut pace = BlockSizeController::new(&parameters);
        for _ in 0..9 {
            pace.committed(&full(&pace));
        }
        let most = BlockLimits {
            transactions: parameters.max_block_transactions,
            bytes: parameters.max_block_bytes,
        };
        assert_eq!(pace.allowance(), most);
        pace.lost();
        let half = pace.allowance();
        assert_eq!(half.transactions, most.transactions / 2);
        pace.committed(&full(&pace));
        assert_eq!(pace.allowance(), half.plus(RISE));
    }

    #[test]
    fn small_blocks_say_nothing_about_large_ones() {
        let mut pace = BlockSizeController::new(&Parameters::default());
        let first = pace.allowance();
        pace.committed(&Summary { count: 10, bytes: 1000, root: [0; 32] });
        assert_eq!(pace.allowance(), first);
        pace.committed(&Summary { count: 10, bytes: first.bytes as u32, root: [0; 32] });
        assert_eq!(pace.allowance(), first.plus(first), "a few large ones fill a block, too");
    }

    #[test]
    fn it_never_comes_to_nothing_and_never_exceeds_the_limits() {
        let mut pace = BlockSizeController::new(&Parameters::default());
        (0..100).for_each(|_| pace.lost());
        assert_eq!(pace.allowance(), LEAST);
        let few = Parameters { max_block_transactions: 3, max_block_bytes: 100, ..Parameters::default() };
        let mut pace = BlockSizeController::new(&few);
        pace.lost();
        assert_eq!(pace.allowance(), BlockLimits { transactions: 3, bytes: 100 });
    }

    /// Two of three rounds are decided: a third of the members lets its rounds fail.
    #[test]
    fn a_faulty_third_cannot_bring_it_down() {
        let mut pace = BlockSizeController::new(&Parameters::default());
        let mut least = usize::MAX;
        for round in 0..300 {
            match round % 3 {
                0 => pace.lost(),
                _ => pace.committed(&full(&pace)),
            }
            if round > 100 {
                least = least.min(pace.allowance().transactions);
            }
        }
        assert!(least >= 2 * RISE.transactions - 2, "{least}");
    }

    #[test]
    fn clients_are_asked_to_hold_back_until_half_of_it_is_gone() {
        let pace = BlockSizeController::new(&Parameters::default());
        let BlockLimits { transactions, bytes } = pace.allowance();
        assert!(!pace.is_behind(8 * transactions, 8 * bytes, false));
        assert!(pace.is_behind(8 * transactions + 1, 0, false) && pace.is_behind(0, 8 * bytes + 1, false));
        assert!(pace.is_behind(5 * transactions, 0, true) && !pace.is_behind(4 * transactions, 0, true));
    }
}
