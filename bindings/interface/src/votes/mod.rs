//! Votes: each member's signature on a statement, and the collector that makes a certificate of them.

mod collector;
mod vote;

pub use collector::{DEFAULT_BATCH_THRESHOLD, Topic, VoteCollector};
pub use vote::{VerifiedVote, Vote};
