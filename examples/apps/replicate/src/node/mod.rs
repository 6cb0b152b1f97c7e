//! Replicas and clients as processes: the group file, links through shared memory or TLS, the log of records.
//!
//! | module | responsibility |
//! |---|---|
//! | [`group`] | the group file and the key files |
//! | [`handshake`] | authentication of a link |
//! | `link` | links of both kinds between the parties of a group |
//! | `connection` | one link: handshake, fragments, a bounded queue |
//! | [`audit`] | verifies offline what the records of a replica prove |
//! | `evidence` | files with evidence |
//! | `frames`, `options` | messages of clients; configuration and events of a replica |
//! | `record_file`, `store` | the format of a file of records; the log of records |
//! | [`server`] | a running replica: machine, links, log, timers |
//! | [`client`], `answers` | a client, which accepts an answer that f + 1 replicas gave, and names those that gave another |

mod answers;
pub mod audit;
pub mod client;
mod connection;
mod evidence;
mod frames;
pub mod group;
pub mod handshake;
mod link;
mod options;
mod record_file;
pub mod server;
mod store;

quorate_support::exit_codes! {
    /// Exit codes of `replicate`.
    pub enum Exit {
        Done = 0 => "success",
        Failed = 1 ("FAILED") => "another failure, such as a full disk",
        Usage = 2 ("USAGE") => "invalid command line",
        Setup = 3 ("SETUP") => "unusable group file, key file or data directory",
        Unreachable = 4 ("UNREACHABLE") => "an address is in use, or replicas do not answer",
        Timeout = 5 ("TIMEOUT") => "too few replicas gave the same answer in time",
        Violated = 6 ("VIOLATED") => "a simulated run violated a property; the replay command is printed",
        NotEvidence = 7 ("NOT_EVIDENCE") => "an evidence file proves nothing",
        Missed = 8 ("MISSED") => "a measurement missed its target",
        Tampered = 9 ("TAMPERED") => "the records of a replica prove less than they claim",
        Outdated = 10 ("OUTDATED") => "a request of this client with a higher number was executed",
    }
}

quorate_support::failure!(
    pub struct Failure {
        exit: Exit,
    }
);

/// Returns the microseconds since 1970.
pub fn unix_micros() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
