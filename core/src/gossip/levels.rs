//! Who is near and who is far: the members in blocks of four, sixteen, sixty-four and so on, by their index.
//!
//! ```text
//! level 0     the three others of one's block of 4          they are sent one's own signature
//! level 1     the three other blocks of one's block of 16   they are sent the sum of one's block of 4
//! level k     the three other blocks of one's block of 4ᵏ⁺¹ they are sent the sum of one's block of 4ᵏ
//! ```
//!
//! What comes from another block has no signer in common with one's own block, nor with what comes from a third block:
//! the sum of all has every signer once. Only what comes from *one* block at different times overlaps. The scheme is
//! Handel's (Bégassat et al., 2019) with blocks of four; what it adds to Gosig's random gossip is disjointness.

use core::ops::Range;

use crate::committee::SignerSet;
use crate::machine::MemberIndex;

/// How many bits of an index a level takes: blocks grow fourfold.
const BITS: u32 = 2;
/// How many blocks make one block of the next level.
pub(super) const SIBLINGS: usize = 1 << BITS;

/// The members as one of them sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    me: MemberIndex,
    n: u16,
}

impl Levels {
    pub(super) fn new(me: MemberIndex, n: u16) -> Self {
        Self { me, n }
    }

    /// How many levels there are: the smallest k for which 4ᵏ is at least n.
    pub(super) fn count(&self) -> usize {
        let bits = u32::from(self.n).next_power_of_two().trailing_zeros();
        bits.div_ceil(BITS) as usize
    }

    /// On which level another member is.
    pub(super) fn of(&self, member: MemberIndex) -> Option<usize> {
        let differing = (self.me ^ member).checked_ilog2()?;
        (member < self.n).then_some((differing / BITS) as usize)
    }

    /// The members of the block of a level that is one's own, or, counted up from there and around, one of its siblings.
    pub(super) fn block(&self, level: usize, sibling: usize) -> Range<u32> {
        let bits = BITS * level as u32;
        let own = u32::from(self.me) >> bits;
        let block = own ^ (sibling % SIBLINGS) as u32;
        let n = u32::from(self.n);
        (block << bits).min(n)..((block + 1) << bits).min(n)
    }

    /// To which level and sibling signers belong who are all of one block; `None` if they are not, or if oneself is among
    /// them.
    pub(super) fn place(&self, signers: &SignerSet) -> Option<(usize, usize)> {
        let (first, last) = (signers.first()?, signers.last()?);
        let level = self.of(first)?;
        let bits = BITS * level as u32;
        let block = u32::from(first) >> bits;
        (block == u32::from(last) >> bits)
            .then_some((level, (block ^ u32::from(self.me) >> bits) as usize % SIBLINGS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_member_is_in_one_block_of_one_level() {
        for n in [1, 2, 4, 5, 16, 17, 64, 100, 1_000] {
            for me in [0, n / 2, n - 1] {
                let levels = Levels::new(me, n);
                let mut seen = SignerSet::new(n);
                for level in 0..levels.count() {
                    assert!(levels.block(level, 0).contains(&me.into()));
                    for sibling in 1..SIBLINGS {
                        for member in levels.block(level, sibling).map(|member| member as u16) {
                            assert!(seen.insert(member));
                            assert_eq!(levels.of(member), Some(level));
                            let alone = SignerSet::of(n, [member]).unwrap();
                            assert_eq!(levels.place(&alone), Some((level, sibling)));
                        }
                    }
                }
                assert!(seen.len() == usize::from(n) - 1 && !seen.contains(me));
            }
        }
        assert_eq!(Levels::new(0, 1).count(), 0);
        assert_eq!(Levels::new(0, u16::MAX).count(), 8);
    }

    #[test]
    fn signers_of_several_blocks_and_oneself_have_no_place() {
        let levels = Levels::new(5, 64);
        let place = |members: &[u16]| levels.place(&SignerSet::of(64, members.iter().copied()).unwrap());
        assert_eq!(place(&[4]), Some((0, 1)));
        assert_eq!(place(&[8, 9, 11]), Some((1, 3)));
        assert_eq!(place(&[0, 1, 2, 3]), Some((1, 1)));
        assert_eq!(place(&[16, 31]), Some((2, 1)));
        assert_eq!(
            (place(&[5]), place(&[4, 6]), place(&[3, 8]), place(&[0, 16]), place(&[])),
            (None, None, None, None, None)
        );
        assert_eq!(Levels::new(5, 6).of(7), None);
    }
}
