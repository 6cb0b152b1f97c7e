//! Erasure coding: a message as n shards of which any k restore it, with a commitment that keeps senders honest.
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
//! A sender may commit to shards that belong to no message. Then different members, with different shards, must not
//! come to different messages: whoever decodes codes again, and takes the message only if all its shards, the ones
//! never seen included, lead to the root that was committed to. So the verdict depends on the commitment alone.
//!
//! Three codes, one facade, one set of error codes:
//!
//! | suite | code | shards | choose it |
//! |---|---|---|---|
//! | 1 [`Suite::Leopard`] | Reed–Solomon over GF(2¹⁶) by Fourier transforms (`reed-solomon-simd`) | 32,768 | for more than 256 shards, and where most processors have no vectors |
//! | 2 [`Suite::Gf8`] | Cauchy over GF(2⁸), vectors where there are some | 256 | for up to 256 shards: with vectors it decodes several times faster than suite 1 |
//! | 3 [`Suite::Jerasure`] | Cauchy over GF(2ʷ) by exclusive-ors, Jerasure's | 2ʷ | to compare with the ABFT paper |
//!
//! Their parity shards differ, so the suite is a parameter of the committee and stands in each commitment.
//! [`Suite::recommended`] goes by the number of shards alone, so that all members come to the same. Which one is fastest
//! depends on shape, length and machine: the [`tuner`] measures it, suite 3's two parameters included.
//!
//! Restoring alone ([`Coder::restore`]) trusts its input; it is for shards that never left the machine.
//!
//! ```
//! use quorate::erasure::{CheckedShard, Coder, Coding, Shape, Suite};
//! use quorate::wire::{Decode, Encode};
//!
//! // Seven members, two of them faulty: three data shards, four parity shards.
//! let shape = Shape::of_committee(7, 2)?;
//! let coding = Coding::new(Suite::recommended(shape), shape, 1 << 20)?;
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
pub use shape::{Coding, MAX_MESSAGE, MAX_SHARDS, Packets, Shape, Suite};
pub use shards::Shards;
