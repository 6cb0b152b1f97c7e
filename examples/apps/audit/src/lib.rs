//! What audited applications share. Clients sign every command; a server verifies it, writes command and signature to a
//! durable log, and only then executes it. The log proves which client sent which command.
//!
//! | module | contents |
//! |---|---|
//! | [`application`] | what differs between applications: names, domains, and the encoding of commands |
//! | [`signed`] | a command with its signature, and the bytes that a client signs |
//! | [`log`] | entries, their chain of hashes, recovery after a crash |
//! | [`audit`] | verifies a log and names each faulty entry |
//! | [`proof`] | one operation as a self-contained file |
//! | [`clients`] | the clients of a configuration file |
//! | [`config`] | settings that all servers have |
//! | [`eddsa`] | Ed25519 by a library that is chosen at run time |
//! | [`keys`] | key files |
//! | [`refusals`] | the record of refused commands |
//! | [`suites`] | DSig with a suite chosen at run time |
//! | [`failure`] | exit codes |
//! | `cli` | the commands that all programs have; with the feature `cli` |
#![forbid(unsafe_code)]

pub mod application;
pub mod audit;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clients;
pub mod config;
pub mod eddsa;
pub mod failure;
pub mod keys;
pub mod log;
pub mod proof;
pub mod refusals;
pub mod signed;
pub mod suites;

pub use application::Application;

use std::time::{SystemTime, UNIX_EPOCH};

use quorate::machine::Time;

/// Returns the time of day in microseconds. One-time keys need a clock that advances while the machine sleeps.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}
