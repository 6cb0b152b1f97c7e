//! Canonical, bounded encoding for a protocol's own messages: little-endian integers, and u32 lengths with a cap.
#![cfg_attr(binding, module = "wire")]

use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quorate::wire::{self, domain};
use quorate::{Error, Result};

use crate::Length;

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

/// Reads an encoding front to back. Each call checks that enough bytes are left; a call that fails does not move the
/// reader.
#[derive(Debug)]
#[cfg_attr(binding, object, within = "Wire")]
pub struct Reader {
    bytes: Vec<u8>,
    position: Mutex<usize>,
}

impl Reader {
    /// Creates a reader over a copy of `bytes`.
    #[cfg_attr(binding, quick)]
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), position: Mutex::new(0) }
    }

    /// Number of bytes left.
    #[cfg_attr(binding, getter)]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - *self.lock()
    }

    /// Reads the next `n` bytes.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn raw(&self, n: Length) -> Result<Vec<u8>> {
        self.read(|reader| reader.raw(n).map(<[u8]>::to_vec))
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn u8(&self) -> Result<u8> {
        self.read(|reader| reader.u8())
    }

    /// Reads two bytes, little-endian.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn u16(&self) -> Result<u16> {
        self.read(|reader| reader.u16())
    }

    /// Reads four bytes, little-endian.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn u32(&self) -> Result<u32> {
        self.read(|reader| reader.u32())
    }

    /// Reads eight bytes, little-endian.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn u64(&self) -> Result<u64> {
        self.read(|reader| reader.u64())
    }

    /// Reads sixteen bytes, little-endian.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    #[cfg_attr(binding, quick)]
    pub fn u128(&self) -> Result<u128> {
        self.read(|reader| reader.u128())
    }

    /// Reads LEB128 in its shortest form, at most 2³² − 1.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes, or a larger number.
    /// [`Error::NonCanonical`](quorate::Error) for a longer form.
    #[cfg_attr(binding, quick)]
    pub fn varint(&self) -> Result<u32> {
        self.read(|reader| reader.varint())
    }

    /// Reads a length of at most `cap`, then that many bytes.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::TooLarge`](quorate::Error) for a larger length.
    #[cfg_attr(binding, quick)]
    pub fn bytes(&self, cap: Length) -> Result<Vec<u8>> {
        self.read(|reader| reader.bytes("bytes", cap).map(<[u8]>::to_vec))
    }

    /// Reads a list length of at most `cap`; the items follow.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::TooLarge`](quorate::Error) for a larger length.
    #[cfg_attr(binding, quick)]
    pub fn count(&self, cap: Length) -> Result<usize> {
        self.read(|reader| reader.count("list", cap))
    }

    /// Reads whether an optional value follows.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) for too few bytes.
    /// [`Error::NonCanonical`](quorate::Error) for another tag than 0 and 1.
    #[cfg_attr(binding, quick)]
    pub fn option(&self) -> Result<bool> {
        self.read(|reader| reader.tag())
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error) if bytes are left.
    #[cfg_attr(binding, quick)]
    pub fn finish(&self) -> Result<()> {
        self.read(|reader| reader.finish())
    }

    fn read<T>(&self, read: impl FnOnce(&mut wire::Reader<'_>) -> Result<T>) -> Result<T> {
        let mut position = self.lock();
        let mut reader = wire::Reader::new(self.bytes.get(*position..).unwrap_or_default());
        let value = read(&mut reader)?;
        *position = self.bytes.len() - reader.remaining();
        Ok(value)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({} bytes left)", self.remaining())
    }
}

/// Writes an encoding front to back.
#[derive(Debug, Default)]
#[cfg_attr(binding, object, within = "Wire")]
pub struct Writer(Mutex<wire::Writer>);

impl Writer {
    /// Creates an empty writer.
    #[cfg_attr(binding, quick)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of bytes written.
    #[cfg_attr(binding, getter)]
    pub fn size(&self) -> usize {
        self.lock().len()
    }

    /// Writes bytes whose length the reader knows.
    #[cfg_attr(binding, quick)]
    pub fn raw(&self, bytes: &[u8]) {
        self.lock().raw(bytes);
    }

    /// Writes one byte.
    #[cfg_attr(binding, quick)]
    pub fn u8(&self, value: u8) {
        self.lock().u8(value);
    }

    /// Writes two bytes, little-endian.
    #[cfg_attr(binding, quick)]
    pub fn u16(&self, value: u16) {
        self.lock().u16(value);
    }

    /// Writes four bytes, little-endian.
    #[cfg_attr(binding, quick)]
    pub fn u32(&self, value: u32) {
        self.lock().u32(value);
    }

    /// Writes eight bytes, little-endian.
    #[cfg_attr(binding, quick)]
    pub fn u64(&self, value: u64) {
        self.lock().u64(value);
    }

    /// Writes sixteen bytes, little-endian.
    #[cfg_attr(binding, quick)]
    pub fn u128(&self, value: u128) {
        self.lock().u128(value);
    }

    /// Writes LEB128 in its shortest form: 1 to 5 bytes.
    #[cfg_attr(binding, quick)]
    pub fn varint(&self, value: u32) {
        self.lock().varint(value);
    }

    /// Writes a length, then the bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`](quorate::Error) for 4 GiB or more.
    #[cfg_attr(binding, quick)]
    pub fn bytes(&self, bytes: &[u8]) -> Result<()> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(Error::TooLarge { what: "bytes", limit: u32::MAX.into() });
        }
        self.lock().bytes(bytes);
        Ok(())
    }

    /// Writes a list length; the items follow.
    #[cfg_attr(binding, quick)]
    pub fn count(&self, n: u32) {
        self.lock().u32(n);
    }

    /// Writes whether an optional value follows.
    #[cfg_attr(binding, quick)]
    pub fn option(&self, present: bool) {
        self.lock().u8(present.into());
    }

    /// Returns the written bytes. The writer is empty afterwards.
    #[cfg_attr(binding, quick)]
    pub fn into_bytes(&self) -> Vec<u8> {
        core::mem::take(&mut *self.lock()).into_bytes()
    }

    fn lock(&self) -> MutexGuard<'_, wire::Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Writer({} bytes)", self.size())
    }
}
