#![forbid(unsafe_code)]
//! Gosig consensus: proposers are drawn in secret, and votes are aggregated while they spread by gossip. A pure state
//! machine that orders transactions.
//!
//! ```text
//!             Stage I: proposals                       Stage II: signatures
//!  round r    ticket ──▶ header ──▶ segments           PREPARE: header known ─┐  a quorum: lock,    a quorum:
//!             (secret)   ⋱ gossip   ⋱ gossip           ⋱ aggregates, gossip   └▶ TENTATIVE ⋱ gossip ─▶ committed
//!             transactions ⋱ gossip, continuously      missing ones by place                       │
//!  round r+1  header ──▶ …                             ◀── as soon as round r is committed ────────┘
//! ```
//!
//! The protocol is that of Li et al., *Gosig: A Scalable and High-Performance Byzantine Consensus for Consortium
//! Blockchains* (SoCC '20). `spec/gosig.md` specifies this version and proves its safety. It differs from the paper:
//!
//! | the paper | here | reason |
//! |---|---|---|
//! | DecideBlock as printed | with one line corrected: [`decide_block`] | the printed rule releases a lock that it must keep |
//! | aggregates of all signatures that arrive | aggregates that are disjoint by construction ([`quorate::gossip`]) | counts stay low, messages small |
//! | 6-byte hashes | 6-byte hashes salted by the block | transactions that collide cannot be made in advance |
//! | DecideBlock at the beginning of Stage II | or later in the round, if nothing could be prepared then | clocks differ; safety needs only that it runs once per round |
//! | an equivocating proposer wins or loses | is excluded by all members that know | the round should go to the next proposer |
//! | – | blocks name the state that their author executed; voters compare it with theirs | a node that computes another state is detected at once, and clients get provable states |
//! | every round has a block | only if there is something to order or a state to state | an idle network should be silent |
//!
//! # Modules
//! | module | contents |
//! |---|---|
//! | `decide`, `safety` | DecideBlock; the safety rules for signing |
//! | `clock` | rounds and stages by the clock |
//! | `rounds` | the valid proposals of a round, and the signatures on their blocks |
//! | `block`, `proposal`, `body`, `payload` | the parts of a block, each as it travels |
//! | `pool`, `assembly` | pending transactions; the collection of a block's transactions |
//! | `block_size` | the adaptive block size |
//! | `block_sync` | requests for missing blocks |
//! | [`quorate_protocol::execution`] | the states that this member computed |
//! | `membership` | changes of the members |
//! | `replica` | the state machine: [`Replica`] |
//!
//! # Driving it
//! [`Replica`] is a [`Machine`](quorate::machine::Machine), whose contract (persist before send) is documented there.
//! A driver also
//!
//! * submits its clients' transactions with [`Command::Submit`], and holds back while [`Output::Congestion`] asks for it;
//! * executes the blocks of [`Output::Deliver`], in order, and reports each state with [`Command::Executed`];
//! * archives the delivered blocks, and answers [`Output::Serve`] from the archive, because the replica keeps nothing below
//!   its committed height;
//! * gives the machine a clock that agrees loosely with those of the other members: [`Schedule::start`];
//! * reports each new link: [`Command::Connected`];
//! * reports a message that decoding refuses with [`EPOCH_MISMATCH`]: [`Command::EpochMismatch`]. The sender is not at
//!   fault;
//! * creates the next epoch's replica on [`Output::Succeeded`].
//!
//! # Epochs
//! A change of the members ([`Change`]) ends an epoch with the block that contains it. The driver stores the [`Successor`]
//! durably, executes the block durably, and then creates a new replica from the same records: [`Config::anchor`] and the
//! committees are the successor's, [`Config::me`] is the node's index in the new committee. When a member other than the
//! last leaves, the indices above it shift, so drivers identify links by keys. A driver that is killed before that creates
//! the old replica again, which outputs the same successor again. Members of later epochs still request blocks of older
//! ones: the archive keeps these blocks, with their epochs' committees to decode them.
//!
//! A replica without an index **observes**: it learns, delivers and serves committed blocks, and outputs how the epoch ends,
//! but it signs, orders and forwards nothing. So a joining node needs the genesis and no copy of a database: its driver
//! goes from epoch to epoch until one has an index for it. A member that has left stops, unless it is to return.
//! [`Successor::contacts`] has the addresses of the members that joined.
//!
//! After a crash, [`Replica::new`] takes the records, all of them or the last of each [`RecordKey`], and delivers again the
//! blocks that the application has not executed durably.
//!
//! **Memory** is bounded for any behaviour of the peers: the best 64 proposals of five rounds and the signatures on
//! their blocks, eight bodies in collection, a number of bytes of transactions in total and for each member that brings
//! them, 256 committed blocks that await their transactions.
//!
//! **A member that lost its records** must not continue as a new one: it may have signed before. A member without a record
//! of any signature, even if it has learnt the chain again, signs nothing at the heights that its peers report, unless they
//! cannot decide without it for some rounds, because they have then probably only begun. That is a precaution and no proof;
//! a committee is safe only if such a member gets a new identity.
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

pub use block::{Block, BlockContent, Committees, Executed, GosigScheme};
pub use body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, Segment, ShortId, UnsignedSegment};
pub use decide::{Candidate, Decision, decide_block};
pub use digests::{BlockDigest, PayloadDigest};
pub use finality::{Finality, FinalizedBlock};
pub use interface::{
    Abstention, Command, Delivery, Evidence, Output, SigningHistory, Status, Submission, Timer,
};
pub use kinds::{PREPARE, PROPOSAL, SEGMENT, TENTATIVE};
pub use membership::{
    Anchor, Change, Contacts, MAX_CHANGES, MAX_CONTACT, MEMBERSHIP, Successor, next_committees,
};
pub use message::{
    EPOCH_MISMATCH, Envelope, HistoryRequest, MAX_AGGREGATES, MAX_RANGE_BLOCKS, MAX_REPLY_BYTES, MAX_REQUEST,
    Message, block_range, transaction_range,
};
pub use parameters::{Parameters, Schedule};
pub use payload::{
    CHANGE_PREFIX, MAX_PAYLOAD_BYTES, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Payload, Summary,
    TRANSACTIONS, Transaction,
};
pub use proposal::Proposal;
pub use record::{Committed, Lock, Record, RecordKey};
pub use replica::{Config, Replica};
