//! An audited key-value store with a latency of microseconds, in the place of HERD in the paper of DSig (Aguilera et al.,
//! OSDI '24, section 6). Clients sign every request; the server verifies it, writes request and signature to a log, and only
//! then executes it in memory. The log proves which client sent which request, and restores the store after a crash.
//!
//! | module | contents |
//! |---|---|
//! | [`command`] | requests, their encoding, and their execution |
//! | [`client`] | signs, and checks that the server keeps to the protocol |
//! | [`answers`] | the answers that a client kept, and their comparison with the log |
//! | [`KV`] | names and domains, for the log, its audit and proofs, which are those of [`quorate_audit`] |
//!
//! The server is that of [`quorate_service`], and [`Store`](command::Store) its engine.
//!
//! `README.md` has a tour and the formats.
#![forbid(unsafe_code)]

pub mod answers;
pub mod client;
pub mod command;
mod engine;

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

/// A configuration file of the server, which `audited-kv serve --help` shows.
pub const EXAMPLE: &str = r#"listen = ["shm:/run/kv/kv.sock", "127.0.0.1:7380"] # shared memory, TCP
log = "audit.log"                 # created if it does not exist
refusals = "refusals.jsonl"       # record of refused requests
sync = "always"                   # "always": on disk before execution; "kill": survives a kill, not a power failure
accept = ["dsig"]                 # also "eddsa"; "none" for measurements only
pace = "sleep"                    # "spin": polls all the time, for the lowest latency
max_age_ms = 30000                # maximum age of a request

[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use quorate_audit::log::SyncPolicy;
    use quorate_audit::signed::SignatureScheme;
    use quorate_link::Pace;
    use quorate_service::config::Config;

    use super::*;

    #[test]
    fn the_example_is_valid() {
        let config = Config::parse(EXAMPLE, Path::new("/etc/quorate")).unwrap();
        assert_eq!(config.log, Path::new("/etc/quorate/audit.log"));
        assert_eq!((config.sync, config.accept), (SyncPolicy::Always, vec![SignatureScheme::Dsig]));
        assert_eq!((config.pace, config.listen.len(), config.plain), (Pace::Sleep, 2, false));
    }
}
