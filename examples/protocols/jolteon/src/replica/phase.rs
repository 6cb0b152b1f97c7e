//! Phases of a replica: within the current view, and after a start without records.

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

/// Participation of a replica in votes and timeouts (spec/jolteon.md, "Catching up").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Participation {
    /// The replica knows everything it signed.
    Full,
    /// The replica started without records. If the chain has begun, it abstains in the views it may have signed in.
    Unconfirmed {
        /// Number of timeouts that the replica did not sign because it abstains.
        abstained: u32,
    },
}

impl Participation {
    pub(super) fn is_unconfirmed(self) -> bool {
        matches!(self, Self::Unconfirmed { .. })
    }
}
