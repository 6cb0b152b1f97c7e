use alloc::vec::Vec;

use super::Decode;
use crate::{Error, Result};

/// Takes an encoding apart front to back; each call checks that enough bytes are left. A clone looks ahead.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader over all of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `n` bytes.
    pub fn raw(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, rest) =
            self.rest.split_at_checked(n).ok_or(Error::Malformed { what: "truncated input" })?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) =
            self.rest.split_first_chunk::<N>().ok_or(Error::Malformed { what: "truncated input" })?;
        self.rest = rest;
        Ok(*head)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Two bytes, little endian.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Four bytes, little endian.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes, little endian.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Sixteen bytes, little endian.
    pub fn u128(&mut self) -> Result<u128> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    /// LEB128 in its shortest form.
    pub fn varint(&mut self) -> Result<u32> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                return Err(Error::Malformed { what: "varint" });
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(Error::NonCanonical { what: "varint" });
                }
                return Ok(value);
            }
        }
        Err(Error::Malformed { what: "varint" })
    }

    /// A length of at most `cap`, then that many bytes.
    pub fn bytes(&mut self, what: &'static str, cap: usize) -> Result<&'a [u8]> {
        let n = self.count(what, cap)?;
        self.raw(n)
    }

    /// A list length of at most `cap`.
    pub fn count(&mut self, what: &'static str, cap: usize) -> Result<usize> {
        let n = self.u32()?;
        match usize::try_from(n) {
            Ok(n) if n <= cap => Ok(n),
            _ => Err(Error::TooLarge { what, limit: cap as u64 }),
        }
    }

    /// A count of at most `cap`, then each item. Room is made as items arrive: a large count with few bytes
    /// behind it allocates little.
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

    /// `0`, or `1` and the value.
    pub fn option<C: ?Sized, T: Decode<C>>(&mut self, context: &C) -> Result<Option<T>> {
        if self.tag()? { T::decode_from(self, context).map(Some) } else { Ok(None) }
    }

    /// What begins an option: whether its value follows.
    pub fn tag(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::Malformed { what: "option tag" }),
        }
    }

    /// Fails unless everything was read.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn finish(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::Malformed { what: "trailing bytes" }) }
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
            Err(Error::Malformed { what: "varint" })
        );
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).varint(), Ok(u32::MAX));
        assert!(Reader::new(&[0x80]).varint().is_err());
    }

    #[test]
    fn an_option_has_one_of_two_tags_and_an_end_is_the_end() {
        let mut r = Reader::new(&[0, 1, 2]);
        assert_eq!((r.tag(), r.tag()), (Ok(false), Ok(true)));
        assert_eq!(r.finish(), Err(Error::Malformed { what: "trailing bytes" }));
        assert_eq!(r.tag(), Err(Error::Malformed { what: "option tag" }));
        assert_eq!(r.finish(), Ok(()));
    }

    #[test]
    fn a_count_above_its_cap_is_refused_before_anything_is_allocated() {
        let bytes = u32::MAX.to_le_bytes();
        assert_eq!(Reader::new(&bytes).bytes("blob", 10), Err(Error::TooLarge { what: "blob", limit: 10 }));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(a: u8, b: u16, c: u32, d: u64, e: u128, v: u32, blob: Vec<u8>) {
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
        fn a_varint_that_decodes_encodes_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 1..6)) {
            let mut r = Reader::new(&bytes);
            if let Ok(v) = r.varint() {
                let mut w = Writer::new();
                w.varint(v);
                prop_assert_eq!(w.into_bytes(), &bytes[..bytes.len() - r.remaining()]);
            }
        }
    }
}
