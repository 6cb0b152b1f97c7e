//! Canonical, bounded encoding for a protocol's own messages: little-endian integers, and u32 lengths with a cap.
#![cfg_attr(binding, module = "wire")]

use quorate::wire::{self, domain};
use quorate::{Error, Result};

use crate::{Length, Locked};

/// Every domain string of quorate: each has exactly one purpose. Choose different ones for your own hashes.
#[cfg_attr(binding, variant, quick)]
pub fn domains() -> Vec<String> {
    domain::ALL.iter().map(|domain| (*domain).to_owned()).collect()
}

/// Returns the BLAKE3 hash of bytes under a domain string: 32 bytes. The domain is one of quorate's, or an
/// application's own that no other protocol uses; never a received one.
pub fn hash(domain: String, bytes: &[u8]) -> [u8; 32] {
    domain::hash(&domain, bytes)
}

class! {
    /// Reads an encoding front to back. Each call checks that enough bytes are left; a call that fails does not move
    /// the reader.
    #[cfg_attr(binding, within = "Wire")]
    object struct Reader { bytes: Vec<u8>, position: Locked<usize> }: Debug;
    shown |self, f| write!(f, "Reader({} bytes left)", self.remaining());
    /// Creates a reader over a copy of `bytes`.
    quick fn new(bytes: &[u8]) -> Self { Self { bytes: bytes.to_vec(), position: Locked::new(0) } }
    /// Number of bytes left.
    getter fn remaining(&self) -> usize { self.bytes.len() - *self.position.lock() }
    /// Reads the next `n` bytes.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn raw(&self, n: Length) -> Result<Vec<u8>> {
        self.read(|reader| reader.raw(n).map(<[u8]>::to_vec))
    }
    /// Reads one byte.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn u8(&self) -> Result<u8> { self.read(|reader| reader.u8()) }
    /// Reads two bytes, little-endian.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn u16(&self) -> Result<u16> { self.read(|reader| reader.u16()) }
    /// Reads four bytes, little-endian.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn u32(&self) -> Result<u32> { self.read(|reader| reader.u32()) }
    /// Reads eight bytes, little-endian.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn u64(&self) -> Result<u64> { self.read(|reader| reader.u64()) }
    /// Reads sixteen bytes, little-endian.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    quick fn u128(&self) -> Result<u128> { self.read(|reader| reader.u128()) }
    /// Reads LEB128 in its shortest form, at most 2³² − 1.
    /// [`Error::Malformed`](quorate::Error) for too few bytes, or a larger number.
    /// [`Error::NonCanonical`](quorate::Error) for a longer form.
    quick fn varint(&self) -> Result<u32> { self.read(|reader| reader.varint()) }
    /// Reads a length of at most `cap`, then that many bytes.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::TooLarge`](quorate::Error) for a larger length.
    quick fn bytes(&self, cap: Length) -> Result<Vec<u8>> {
        self.read(|reader| reader.bytes("bytes", cap).map(<[u8]>::to_vec))
    }
    /// Reads a list length of at most `cap`; the items follow.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::TooLarge`](quorate::Error) for a larger length.
    quick fn count(&self, cap: Length) -> Result<usize> { self.read(|reader| reader.count("list", cap)) }
    /// Reads whether an optional value follows.
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::NonCanonical`](quorate::Error) for another tag than 0 and 1.
    quick fn option(&self) -> Result<bool> { self.read(|reader| reader.tag()) }
    /// Checks that no bytes are left.
    /// [`Error::Malformed`](quorate::Error) if bytes are left.
    quick fn finish(&self) -> Result<()> { self.read(|reader| reader.finish()) }
}

impl Reader {
    fn read<T>(&self, read: impl FnOnce(&mut wire::Reader<'_>) -> Result<T>) -> Result<T> {
        let mut position = self.position.lock();
        let mut reader = wire::Reader::new(self.bytes.get(*position..).unwrap_or_default());
        let value = read(&mut reader)?;
        *position = self.bytes.len() - reader.remaining();
        Ok(value)
    }
}

class! {
    /// Writes an encoding front to back.
    #[cfg_attr(binding, within = "Wire")]
    object struct Writer(Locked<wire::Writer>): Debug, Default;
    shown |self, f| write!(f, "Writer({} bytes)", self.size());
    /// Creates an empty writer.
    quick fn new() -> Self { Self::default() }
    /// Number of bytes written.
    getter fn size(&self) -> usize { self.0.lock().len() }
    /// Writes bytes whose length the reader knows.
    quick fn raw(&self, bytes: &[u8]) { self.0.lock().raw(bytes); }
    /// Writes one byte.
    quick fn u8(&self, value: u8) { self.0.lock().u8(value); }
    /// Writes two bytes, little-endian.
    quick fn u16(&self, value: u16) { self.0.lock().u16(value); }
    /// Writes four bytes, little-endian.
    quick fn u32(&self, value: u32) { self.0.lock().u32(value); }
    /// Writes eight bytes, little-endian.
    quick fn u64(&self, value: u64) { self.0.lock().u64(value); }
    /// Writes sixteen bytes, little-endian.
    quick fn u128(&self, value: u128) { self.0.lock().u128(value); }
    /// Writes LEB128 in its shortest form: 1 to 5 bytes.
    quick fn varint(&self, value: u32) { self.0.lock().varint(value); }
    /// Writes a length, then the bytes.
    /// [`Error::TooLarge`](quorate::Error) for 4 GiB or more.
    quick fn bytes(&self, bytes: &[u8]) -> Result<()> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(Error::TooLarge { what: "bytes", limit: u32::MAX.into() });
        }
        self.0.lock().bytes(bytes);
        Ok(())
    }
    /// Writes a list length; the items follow.
    quick fn count(&self, n: u32) { self.0.lock().u32(n); }
    /// Writes whether an optional value follows.
    quick fn option(&self, present: bool) { self.0.lock().u8(present.into()); }
    /// Returns the written bytes. The writer is empty afterwards.
    quick fn into_bytes(&self) -> Vec<u8> { core::mem::take(&mut *self.0.lock()).into_bytes() }
}
