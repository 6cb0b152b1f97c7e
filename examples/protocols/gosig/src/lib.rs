#![forbid(unsafe_code)]
//! Gosig: proposers who are drawn in secret, and votes that are summed while they spread by gossip, as a pure state
//! machine that orders transactions.
//!
//! ```text
//!             Stage I: proposals                       Stage II: signatures
//!  round r    ticket ──▶ header ──▶ segments           PREPARE: header known ─┐  a quorum: lock,    a quorum:
//!             (secret)   ⋱ gossip   ⋱ gossip           ⋱ sums, gossip         └▶ TENTATIVE ⋱ sums ─▶ committed
//!             transactions ⋱ gossip, all the time      missing ones by their places                 │
//!  round r+1  header ──▶ …                             ◀── as soon as round r is committed ─────────┘
//! ```
//!
//! The protocol is that of Li et al., *Gosig: A Scalable and High-Performance Byzantine Consensus for Consortium
//! Blockchains* (SoCC '20). `spec/gosig.md` says what it does and why it is safe. What differs, and why:
//!
//! | the paper | here | because |
//! |---|---|---|
//! | DecideBlock as printed | with one line mended: [`decide_block`] | as printed it forgets a lock that it must keep |
//! | sums of whatever came | sums that are disjoint by construction ([`quorate::gossip`]) | counts stay low, messages small |
//! | 6-byte hashes | 6-byte hashes salted by the block | nobody can make transactions in advance that collide |
//! | DecideBlock at the beginning of Stage II | or later in the round, if nothing could be prepared then | clocks differ; what counts for safety is that it is once a round |
//! | a proposer who contradicts itself wins or loses | is excluded by all who know | the round should go to the next |
//! | – | blocks name the state that their author executed; voters compare it with theirs | a node that computes something else is found at once, and clients get provable states |
//! | every round has a block | only if there is something to order or a state to state | an idle network should be silent |
//!
//! # Parts
//! | module | knows |
//! |---|---|
//! | `decide`, `safety` | what is prepared; what must never be signed twice; the argument why the chain stays single |
//! | `clock` | which round it is |
//! | `rounds` | the valid proposals of a round, and the signatures on their blocks |
//! | `block`, `proposal`, `body`, `payload` | the parts of a block, as each of them travels |
//! | `pool`, `assembly` | transactions on their way into a block, and a block's on their way together |
//! | `pace` | how much goes into a block: what was managed lately |
//! | `sync` | what is missing and whom to ask |
//! | [`quorate_protocol::execution`] | which states this member computed |
//! | `membership` | joining and leaving |
//! | `replica` | all of it together: [`Replica`] |
//!
//! # Driving it
//! [`Replica`] is a [`Machine`](quorate::machine::Machine); its contract (persist before send) is described there.
//! Beyond that, a driver
//!
//! * hands in its clients' transactions with [`Command::Submit`], holding back while [`Output::Congestion`] says so;
//! * executes what [`Output::Deliver`] delivers, in order, and reports each state with [`Command::Executed`];
//! * archives what was delivered, and answers [`Output::Serve`] from there, because the replica keeps nothing below
//!   its committed height;
//! * gives the machine a clock that agrees loosely with those of the others: [`Schedule::start`];
//! * tells it when a link comes up: [`Command::Connected`];
//! * tells it when a message cannot be decoded because it is of [`EPOCH_MISMATCH`]: [`Command::EpochMismatch`]. It does not
//!   hold that against its sender;
//! * makes the next epoch's replica when [`Output::Succeeded`] says so.
//!
//! # Epochs
//! A change of the members ([`Change`]) ends an epoch with the block that it is in. The driver keeps the [`Successor`]
//! durably, executes the block durably, and then makes a new replica of the same records: [`Config::anchor`] and the
//! committees are the successor's, [`Config::me`] is the node's place in the new committee. Places shift when somebody
//! leaves who is not the last, so links are told apart by keys. Killed before that, it makes the old replica again, which
//! says the same again. Blocks of older epochs are still asked for: the archive keeps them, with their epochs' committees
//! to decode them.
//!
//! With no place, a replica **observes**: it learns, delivers and serves what is committed, and says how the epoch ends,
//! but signs, orders and passes on nothing. So who joins needs the genesis and no copy of anything: its driver goes from
//! epoch to epoch until one has a place for it. Who had a place and has none any more stops, if it is not to come back.
//! [`Successor::contacts`] is what who joins says of how to reach it.
//!
//! After a crash, [`Replica::new`] takes the records back, all of them or the last of each [`RecordKey`], and delivers
//! again what the application has not executed durably.
//!
//! **Memory** is bounded whatever the peers do: the best 64 proposals of five rounds and the signatures on their blocks,
//! eight bodies on their way, a number of bytes of transactions in all and for each member who brings them, 256 committed
//! blocks that wait for their transactions.
//!
//! **A member that lost its records** must not sign as if nothing had happened: it may have signed before. One that has no
//! record of a signature, even if it has learnt the chain anew, signs nothing at the height that its peers show it, unless
//! they cannot go on without it for some rounds, for then they have probably only begun. That is a precaution and no proof;
//! a committee is sure only if such a member gets a new identity.
mod assembly;
mod block;
mod block_size;
mod block_sync;
mod body;
mod clock;
mod decide;
mod digests;
mod finality;
mod interface;
mod kinds;
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
mod sampler;
#[cfg(feature = "simulate")]
pub mod simulation;
#[cfg(test)]
mod testing;
mod uplink;

pub use block::{Block, Committees, Content, Executed, GosigScheme};
pub use body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, Segment, ShortId, UnsignedSegment};
pub use decide::{Candidate, Decision, decide_block};
pub use digests::{BlockDigest, PayloadDigest};
pub use finality::{Finality, FinalizedBlock};
pub use interface::{Command, Delivery, Evidence, Output, Status, Submission, Timer};
pub use kinds::{PREPARE, PROPOSAL, SEGMENT, TENTATIVE};
pub use membership::{
    Anchor, CHANGE_PREFIX, Change, Contacts, MAX_CONTACT, MEMBERSHIP, Successor, next_committees,
};
pub use message::{
    EPOCH_MISMATCH, Envelope, HistoryRequest, MAX_AGGREGATES, MAX_RANGE_BLOCKS, MAX_REPLY_BYTES, MAX_REQUEST,
    Message, block_range, transaction_range,
};
pub use parameters::{Parameters, Schedule};
pub use payload::{
    MAX_PAYLOAD_BYTES, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Payload, Summary, TRANSACTIONS, Transaction,
};
pub use proposal::Proposal;
pub use record::{Committed, Lock, Record, RecordKey};
pub use replica::{Config, Replica};
