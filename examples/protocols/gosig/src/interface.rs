//! What the driver asks of a replica, what it is told, and what a replica holds against its peers.

use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::Verified;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Vrf;

use crate::block::{Block, Executed};
use crate::digests::{BlockDigest, PayloadDigest};
use crate::finality::Finality;
use crate::membership::Successor;
use crate::message::HistoryRequest;
use crate::payload::Payload;
use crate::proposal::Proposal;

/// What the driver asks of the replica.
#[derive(Clone, Debug)]
pub enum Command {
    /// Order the transactions of a payload. It is durable before anything else is heard of it, and
    /// [`Output::Submitted`] says what becomes of it.
    Submit {
        /// The driver's number for it, which is told back.
        sequence: u64,
        /// The transactions of this member's clients.
        payload: Arc<Payload>,
    },
    /// The application executed everything up to a height that was delivered. Best once for every block: the
    /// states that others name are compared only where this member told its own.
    Executed(Executed),
    /// The link to a member came up (again).
    Connected(MemberIndex),
    /// A member sent a message that cannot be read here because it is of another epoch:
    /// [`EPOCH_MISMATCH`](crate::EPOCH_MISMATCH). One of the two has to follow.
    EpochMismatch(MemberIndex),
}

/// What the replica tells its driver.
#[derive(Clone, Debug)]
pub enum Output<S: Vrf> {
    /// The next block of the chain, with its transactions: heights are consecutive, each comes once per run.
    Deliver(Box<Delivery<S>>),
    /// What became of a payload that was submitted in this run.
    Submitted {
        /// The driver's number for it.
        sequence: u64,
        /// What became of it.
        state: Submission,
    },
    /// These transactions were submitted here and are in a block that was delivered before: no other one will come.
    Known(Vec<Hash>),
    /// Whether the driver should hold back with new transactions.
    Congestion(bool),
    /// Answer a peer from the archive, see [`HistoryRequest`]. Nothing else waits for it.
    Serve {
        /// Who asks.
        to: MemberIndex,
        /// For what.
        request: HistoryRequest,
    },
    /// These payloads were submitted and are committed, or belong to blocks that can never be committed: their
    /// records may be deleted, unless a delivered block has the same payload.
    Forget(Vec<PayloadDigest>),
    /// These blocks can never be committed; their records may be deleted.
    ForgetBlocks(Vec<BlockDigest>),
    /// A round began, and there is work.
    Round {
        /// Which.
        round: u64,
        /// Who proposed the best block of the round before, as far as this member knows.
        leader: Option<MemberIndex>,
        /// Whether the round before ended without a block though there was work.
        undecided: bool,
    },
    /// The committee changes: see [`Successor`]. This replica signs nothing more.
    Succeeded(Box<Successor<S>>),
}

/// What became of a submitted payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// All of its transactions are in committed blocks, the last of them in the one that is delivered next (or was
    /// before).
    Committed,
    /// It was not taken: the pool is full, and it may be submitted again later; or this replica only observes.
    Refused,
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Delivery<S: Vrf> {
    /// The block.
    pub block: Arc<Block<S>>,
    /// Its name.
    pub digest: BlockDigest,
    /// Its height.
    pub height: u64,
    /// Its transactions, in order.
    pub payload: Arc<Payload>,
    /// Why it is committed.
    pub finality: Arc<Finality<S>>,
}

/// What a member did wrong.
#[derive(Clone, Debug)]
pub enum Evidence<S: Vrf> {
    /// Two proposals in one round. Anybody can check it.
    Identity(Box<Verified<Equivocation<Ed25519>>>),
    /// A proposal, a segment, a certificate or an aggregate that came over the member's own link does not verify.
    Invalid {
        /// What.
        what: &'static str,
        /// Why.
        error: Error,
    },
    /// A proposal that an honest member would not have signed.
    Proposal {
        /// The proposal.
        proposal: Arc<Proposal<S>>,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A body whose transactions are not those of its block; every segment has the culprit's signature.
    Body {
        /// The block.
        block: BlockDigest,
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

impl<S: Vrf> Evidence<S> {
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match self {
            Evidence::Identity(_) => "EQUIVOCATION",
            Evidence::Invalid { error, .. } => error.code(),
            Evidence::Proposal { .. } => "BAD_PROPOSAL",
            Evidence::Body { .. } => "BAD_BODY",
            Evidence::StateRoot { .. } => "STATE_ROOT",
            Evidence::Unexpected { .. } => "UNEXPECTED",
        }
    }

    /// What happened, for people.
    pub fn what(&self) -> &'static str {
        match self {
            Evidence::Identity(_) => "two proposals in one round",
            Evidence::Invalid { what, .. } | Evidence::Unexpected { what } => what,
            Evidence::Proposal { rule, .. } | Evidence::Body { rule, .. } => rule,
            Evidence::StateRoot { .. } => "a block states another state root than this node computed",
        }
    }

    /// Whether anybody who knows the committee can check it.
    pub fn is_provable(&self) -> bool {
        matches!(self, Evidence::Identity(_))
    }
}

/// The replica's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A round or its second stage begins.
    Stage,
    /// Signatures or transactions are to be passed on.
    Gossip,
    /// Send again what was not answered.
    Retry,
}

/// A few numbers for people and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The round that the replica is in.
    pub round: u64,
    /// Who proposed the best block of this round that it knows; of the last one that it committed otherwise.
    pub leader: MemberIndex,
    /// The committed height.
    pub committed: u64,
    /// The delivered height.
    pub delivered: u64,
    /// The round in which a block was last prepared here.
    pub prepared: u64,
    /// The round of the tentatively committed block; 0 if there is none.
    pub locked: u64,
    /// Rounds that ended without a block though there was work.
    pub timeouts: u64,
    /// Own transactions not yet committed.
    pub outstanding: usize,
    /// Transactions not yet committed, of all members.
    pub pending: usize,
    /// Bytes of them.
    pub pending_bytes: usize,
    /// Proposals that are kept.
    pub proposals: usize,
    /// Whether blocks are missing.
    pub catching_up: bool,
}
