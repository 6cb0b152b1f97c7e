/// The chains of a digest, sorted by digit.
pub(in super::super) struct DigitOrder {
    /// The chains of digit 0, those of digit 1, and so on; then unspecified.
    pub(super) chains: [u8; MAX_CHAINS + 64],
    /// Position of each chain in that order; [`NO_CHAIN`] after the last chain.
    pub(super) places: [u8; PLACES],
    /// Number of chains with a digit of at most the index.
    pub(super) upto: [u8; 32],
}

/// Maximum number of chains of a key.
pub(in super::super) const MAX_CHAINS: usize = 136;

/// Position of a chain that does not exist.
pub(super) const NO_CHAIN: u8 = u8::MAX;

/// Length of the position table, in whole vectors.
pub(super) const PLACES: usize = MAX_CHAINS.next_multiple_of(64);

impl DigitOrder {
    /// Sorts digits below `count`, one by one: the reference form of [`sort_digits`](super::sort_digits).
    pub(super) fn one_by_one<const L: usize>(digits: &[u8; L], count: usize) -> Self {
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

    /// The order of no chains.
    pub(super) const NONE: Self = Self { chains: [0; _], places: [NO_CHAIN; _], upto: [0; _] };

    /// Returns all chains in order.
    #[inline]
    pub(in super::super) fn chains<const L: usize>(&self) -> &[u8; L] {
        self.chains.first_chunk().unwrap_or(&[0; L])
    }

    /// Returns the number of chains that move in a step: those whose digit is not above it.
    #[cfg(any(test, all(target_arch = "x86_64", feature = "std")))]
    #[inline]
    pub(super) fn moving(&self, step: u8) -> usize {
        self.upto.get(usize::from(step)).copied().unwrap_or_default().into()
    }

    /// Returns the digits in order.
    pub(in super::super) fn digits<const L: usize>(&self, count: usize) -> [u8; L] {
        let (mut digits, mut from) = ([0; L], 0);
        for (value, upto) in (0u8..).zip(&self.upto).take(count) {
            digits.get_mut(from..usize::from(*upto)).unwrap_or_default().fill(value);
            from = usize::from(*upto);
        }
        digits
    }
}
