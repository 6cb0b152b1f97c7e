//! The genesis file of a chain: its members with weights and keys, and its parameters.
//!
//! A TOML file, the same at every validator. The chain's identifier is the hash of the canonical encoding of its content, so
//! nodes with different genesis files do not connect to each other.
//!
//! ```toml
//! chain = "example"
//! protocol = "jolteon"      # optional; the default is "jolteon"
//! scheme = "bls"            # of votes: "bls" (MinSig) or, if the protocol allows it, "ed25519"
//! epoch = 0
//! dealt = "…"               # only for protocols with a dealer, such as ABFT: `quorate genesis --shares` writes it
//!
//! [parameters]              # all optional
//! max_transaction_bytes = 131072
//!
//! [schedule]                # only for protocols with timed rounds, such as Gosig
//! start = 1800000000
//! proposals_ms = 250
//! signatures_ms = 250
//! proposers = 7
//!
//! [[member]]                # a member's index is its position in this list
//! name = "node0"
//! address = "10.0.0.1:7100"
//! weight = 1                # a number below 2^63, or a string
//! identity_key = "…"        # hexadecimal, as `quorate keygen` prints it
//! identity_possession = "…"
//! voting_key = "…"
//! voting_possession = "…"
//! ```

mod check;
mod committees;
mod contact;
mod file;
mod hexadecimal;
mod member;
mod names;
mod parameters;

pub use check::check_range;
pub use committees::Committees;
pub use contact::Contact;
pub use file::{Genesis, MAX_MEMBERS};
pub use hexadecimal::Hex;
pub use member::{Member, PublicKeys};
pub use names::{ProtocolName, SchemeName};
pub use parameters::{Parameters, Schedule};
