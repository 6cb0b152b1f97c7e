//! A server with a latency of microseconds over any deterministic state machine. Clients sign every command; the server
//! verifies it, writes it to the [log](quorate_audit::log), executes it in memory, and answers. A start executes the log again
//! to restore the state.
//!
//! | module | contents |
//! |---|---|
//! | [`engine`] | the interface of a state machine: its commands, their execution, its answers |
//! | [`frame`] | messages between client and server |
//! | [`config`] | the server's configuration file |
//! | [`server`] | verifies, logs, executes, answers |
//! | [`receipt`] | the server's signed statement of an answer, for engines whose answers are signed |
//! | [`replay`] | executes a log again |
//! | [`client`] | signs, and checks that the server keeps to the protocol |
//! | `cli` | the command `serve`, the options of a client, and the bench; with the feature `cli` |
//! | `testing` | servers, clients and faults for the tests of programs; with the feature `testing` |
//!
//! [audited-kv](../../audited-kv/README.md) and [exchange](../../exchange/README.md) are two engines.
#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod config;
pub mod engine;
pub mod frame;
pub mod receipt;
pub mod replay;
pub mod server;
#[cfg(feature = "testing")]
pub mod testing;

pub use engine::{Engine, Origin};
