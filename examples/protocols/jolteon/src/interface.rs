//! Commands, outputs, timers and evidence of a replica.

use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::Verified;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
pub use quorate_protocol::batch::OwnBatchState;
use quorate_protocol::pruned_peers::PrunedHistory;
pub use quorate_protocol::signing_history::{Abstention, SigningHistory};

use crate::batch::Batch;
use crate::block::{Block, Executed};
use crate::finality::Finality;
use crate::ids::{BatchDigest, BlockDigest};
use crate::message::HistoryRequest;

/// Commands of the driver.
#[derive(Clone, Debug)]
pub enum Command {
    /// Disseminates a batch of this member, created by a [`BatchBuilder`](quorate_protocol::builder::BatchBuilder).
    Seal(Arc<Batch>),
    /// Reports that the application executed up to a delivered height. Report every block: the states named by other
    /// members are compared only at reported heights.
    Executed(Executed),
    /// Reports an established or re-established link, so that the replica requests the messages that it missed.
    Connected(MemberIndex),
}

/// Outputs for the driver.
#[derive(Clone, Debug)]
pub enum Output<S: Scheme> {
    /// The next block of the chain with its batches. Heights are consecutive; each is delivered once per run.
    Deliver(Box<Delivery<S>>),
    /// A change of state of an own batch.
    OwnBatch {
        /// Number of the batch.
        sequence: u64,
        /// New state of the batch.
        state: OwnBatchState,
    },
    /// Asks the driver to pause submitting batches, or to resume.
    Congestion(bool),
    /// Asks the driver to answer a peer from the archive; see [`HistoryRequest`]. The replica does not wait for it.
    Serve {
        /// The peer.
        to: MemberIndex,
        /// The request.
        request: HistoryRequest<S>,
    },
    /// Batches that can no longer be committed. Their records may be deleted.
    PruneBatches(Vec<BatchDigest>),
    /// Blocks that can no longer be committed. Their records may be deleted.
    PruneBlocks(Vec<BlockDigest>),
    /// A view began.
    View {
        /// The view.
        view: u64,
        /// Its leader, as far as this member knows.
        leader: MemberIndex,
        /// True if the previous view timed out.
        timed_out: bool,
    },
}

/// A committed block with its batches and proof.
#[derive(Clone, Debug)]
pub struct Delivery<S: Scheme> {
    /// The block.
    pub block: Arc<Block<S>>,
    /// Digest of the block.
    pub digest: BlockDigest,
    /// Height of the block.
    pub height: u64,
    /// The batches named by the block, in order.
    pub batches: Vec<Arc<Batch>>,
    /// Proof that the block is committed.
    pub finality: Arc<Finality<S>>,
}

/// A protocol violation by a member.
#[derive(Clone, Debug)]
pub enum Evidence<S: Scheme> {
    /// Two votes or two timeouts in one view. Provable to third parties.
    Votes(Box<Verified<Equivocation<S>>>),
    /// Two proposals in one view, or two batches in one slot. Provable to third parties.
    Identity(Box<Verified<Equivocation<Ed25519>>>),
    /// An invalid vote, certificate or signature, received over the member's own link.
    Invalid {
        /// The invalid object.
        what: &'static str,
        /// The verification error.
        error: Error,
    },
    /// A signed block that violates a rule.
    Proposal {
        /// The block.
        block: Arc<Block<S>>,
        /// The violated rule.
        rule: &'static str,
    },
    /// A block whose state root differs from the one this member computed. One of the two is wrong.
    StateRoot {
        /// The block.
        block: Arc<Block<S>>,
        /// The root computed by this member.
        computed: Hash,
    },
    /// A message that the protocol does not permit.
    Unexpected {
        /// Description of the message.
        what: &'static str,
    },
}

/// Timers of the replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// The view's timeout.
    View,
    /// The minimum block interval has passed: propose.
    Propose,
    /// Resend unanswered messages.
    Retry,
}

/// Summary of a replica's state, for operators and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The current view.
    pub view: u64,
    /// Its leader, as far as the replica knows.
    pub leader: MemberIndex,
    /// The highest certified view.
    pub certified_view: u64,
    /// The committed height.
    pub committed: u64,
    /// The delivered height.
    pub delivered: u64,
    /// Number of views that timed out at this member.
    pub timeouts: u64,
    /// Number of own uncommitted batches.
    pub outstanding: usize,
    /// Number of certified, uncommitted batches of all authors.
    pub pending: usize,
    /// Number of blocks above the committed one.
    pub blocks: usize,
    /// True if blocks or batches are missing.
    pub catching_up: bool,
    /// The member's abstention from votes, if it abstains.
    pub abstention: Option<Abstention>,
    /// Missing blocks that other members have pruned.
    pub pruned_history: Option<PrunedHistory>,
}
