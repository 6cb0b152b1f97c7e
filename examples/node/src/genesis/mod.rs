//! The chain's file: who the validators are, what they weigh, their keys, and what all of them must agree on.
//!
//! TOML, the same bytes' meaning at every validator: the chain's identity is a hash of the canonical encoding of
//! what the file says, so two nodes with different genesis files never talk to each other.
//!
//! ```toml
//! chain = "example"
//! protocol = "jolteon"      # optional; the default is "jolteon"
//! scheme = "bls"            # of votes: "bls" (MinSig) or, if the protocol allows it, "ed25519"
//! epoch = 0
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
//! [[member]]                # in order: a member's index is its place in this list
//! name = "node0"
//! address = "10.0.0.1:7100"
//! weight = 1                # up to 2^63 as a number, beyond as a string
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
