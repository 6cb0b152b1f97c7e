//! Conversion of errors to JavaScript's classes, and conversions that several handles need.

use quorate::any::Suite;
use quorate::wire::Decode;
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

/// Returns the suite with this name.
pub(crate) fn suite(name: &str) -> JsResult<Suite> {
    Suite::from_name(name).or_throw()
}

/// Exactly 32 bytes.
pub(crate) fn array(bytes: &[u8], what: &'static str) -> JsResult<[u8; 32]> {
    let actual = bytes.len() as u64;
    bytes.try_into().map_err(|_| error(&Error::WrongLength { what, expected: 32, actual }))
}

/// Decodes a type whose encoding needs no context.
pub(crate) fn decode<T: Decode>(bytes: &[u8]) -> JsResult<T> {
    T::decode(bytes, &()).or_throw()
}

#[cfg(feature = "full")]
#[wasm_bindgen]
extern "C" {
    pub type Uint8Array;
    #[wasm_bindgen(constructor)]
    fn new(length: u32) -> Uint8Array;
    #[wasm_bindgen(method)]
    fn set(this: &Uint8Array, bytes: &[u8]);
}

/// Bytes as a JavaScript array. For a secret: a vector would leave an unwiped copy in this memory.
#[cfg(feature = "full")]
pub(crate) fn byte_array(bytes: &[u8]) -> Uint8Array {
    let array = Uint8Array::new(bytes.len() as u32);
    array.set(bytes);
    array
}
