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
//! | [`front`] | verifies, logs, executes, answers |
//! | [`client`] | signs; makes one-time keys in the background |
//! | [`sidecar`] | signs for programs that speak plain Redis |
//! | [`REDIS`] | names and domains, for the log, its audit and proofs, which are those of [`quorate_audit`] |
//!
//! `SPEC.md` specifies all formats, for clients in other languages.
#![forbid(unsafe_code)]

pub mod client;
pub mod commands;
pub mod config;
pub mod frame;
pub mod front;
mod outbox;
pub mod resp;
pub mod sidecar;

pub use quorate_audit::{audit, eddsa, failure, keys, log, now, proof, suites};

use quorate::wire::domain;
use quorate_audit::Application;

/// The application: names, domains and the encoding of commands.
pub static REDIS: Application = Application {
    name: "an audited Redis",
    program: "audited-redis",
    log_magic: *b"QARLOG01",
    proof_magic: *b"QAPROOF1",
    key_line: "quorate-audited-redis-key 1",
    command_domain: domain::AUDITED_REDIS_COMMAND,
    hello_domain: domain::AUDITED_REDIS_HELLO,
    log_domain: domain::AUDITED_REDIS_LOG,
    parse: |command| {
        let parsed = resp::Command::parse(command).map_err(|reason| reason.to_string())?;
        Ok(parsed.arguments().map(<[u8]>::to_vec).collect())
    },
};

/// Locks a mutex and ignores poisoning: the guarded values are consistent between statements.
pub(crate) fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
