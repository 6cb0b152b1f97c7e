//! Sorting of a digest's digits.

use super::order::{DigitOrder, MAX_CHAINS};

/// Sorts digits below `count`, of which there are at most 32.
#[inline]
pub(in super::super) fn sort_digits<const L: usize>(digits: &[u8; L], count: usize) -> DigitOrder {
    const { assert!(L <= MAX_CHAINS) };
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if super::x86::has_sorting() {
        #[allow(unsafe_code, reason = "the processor was found to have the instructions")]
        // SAFETY: the processor has the instructions.
        return unsafe { super::single_x86::sort_digits(digits, count) };
    }
    DigitOrder::one_by_one(digits, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn are_in_order<const L: usize>(digits: &[u8], bits: u32) -> Result<(), TestCaseError> {
        let digits: [u8; L] = core::array::from_fn(|chain| digits[chain] & ((1 << bits) - 1));
        let mut expected: Vec<(u8, u8)> = digits.into_iter().zip(0..).collect();
        expected.sort_unstable();
        for order in [sort_digits(&digits, 1 << bits), DigitOrder::one_by_one(&digits, 1 << bits)] {
            let sorted: [u8; L] = order.digits(1 << bits);
            let found: Vec<(u8, u8)> = sorted.into_iter().zip(*order.chains::<L>()).collect();
            prop_assert_eq!(&found, &expected);
            for (place, (_, chain)) in (0u8..).zip(&expected) {
                prop_assert_eq!(order.places[usize::from(*chain)], place);
            }
            for step in 0..1 << bits {
                let moving = digits.iter().filter(|digit| **digit <= step).count();
                prop_assert_eq!(order.moving(step), moving);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn digits_are_sorted(digits: [u8; MAX_CHAINS], bits in 1u32..6) {
            are_in_order::<28>(&digits, bits)?;
            are_in_order::<64>(&digits, bits)?;
            are_in_order::<68>(&digits, bits)?;
            are_in_order::<128>(&digits, bits)?;
            are_in_order::<133>(&digits, bits)?;
            are_in_order::<MAX_CHAINS>(&digits, bits)?;
        }
    }
}
