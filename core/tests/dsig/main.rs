//! DSig through its public API: what verifies, what is refused, and that no one-time key is used twice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "dsig")]

mod audit;
#[cfg(feature = "driver")]
mod driver;
mod kit;
mod signer;
mod suites;
mod verifier;
