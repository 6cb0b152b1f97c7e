//! Code that the example programs share. No module knows a protocol or a building block of `quorate`.
//!
//! | module | contents | feature |
//! |---|---|---|
//! | [`exit`] | exit codes and the `Failure` type of a program | |
//! | [`pinning`] | pins a thread to a core | `pinning` |
//! | [`ports`] | free TCP ports on the loopback interface | |
//! | [`readme`] | runs the shell commands of a README, for tests | `readme` |
//! | [`rng`] | SplitMix64, a seeded generator with a fixed sequence | |
//! | [`terminal`] | lines on standard output and standard error, colours, readable numbers | `terminal` |
//! | [`histogram`] | a histogram of durations | `histogram` |
//! | [`http`] | a client for one HTTP/1.1 request | `http` |
//!
//! A program enables only the features it needs: without features the crate has no dependencies.
#![forbid(unsafe_code)]

pub mod exit;
#[cfg(feature = "histogram")]
pub mod histogram;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "pinning")]
pub mod pinning;
pub mod ports;
#[cfg(feature = "readme")]
pub mod readme;
pub mod rng;
#[cfg(feature = "terminal")]
pub mod terminal;
