//! BLS signatures outside committees.

use quorate::any::{self, bls};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow};
use crate::keys::{Signature, VerifiedKey};

/// Signatures to be summed.
#[wasm_bindgen]
#[derive(Default)]
pub struct Signatures(Vec<any::Signature>);

#[wasm_bindgen]
impl Signatures {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, signature: &Signature) {
        self.0.push(signature.0.clone());
    }

    pub fn aggregate(self) -> JsResult<Signature> {
        bls::aggregate(&self.0).or_throw().map(Signature)
    }
}

/// Keys that signed one message.
#[wasm_bindgen]
#[derive(Default)]
pub struct Keys(Vec<any::VerifiedKey>);

#[wasm_bindgen]
impl Keys {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, key: &VerifiedKey) {
        self.0.push(key.0.clone());
    }

    pub fn verify(self, message: &[u8], signature: &Signature) -> JsResult<()> {
        bls::fast_aggregate_verify(&self.0, message, &signature.0).or_throw()
    }
}

/// Keys, each with the message that it signed.
#[wasm_bindgen]
#[derive(Default)]
pub struct Signed(Vec<(any::VerifiedKey, Vec<u8>)>);

#[wasm_bindgen]
impl Signed {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, key: &VerifiedKey, message: Vec<u8>) {
        self.0.push((key.0.clone(), message));
    }

    pub fn verify(self, signature: &Signature) -> JsResult<()> {
        let signed: Vec<_> = self.0.iter().map(|(key, message)| (key, message.as_slice())).collect();
        bls::aggregate_verify(&signed, &signature.0).or_throw()
    }
}
