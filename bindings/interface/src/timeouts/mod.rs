//! Timeouts: a quorum gives up a view.

mod certificate;
mod collector;
mod vote;

pub use certificate::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutGroup, VerifiedTimeoutCertificate};
pub use collector::{HonestCheck, TimeoutCollector};
pub use vote::{TimeoutVote, VerifiedTimeoutVote};
