//! An audited key-value store with a latency of microseconds, in the place of HERD in the paper of DSig (Aguilera et al.,
//! OSDI '24, section 6). Clients sign every request; the server verifies it, writes request and signature to a log, and only
//! then executes it in memory. The log proves which client sent which request, and restores the store after a crash.
//!
//! | module | contents |
//! |---|---|
//! | [`command`] | requests, their encoding, and their execution |
//! | [`frame`] | messages between client and server |
//! | [`config`] | the server's configuration file |
//! | [`server`] | verifies, logs, executes, answers |
//! | [`client`] | signs, and checks that the server keeps to the protocol |
//! | [`answers`] | the answers that a client kept, and their comparison with the log |
//! | [`KV`] | names and domains, for the log, its audit and proofs, which are those of [`quorate_audit`] |
//!
//! `README.md` has a tour and the formats.
#![forbid(unsafe_code)]

pub mod answers;
pub mod client;
pub mod command;
pub mod config;
pub mod frame;
pub mod server;

use quorate::wire::domain;
use quorate_audit::Application;

/// The application: names, domains and the encoding of requests.
pub static KV: Application = Application {
    name: "an audited key-value store",
    program: "audited-kv",
    log_magic: *b"QAKVLOG1",
    proof_magic: *b"QAKVPRF1",
    key_line: "quorate-audited-kv-key 1",
    command_domain: domain::AUDITED_KV_COMMAND,
    hello_domain: domain::AUDITED_KV_HELLO,
    log_domain: domain::AUDITED_KV_LOG,
    parse: |command| Ok(command::Command::decode(command).map_err(|reason| reason.to_string())?.words()),
};
