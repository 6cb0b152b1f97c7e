//! Threshold cryptography: operations that need t of n members.
//!
//! `ecdsa` and `bls` sign, `tdh2` encrypts to a committee, `coin` produces common random values, and `seal` encrypts each
//! party's file from the dealer. A dealer generates the keys, and knows them.
#![cfg_attr(binding, module = "threshold")]

mod cache;
mod dleq;
mod tolerance;

pub mod bls;
pub mod coin;
pub mod ecdsa;
pub mod seal;
pub mod tdh2;

pub use cache::Cache;
pub use tolerance::{Agreement, Counts, Group, MAX_PARTIES, Threshold, Tolerance};

pub(crate) use cache::WithCache;
