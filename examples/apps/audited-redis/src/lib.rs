//! An audited Redis: clients sign every command, a front before a real `redis-server` verifies it, writes command
//! and signature to a durable log, and only then has it executed. Whoever has the log can find out later who asked
//! for what, and nobody, the front included, can put words into a client's mouth.
//!
//! ```text
//!  redis-cli ─ RESP ─► sidecar ─┐                       ┌─► log (durable first)
//!                               ├─ signed frames ─► front ─ commands in the log's order ─► redis-server
//!  client of this crate ────────┘                       └─► refusals
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`resp`] | Redis' protocol: one encoding of a command, the end of a reply |
//! | [`frame`] | what travels between client and front, and what is signed |
//! | [`log`] | entries, their chain of hashes, recovery after a crash |
//! | [`front`] | verifies, logs, executes, answers |
//! | [`client`] | signs; makes one-time keys in the background |
//! | [`sidecar`] | signs for programs that speak plain Redis |
//! | [`audit`] | verifies a whole log and names every entry that is wrong |
//! | [`proof`] | one operation as a file that stands for itself |
//!
//! The folder's `SPEC.md` has every byte of it, for clients in other languages.
#![forbid(unsafe_code)]

pub mod audit;
pub mod client;
pub mod commands;
pub mod config;
pub mod failure;
pub mod frame;
pub mod front;
pub mod keys;
pub mod log;
mod outbox;
pub mod proof;
pub mod resp;
pub mod sidecar;
pub mod suites;

use std::time::{SystemTime, UNIX_EPOCH};

use quorate::machine::Time;

/// The time of day in microseconds: a clock that goes on while the machine sleeps, as one-time keys need it.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

/// A mutex's content, whatever a thread that held it did: what we guard is whole between two statements.
pub(crate) fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
