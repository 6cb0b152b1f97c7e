//! The canonical encoding.

use quorate::wire::{Reader as Inner, Writer as InnerWriter, domain};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow};

#[wasm_bindgen]
pub fn domains() -> Vec<String> {
    domain::ALL.iter().map(|domain| (*domain).to_owned()).collect()
}

#[wasm_bindgen]
pub fn hash(domain: &str, bytes: &[u8]) -> Vec<u8> {
    domain::hash(domain, bytes).to_vec()
}

#[wasm_bindgen]
pub struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    fn read<T>(&mut self, read: impl FnOnce(&mut Inner<'_>) -> quorate::Result<T>) -> JsResult<T> {
        let mut reader = Inner::new(self.bytes.get(self.at..).unwrap_or_default());
        let value = read(&mut reader).or_throw()?;
        self.at = self.bytes.len() - reader.remaining();
        Ok(value)
    }
}

#[wasm_bindgen]
impl Reader {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn remaining(&self) -> u32 {
        (self.bytes.len() - self.at) as u32
    }

    pub fn raw(&mut self, length: u32) -> JsResult<Vec<u8>> {
        self.read(|r| r.raw(length as usize).map(<[u8]>::to_vec))
    }

    pub fn u8(&mut self) -> JsResult<u8> {
        self.read(|r| r.u8())
    }

    pub fn u16(&mut self) -> JsResult<u16> {
        self.read(|r| r.u16())
    }

    pub fn u32(&mut self) -> JsResult<u32> {
        self.read(|r| r.u32())
    }

    pub fn u64(&mut self) -> JsResult<u64> {
        self.read(|r| r.u64())
    }

    pub fn u128(&mut self) -> JsResult<u128> {
        self.read(|r| r.u128())
    }

    pub fn varint(&mut self) -> JsResult<u32> {
        self.read(|r| r.varint())
    }

    pub fn bytes(&mut self, cap: u32) -> JsResult<Vec<u8>> {
        self.read(|r| r.bytes("bytes", cap as usize).map(<[u8]>::to_vec))
    }

    pub fn count(&mut self, cap: u32) -> JsResult<u32> {
        self.read(|r| r.count("count", cap as usize)).map(|count| count as u32)
    }

    pub fn option(&mut self) -> JsResult<bool> {
        self.read(|r| r.tag())
    }

    pub fn finish(&mut self) -> JsResult<()> {
        self.read(|r| r.finish())
    }
}

#[wasm_bindgen]
#[derive(Default)]
pub struct Writer(InnerWriter);

#[wasm_bindgen]
impl Writer {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn length(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.raw(bytes);
    }

    pub fn u8(&mut self, value: u8) {
        self.0.u8(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.u16(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.0.u32(value);
    }

    pub fn u64(&mut self, value: u64) {
        self.0.u64(value);
    }

    pub fn u128(&mut self, value: u128) {
        self.0.u128(value);
    }

    pub fn varint(&mut self, value: u32) {
        self.0.varint(value);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    pub fn count(&mut self, length: u32) {
        self.0.count(length as usize);
    }

    pub fn option(&mut self, present: bool) {
        self.0.u8(u8::from(present));
    }

    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0).into_bytes()
    }
}
