#![forbid(unsafe_code)]
//! Jolteon: 2-chain HotStuff with timeout certificates, as a pure state machine that orders batches of transactions.
//!
//! ```text
//!            batch                  acknowledge                certified
//!  author ──────────▶ all ──────────────────────▶ author ─────────────────▶ all      a quorum has stored it
//!
//!  view v     leader(v) ──proposal──▶ all ──vote──▶ leader(v+1)                      names certified batches
//!  view v+1                                        leader(v+1) ──proposal──▶ all …   with the certificate of v
//!
//!  B(v) ◀── B(v+1) ◀── certificate of v+1        commits B(v) and all its ancestors
//!
//!  no progress:  all ──timeout──▶ all            a quorum forms a timeout certificate; view v+1 begins
//! ```
//!
//! The protocol follows Gelashvili et al., *Jolteon and Ditto: Network-Adaptive Efficient Consensus with Asynchronous
//! Fallback* (FC '22), without the fallback. Differences from the paper:
//!
//! | paper | this crate | reason |
//! |---|---|---|
//! | blocks carry transactions | blocks name batches stored by a quorum | the leader's link is not the bottleneck, and voting needs no transactions |
//! | leaders rotate round-robin | eligible leaders rotate: [`LeaderReputation`] | a crashed member costs one view, not one per round |
//! | votes go to the next leader | with a timeout, the vote also goes to all members | a block whose next leader has crashed can still be certified |
//! | one timeout for all views | the timeout follows the durations of recent views | a crashed leader is noticed early |
//! | a leader always proposes | only if there are batches to order or a state to state | an idle network is silent |
//! | – | blocks name the state that their author executed; voters compare it with theirs | a diverging node is detected at once, and clients get provable states |
//!
//! # Modules
//! | module | responsibility |
//! |---|---|
//! | `safety` | the rules for signing, and the safety argument |
//! | `pacemaker`, `view_durations` | the current view and its timeout |
//! | `leader` | the leader of a view, as a function of the chain |
//! | `tree`, `chain_state` | blocks above the committed one, and the state derived from the chain up to each |
//! | `mempool`, `sequence` | batches that wait for a block, and the exclusion of duplicates |
//! | `sync` | retrieval of missing blocks and batches |
//! | [`quorate_protocol::execution`] | the states that this member computed |
//! | `replica` | the complete state machine: [`Replica`] |
//!
//! # Driving a replica
//! [`Replica`] is a [`Machine`](quorate::machine::Machine), whose contract (persist before send) is described there.
//! In addition, the driver
//!
//! * collects its clients' transactions in [`Batch`]es with a
//!   [`BatchBuilder`](quorate_protocol::builder::BatchBuilder) and submits them with [`Command::Seal`], pausing while
//!   [`Output::Congestion`] requests it;
//! * executes the blocks of [`Output::Deliver`] in order and reports each state with [`Command::Executed`];
//! * archives delivered blocks and batches and answers [`Output::Serve`] from the archive, because the replica keeps
//!   nothing below its committed height;
//! * reports each established link with [`Command::Connected`].
//!
//! After a crash, [`Replica::new`] takes the records back, either all of them or the last of each [`RecordKey`], and
//! delivers again the blocks that the application has not executed durably.
//!
//! **Memory** is bounded for any behaviour of the peers: one proposal per member and view, one vote per member and
//! view for 64 views, 1,024 blocks above the committed one, a window of batches and a number of bytes per author, and
//! one pending response.
//!
//! **A member that lost records**, all of them or the newest, may have voted before and must not vote again in the same
//! views. Unless [`SigningHistory`] excludes that, a starting member asks the others for their views and abstains in every
//! view in which it may have signed; `spec/jolteon.md`, "Rollback", has the argument and its limits.

mod batch;
mod block;
mod chain_state;
mod finality;
mod ids;
mod interface;
mod leader;
mod mempool;
mod message;
mod own_batches;
mod pacemaker;
mod parameters;
mod record;
mod replica;
mod safety;
mod sequence;
#[cfg(feature = "simulate")]
pub mod simulation;
mod sync;
#[cfg(test)]
mod testing;
mod tree;
mod view_durations;

pub use batch::{Batch, BatchHeader, BatchRef, MAX_BATCH_BYTES, MAX_TRANSACTIONS, TRANSACTIONS};
pub use block::{Block, BlockContent, Committees, Executed, MAX_BLOCK_BATCHES};
pub use chain_state::ChainState;
pub use finality::{Finality, MAX_LINKS};
pub use ids::{AVAILABLE, BLOCK, BatchDigest, BlockDigest, PROPOSAL, Slot, TIMEOUT, availability};
pub use interface::{
    Abstention, Command, Delivery, Evidence, Output, OwnBatchState, SigningHistory, Status, Timer,
};
pub use leader::{LeaderReputation, PENALTY, ReputationUpdate};
pub use message::{
    Advance, HistoryRequest, MAX_BATCH_REQUEST, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, Message, Timeout,
    block_range,
};
pub use parameters::Parameters;
pub use record::{Committed, Record, RecordKey};
pub use replica::{Config, Replica};
pub use safety::VotingKey;
pub use sequence::{Inventory, Sequences, WINDOW};
