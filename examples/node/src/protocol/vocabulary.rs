//! Inputs, status values and fault reports that all protocols share.

use std::sync::Arc;

use quorate::Error;
use quorate::machine::MemberIndex;
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use quorate_protocol::pruned_peers::PrunedHistory;
use quorate_protocol::signing_history::Abstention;

/// A request of the node to a replica.
#[derive(Clone, Debug)]
pub enum Command {
    /// Order the transactions of a batch from this node's clients.
    Submit(Arc<Batch>),
    /// All blocks up to this height are executed durably.
    Executed(Executed),
    /// The link to a member was established, for the first time or again.
    Connected(MemberIndex),
    /// A message of a member belongs to [another epoch](super::Protocol::is_other_epoch).
    OtherEpoch(MemberIndex),
}

/// State of a replica, for status reports and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Current view, or round.
    pub view: u64,
    /// Leader of the view, as far as the replica knows; `None` if the protocol has no leaders.
    pub leader: Option<MemberIndex>,
    /// Height of the last committed block.
    pub committed: u64,
    /// Number of views that this member abandoned by timeout.
    pub timeouts: u64,
    /// True if the replica lacks blocks or batches.
    pub catching_up: bool,
    /// Missing blocks that peers have pruned.
    pub pruned_history: Option<PrunedHistory>,
    /// The member's abstention from votes, because its records may be old; `None` if it does not abstain.
    pub abstention: Option<Abstention>,
    /// Number of epochs for which the member has presignatures; `None` if the chain uses none.
    pub presigned_epochs: Option<u64>,
}

/// A signature of which a counter outside the data directory is told; see
/// [`GuardRecord::mark`](quorate::guard::GuardRecord::mark).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    /// A signature of the voting key.
    Vote(u64),
    /// A signature of the identity key.
    Proposal(u64),
}

/// A protocol violation by a member, as the node counts and logs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// Stable code.
    pub code: &'static str,
    /// Description of the violation.
    pub description: &'static str,
    /// True if no honest member ever causes the fault and its detection is expensive. A member with too many of these
    /// is disconnected.
    pub strike: bool,
}

impl FaultReport {
    /// Reports a signature, vote or certificate that does not verify.
    pub fn invalid(description: &'static str, error: &Error) -> Self {
        Self { code: error.code(), description, strike: true }
    }
}

/// Slot of a record of which the store keeps only the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LatestRecord {
    /// The last statement of each kind that the voting key signed.
    VoteGuard(u8),
    /// The last statement of each kind that the identity key signed.
    ProposalGuard(u8),
    /// State of the current view, such as its timeout or its lock.
    View,
    /// The committed tip of the chain.
    CommittedTip,
    /// The secret seed of the replica's random numbers.
    Seed,
}
