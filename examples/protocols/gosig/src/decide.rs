//! DecideBlock: which block a member prepares in a round. Li et al., *Gosig*, Algorithm 2, with one line mended.
//!
//! Let z̄ be the proposal with the best (smallest) score, and (B, r) the lock: the block that this member committed
//! tentatively, and the round in which a quorum had prepared it.
//!
//! 1. No lock: prepare z̄'s block.
//! 2. z̄ is of **another** block, and its proposal certificate is of a later round than r: give the lock up, prepare that
//!    block.
//! 3. Some proposal is of B, with a certificate of round r or later: prepare B, and let the lock have that certificate.
//! 4. Else prepare nothing.
//!
//! As printed, the algorithm does not look at the block in step 2: when B itself is proposed again with a newer
//! certificate and the best score, it forgets the lock, and a member that helped to commit B is then free to prepare
//! another block with an old certificate. `spec/gosig.md` tells that story in four rounds; TLC finds it.

use crate::digests::BlockDigest;

/// What counts of a valid proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<T> {
    /// Its block.
    pub block: BlockDigest,
    /// The round of its proposal certificate (the paper's c.r).
    pub certified: u64,
    /// Its proposer's score: the smallest is the best.
    pub score: T,
}

/// What to do in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Prepare nothing.
    Nothing,
    /// Prepare the block of the candidate at this place; the lock, if there is one, stays as it is.
    Prepare(usize),
    /// Give the lock up and prepare the block of the candidate at this place.
    Release(usize),
    /// Prepare the locked block; the lock has the certificate of the candidate at this place from now on.
    Renew(usize),
}

/// What a member with this lock (block and round) prepares, given the valid proposals of a round. A tie of scores, which
/// only a proposer who contradicts itself can bring about, goes to the smaller digest.
pub fn decide_block<T: Ord + Copy>(
    lock: Option<(BlockDigest, u64)>,
    candidates: &[Candidate<T>],
) -> Decision {
    let places = || candidates.iter().enumerate();
    let Some((best, z)) = places().min_by_key(|(_, z)| (z.score, z.block)) else { return Decision::Nothing };
    let Some((locked, round)) = lock else { return Decision::Prepare(best) };
    if z.block != locked && z.certified > round {
        return Decision::Release(best);
    }
    let again = places().filter(|(_, z)| z.block == locked && z.certified >= round);
    match again.max_by_key(|(_, z)| z.certified) {
        Some((place, _)) => Decision::Renew(place),
        None => Decision::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn z(block: u8, certified: u64, score: u8) -> Candidate<u8> {
        Candidate { block: BlockDigest([block; 32]), certified, score }
    }

    fn decide(lock: Option<(u8, u64)>, candidates: &[Candidate<u8>]) -> Decision {
        decide_block(lock.map(|(block, round)| (BlockDigest([block; 32]), round)), candidates)
    }

    #[test]
    fn without_a_lock_the_best_score_decides() {
        assert_eq!(decide(None, &[]), Decision::Nothing);
        assert_eq!(decide(None, &[z(1, 9, 5), z(2, 1, 3), z(3, 9, 4)]), Decision::Prepare(1));
        assert_eq!(decide(None, &[z(7, 1, 3), z(2, 1, 3)]), Decision::Prepare(1), "a tie");
    }

    #[test]
    fn a_lock_yields_to_another_block_with_a_later_certificate_only() {
        assert_eq!(decide(Some((1, 4)), &[z(2, 5, 1)]), Decision::Release(0));
        assert_eq!(decide(Some((1, 4)), &[z(2, 4, 1)]), Decision::Nothing, "of the same round");
        assert_eq!(decide(Some((1, 4)), &[z(2, 4, 1), z(3, 9, 2)]), Decision::Nothing, "not the best");
    }

    #[test]
    fn the_locked_block_is_prepared_again_whatever_its_score() {
        assert_eq!(decide(Some((1, 4)), &[z(2, 4, 1), z(1, 4, 9)]), Decision::Renew(1));
        assert_eq!(decide(Some((1, 4)), &[z(2, 3, 1), z(1, 5, 9), z(1, 6, 8)]), Decision::Renew(2));
        assert_eq!(decide(Some((1, 4)), &[z(1, 3, 1)]), Decision::Nothing, "an older certificate");
    }

    /// The step that is mended: as printed, this would give the lock up.
    #[test]
    fn a_newer_certificate_of_the_locked_block_itself_does_not_release_it() {
        assert_eq!(decide(Some((1, 4)), &[z(1, 5, 1)]), Decision::Renew(0));
    }

    proptest! {
        #[test]
        fn the_order_of_arrival_does_not_matter_and_a_lock_is_not_given_up_for_less(
            lock in proptest::option::of((0u8..3, 1u64..5)),
            list in proptest::collection::vec((0u8..3, 1u64..6, 0u8..9), 0..6),
        ) {
            // One block for each score, as one proposer makes one proposal.
            let mut list: Vec<_> = list.into_iter().map(|(block, certified, score)| z(block, certified, score)).collect();
            list.sort_by_key(|z| z.score);
            list.dedup_by_key(|z| z.score);
            let block = |decision, list: &[Candidate<u8>]| match decision {
                Decision::Nothing => None,
                Decision::Prepare(i) | Decision::Release(i) | Decision::Renew(i) => Some((list[i].block, list[i].certified)),
            };
            let forwards = decide(lock, &list);
            let mut turned = list.clone();
            turned.reverse();
            prop_assert_eq!(block(forwards, &list), block(decide(lock, &turned), &turned));
            if let Some((locked, round)) = lock {
                match forwards {
                    Decision::Prepare(_) => prop_assert!(false, "as if there were no lock"),
                    Decision::Release(i) => prop_assert!(list[i].certified > round && list[i].block.0 != [locked; 32]),
                    Decision::Renew(i) => prop_assert!(list[i].certified >= round && list[i].block.0 == [locked; 32]),
                    Decision::Nothing => {}
                }
            }
        }
    }
}
