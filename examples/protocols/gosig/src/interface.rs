//! The interface to the driver: commands, outputs, evidence and status.

use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Equivocation;
use quorate::committee::Verified;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Vrf;
use quorate_protocol::pruned_peers::PrunedHistory;
pub use quorate_protocol::signing_history::{Abstention, SigningHistory};

use crate::block::{Block, Executed};
use crate::digests::{BlockDigest, PayloadDigest};
use crate::finality::Finality;
use crate::membership::Successor;
use crate::message::HistoryRequest;
use crate::payload::Payload;
use crate::proposal::Proposal;

/// A command of the driver to the replica.
#[derive(Clone, Debug)]
pub enum Command {
    /// Order the transactions of a payload. The payload is durable before any of it is sent, and [`Output::Submitted`]
    /// reports the result.
    Submit {
        /// The driver's number for the payload, which the result repeats.
        sequence: u64,
        /// The transactions of this member's clients.
        payload: Arc<Payload>,
    },
    /// The application executed all blocks up to a delivered height. Best sent once per block: the states that other
    /// members name are compared only at heights that were reported.
    Executed(Executed),
    /// A link to a member was established, for the first time or again.
    Connected(MemberIndex),
    /// A member sent a message of another epoch, which decoding refused with [`EPOCH_MISMATCH`](crate::EPOCH_MISMATCH). One
    /// of the two members is behind.
    EpochMismatch(MemberIndex),
}

/// An output of the replica to its driver.
#[derive(Clone, Debug)]
pub enum Output<S: Vrf> {
    /// The next block of the chain, with its transactions. Heights are consecutive, and each is delivered once per run.
    Deliver(Box<Delivery<S>>),
    /// Result for a payload that was submitted in this run.
    Submitted {
        /// The driver's number for the payload.
        sequence: u64,
        /// The result.
        state: Submission,
    },
    /// These transactions were submitted here and are in a block that was delivered before. They are not ordered again.
    AlreadyCommitted(Vec<Hash>),
    /// True if the driver should hold back new transactions, false once it may continue.
    Congestion(bool),
    /// Answer a peer's request from the archive, see [`HistoryRequest`]. The replica does not depend on the answer.
    Serve {
        /// The peer.
        to: MemberIndex,
        /// The request.
        request: HistoryRequest<S>,
    },
    /// The records of these payloads are obsolete, unless a delivered block has the same payload: the payloads were submitted
    /// and are committed, or belong to blocks that can never be committed.
    PrunePayloads(Vec<PayloadDigest>),
    /// The records of these blocks are obsolete: the blocks can never be committed.
    PruneBlocks(Vec<BlockDigest>),
    /// A round began, and there is work.
    Round {
        /// The round.
        round: u64,
        /// Proposer of the best known block of the round before.
        leader: Option<MemberIndex>,
        /// True if the previous round ended without a commit although there was work.
        undecided: bool,
    },
    /// The committee changes, see [`Successor`]. This replica signs nothing more.
    Succeeded(Box<Successor<S>>),
}

/// Result for a submitted payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// All of its transactions are committed, the last of them by the block that the same step delivers next.
    Committed,
    /// All of its transactions were committed before.
    Repeated,
    /// The replica did not accept it: the pool is full, and the driver may submit it again later; or the replica is an
    /// observer.
    Refused,
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Delivery<S: Vrf> {
    /// The block.
    pub block: Arc<Block<S>>,
    /// Digest of the block.
    pub digest: BlockDigest,
    /// Height of the block.
    pub height: u64,
    /// Transactions of the block, in order.
    pub payload: Arc<Payload>,
    /// Commitment certificate of the block.
    pub finality: Arc<Finality<S>>,
}

/// Evidence of a protocol violation by a member.
#[derive(Clone, Debug)]
pub enum Evidence<S: Vrf> {
    /// Two proposals in one round. Third parties can verify it.
    Identity(Box<Verified<Equivocation<Ed25519>>>),
    /// A proposal, segment, certificate or aggregate from the member's own link that does not verify.
    Invalid {
        /// The invalid item.
        what: &'static str,
        /// The error of its verification.
        error: Error,
    },
    /// A proposal that breaks a rule.
    Proposal {
        /// The proposal.
        proposal: Arc<Proposal<S>>,
        /// The violation.
        rule: &'static str,
    },
    /// A body whose transactions are not those of its block, with every segment signed by the member at fault.
    Body {
        /// The block.
        block: BlockDigest,
        /// The violation.
        rule: &'static str,
    },
    /// A block that states another state root than this member computed. One of the two members is wrong.
    StateRoot {
        /// The block.
        block: Arc<Block<S>>,
        /// The state root that this member computed.
        computed: Hash,
    },
    /// A message that an honest member does not send.
    Unexpected {
        /// The message.
        what: &'static str,
    },
}

impl<S: Vrf> Evidence<S> {
    /// Returns the stable code of the violation.
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

    /// Description for operators.
    pub fn what(&self) -> &'static str {
        match self {
            Evidence::Identity(_) => "two proposals in one round",
            Evidence::Invalid { what, .. } | Evidence::Unexpected { what } => what,
            Evidence::Proposal { rule, .. } | Evidence::Body { rule, .. } => rule,
            Evidence::StateRoot { .. } => "a block states another state root than this node computed",
        }
    }

    /// Returns true if third parties that know the committee can verify the evidence.
    pub fn is_provable(&self) -> bool {
        matches!(self, Evidence::Identity(_))
    }
}

/// The replica's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A round or its Stage II begins.
    Stage,
    /// Signatures or transactions are due to be forwarded.
    Gossip,
    /// Unanswered requests are due to be repeated.
    Retry,
}

/// A summary of a replica for operators and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Current round of the replica.
    pub round: u64,
    /// Proposer of the best known block of the clock's round; otherwise the author of the last committed block.
    pub leader: MemberIndex,
    /// Committed height.
    pub committed: u64,
    /// Delivered height.
    pub delivered: u64,
    /// Round of the last PREPARE.
    pub prepared: u64,
    /// Round of the lock; 0 if there is none.
    pub locked: u64,
    /// Number of rounds that ended without a commit although there was work.
    pub timeouts: u64,
    /// Number of uncommitted transactions of this member's clients.
    pub outstanding: usize,
    /// Number of uncommitted transactions of all members.
    pub pending: usize,
    /// Bytes of these transactions.
    pub pending_bytes: usize,
    /// Number of proposals in memory.
    pub proposals: usize,
    /// True if committed blocks are missing.
    pub catching_up: bool,
    /// The member's abstention from votes, if it abstains.
    pub abstention: Option<Abstention>,
    /// Missing blocks that other members have pruned.
    pub pruned_history: Option<PrunedHistory>,
}
