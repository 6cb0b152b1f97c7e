//! quorate for browsers and other hosts of WebAssembly.
//!
//! One handle per concept of [`quorate::any`], for the classes in `bindings/javascript`, which users see: those check the
//! types and ranges of arguments, own the handles, and describe each item. `web/backend.ts` there calls this crate.
//! Nothing here panics on any input, and no decision is made here.
//!
//! Without the feature `full`, only the verification of certificates is included.
#![allow(missing_docs, reason = "bindings/javascript documents what users see; these are its handles")]
#![allow(unsafe_code, reason = "wasm-bindgen's macro writes the functions that JavaScript calls")]

mod glue;
pub mod lists;

use wasm_bindgen::prelude::wasm_bindgen;

// The blocks that `quorate-interface` declares.
include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// The version that JavaScript's copy is compared with.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The codes that JavaScript's copy is compared with.
#[wasm_bindgen]
#[must_use]
pub fn codes() -> Vec<String> {
    quorate::Error::CODES.iter().map(|code| (*code).to_owned()).collect()
}

/// The error for evidence with an attestation that the user's function rejects.
#[cfg(feature = "full")]
#[wasm_bindgen(js_name = notEvidence)]
pub fn not_evidence() -> Result<(), wasm_bindgen::JsValue> {
    use crate::glue::OrThrow;
    Err(quorate::Error::NotEvidence).or_throw()
}
