//! Order-free aggregates, and how they spread.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, missing_docs)]
#![cfg(feature = "gossip")]

#[cfg(feature = "toy")]
mod network;
