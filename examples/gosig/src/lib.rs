#![forbid(unsafe_code)]
//! Gosig: proposers who are drawn in secret, and votes that are summed while they spread by gossip, as a pure state
//! machine that orders transactions.
mod assembly;
mod block;
mod body;
mod clock;
mod decide;
mod draw;
mod execution;
mod finality;
mod ids;
mod interface;
mod membership;
mod message;
mod parameters;
mod payload;
mod pool;
mod proposal;
mod record;
mod replica;
mod rounds;
mod safety;
#[cfg(feature = "simulate")]
pub mod simulation;
mod sync;
#[cfg(test)]
mod testing;

pub use block::{Block, Committees, Content, Executed, Suite};
pub use body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, Part, Segment, ShortId};
pub use decide::{Candidate, Decision, decide_block};
pub use finality::Finality;
pub use ids::{BlockDigest, PREPARE, PROPOSAL, PayloadDigest, SEGMENT, TENTATIVE};
pub use interface::{Command, Delivery, Evidence, Output, Status, Submission, Timer};
pub use membership::{Anchor, Change, MEMBERSHIP, PREFIX, Successor};
pub use message::{
    HistoryRequest, MAX_AGGREGATES, MAX_RANGE_BLOCKS, MAX_REPLY_BYTES, MAX_REQUEST, Message, block_range,
    transaction_range,
};
pub use parameters::{Parameters, Schedule};
pub use payload::{
    MAX_PAYLOAD_BYTES, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Payload, Summary, TRANSACTIONS, Transaction,
};
pub use proposal::Proposal;
pub use record::{Committed, Lock, Record, RecordKey};
pub use replica::{Config, Replica};
