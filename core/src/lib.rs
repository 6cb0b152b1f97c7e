//! Consensus building blocks that are hard to misuse.
//!
//! | module | what it knows |
//! |---|---|
//! | [`wire`] | canonical, bounded encoding; the domain strings |
//! | [`bls`], [`ed25519`] | keys, possession proofs, signatures |
//! | [`scheme`] | what a certificate needs of a signature scheme |
//! | [`committee`] | members, weights, thresholds, cached keys |
//! | [`certificate`] | statements, votes, collectors, certificates, evidence |
//! | `gossip` | aggregates of signatures in any order, and how they spread (feature `gossip`) |
//! | `sortition` | who may propose: a lottery by unique signatures, and its seeds (feature `sortition`) |
//! | [`any`] | the same with the suite chosen at run time: what the bindings wrap |
//! | [`guard`] | what was signed, so that nothing contradictory ever is |
//! | [`dsig`] | one-time keys, hybrid signatures, the two planes |
//! | `threshold` | secret sharing, signatures and decryption by many, a coin (feature `threshold`) |
//! | [`erasure`] | messages as shards of which some restore all, committed to; the tuner of their parameters |
//! | [`merkle`] | Merkle roots and paths |
//! | [`machine`] | the one shape of every state machine |
//!
//! Arrows point down only: `certificate` → `committee` → `scheme` → `bls`/`ed25519` → `wire`. Nothing in this
//! crate opens a socket, reads a clock or starts a thread, and nothing keeps a global but [`dsig`], which must know
//! when a process was forked; all of it compiles for `wasm32` and, without the feature `std`, as `no_std` with `alloc`.
//! There is one exception: the feature `driver`, which is off unless it is asked for, starts a thread that makes DSig's
//! keys, and bounds waits for them by the system's clock.
//!
//! The crate has **not been audited**.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

#[cfg(any(feature = "bls", feature = "ed25519"))]
pub mod any;
#[cfg(feature = "bls")]
pub mod bls;
pub mod certificate;
pub mod committee;
#[cfg(feature = "dsig")]
pub mod dsig;
#[cfg(feature = "ed25519")]
pub mod ed25519;
#[cfg(feature = "erasure")]
pub mod erasure;
mod error;
#[cfg(feature = "threshold")]
mod field;
#[cfg(feature = "gossip")]
pub mod gossip;
pub mod guard;
pub mod machine;
pub mod merkle;
pub mod scheme;
#[cfg(feature = "serde")]
mod serde_impls;
#[cfg(feature = "sortition")]
pub mod sortition;
#[cfg(feature = "threshold")]
pub mod threshold;
pub mod wire;

pub use error::{Detail, Error, Result};
