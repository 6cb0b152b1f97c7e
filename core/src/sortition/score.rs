use core::fmt;

use crate::wire::domain;

/// Score of a ticket: 32 pseudorandom bytes. The smallest is the best, in lexicographic order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score([u8; 32]);

impl Score {
    /// Computes the score of a unique signature's bytes, which must be in the subgroup: see
    /// [`Vrf`](crate::scheme::Vrf).
    pub(crate) fn from_signature(signature: &[u8]) -> Self {
        Self(domain::hash(domain::SORTITION_SCORE, signature))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns true if score₁₂₈ · n < expected · 2¹²⁸, where score₁₂₈ is the first half as a big-endian integer.
    ///
    /// Only the high word of the product matters: score₁₂₈ · n = high · 2¹²⁸ + low with low < 2¹²⁸.
    pub(super) fn wins(&self, expected: u16, n: u16) -> bool {
        let (half, _) = self.0.split_at(16);
        let score = half.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
        let n = u128::from(n);
        let low = (score & u128::from(u64::MAX)) * n;
        let high = ((score >> 64) * n + (low >> 64)) >> 64;
        high < expected.into()
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, _) = self.0.split_at(4);
        write!(f, "Score({}…)", hex::encode(head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn score(first_half: u128) -> Score {
        let mut bytes = [0xff; 32];
        bytes[..16].copy_from_slice(&first_half.to_be_bytes());
        Score(bytes)
    }

    /// The same inequality over long integers, digit by digit.
    fn plainly(score: u128, expected: u16, n: u16) -> bool {
        let (mut product, mut carry) = ([0u16; 9], 0u32);
        for (i, digit) in product.iter_mut().enumerate() {
            let part = if i < 8 { (score >> (16 * i)) as u16 } else { 0 };
            let sum = u32::from(part) * u32::from(n) + carry;
            (*digit, carry) = (sum as u16, sum >> 16);
        }
        assert_eq!(carry, 0);
        product[8] < expected
    }

    #[test]
    fn the_winning_threshold_is_exact() {
        // The largest score that wins is ⌈expected · 2¹²⁸ / n⌉ − 1.
        for (expected, n) in
            [(7u16, 10u16), (7, 8), (7, 10_000), (1, u16::MAX), (7, u16::MAX), (1, 2), (3, 1000)]
        {
            let (divisor, times) = (u128::from(n), u128::from(expected));
            // 2¹²⁸ = divisor · quotient + rest, without an integer that holds 2¹²⁸.
            let (mut quotient, mut rest) = (u128::MAX / divisor, u128::MAX % divisor + 1);
            if rest == divisor {
                (quotient, rest) = (quotient + 1, 0);
            }
            let border = times * quotient + (times * rest).div_ceil(divisor);
            assert!(score(border - 1).wins(expected, n), "{expected} of {n}");
            assert!(!score(border).wins(expected, n), "{expected} of {n}");
        }
    }

    #[test]
    fn all_win_in_small_committees_and_none_if_none_expected() {
        for n in [1, 2, 7] {
            assert!(score(u128::MAX).wins(7, n) && score(0).wins(7, n));
        }
        assert!(!score(u128::MAX).wins(7, 8));
        assert!(score(u128::MAX).wins(u16::MAX, u16::MAX));
        assert!(!score(0).wins(0, 1));
    }

    #[test]
    fn the_second_half_of_a_score_only_orders_winners() {
        let (mut low, mut high) = (score(1 << 120), score(1 << 120));
        (low.0[31], high.0[31]) = (0, 1);
        assert!(low < high && low.wins(1, 255) && high.wins(1, 255));
        assert!(!low.wins(1, 256) && !high.wins(1, 256));
        assert!(score(5) < score(6));
    }

    /// 200 members, a third of them silent.
    #[test]
    fn rounds_without_honest_winners_are_about_one_percent() {
        let (n, rounds) = (200u16, 2_000u32);
        let (mut winners, mut without, mut without_honest) = (0usize, 0, 0);
        for round in 0..rounds {
            let wins = |member: &u16| {
                Score::from_signature(&[&round.to_le_bytes()[..], &member.to_le_bytes()].concat()).wins(7, n)
            };
            let drawn: Vec<u16> = (0..n).filter(wins).collect();
            winners += drawn.len();
            without += u32::from(drawn.is_empty());
            without_honest += u32::from(drawn.iter().all(|member| *member % 3 == 0));
        }
        // Expected: 14,000 with a standard deviation of 116; 1.6; 18 with one of 4.2.
        assert!((13_500..=14_500).contains(&winners), "{winners}");
        assert!(without <= 8, "{without}");
        assert!((4..=34).contains(&without_honest), "{without_honest}");
    }

    proptest! {
        #[test]
        fn win_condition_equals_the_inequality(first_half: u128, expected: u16, n in 1u16..) {
            prop_assert_eq!(score(first_half).wins(expected, n), plainly(first_half, expected, n));
            // Most random inputs are far from the border, so also test scores near it.
            let near = (u128::MAX / u128::from(n)).wrapping_mul(expected.into()).wrapping_add(first_half % 65_536);
            prop_assert_eq!(score(near).wins(expected, n), plainly(near, expected, n));
        }
    }
}
