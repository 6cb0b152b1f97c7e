//! Constants that several parts of the replica share.

/// Number of rounds for which a round is retained after its end. Until then, this member can help peers to its block.
pub(super) const RETAINED_ROUNDS: u64 = 2;
/// Number of undecided rounds after which the member assumes a problem: it may miss one commit by chance, but not more.
pub(super) const STALLED_ROUNDS: u32 = 2;
