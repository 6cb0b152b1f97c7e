//! Consensus building blocks that are hard to misuse.
//!
//! | module | contents |
//! |---|---|
//! | [`wire`] | canonical, bounded encoding; the domain strings |
//! | [`machine`] | the interface of every protocol state machine |
//! | [`merkle`] | Merkle roots and paths |
//! | [`scheme`] | the trait of a signature scheme that committees can use, signer sets, verified keys |
//! | [`bls`], [`ed25519`] | the signature schemes: keys, proofs of possession, signatures |
//! | [`committee`] | members, weights, thresholds, cached keys |
//! | [`certificate`] | statements, votes, collectors, certificates, evidence |
//! | [`guard`] | a signing key that never signs contradicting statements |
//! | `light` | light clients: they follow a chain by its certificates, from its genesis (feature `light`) |
//! | `gossip` | aggregates of signatures in any order, and their propagation (feature `gossip`) |
//! | `sortition` | leader election: a lottery over unique signatures, and its seeds (feature `sortition`) |
//! | [`dsig`] | hybrid signatures: one-time keys that Ed25519 signs in batches, on two planes |
//! | `threshold` | secret sharing, threshold signatures and decryption, a common coin (feature `threshold`) |
//! | [`erasure`] | erasure coding with commitments; the tuner of its parameters |
//! | [`any`] | the same blocks with the suite chosen at run time, for the language bindings |
//!
//! The modules form layers, and each module uses only modules of lower layers:
//!
//! ```text
//! any
//! threshold
//! guard, gossip, light
//! certificate, dsig, sortition
//! bls, ed25519, committee
//! scheme, erasure
//! machine, merkle
//! wire
//! ```
//!
//! `scheme` is below `bls` and `ed25519`: it defines the trait [`Scheme`](scheme::Scheme), which they implement and
//! over which committees and certificates are generic.
//!
//! To verify the signatures of another chain, begin with [*Bring your own chain*](committee#bring-your-own-chain).
//!
//! Nothing in this crate opens a socket, reads a clock, starts a thread or uses a file, with two exceptions that are off by
//! default: the feature `driver` starts a thread that generates DSig's keys and uses the system's clock to bound waits for
//! them; the feature `journal` keeps the records of a [`guard`] in a directory. [`dsig`] keeps global state, because it must
//! detect that a process was forked; the feature `memo`, which is for simulations, keeps state of a thread. The crate
//! compiles for `wasm32` and, without the feature `std`, as `no_std` with `alloc`.
//!
//! The crate has **not been audited**.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

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
#[cfg(feature = "light")]
pub mod light;
pub mod machine;
pub mod merkle;
pub mod scheme;
#[cfg(feature = "serde")]
mod serde_impls;
#[cfg(feature = "sortition")]
pub mod sortition;
#[cfg(any(feature = "erasure", feature = "gossip"))]
mod split_mix;
#[cfg(feature = "threshold")]
pub mod threshold;
pub mod wire;

pub use error::{Detail, Error, Result};
