//! What the driver asks of a replica, what it is told, and what a replica holds against its peers.

use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::Verified;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
pub use quorate_protocol::batch::OwnBatchState;

use crate::batch::Batch;
use crate::block::{Block, Executed};
use crate::finality::Finality;
use crate::ids::{BatchDigest, BlockDigest};
use crate::message::HistoryRequest;

/// What the driver asks of the replica.
#[derive(Clone, Debug)]
pub enum Command {
    /// Disseminate a batch of this member's, from a [`BatchBuilder`](quorate_protocol::builder::BatchBuilder).
    Seal(Arc<Batch>),
    /// The application executed everything up to a height that was delivered. Best once for every block: the
    /// states that others name are compared only where this member told its own.
    Executed(Executed),
    /// The link to a member came up (again): ask it what was missed meanwhile.
    Connected(MemberIndex),
}

/// What the replica tells its driver.
#[derive(Clone, Debug)]
pub enum Output<S: Scheme> {
    /// The next block of the chain, with its batches: heights are consecutive, each comes once per run.
    Deliver(Box<Delivery<S>>),
    /// What became of a batch of this member's.
    OwnBatch {
        /// Its number.
        sequence: u64,
        /// What became of it.
        state: OwnBatchState,
    },
    /// Whether the driver should hold back with new batches.
    Congestion(bool),
    /// Answer a peer from the archive, see [`HistoryRequest`]. Nothing else waits for it.
    Serve {
        /// Who asks.
        to: MemberIndex,
        /// For what.
        request: HistoryRequest,
    },
    /// These batches can never be committed; their records may be deleted.
    Forget(Vec<BatchDigest>),
    /// These blocks can never be committed; their records may be deleted.
    ForgetBlocks(Vec<BlockDigest>),
    /// A view began.
    View {
        /// Which.
        view: u64,
        /// Who leads it, as far as this member knows.
        leader: MemberIndex,
        /// Whether the view before it timed out.
        timed_out: bool,
    },
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Delivery<S: Scheme> {
    /// The block.
    pub block: Arc<Block<S>>,
    /// Its name.
    pub digest: BlockDigest,
    /// Its height.
    pub height: u64,
    /// The batches that it names, in order.
    pub batches: Vec<Arc<Batch>>,
    /// Why it is committed.
    pub finality: Arc<Finality<S>>,
}

/// What a member did wrong.
#[derive(Clone, Debug)]
pub enum Evidence<S: Scheme> {
    /// Two votes or two timeouts for one view. Anybody can check it.
    Votes(Box<Verified<Equivocation<S>>>),
    /// Two proposals in one view, or two batches in one slot. Anybody can check it.
    Identity(Box<Verified<Equivocation<Ed25519>>>),
    /// A vote, a certificate or a signature that came over the member's own link does not verify.
    Invalid {
        /// What.
        what: &'static str,
        /// Why.
        error: Error,
    },
    /// A block that an honest member would not have signed.
    Proposal {
        /// The block.
        block: Arc<Block<S>>,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A block that states another state root than this member computed. One of the two is wrong.
    StateRoot {
        /// The block.
        block: Arc<Block<S>>,
        /// What this member computed.
        computed: Hash,
    },
    /// A message that an honest member would not have sent.
    Unexpected {
        /// What.
        what: &'static str,
    },
}

/// The replica's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// The view takes too long.
    View,
    /// The interval since the last block is over: propose.
    Propose,
    /// Send again what was not answered.
    Retry,
}

/// A few numbers for people and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The view that the replica is in.
    pub view: u64,
    /// Who leads it, as far as it knows.
    pub leader: MemberIndex,
    /// The highest certified view.
    pub certified_view: u64,
    /// The committed height.
    pub committed: u64,
    /// The delivered height.
    pub delivered: u64,
    /// Views that this member gave up.
    pub timeouts: u64,
    /// Own batches not yet committed.
    pub outstanding: usize,
    /// Certified batches not yet committed, of all authors.
    pub pending: usize,
    /// Blocks above the committed one.
    pub blocks: usize,
    /// Whether blocks or batches are missing.
    pub catching_up: bool,
}
