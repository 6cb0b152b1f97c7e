//! Signatures that can be summed in any order, and the gossip that spreads the sums among thousands of members.
//!
//! An [`Aggregate`] records the signers of a statement and how often each signature is in the sum; verified aggregates can
//! be merged. A [`Gossip`] chooses the next message and its recipient, and holds a certificate once a quorum has signed. It
//! does no I/O: the caller transports the bytes and passes the time. Suites: `bls-min-sig-counted` and
//! `bls-min-pk-counted`.
#![cfg_attr(binding, module = "gossip")]

mod aggregate;
mod peers;
mod spread;

pub use aggregate::{Aggregate, VerifiedAggregate};
pub use peers::{Parameters, Peers};
pub use spread::{Checked, Fault, Gossip, MAX_POOL, MAX_STACK, Pool, Received, Send};

use core::fmt;

use crate::signers::SignerSet;

/// The number of signers in texts.
fn signed(f: &mut fmt::Formatter<'_>, signers: &SignerSet) -> fmt::Result {
    write!(f, "{} of {} signed", signers.size(), signers.committee_len())
}
