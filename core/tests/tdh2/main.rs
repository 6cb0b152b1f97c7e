//! Threshold encryption: valid decryptions, and attacks that must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "threshold")]

mod ciphertexts;
mod decryption;
mod encoding;
mod harness;
mod shares;
