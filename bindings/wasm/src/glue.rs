//! Conversion of errors to JavaScript's classes, and conversions that several handles need.

use quorate::any::Suite;
use quorate::{Detail, Error};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen(raw_module = "./common/errors.js")]
extern "C" {
    #[wasm_bindgen(js_name = make)]
    fn make(code: &str, message: &str, culprits: Vec<u16>) -> JsValue;
    #[wasm_bindgen(js_name = addText)]
    fn add_text(error: &JsValue, name: &str, value: &str);
    #[wasm_bindgen(js_name = addNumber)]
    fn add_number(error: &JsValue, name: &str, value: u128);
    #[wasm_bindgen(js_name = addMembers)]
    fn add_members(error: &JsValue, name: &str, value: Vec<u16>);
}

/// Result of every fallible handle: wasm-bindgen raises the error.
pub(crate) type JsResult<T> = Result<T, JsValue>;

/// An instance of the class for the error's code.
pub(crate) fn error(error: &Error) -> JsValue {
    let thrown = make(error.code(), &error.to_string(), error.culprits().to_vec());
    for (name, value) in error.details() {
        match value {
            Detail::Text(text) => add_text(&thrown, name, text),
            Detail::Number(number) => add_number(&thrown, name, number),
            Detail::Members(members) => add_members(&thrown, name, members),
            _ => {}
        }
    }
    thrown
}

/// Conversion of the core's results to JavaScript's.
pub(crate) trait OrThrow<T> {
    fn or_throw(self) -> JsResult<T>;
}

impl<T> OrThrow<T> for quorate::Result<T> {
    fn or_throw(self) -> JsResult<T> {
        self.map_err(|e| error(&e))
    }
}

/// Integers of 128 bits of which JavaScript passes the halves, the lower one first.
pub(crate) fn wide(halves: &[u64]) -> impl Iterator<Item = u128> {
    let (pairs, _) = halves.as_chunks::<2>();
    pairs.iter().map(|&[low, high]| u128::from(low) | u128::from(high) << 64)
}

/// Returns the suite with this name.
pub(crate) fn suite(name: &str) -> JsResult<Suite> {
    Suite::from_name(name).or_throw()
}

/// A text as a JavaScript string.
#[inline(never)]
pub(crate) fn text(value: &dyn core::fmt::Display) -> JsValue {
    JsValue::from_str(&value.to_string())
}

#[wasm_bindgen]
extern "C" {
    pub type Uint8Array;
    #[wasm_bindgen(constructor)]
    fn new(length: u32) -> Uint8Array;
    #[wasm_bindgen(method)]
    fn set(this: &Uint8Array, bytes: &[u8]);
}

/// Bytes as a JavaScript array. For a secret: a vector would leave an unwiped copy in this memory.
#[inline(never)]
pub(crate) fn byte_array(bytes: &[u8]) -> Uint8Array {
    let array = Uint8Array::new(bytes.len() as u32);
    array.set(bytes);
    array
}

#[cfg(feature = "full")]
pub(crate) use full::{accuse, clear_stack, list, maybe, object, verdict};

#[cfg(feature = "full")]
mod full {
    use quorate_interface::Attested;
    use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
    use zeroize::Zeroize;

    use super::{byte_array, error};

    #[wasm_bindgen]
    extern "C" {
        type Object;
        #[wasm_bindgen(constructor)]
        fn new() -> Object;
        #[wasm_bindgen(js_namespace = Reflect, js_name = set)]
        fn put(object: &Object, name: &str, value: &JsValue) -> bool;

        type Array;
        #[wasm_bindgen(constructor)]
        fn new() -> Array;
        #[wasm_bindgen(method)]
        fn push(this: &Array, item: &JsValue) -> u32;
    }

    /// Overwrites the part of the stack below the caller's.
    #[inline(never)]
    pub(crate) fn clear_stack() {
        let mut unused = [0_u8; 8192];
        unused.zeroize();
        std::hint::black_box(&mut unused);
    }

    /// A plain object with these properties.
    pub(crate) fn object(properties: &[(&str, JsValue)]) -> JsValue {
        let object = Object::new();
        for (name, value) in properties {
            put(&object, name, value);
        }
        object.into()
    }

    /// An array of these items.
    pub(crate) fn list(items: impl Iterator<Item = JsValue>) -> JsValue {
        let array = Array::new();
        items.for_each(|item| {
            array.push(&item);
        });
        array.into()
    }

    /// A value, or its error.
    pub(crate) fn verdict(verdict: quorate::Result<JsValue>) -> JsValue {
        verdict.unwrap_or_else(|problem| error(&problem))
    }

    /// A value, or `undefined`.
    pub(crate) fn maybe(value: Option<JsValue>) -> JsValue {
        value.unwrap_or(JsValue::UNDEFINED)
    }

    /// Runs `verify` as if all attestations were valid. Returns the culprit and the attestations for the user to verify: a
    /// function of JavaScript's could free the objects that `verify` uses.
    pub(crate) fn accuse(
        verify: impl FnOnce(Attested<'_>) -> quorate::Result<u16>,
    ) -> quorate::Result<JsValue> {
        let attestations = Array::new();
        let culprit = verify(&mut |member, bytes, attestation| {
            let parts = [
                ("member", member.into()),
                ("bytes", byte_array(bytes).into()),
                ("attestation", byte_array(attestation).into()),
            ];
            attestations.push(&object(&parts));
            true
        })?;
        Ok(object(&[("culprit", culprit.into()), ("attestations", attestations.into())]))
    }
}
