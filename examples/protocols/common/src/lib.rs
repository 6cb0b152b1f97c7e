#![forbid(unsafe_code)]
//! What every protocol that makes a chain of blocks needs, whatever its rules: names of things, the states that its
//! application computed, and manners towards peers. Gosig and Jolteon are made of it.
//!
//! | module | knows |
//! |---|---|
//! | [`digest!`] | names that are hashes |
//! | [`execution`] | which states this member computed, to compare with what others state |
//! | [`peers`] | who answered a greeting, and how much of our own to give to whom |
//! | `testing` | committees whose secrets everybody knows |
//! | `simulation` | the application and the clients of a chain in the simulator |

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
