/// A digest's chains, those with low digits first.
pub(in super::super) struct Order {
    /// The chains of digit 0, those of digit 1, and so on; then anything.
    pub(super) chains: [u8; MOST + 64],
    /// Where in that order each chain is; then [`NO_CHAIN`].
    pub(super) places: [u8; PLACES],
    /// How many have a digit of at most this.
    pub(super) upto: [u8; 32],
}

/// The most chains of a key.
pub(in super::super) const MOST: usize = 136;

/// Beyond the places of all chains.
pub(super) const NO_CHAIN: u8 = u8::MAX;

/// Room for as many, in whole vectors.
pub(super) const PLACES: usize = MOST.next_multiple_of(64);

impl Order {
    /// The order of digits below `count`, of which there are at most 32.
    #[inline]
    pub(in super::super) fn of<const L: usize>(digits: &[u8; L], count: usize) -> Self {
        const { assert!(L <= MOST) };
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        if super::x86::sorts() {
            #[allow(unsafe_code, reason = "a call of what was seen to be there")]
            // SAFETY: the processor has the instructions.
            return unsafe { super::short_x86::in_order(digits, count) };
        }
        Self::one_by_one(digits, count)
    }

    fn one_by_one<const L: usize>(digits: &[u8; L], count: usize) -> Self {
        let (mut order, mut filled) = (Self::NONE, 0u8);
        for (value, upto) in (0u8..).zip(&mut order.upto).take(count) {
            let places = digits.iter().zip(&mut order.places);
            for (chain, (_, place)) in (0u8..=255).zip(places).filter(|(_, (digit, _))| **digit == value) {
                if let Some(to) = order.chains.get_mut(usize::from(filled)) {
                    (*to, *place, filled) = (chain, filled, filled + 1);
                }
            }
            *upto = filled;
        }
        order
    }

    /// Before any chain is in it.
    pub(super) const NONE: Self = Self { chains: [0; _], places: [NO_CHAIN; _], upto: [0; _] };

    /// All chains.
    #[inline]
    pub(in super::super) fn chains<const L: usize>(&self) -> &[u8; L] {
        self.chains.first_chunk().unwrap_or(&[0; L])
    }

    /// How many chains take a step: those whose digit is not above it.
    #[cfg(any(test, all(target_arch = "x86_64", feature = "std")))]
    #[inline]
    pub(super) fn moving(&self, step: u8) -> usize {
        self.upto.get(usize::from(step)).copied().unwrap_or_default().into()
    }

    /// The digit of each chain in turn.
    pub(in super::super) fn digits<const L: usize>(&self, count: usize) -> [u8; L] {
        let (mut digits, mut from) = ([0; L], 0);
        for (value, upto) in (0u8..).zip(&self.upto).take(count) {
            digits.get_mut(from..usize::from(*upto)).unwrap_or_default().fill(value);
            from = usize::from(*upto);
        }
        digits
    }
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
        for order in [Order::of(&digits, 1 << bits), Order::one_by_one(&digits, 1 << bits)] {
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
        fn digits_are_put_in_order(digits: [u8; MOST], bits in 1u32..6) {
            are_in_order::<28>(&digits, bits)?;
            are_in_order::<64>(&digits, bits)?;
            are_in_order::<68>(&digits, bits)?;
            are_in_order::<128>(&digits, bits)?;
            are_in_order::<133>(&digits, bits)?;
            are_in_order::<MOST>(&digits, bits)?;
        }
    }
}
