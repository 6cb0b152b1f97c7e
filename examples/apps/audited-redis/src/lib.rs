//! An audited Redis: clients sign every command; a front before a real `redis-server` verifies it, writes command
//! and signature to a durable log, and only then sends it to Redis. The log proves which client sent which command.
//! No one, including the front, can forge a command of a client.
//!
//! ```text
//!  redis-cli ─ RESP ─► sidecar ─┐                       ┌─► log (durable first)
//!                               ├─ signed frames ─► front ─ commands in the log's order ─► redis-server
//!  client of this crate ────────┘                       └─► refusals
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`resp`] | Redis' protocol: canonical commands, the ends of replies |
//! | [`frame`] | messages between client and front, and the signed bytes |
//! | [`log`] | entries, their chain of hashes, recovery after a crash |
//! | [`front`] | verifies, logs, executes, answers |
//! | [`client`] | signs; makes one-time keys in the background |
//! | [`sidecar`] | signs for programs that speak plain Redis |
//! | [`audit`] | verifies a log and names each faulty entry |
//! | [`proof`] | one operation as a self-contained file |
//!
//! `SPEC.md` specifies all formats, for clients in other languages.
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

/// Returns the time of day in microseconds. One-time keys need a clock that advances while the machine sleeps.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

/// Locks a mutex and ignores poisoning: the guarded values are consistent between statements.
pub(crate) fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
