//! The canonical encoding, value by value.

use std::sync::Mutex;

use quorate::wire::{self, domain};

use crate::glue::{Result, Uint128, lock};

#[uniffi::export]
fn wire_hash(domain: String, bytes: Vec<u8>) -> Vec<u8> {
    domain::hash(&domain, &bytes).to_vec()
}

/// The core's reader borrows its bytes; this one owns them and stores its position.
#[derive(uniffi::Object)]
struct Reader(Mutex<Position>);

struct Position {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Reads with the core's reader. An error does not move the position.
    fn read<T>(&self, read: impl FnOnce(&mut wire::Reader<'_>) -> quorate::Result<T>) -> Result<T> {
        let mut position = lock(&self.0);
        let mut reader = wire::Reader::new(position.bytes.get(position.at..).unwrap_or_default());
        let value = read(&mut reader)?;
        position.at = position.bytes.len() - reader.remaining();
        Ok(value)
    }
}

#[uniffi::export]
impl Reader {
    #[uniffi::constructor]
    fn new(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(Position { bytes, at: 0 }))
    }

    fn remaining(&self) -> u32 {
        let position = lock(&self.0);
        (position.bytes.len() - position.at) as u32
    }

    fn raw(&self, n: u32) -> Result<Vec<u8>> {
        self.read(|r| r.raw(n as usize).map(<[u8]>::to_vec))
    }

    #[uniffi::method(name = "readU8")]
    fn u8(&self) -> Result<u8> {
        self.read(|r| r.u8())
    }

    #[uniffi::method(name = "readU16")]
    fn u16(&self) -> Result<u16> {
        self.read(|r| r.u16())
    }

    #[uniffi::method(name = "readU32")]
    fn u32(&self) -> Result<u32> {
        self.read(|r| r.u32())
    }

    #[uniffi::method(name = "readU64")]
    fn u64(&self) -> Result<u64> {
        self.read(|r| r.u64())
    }

    #[uniffi::method(name = "readU128")]
    fn u128(&self) -> Result<Uint128> {
        self.read(|r| r.u128()).map(Uint128)
    }

    fn varint(&self) -> Result<u32> {
        self.read(|r| r.varint())
    }

    fn bytes(&self, cap: u32) -> Result<Vec<u8>> {
        self.read(|r| r.bytes("bytes", cap as usize).map(<[u8]>::to_vec))
    }

    fn count(&self, cap: u32) -> Result<u32> {
        self.read(|r| r.count("count", cap as usize)).map(|count| count as u32)
    }

    fn option(&self) -> Result<bool> {
        self.read(|r| r.tag())
    }

    fn finish(&self) -> Result<()> {
        self.read(|r| r.finish())
    }
}

#[derive(uniffi::Object)]
struct Writer(Mutex<wire::Writer>);

impl Writer {
    fn write(&self, write: impl FnOnce(&mut wire::Writer)) {
        write(&mut lock(&self.0));
    }
}

#[uniffi::export]
impl Writer {
    #[uniffi::constructor]
    fn new() -> Self {
        Self(Mutex::new(wire::Writer::new()))
    }

    fn size(&self) -> u64 {
        lock(&self.0).len() as u64
    }

    fn raw(&self, bytes: Vec<u8>) {
        self.write(|w| w.raw(&bytes));
    }

    #[uniffi::method(name = "writeU8")]
    fn u8(&self, value: u8) {
        self.write(|w| w.u8(value));
    }

    #[uniffi::method(name = "writeU16")]
    fn u16(&self, value: u16) {
        self.write(|w| w.u16(value));
    }

    #[uniffi::method(name = "writeU32")]
    fn u32(&self, value: u32) {
        self.write(|w| w.u32(value));
    }

    #[uniffi::method(name = "writeU64")]
    fn u64(&self, value: u64) {
        self.write(|w| w.u64(value));
    }

    #[uniffi::method(name = "writeU128")]
    fn u128(&self, value: Uint128) {
        self.write(|w| w.u128(value.0));
    }

    fn varint(&self, value: u32) {
        self.write(|w| w.varint(value));
    }

    fn bytes(&self, bytes: Vec<u8>) {
        self.write(|w| w.bytes(&bytes));
    }

    fn count(&self, n: u32) {
        self.write(|w| w.count(n as usize));
    }

    fn option(&self, some: bool) {
        self.write(|w| w.u8(u8::from(some)));
    }

    fn written(&self) -> Vec<u8> {
        std::mem::take(&mut *lock(&self.0)).into_bytes()
    }
}
