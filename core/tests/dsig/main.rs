//! DSig through its public API: accepted and refused signatures, and the single use of each one-time key.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "dsig")]

mod audit;
#[cfg(feature = "driver")]
mod driver;
mod kit;
mod signer;
mod suites;
mod verifier;
