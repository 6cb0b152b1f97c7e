#![forbid(unsafe_code)]
//! Jolteon: 2-chain HotStuff with timeout certificates, as a pure state machine that orders batches of
//! transactions.
//!
//! ```text
//!            batch                  acknowledge                certified
//!  author ──────────▶ all ──────────────────────▶ author ─────────────────▶ all      a quorum stored it
//!
//!  view v     leader(v) ──proposal──▶ all ──vote──▶ leader(v+1)                      it names certified batches
//!  view v+1                                        leader(v+1) ──proposal──▶ all …   with the certificate of v
//!
//!  B(v) ◀── B(v+1) ◀── certificate of v+1        commits B(v) and all its ancestors
//!
//!  no progress:  all ──timeout──▶ all            a quorum makes a timeout certificate; view v+1 begins
//! ```
//!
//! The protocol is that of Gelashvili et al., *Jolteon and Ditto: Network-Adaptive Efficient Consensus with
//! Asynchronous Fallback* (FC '22), without the fallback. What differs, and why:
//!
//! | the paper | here | because |
//! |---|---|---|
//! | blocks carry transactions | blocks name batches that a quorum stored | the leader's link is not the bottleneck, and voting needs no transactions |
//! | leaders take turns | leaders in good standing take turns: [`LeaderReputation`] | a dead member should cost one view, not one per round |
//! | votes go to the next leader | and, with a timeout, to everybody | a block whose next leader is dead is still certified |
//! | a leader always proposes | only if there is something to order or a state to state | an idle network should be silent |
//! | – | blocks name the state that their author executed; voters compare it with theirs | a node that computes something else is found at once, and clients get provable states |
//!
//! # Parts
//! | module | knows |
//! |---|---|
//! | `safety` | what must never be signed twice; the argument why the chain stays single |
//! | `pacemaker` | which view it is and when to give it up |
//! | `leader` | who leads, as a function of the chain |
//! | `tree`, `chain_state` | the blocks above the committed one, and what the chain up to each says |
//! | `mempool`, `sequence` | batches on their way into a block, and that none gets there twice |
//! | `sync` | what is missing and whom to ask |
//! | [`quorate_protocol::execution`] | which states this member computed |
//! | `replica` | all of it together: [`Replica`] |
//!
//! # Driving it
//! [`Replica`] is a [`Machine`](quorate::machine::Machine); its contract (persist before send) is described there.
//! Beyond that, a driver
//!
//! * makes [`Batch`]es of its clients' transactions with a [`BatchBuilder`] and hands them in with
//!   [`Command::Seal`], holding back while [`Output::Congestion`] says so;
//! * executes what [`Output::Deliver`] delivers, in order, and reports each state with [`Command::Executed`];
//! * archives what was delivered, and answers [`Output::Serve`] from there, because the replica keeps nothing
//!   below its committed height;
//! * tells it when a link comes up: [`Command::Connected`].
//!
//! After a crash, [`Replica::new`] takes the records back, all of them or the last of each [`RecordKey`], and
//! delivers again what the application has not executed durably.
//!
//! **Memory** is bounded whatever the peers do: one proposal per member and view, one vote per member and view for 64
//! views, 1,024 blocks above the committed one, a window of batches and a number of bytes per author, one held answer.
//!
//! **A member that lost its records** must not vote as if nothing had happened: it may have voted before. It signs
//! nothing up to the view that its peers show it, unless they cannot go on without it for three timeouts, for then they
//! have probably only begun. That is a precaution and no proof; a committee is sure only if such a member gets a new
//! identity.
mod batch;
mod block;
mod builder;
mod chain_state;
mod finality;
mod ids;
mod interface;
mod leader;
mod mempool;
mod message;
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

pub use batch::{Batch, BatchHeader, BatchRef, MAX_BATCH_BYTES, MAX_TRANSACTIONS, TRANSACTIONS};
pub use block::{Block, Committees, Content, Executed, MAX_BLOCK_BATCHES};
pub use builder::{BatchBuilder, Placed};
pub use chain_state::ChainState;
pub use finality::{Finality, MAX_LINKS};
pub use ids::{AVAILABLE, BLOCK, BatchDigest, BlockDigest, PROPOSAL, Slot, TIMEOUT};
pub use interface::{Command, Delivery, Evidence, Output, OwnBatchState, Status, Timer};
pub use leader::{LeaderReputation, PENALTY, ReputationUpdate};
pub use message::{
    Advance, HistoryRequest, MAX_BATCH_REQUEST, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, Message, Timeout,
    block_range,
};
pub use parameters::Parameters;
pub use record::{Committed, Record, RecordKey};
pub use replica::{Config, Replica};
pub use sequence::{Inventory, Sequences, WINDOW};
