//! The native half of the npm package `quorate`.
//!
//! Users do not call it: `bindings/javascript` has the classes, which check the types and ranges of arguments
//! by name. Here each method is one function on opaque handles, which have the type of their content, so that no
//! other JavaScript object is accepted. An error is a message in JSON, which `node/backend.ts` there converts to a subclass of
//! `QuorateError`.
//!
//! `quorate-generator` writes the modules of the blocks. By hand are those of [`handle`]s, and [`glue`].
#![allow(unsafe_code, reason = "#[napi] generates the calls of Node's C interface; only `handle` writes any")]
#![allow(missing_docs, reason = "the functions are documented where users see them, in bindings/javascript")]

pub mod glue;
pub mod handle;

// The blocks that `quorate-interface` declares.
include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
