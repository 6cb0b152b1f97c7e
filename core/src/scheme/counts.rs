use alloc::vec::Vec;
use core::fmt;

use super::signers::SignerSet;
use crate::machine::MemberIndex;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

const WHAT: &str = "counts of signers";
const FORM: &str = "counts of signers: expected form 0 or 1";
const ONES: u8 = 0;
const GAMMA: u8 = 1;

/// The count of each signer's signature in a sum.
///
/// A separate [`SignerSet`] holds the signers; the counts of all other members are meaningless.
///
/// The encoding is a form byte. Form `0` means that every count is 1; nothing follows. Form `1` is followed by the
/// counts of the signers in ascending order as Elias-gamma codes, most significant bit first, padded with zero bits to
/// whole bytes. The code of a count c is ⌊log₂ c⌋ zero bits followed by the ⌊log₂ c⌋ + 1 binary digits of c. Zero has
/// no code.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Count minus one, by member index, without trailing zeros.
    beyond: Vec<u16>,
}

impl Counts {
    /// The highest count that an encoding can hold. Merging may enforce a lower limit.
    pub const MAX: u16 = u16::MAX;

    /// Returns counts of 1 for all signers.
    pub const fn ones() -> Self {
        Self { beyond: Vec::new() }
    }

    /// Returns the count of a signer's signature in the sum.
    pub fn get(&self, signer: MemberIndex) -> u16 {
        self.beyond.get(usize::from(signer)).map_or(1, |beyond| beyond.saturating_add(1))
    }

    /// Returns the highest count of all signers.
    pub fn highest(&self) -> u16 {
        self.beyond.iter().copied().max().unwrap_or(0).saturating_add(1)
    }

    /// Returns true if every count is 1.
    pub fn all_ones(&self) -> bool {
        self.beyond.is_empty()
    }

    /// Iterates over the members with a count above 1, ascending, each with its count minus one.
    pub(crate) fn beyond(&self) -> impl Iterator<Item = (MemberIndex, u16)> + '_ {
        let by_member = (0..=MemberIndex::MAX).zip(self.beyond.iter().copied());
        by_member.filter(|(_, beyond)| *beyond > 0)
    }

    /// Returns the counts of a sum of sums without common signers.
    pub(crate) fn merge_disjoint<'a>(sums: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self::ones();
        for (signer, beyond) in sums.flat_map(Self::beyond) {
            let signer = usize::from(signer);
            if all.beyond.len() <= signer {
                all.beyond.resize(signer + 1, 0);
            }
            if let Some(sum) = all.beyond.get_mut(signer) {
                *sum = sum.saturating_add(beyond);
            }
        }
        all
    }

    /// Returns the counts of the sum of two sums. `both` is the set of the signers that the two sums have in common.
    pub(crate) fn plus(&self, other: &Self, both: &SignerSet, limit: u16) -> Result<Self> {
        let (long, short) =
            if self.beyond.len() < other.beyond.len() { (other, self) } else { (self, other) };
        let mut beyond = long.beyond.clone();
        // A saturated count is above any limit.
        for (sum, more) in beyond.iter_mut().zip(&short.beyond) {
            *sum = sum.saturating_add(*more);
        }
        for signer in both.iter().map(usize::from) {
            if beyond.len() <= signer {
                beyond.resize(signer + 1, 0);
            }
            if let Some(sum) = beyond.get_mut(signer) {
                *sum = sum.saturating_add(1);
            }
        }
        let sum = Self { beyond };
        if sum.beyond.iter().all(|beyond| *beyond < limit) {
            Ok(sum)
        } else {
            Err(Error::TooLarge { what: WHAT, limit: limit.into() })
        }
    }

    /// Returns the number of times that `part`, with the signers `part_signers`, can be subtracted so that each of
    /// these signers keeps a count of at least 1.
    pub(crate) fn max_multiple(&self, part: &Self, part_signers: &SignerSet) -> u16 {
        let mut times = u16::MAX;
        for signer in part_signers.iter() {
            let beyond = self.get(signer).saturating_sub(1);
            times = times.min(beyond.checked_div(part.get(signer)).unwrap_or(0));
            if times == 0 {
                return 0;
            }
        }
        if part_signers.is_empty() { 0 } else { times }
    }

    /// Subtracts `part` from the counts `times` times, which must be at most [`max_multiple`](Counts::max_multiple).
    pub(crate) fn subtract(&mut self, times: u16, part: &Self, part_signers: &SignerSet) {
        for signer in part_signers.iter() {
            if let Some(beyond) = self.beyond.get_mut(usize::from(signer)) {
                *beyond = beyond.saturating_sub(times.saturating_mul(part.get(signer)));
            }
        }
        self.trim();
    }

    /// Writes the counts of `signers`.
    pub(crate) fn encode(&self, signers: &SignerSet, w: &mut Writer) {
        if self.all_ones() {
            return w.u8(ONES);
        }
        w.u8(GAMMA);
        let (mut bits, mut held) = (0u64, 0u32);
        for count in signers.iter().map(|signer| self.get(signer)) {
            // The code of c is the binary digits of c after one zero fewer than there are digits.
            let digits = 2 * count.ilog2() + 1;
            bits = bits << digits | u64::from(count);
            held += digits;
            while held >= 8 {
                held -= 8;
                w.u8((bits >> held) as u8);
            }
        }
        if held > 0 {
            w.u8((bits << (8 - held)) as u8);
        }
    }

    /// Returns the length of the encoding in bytes.
    pub(crate) fn encoded_len(&self, signers: &SignerSet) -> usize {
        if self.all_ones() {
            return 1;
        }
        let zeros: usize = self.beyond.iter().map(|beyond| beyond.saturating_add(1).ilog2() as usize).sum();
        1 + (signers.len() + 2 * zeros).div_ceil(8)
    }

    /// Decodes the counts of `signers`.
    pub(crate) fn decode(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Self> {
        match r.u8()? {
            ONES => return Ok(Self::ones()),
            GAMMA => {}
            _ => return Err(Error::Malformed { what: FORM }),
        }
        let mut bits = Bits { r, byte: 0, left: 0 };
        let mut beyond = Vec::new();
        for signer in signers.iter() {
            let count = bits.gamma()?;
            if count > 1 {
                // Grows only as codes are read: many signers without codes behind them allocate nothing.
                beyond.resize(usize::from(signer), 0);
                beyond.push(count - 1);
            }
        }
        if beyond.is_empty() || !bits.rest_is_zero() {
            return Err(Error::NonCanonical { what: WHAT });
        }
        Ok(Self { beyond })
    }

    fn trim(&mut self) {
        let used = self.beyond.iter().rposition(|beyond| *beyond != 0).map_or(0, |last| last + 1);
        self.beyond.truncate(used);
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.beyond().map(|(signer, beyond)| (signer, beyond.saturating_add(1))))
            .finish()
    }
}

