//! Phases of a replica: within the current view, and after a start.

use quorate_protocol::signing_history::Abstention;
use quorate_protocol::status_poll::StatusPoll;

/// Phase of the current view (spec/jolteon.md, "Pacemaker").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// There is no work; the view timer does not run and the view may last.
    Idle,
    /// There is work; the view times out unless a block is certified.
    Working,
    /// This member sent its timeout of the view and repeats it until the view ends.
    TimedOut,
}

/// Participation of a replica in proposals, votes and timeouts (spec/jolteon.md, "Rollback").
///
/// ```text
///   Asking ──a quorum's answers──▶ Abstaining ──a later view──▶ Full
///                                      │                          ▲
///                    a view times out  └──▶ OnlyTimeouts ─────────┘
/// ```
#[derive(Debug)]
pub(super) enum Participation {
    /// The replica knows everything that it signed, or can contradict nothing of it.
    Full,
    /// The records may be those of an earlier time. The replica signs nothing and asks the other members for their views.
    Asking {
        /// Identifies the answers to this start.
        nonce: u64,
        /// The members that answered.
        poll: StatusPoll,
        /// True if a counter shows that records are missing.
        is_stale: bool,
    },
    /// The replica signs nothing in the views in which it may have signed.
    Abstaining {
        /// The last one of these views.
        until: u64,
        /// True if a counter shows that records are missing.
        is_stale: bool,
    },
    /// A view timed out although a quorum answered: the other members most likely need this one. Up to `until` it signs
    /// timeouts, but neither votes nor proposals.
    OnlyTimeouts {
        /// The last view without votes.
        until: u64,
    },
}

impl Participation {
    /// Returns the reason and the end of the abstention; `None` if the replica participates.
    pub(super) fn abstention(&self) -> Option<Abstention> {
        match *self {
            Self::Full => None,
            Self::Asking { is_stale, .. } => Some(Abstention { until: None, is_stale }),
            Self::Abstaining { until, is_stale } => Some(Abstention { until: Some(until), is_stale }),
            Self::OnlyTimeouts { until } => Some(Abstention { until: Some(until), is_stale: false }),
        }
    }
}
