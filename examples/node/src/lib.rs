#![forbid(unsafe_code)]
//! Work in progress.
