//! Codec for sets of members. The encoding is a form byte followed by:
//!
//! | form | bytes |
//! |---|---|
//! | 0 | a bitmap of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte, padding zero |
//! | 1 | varint count, varint first index, then for each further index varint(index − previous − 1) |
//!
//! The shorter form is canonical, and the bitmap in a tie. The decoder determines the canonical form and refuses the
//! other one. The bitmap has an exact length because a truncated bitmap of non-signers would turn absent members into
//! signers.

use alloc::vec;

use crate::committee::SignerSet;
use crate::wire::{Reader, Writer};
use crate::{Error, Result};

const WHAT: &str = "set of members";
const FORM: &str = "set of members: expected form 0 or 1";
const BITMAP: u8 = 0;
const LIST: u8 = 1;

/// Writes a set in its canonical form.
pub(crate) fn encode(set: &SignerSet, w: &mut Writer) {
    if list_len(set) < bitmap_len(set.committee_len()) {
        encode_list(set, w);
    } else {
        encode_bitmap(set, w);
    }
}

/// Returns the length in bytes of the canonical form.
pub(crate) fn encoded_len(set: &SignerSet) -> usize {
    1 + list_len(set).min(bitmap_len(set.committee_len()))
}

/// Decodes a set of members of a committee of `n`.
pub(crate) fn decode(r: &mut Reader<'_>, n: u16) -> Result<SignerSet> {
    let (set, is_list) = match r.u8()? {
        BITMAP => (decode_bitmap(r, n)?, false),
        LIST => (decode_list(r, n)?, true),
        _ => return Err(Error::Malformed { what: FORM }),
    };
    if is_list == (list_len(&set) < bitmap_len(n)) {
        Ok(set)
    } else {
        Err(Error::NonCanonical { what: WHAT })
    }
}

fn bitmap_len(n: u16) -> usize {
    usize::from(n).div_ceil(8)
}

/// Returns the length in bytes of the list form without its form byte. Counting stops once the list is known to be no
/// shorter than the bitmap.
fn list_len(set: &SignerSet) -> usize {
    let enough = bitmap_len(set.committee_len());
    let mut len = varint_len(set.len() as u32);
    let mut next = 0;
    for index in set.iter() {
        len += varint_len(u32::from(index) - next);
        next = u32::from(index) + 1;
        if len >= enough {
            break;
        }
    }
    len
}

