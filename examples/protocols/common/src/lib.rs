#![forbid(unsafe_code)]
//! Parts shared by all protocols that order blocks: batches of transactions, digest types, the application states that
//! a member computed, and limits on traffic with peers. Gosig and Jolteon are built on it.
//!
//! | module | contents |
//! |---|---|
//! | [`batch`] | batches of client transactions, their headers and digests |
//! | [`builder`] | the builder that seals client transactions into batches |
//! | [`digest!`] | digest types |
//! | [`execution`] | the states that this member computed, compared with the states that blocks name |
//! | [`signing_history`] | what a starting member knows about the signatures of its keys |
//! | [`status_poll`] | the poll of the other members after a start |
//! | [`pruned_peers`] | the peers that have pruned the blocks that a member lacks |
//! | [`rate_limit`] | a byte-rate limit per peer |
//! | `testing` | committees with public secrets |
//! | `simulation` | the application and the clients of a chain in the simulator |

pub mod batch;
pub mod builder;
mod digest;
pub mod execution;
pub mod pruned_peers;
pub mod rate_limit;
pub mod signing_history;
#[cfg(feature = "simulate")]
pub mod simulation;
pub mod status_poll;
#[cfg(feature = "testing")]
pub mod testing;

pub use execution::Executed;

#[doc(hidden)]
pub use quorate;
