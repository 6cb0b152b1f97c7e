//! The phase of a replica, which limits the statements that it may sign.

/// Phase of a replica within its epoch.
///
/// ```text
///   Observing ─────────────────────────┐
///                                      ├──▶ Succeeded   a committed block changed the committee
///   Recovering ──▶ Voting(step) ───────┘
///
///   step, per round:  Proposing ──▶ Deciding ──▶ Prepared ──▶ Tentative
///                     Stage I       Stage II     a quorum's PREPAREs
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not a member of this epoch: the replica learns, delivers and serves committed blocks, and signs nothing.
    Observing,
    /// A member without a record of any signature, or whose records may be old. It may have signed and locked a block whose
    /// record is lost, so it abstains at the heights that its peers may have reached by then.
    Recovering {
        /// Number of rounds that have passed since the abstention began.
        rounds: u32,
        /// Number of such rounds after which the member votes although the height did not change: the other members most
        /// likely need it.
        limit: u32,
    },
    /// A member that proposes and votes.
    Voting(VoteStep),
    /// The committee of the next epoch is known: this replica signs nothing more.
    Succeeded,
}

/// Step of a voting member within the round of its clock. Each round begins anew with [`Proposing`](Self::Proposing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VoteStep {
    /// Stage I: proposals spread.
    Proposing,
    /// Stage II, and nothing is prepared in this round yet: DecideBlock is due (Algorithm 1, lines 1–6).
    Deciding,
    /// The member prepared a block in this round, and awaits a quorum of PREPAREs (Algorithm 1, lines 12–17).
    Prepared,
    /// The member committed that block tentatively, and awaits a quorum of TENTATIVEs (Algorithm 1, lines 19–24).
    Tentative,
}
