//! Sealed files.

use getrandom::SysRng;
use quorate::Error;
use quorate::threshold::seal;
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use crate::glue::{JsResult, OrThrow, Uint8Array, byte_array, decode};

#[wasm_bindgen]
pub struct SealingKey(seal::SealingKey);

#[wasm_bindgen]
impl SealingKey {
    pub fn generate() -> JsResult<Self> {
        seal::SealingKey::generate(&mut SysRng).or_throw().map(Self)
    }

    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn from_bytes(bytes: Vec<u8>) -> JsResult<Self> {
        let bytes = Zeroizing::new(bytes);
        let exact = bytes.first_chunk().filter(|_| bytes.len() == 32);
        let exact = exact.ok_or(Error::Malformed { what: "sealing key" }).or_throw()?;
        seal::SealingKey::from_bytes(exact).or_throw().map(Self)
    }

    pub fn to_bytes(&self) -> Uint8Array {
        byte_array(self.0.to_bytes().as_slice())
    }

    pub fn public(&self) -> SealingPublicKey {
        SealingPublicKey(self.0.public())
    }

    pub fn open(&self, context: &[u8], sealed: &[u8]) -> JsResult<Uint8Array> {
        Ok(byte_array(self.0.open(context, sealed).or_throw()?.as_slice()))
    }
}

#[wasm_bindgen]
pub struct SealingPublicKey(seal::SealingPublicKey);

#[wasm_bindgen]
impl SealingPublicKey {
    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
    pub fn seal(&self, context: &[u8], content: Vec<u8>) -> JsResult<Vec<u8>> {
        self.0.seal(context, &Zeroizing::new(content), &mut SysRng).or_throw()
    }
}
