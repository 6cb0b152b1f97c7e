#![forbid(unsafe_code)]
//! uniffi's generator in the version that the binding is compiled with: another one would refuse the library.

fn main() {
    uniffi::uniffi_bindgen_main();
}
