//! The binding of quorate for Wasm.
