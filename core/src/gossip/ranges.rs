//! The recursive halving of the committee from the view of one member.

use alloc::vec::Vec;
use core::ops::Range;

use crate::machine::MemberIndex;

/// One halving: the half with this member, and the other half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) own: Range<MemberIndex>,
    pub(super) other: Range<MemberIndex>,
}

/// Returns the halvings of a committee of `n` members down to `me` alone, the smallest first: ⌈log₂ n⌉, or one less.
/// The two halves differ by at most one member. The other halves of all levels and `me` are the whole committee.
pub(super) fn levels(me: MemberIndex, n: u16) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut whole = 0..n;
    while whole.len() > 1 && whole.contains(&me) {
        let middle = whole.start + (whole.end - whole.start) / 2;
        let (low, high) = (whole.start..middle, middle..whole.end);
        let (own, other) = if low.contains(&me) { (low, high) } else { (high, low) };
        whole = own.clone();
        levels.push(Level { own, other });
    }
    levels.reverse();
    levels
}

impl Level {
    /// Returns the member of the other half that `me` addresses in turn `turn`. Turns cycle through the whole half.
    /// `order` is the same for all members; then each member of the other half is addressed once before any is
    /// addressed twice (give or take one where the halves differ).
    pub(super) fn peer(&self, me: MemberIndex, turn: usize, order: u64) -> MemberIndex {
        let len = self.other.len().max(1);
        // A step coprime to the length visits every position before it repeats.
        let mut step = ((order >> 32) % len as u64) as usize;
        while gcd(step, len) != 1 {
            step = (step + 1) % len.max(2);
        }
        // Computed in 64 bits also on 32-bit platforms, because all members must obtain the same result.
        let own = u64::from(me - self.own.start.min(me));
        let place = own + (order & 0xffff_ffff) + (turn % len * step) as u64;
        self.other.start + (place % len as u64) as MemberIndex
    }
}

/// Returns the greatest common divisor.
fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    #[test]
    fn seven_members_are_halved() {
        let halves = |me| levels(me, 7).into_iter().map(|level| (level.own, level.other)).collect::<Vec<_>>();
        assert_eq!(halves(0), [(0..1, 1..3), (0..3, 3..7)]);
        assert_eq!(halves(2), [(2..3, 1..2), (1..3, 0..1), (0..3, 3..7)]);
        assert_eq!(halves(6), [(6..7, 5..6), (5..7, 3..5), (3..7, 0..3)]);
        assert!(levels(0, 1).is_empty() && levels(9, 7).is_empty());
    }

    proptest! {
        #[test]
        fn members_agree_on_their_levels(n in 1u16..600, a: u16, b: u16) {
            let (a, b) = (a % n, b % n);
            let of_a = levels(a, n);
            prop_assert!(of_a.len() <= 10);
            let met: Vec<u16> = of_a.iter().flat_map(|level| level.other.clone()).collect();
            prop_assert_eq!(met.iter().collect::<BTreeSet<_>>().len(), usize::from(n) - 1);
            prop_assert!(met.len() == usize::from(n) - 1 && !met.contains(&a));
            for level in of_a.iter().filter(|level| level.other.contains(&b)) {
                prop_assert!(level.own.len().abs_diff(level.other.len()) <= 1);
                let seen = levels(b, n).into_iter().find(|level| level.other.contains(&a));
                prop_assert_eq!(seen, Some(Level { own: level.other.clone(), other: level.own.clone() }));
            }
        }

        #[test]
        fn turns_cycle_and_spread_evenly(n in 2u16..200, order: u64, me: u16, turn in 0usize..1000) {
            let me = me % n;
            for level in levels(me, n) {
                let len = level.other.len();
                let met: BTreeSet<u16> = (0..len).map(|turn| level.peer(me, turn, order)).collect();
                prop_assert!(met.len() == len && met.iter().all(|peer| level.other.contains(peer)));
                let spoken_to: Vec<u16> = level.own.clone().map(|from| level.peer(from, turn, order)).collect();
                let different: BTreeSet<&u16> = spoken_to.iter().collect();
                prop_assert!(different.len() + 1 >= spoken_to.len());
            }
        }
    }
}