fn varint_len(v: u32) -> usize {
    let bits = 32 - (v | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

fn encode_bitmap(set: &SignerSet, w: &mut Writer) {
    let mut bytes = vec![0u8; bitmap_len(set.committee_len())];
    for index in set.iter() {
        if let Some(byte) = bytes.get_mut(usize::from(index / 8)) {
            *byte |= 1 << (index % 8);
        }
    }
    w.u8(BITMAP);
    w.raw(&bytes);
}

fn encode_list(set: &SignerSet, w: &mut Writer) {
    w.u8(LIST);
    w.varint(set.len() as u32);
    let mut next = 0;
    for index in set.iter() {
        w.varint(u32::from(index) - next);
        next = u32::from(index) + 1;
    }
}

fn decode_bitmap(r: &mut Reader<'_>, n: u16) -> Result<SignerSet> {
    let bytes = r.raw(bitmap_len(n))?;
    let mut set = SignerSet::new(n);
    for (position, &byte) in (0u32..).zip(bytes) {
        let mut bits = byte;
        while bits != 0 {
            let index = position * 8 + bits.trailing_zeros();
            if !u16::try_from(index).is_ok_and(|index| set.insert(index)) {
                return Err(Error::NonCanonical { what: WHAT });
            }
            bits &= bits - 1;
        }
    }
    Ok(set)
}

fn decode_list(r: &mut Reader<'_>, n: u16) -> Result<SignerSet> {
    let count = r.varint()?;
    if count > u32::from(n) {
        return Err(Error::TooLarge { what: WHAT, limit: n.into() });
    }
    let mut set = SignerSet::new(n);
    let mut next = 0u32;
    for _ in 0..count {
        let index = next.checked_add(r.varint()?).ok_or(Error::UnknownSigner { index: u32::MAX })?;
        if !u16::try_from(index).is_ok_and(|member| set.insert(member)) {
            return Err(Error::UnknownSigner { index });
        }
        next = index + 1;
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn set(n: u16, members: impl IntoIterator<Item = u16>) -> SignerSet {
        let mut set = SignerSet::new(n);
        members.into_iter().for_each(|index| assert!(set.insert(index)));
        set
    }

    fn bytes_of(set: &SignerSet) -> Vec<u8> {
        let mut w = Writer::new();
        encode(set, &mut w);
        w.into_bytes()
    }

    fn decoded(bytes: &[u8], n: u16) -> Result<SignerSet> {
        let mut r = Reader::new(bytes);
        let set = decode(&mut r, n)?;
        r.finish()?;
        Ok(set)
    }

    #[test]
    fn encodes_the_shorter_form_and_the_bitmap_in_a_tie() {
        // n = 24: the bitmap has 3 bytes; a list of one has 2, of two 3.
        assert_eq!(bytes_of(&set(24, [])), [1, 0]);
        assert_eq!(bytes_of(&set(24, [23])), [1, 1, 23]);
        assert_eq!(bytes_of(&set(24, [1, 23])), [0, 0b10, 0, 0x80]);
        // n = 1: both have one byte.
        assert_eq!(bytes_of(&set(1, [])), [0, 0]);
        assert_eq!(bytes_of(&set(1, [0])), [0, 1]);
        // n = 1000: gaps above 127 take two bytes.
        assert_eq!(bytes_of(&set(1000, [5, 300])), [1, 2, 5, 0xa6, 0x02]);
    }

    #[test]
    fn rejects_the_longer_form_on_both_sides_of_the_boundary() {
        let refused = Err(Error::NonCanonical { what: WHAT });
        assert_eq!(decoded(&[0, 0, 0, 0x80], 24), refused);
        assert_eq!(decoded(&[1, 2, 1, 21], 24), refused);
        assert_eq!(decoded(&[1, 0], 1), refused);
        assert!(decoded(&[1, 1, 23], 24).is_ok() && decoded(&[0, 0b10, 0, 0x80], 24).is_ok());
    }

    #[test]
    fn rejects_a_bitmap_of_another_length_or_with_padding() {
        // n = 20: 3 bytes, 4 bits of padding.
        let good = [0, 0xff, 0, 0x0f];
        assert!(decoded(&good, 20).is_ok());
        assert!(decoded(&good[..3], 20).is_err());
        assert!(decoded(&[0, 0xff, 0, 0x0f, 0], 20).is_err());
        for bit in 4..8 {
            assert_eq!(decoded(&[0, 0xff, 0, 0x0f | 1 << bit], 20), Err(Error::NonCanonical { what: WHAT }));
        }
    }

    #[test]
    fn rejects_an_index_outside_the_committee() {
        assert_eq!(decoded(&[1, 1, 24], 24), Err(Error::UnknownSigner { index: 24 }));
        assert_eq!(decoded(&[1, 25], 24), Err(Error::TooLarge { what: WHAT, limit: 24 }));
        let mut w = Writer::new();
        w.u8(1);
        w.varint(2);
        w.varint(3);
        w.varint(u32::MAX);
        assert!(matches!(decoded(&w.into_bytes(), 24), Err(Error::UnknownSigner { .. })));
    }

    proptest! {
        #[test]
        fn round_trips_with_the_announced_length(n in 1u16..2000, picks in proptest::collection::vec(any::<u16>(), 0..200)) {
            let mut set = SignerSet::new(n);
            picks.iter().for_each(|p| { set.insert(p % n); });
            let bytes = bytes_of(&set);
            prop_assert_eq!(bytes.len(), encoded_len(&set));
            prop_assert_eq!(decoded(&bytes, n), Ok(set));
        }

        #[test]
        fn a_decoded_set_encodes_to_the_same_bytes(
            n in 1u16..80,
            form in 0u8..3,
            rest in proptest::collection::vec(prop_oneof![0u8..12, any::<u8>()], 0..11),
        ) {
            let bytes: Vec<u8> = core::iter::once(form).chain(rest).collect();
            if let Ok(set) = decoded(&bytes, n) {
                prop_assert_eq!(bytes_of(&set), bytes);
            }
        }
    }
}
