use alloc::vec::Vec;

/// A value with one canonical encoding.
pub trait Encode {
    /// Appends the encoding to `w`.
    fn encode_to(&self, w: &mut Writer);

    /// Returns the encoding.
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new();
        self.encode_to(&mut w);
        w.into_bytes()
    }
}

/// A buffer to which encoders append.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

/// Appends to these bytes.
impl From<Vec<u8>> for Writer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }
}

impl Writer {
    /// Creates an empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty writer with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity) }
    }

    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the number of bytes written so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Writes one byte.
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }

    /// Writes two bytes, little endian.
    pub fn u16(&mut self, v: u16) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes four bytes, little endian.
    pub fn u32(&mut self, v: u32) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes eight bytes, little endian.
    pub fn u64(&mut self, v: u64) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes sixteen bytes, little endian.
    pub fn u128(&mut self, v: u128) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes the shortest LEB128 form: 1 to 5 bytes.
    pub fn varint(&mut self, mut v: u32) {
        while v >= 0x80 {
            self.u8((v as u8) | 0x80);
            v >>= 7;
        }
        self.u8(v as u8);
    }

    /// Writes bytes without a length; the decoder must know it.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the length as `u32`, then the bytes.
    ///
    /// A slice of 4 GiB or more has no encoding. No type of this crate is that large, and the readers' caps are far
    /// below.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// Writes the length of a list as `u32`.
    pub fn count(&mut self, n: usize) {
        debug_assert!(u32::try_from(n).is_ok(), "a list of 2^32 items or more has no encoding");
        self.u32(u32::try_from(n).unwrap_or(u32::MAX));
    }

    /// Writes the number of items, then each item.
    pub fn list<T: Encode>(&mut self, items: &[T]) {
        self.count(items.len());
        for item in items {
            item.encode_to(self);
        }
    }

    /// Writes `0`, or `1` and the value.
    pub fn option<T: Encode>(&mut self, value: Option<&T>) {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            value.encode_to(self);
        }
    }
}
