#![forbid(unsafe_code)]
//! Parts shared by all protocols that order blocks: batches of transactions, digest types, the application states that
//! a member computed, and rate limits towards peers. Gosig and Jolteon are built from it.
//!
//! | module | knows |
//! |---|---|
//! | [`batch`] | batches of client transactions, their headers and digests |
//! | [`builder`] | the builder that seals client transactions into batches |
//! | [`digest!`] | names that are hashes |
//! | [`execution`] | which states this member computed, to compare with what others state |
//! | [`peers`] | who answered a greeting, and how much of our own to give to whom |
//! | `testing` | committees whose secrets everybody knows |
//! | `simulation` | the application and the clients of a chain in the simulator |

pub mod batch;
pub mod builder;
mod digest;
pub mod execution;
pub mod peers;
#[cfg(feature = "simulate")]
pub mod simulation;
#[cfg(feature = "testing")]
pub mod testing;

pub use execution::Executed;

#[doc(hidden)]
pub use quorate;
