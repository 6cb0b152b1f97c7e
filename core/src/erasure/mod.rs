//! Erasure coding: a message becomes n shards, any k of which restore it, with a commitment that exposes dishonest
//! senders.
//!
//! ```text
//!   message ── data shards ── parity shards ── Merkle root ── Commitment: code | k, m | length | root
//!                  1 … k          1 … m                            │
//!                                                                  ▼
//!   to member i: CheckedShard i = commitment | path | bytes; decoding it checks it
//!                                                                  │ any k of them
//!                                                                  ▼
//!   Coder::decode: restore, check padding, code again, compare the root ── the message, or BAD_ENCODING for all
//! ```
//!
//! A sender may commit to shards that do not belong to one message. Members that decode different shards of them must
//! not obtain different messages. So decoding encodes the message again, and accepts it only if all its shards,
//! including those never received, have the committed root. The verdict depends on the commitment alone.
//!
//! Three codes share one interface and one set of error codes:
//!
//! | suite | code | maximum shards | use |
//! |---|---|---|---|
//! | 1 [`ErasureSuite::Leopard`] | Reed–Solomon over GF(2¹⁶) by Fourier transforms (`reed-solomon-simd`) | 32,768 | more than 256 shards, or mostly processors without vector instructions |
//! | 2 [`ErasureSuite::Gf8`] | Cauchy over GF(2⁸), vectorised where possible | 256 | up to 256 shards: with vectors it decodes several times faster than suite 1 |
//! | 3 [`ErasureSuite::Jerasure`] | Cauchy over GF(2ʷ) by exclusive-ors, as in Jerasure | 2ʷ | comparison with the ABFT paper |
//!
//! Their parity shards differ, so the suite is a parameter of the committee and part of each commitment.
//! [`ErasureSuite::recommended`] depends on the number of shards alone, so that all members choose the same suite. The
//! fastest suite depends on shape, length and machine: the [`tuner`] measures it, including the two parameters of
//! suite 3.
//!
//! Restoration alone ([`Coder::restore`]) trusts its input and is meant for shards that never left the machine.
//!
//! ```
//! use quorate::erasure::{CheckedShard, Coder, Coding, Shape, ErasureSuite};
//! use quorate::wire::{Decode, Encode};
//!
//! // Seven members, two of them faulty: three data shards, four parity shards.
//! let shape = Shape::for_committee(7, 2)?;
//! let coding = Coding::new(ErasureSuite::recommended(shape), shape, 1 << 20)?;
//! let mut coder = Coder::new(coding)?;
//! let sent = coder.disperse(b"a block of transactions")?;
//!
//! let on_the_wire: Vec<Vec<u8>> =
//!     [6, 1, 4].map(|member| sent.shard(member).unwrap().encode()).into();
//! let shards: Vec<CheckedShard> = on_the_wire
//!     .iter()
//!     .map(|bytes| CheckedShard::decode(bytes, &coding))
//!     .collect::<quorate::Result<_>>()?;
//! assert_eq!(coder.decode(&shards)?.message(), b"a block of transactions");
//! # Ok::<(), quorate::Error>(())
//! ```

mod code;
mod coder;
mod commitment;
mod dispersal;
mod gf8;
#[cfg(all(feature = "jerasure", not(target_family = "wasm")))]
mod jerasure;
mod leopard;
mod shape;
mod shards;
pub mod tuner;

pub use coder::Coder;
pub use commitment::{CheckedShard, Commitment};
pub use dispersal::Dispersal;
pub use shape::{Coding, ErasureSuite, MAX_MESSAGE, MAX_SHARDS, Packets, Shape};
pub use shards::Shards;
