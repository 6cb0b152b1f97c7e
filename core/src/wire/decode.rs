use alloc::vec::Vec;

use crate::{Error, Result};

/// A value that can be decoded.
///
/// `C` is the context that the decoder needs: `()` for most types, the
/// [`Committee`](crate::committee::Committee) for types with a signer bitmap, whose length depends on it.
pub trait Decode<C: ?Sized = ()>: Sized {
    /// Reads one value from the front of the reader.
    ///
    /// # Errors
    /// An error that describes the invalid bytes; the position of the reader is then unspecified.
    fn decode_from(r: &mut Reader<'_>, context: &C) -> Result<Self>;

    /// Decodes a value that fills `bytes` exactly.
    ///
    /// # Errors
    /// As [`decode_from`](Decode::decode_from), and as [`Reader::finish`] if bytes are left over.
    fn decode(bytes: &[u8], context: &C) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let value = Self::decode_from(&mut r, context)?;
        r.finish()?;
        Ok(value)
    }
}

const OPTION_TAG: &str = "option tag: expected 0 or 1";
const VARINT: &str = "varint: expected at most 5 bytes and a value below 2^32";

/// A cursor over encoded bytes.
///
/// Each read fails with [`Error::Truncated`] if too few bytes are left. Clone a reader to look ahead.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader over all of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of unread bytes.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns true if everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads `n` bytes.
    pub fn raw(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n).ok_or_else(|| self.truncated(n))?;
        self.rest = rest;
        Ok(head)
    }

    /// Reads `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or_else(|| self.truncated(N))?;
        self.rest = rest;
        Ok(*head)
    }

    /// Reads one byte.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Reads a number that the context fixes, and which `what` names.
    #[cfg(any(feature = "dsig", feature = "threshold"))]
    pub(crate) fn expect_u8(&mut self, what: &'static str, expected: u8) -> Result<()> {
        match self.u8()? {
            actual if actual == expected => Ok(()),
            actual => Err(Error::Mismatch { what, expected: expected.into(), actual: actual.into() }),
        }
    }

    /// Reads two bytes, little endian.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Reads four bytes, little endian.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads eight bytes, little endian.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads sixteen bytes, little endian.
    pub fn u128(&mut self) -> Result<u128> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    /// Reads a `u32` in the shortest LEB128 form.
    pub fn varint(&mut self) -> Result<u32> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                return Err(Error::Malformed { what: VARINT });
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(Error::NonCanonical { what: "varint" });
                }
                return Ok(value);
            }
        }
        Err(Error::Malformed { what: VARINT })
    }

    /// Reads a length of at most `cap`, then that number of bytes.
    pub fn bytes(&mut self, what: &'static str, cap: usize) -> Result<&'a [u8]> {
        let n = self.count(what, cap)?;
        self.raw(n)
    }

    /// Reads the length of a list, which must be at most `cap`.
    pub fn count(&mut self, what: &'static str, cap: usize) -> Result<usize> {
        let n = self.u32()?;
        match usize::try_from(n) {
            Ok(n) if n <= cap => Ok(n),
            _ => Err(Error::TooLarge { what, limit: cap as u64 }),
        }
    }

    /// Reads a list of at most `cap` items.
    ///
    /// Memory is allocated for the bytes that are present: a large count followed by few bytes allocates little.
    pub fn list<C: ?Sized, T: Decode<C>>(
        &mut self,
        what: &'static str,
        cap: usize,
        context: &C,
    ) -> Result<Vec<T>> {
        let n = self.count(what, cap)?;
        let mut items = Vec::with_capacity(n.min(self.remaining() / core::mem::size_of::<T>().max(1) + 1));
        for _ in 0..n {
            items.push(T::decode_from(self, context)?);
        }
        Ok(items)
    }

    /// Reads `0`, or `1` and the value.
    pub fn option<C: ?Sized, T: Decode<C>>(&mut self, context: &C) -> Result<Option<T>> {
        if self.tag()? { T::decode_from(self, context).map(Some) } else { Ok(None) }
    }

    /// Reads the tag of an option and returns true if a value follows.
    pub fn tag(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::Malformed { what: OPTION_TAG }),
        }
    }

    /// Checks that everything was read.
    ///
    /// # Errors
    /// [`Error::TrailingBytes`] if bytes are left.
    pub fn finish(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(Error::TrailingBytes { count: left as u64 }),
        }
    }

    fn truncated(&self, expected: usize) -> Error {
        Error::Truncated { expected: expected as u64, actual: self.rest.len() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Writer;
    use proptest::prelude::*;

    #[test]
    fn a_varint_has_one_encoding() {
        assert_eq!(Reader::new(&[0x80, 0x00]).varint(), Err(Error::NonCanonical { what: "varint" }));
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint(),
            Err(Error::Malformed { what: VARINT })
        );
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).varint(), Ok(u32::MAX));
        assert_eq!(Reader::new(&[0x80]).varint(), Err(Error::Truncated { expected: 1, actual: 0 }));
    }

    #[test]
    fn rejects_other_option_tags_and_trailing_bytes() {
        let mut r = Reader::new(&[0, 1, 2]);
        assert_eq!((r.tag(), r.tag()), (Ok(false), Ok(true)));
        assert_eq!(r.finish(), Err(Error::TrailingBytes { count: 1 }));
        assert_eq!(r.tag(), Err(Error::Malformed { what: OPTION_TAG }));
        assert_eq!(r.finish(), Ok(()));
    }

    #[test]
    fn rejects_a_count_above_its_cap_before_allocating() {
        let bytes = u32::MAX.to_le_bytes();
        assert_eq!(Reader::new(&bytes).bytes("blob", 10), Err(Error::TooLarge { what: "blob", limit: 10 }));
    }

    proptest! {
        #[test]
        fn reads_back_written_values(a: u8, b: u16, c: u32, d: u64, e: u128, v: u32, blob: Vec<u8>) {
            let mut w = Writer::new();
            w.u8(a); w.u16(b); w.u32(c); w.u64(d); w.u128(e); w.varint(v); w.bytes(&blob);
            let bytes = w.into_bytes();
            let mut r = Reader::new(&bytes);
            prop_assert_eq!((r.u8()?, r.u16()?, r.u32()?, r.u64()?, r.u128()?), (a, b, c, d, e));
            prop_assert_eq!(r.varint()?, v);
            prop_assert_eq!(r.bytes("blob", 1 << 20)?, &blob[..]);
            prop_assert!(r.is_empty());
        }

        #[test]
        fn a_decoded_varint_encodes_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 1..6)) {
            let mut r = Reader::new(&bytes);
            if let Ok(v) = r.varint() {
                let mut w = Writer::new();
                w.varint(v);
                prop_assert_eq!(w.into_bytes(), &bytes[..bytes.len() - r.remaining()]);
            }
        }
    }
}
