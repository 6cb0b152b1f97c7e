use alloc::vec::Vec;

use super::Encode;

/// Builds an encoding front to back.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty writer with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity) }
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many bytes were written.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// One byte.
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }

    /// Two bytes, little endian.
    pub fn u16(&mut self, v: u16) {
        self.raw(&v.to_le_bytes());
    }

    /// Four bytes, little endian.
    pub fn u32(&mut self, v: u32) {
        self.raw(&v.to_le_bytes());
    }

    /// Eight bytes, little endian.
    pub fn u64(&mut self, v: u64) {
        self.raw(&v.to_le_bytes());
    }

    /// Sixteen bytes, little endian.
    pub fn u128(&mut self, v: u128) {
        self.raw(&v.to_le_bytes());
    }

    /// LEB128, shortest form: 1 to 5 bytes.
    pub fn varint(&mut self, mut v: u32) {
        while v >= 0x80 {
            self.u8((v as u8) | 0x80);
            v >>= 7;
        }
        self.u8(v as u8);
    }

    /// Bytes whose length the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A length as `u32`, then the bytes. A slice of 4 GiB or more cannot be encoded; no type of this crate is
    /// that large, and the reader's caps are far below.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// A list length as `u32`.
    pub fn count(&mut self, n: usize) {
        debug_assert!(u32::try_from(n).is_ok(), "a list of 2^32 items or more has no encoding");
        self.u32(u32::try_from(n).unwrap_or(u32::MAX));
    }

    /// A count, then each item.
    pub fn list<T: Encode>(&mut self, items: &[T]) {
        self.count(items.len());
        for item in items {
            item.encode_to(self);
        }
    }

    /// `0`, or `1` and the value.
    pub fn option<T: Encode>(&mut self, value: Option<&T>) {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            value.encode_to(self);
        }
    }
}