/// A bit reader, most significant bit first.
struct Bits<'a, 'b> {
    r: &'a mut Reader<'b>,
    byte: u8,
    left: u32,
}

impl Bits<'_, '_> {
    fn bit(&mut self) -> Result<bool> {
        if self.left == 0 {
            self.byte = self.r.u8()?;
            self.left = 8;
        }
        self.left -= 1;
        Ok(self.byte >> self.left & 1 == 1)
    }

    fn gamma(&mut self) -> Result<u16> {
        let mut zeros = 0;
        while !self.bit()? {
            zeros += 1;
            if zeros >= u16::BITS {
                return Err(Error::TooLarge { what: WHAT, limit: Counts::MAX.into() });
            }
        }
        let mut count = 1;
        for _ in 0..zeros {
            count = count << 1 | u16::from(self.bit()?);
        }
        Ok(count)
    }

    fn rest_is_zero(&self) -> bool {
        self.left == 0 || self.byte.trailing_zeros() >= self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signers_with(n: u16, counts: &[(u16, u16)]) -> (SignerSet, Counts) {
        let signers = SignerSet::from_members(n, counts.iter().map(|(signer, _)| *signer)).unwrap();
        let mut sum = Counts::ones();
        for (signer, count) in counts {
            let signer = usize::from(*signer);
            if *count > 1 {
                sum.beyond.resize(sum.beyond.len().max(signer + 1), 0);
                sum.beyond[signer] = count - 1;
            }
        }
        (signers, sum)
    }

    fn bytes_of((signers, counts): &(SignerSet, Counts)) -> Vec<u8> {
        let mut w = Writer::new();
        counts.encode(signers, &mut w);
        w.into_bytes()
    }

    fn decoded(bytes: &[u8], signers: &SignerSet) -> Result<Counts> {
        let mut r = Reader::new(bytes);
        let counts = Counts::decode(&mut r, signers)?;
        r.finish()?;
        Ok(counts)
    }

    #[test]
    fn encodes_elias_gamma_codes() {
        assert_eq!(bytes_of(&signers_with(9, &[(0, 1), (8, 1)])), [0]);
        // 1 | 010 | 011 | 00100 | padding
        assert_eq!(
            bytes_of(&signers_with(9, &[(0, 1), (3, 2), (5, 3), (8, 4)])),
            [1, 0b1010_0110, 0b0100_0000]
        );
        // The highest: 15 zeros, 16 ones, one bit of padding.
        assert_eq!(bytes_of(&signers_with(3, &[(1, 65_535)])), [1, 0, 1, 0xff, 0xfe]);
    }

    #[test]
    fn rejects_non_canonical_and_unknown_forms() {
        let (signers, _) = signers_with(9, &[(0, 1), (8, 1)]);
        let non_canonical = Err(Error::NonCanonical { what: WHAT });
        // All ones as codes; padding that is not zero; a form that does not exist.
        assert_eq!(decoded(&[1, 0b1100_0000], &signers), non_canonical);
        for bit in 0..4 {
            assert_eq!(decoded(&[1, 0b1010_0000 | 1 << bit], &signers), non_canonical);
        }
        assert_eq!(decoded(&[2], &signers), Err(Error::Malformed { what: FORM }));
        // An empty set has no counts above 1.
        assert_eq!(decoded(&[1], &SignerSet::new(9)), non_canonical);
        // Above the highest: 65,536 has 16 zeros.
        let too_large = Err(Error::TooLarge { what: WHAT, limit: 65_535 });
        assert_eq!(decoded(&[1, 0, 0, 0x80, 0, 0], &signers), too_large);
        // A missing code, an extra byte.
        assert_eq!(decoded(&[1], &signers), Err(Error::Truncated { expected: 1, actual: 0 }));
        assert_eq!(decoded(&[1, 0b1010_0000, 0], &signers), Err(Error::TrailingBytes { count: 1 }));
    }

    #[test]
    fn ten_thousand_counts_of_mean_three_fit_four_kilobytes() {
        let counts: Vec<_> = (0..10_000).map(|signer| (signer, 1 + signer % 5)).collect();
        let some = signers_with(10_000, &counts);
        assert_eq!(bytes_of(&some).len(), 1 + (10_000 + 2 * (2 * 2_000 + 2 * 4_000)) / 8);
    }

    #[test]
    fn rejects_a_sum_above_its_limit_without_wrapping() {
        let (signers, counts) = signers_with(4, &[(1, 65_535)]);
        for limit in [1, 255, u16::MAX] {
            assert_eq!(
                counts.plus(&counts, &signers, limit),
                Err(Error::TooLarge { what: WHAT, limit: limit.into() })
            );
        }
        let (signers, counts) = signers_with(4, &[(1, 100)]);
        assert_eq!(counts.plus(&counts, &signers, 200).map(|sum| sum.get(1)), Ok(200));
        assert!(counts.plus(&counts, &signers, 199).is_err());
    }

    /// Random counts of members below `n`, mostly small.
    fn counted(n: u16) -> impl Strategy<Value = (SignerSet, Counts)> {
        let count = prop_oneof![4 => 1u16..4, 1 => 1u16..300, 1 => 1u16..=u16::MAX];
        proptest::collection::btree_map(0..n, count, 1..40)
            .prop_map(move |counts| signers_with(n, &counts.into_iter().collect::<Vec<_>>()))
    }

    proptest! {
        #[test]
        fn round_trips_with_the_announced_length(some in counted(200)) {
            let bytes = bytes_of(&some);
            prop_assert_eq!(bytes.len(), some.1.encoded_len(&some.0));
            prop_assert_eq!(decoded(&bytes, &some.0), Ok(some.1));
        }

        #[test]
        fn decoded_counts_encode_to_the_same_bytes(
            some in counted(20),
            rest in proptest::collection::vec(any::<u8>(), 0..12),
        ) {
            let bytes: Vec<u8> = core::iter::once(1).chain(rest).collect();
            if let Ok(counts) = decoded(&bytes, &some.0) {
                prop_assert_eq!(bytes_of(&(some.0, counts)), bytes);
            }
        }

        #[test]
        fn sums_add_counts_and_parts_can_be_subtracted(a in counted(50), b in counted(50)) {
            let both = a.0.intersection(&b.0);
            let Ok(sum) = a.1.plus(&b.1, &both, u16::MAX) else { return Ok(()) };
            prop_assert_eq!(&b.1.plus(&a.1, &both, u16::MAX), &Ok(sum.clone()));
            let count = |sum: &(SignerSet, Counts), i| if sum.0.contains(i) { u32::from(sum.1.get(i)) } else { 0 };
            for signer in a.0.union(&b.0).iter() {
                prop_assert_eq!(u32::from(sum.get(signer)), count(&a, signer) + count(&b, signer));
            }
            let times = sum.max_multiple(&b.1, &b.0);
            let mut rest = sum.clone();
            rest.subtract(times, &b.1, &b.0);
            prop_assert!(a.0.union(&b.0).iter().all(|i| rest.get(i) >= 1));
            for signer in b.0.iter() {
                let left = u32::from(sum.get(signer)) - u32::from(times) * u32::from(b.1.get(signer));
                prop_assert_eq!(u32::from(rest.get(signer)), left);
            }
            prop_assert_eq!(rest.max_multiple(&b.1, &b.0), 0);
            prop_assert_eq!(rest.beyond.last().is_none_or(|last| *last > 0), true);
        }
    }
}
