//! Lists of byte strings and of lists, for generated functions.

#[cfg(feature = "full")]
pub(crate) use full::byte_arrays;
#[cfg(feature = "full")]
pub use full::{ByteStrings, NumberLists};

#[cfg(feature = "full")]
mod full {
    use wasm_bindgen::prelude::wasm_bindgen;

    use crate::glue::{Uint8Array, byte_array};

    /// A list of byte strings that JavaScript fills.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct ByteStrings(Vec<Vec<u8>>);

    #[wasm_bindgen]
    impl ByteStrings {
        pub fn empty() -> Self {
            Self::default()
        }

        pub fn add(&mut self, bytes: Vec<u8>) {
            self.0.push(bytes);
        }
    }

    impl ByteStrings {
        pub(crate) fn slices(&self) -> Vec<&[u8]> {
            self.0.iter().map(Vec::as_slice).collect()
        }
    }

    /// Lists of numbers that JavaScript fills.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct NumberLists(pub(crate) Vec<Vec<u16>>);

    #[wasm_bindgen]
    impl NumberLists {
        pub fn empty() -> Self {
            Self::default()
        }

        pub fn add(&mut self, numbers: Vec<u16>) {
            self.0.push(numbers);
        }
    }

    /// A list of byte strings as JavaScript's arrays.
    pub(crate) fn byte_arrays(list: &[impl AsRef<[u8]>]) -> Vec<Uint8Array> {
        list.iter().map(|bytes| byte_array(bytes.as_ref())).collect()
    }
}
