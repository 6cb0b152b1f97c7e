//! What a starting member knows about the signatures of its keys.

use quorate::guard::Floor;

/// Knowledge of a starting member: do its records contain everything that its keys have signed?
///
/// A data directory that was copied while the validator ran, or restored from a backup, looks like one after a crash. A
/// member that continued from it would sign again where it has signed, and contradict itself. A protocol lets such a
/// member abstain until it cannot contradict anything that it has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningHistory {
    /// The records are complete. That is so at the very first start of the keys, and for a machine that follows another
    /// one in the same process.
    Complete,
    /// The records may be those of an earlier time. This is the choice for every other start without a counter.
    Unconfirmed,
    /// Counters outside the data directory tell.
    Counted {
        /// The counter of the voting key.
        votes: Floor,
        /// The counter of the identity key's proposals.
        proposals: Floor,
    },
}

impl SigningHistory {
    /// Returns the counter of the voting key, if there is one.
    pub fn votes(self) -> Option<Floor> {
        match self {
            Self::Counted { votes, .. } => Some(votes),
            Self::Complete | Self::Unconfirmed => None,
        }
    }

    /// Returns the counter of the identity key's proposals, if there is one.
    pub fn proposals(self) -> Option<Floor> {
        match self {
            Self::Counted { proposals, .. } => Some(proposals),
            Self::Complete | Self::Unconfirmed => None,
        }
    }
}

/// Reason and end of a member's abstention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abstention {
    /// Last view in which the member signs nothing; `None` while it awaits the answers of its peers.
    pub until: Option<u64>,
    /// True if a counter shows that records are missing; false if that is only possible.
    pub is_stale: bool,
}
