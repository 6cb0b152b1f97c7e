use crate::committee::{Committee, Verified};
use crate::gossip::aggregate::Aggregate;
use crate::gossip::ranges::Level;
use crate::scheme::Additive;

type Sum<S> = Verified<Aggregate<S>>;

/// The state of one level: what is known of the other half, and what is pending for it.
#[derive(Clone, Debug)]
pub(super) struct Half<S: Additive> {
    pub(super) level: Level,
    /// The heaviest sum received from the other half, and its weight.
    pub(super) best: Option<Sum<S>>,
    pub(super) weight: u128,
    /// Cached sum of this member's own half.
    pub(super) own: Option<Sum<S>>,
    /// Number of signers of this member's own half.
    pub(super) own_signers: usize,
    /// Number of members to which the current sum is still to be sent.
    pub(super) pending: usize,
    /// The next turn, modulo the length of the other half, after which turns repeat.
    pub(super) turn: usize,
}

impl<S: Additive> Half<S> {
    /// Returns true if this is one member's vote that the best sum lacks. Sums replace each other, but votes are
    /// disjoint: a member that receives the votes one by one from all others must reach a quorum too.
    pub(super) fn lacks(&self, aggregate: &Aggregate<S>) -> bool {
        let one = aggregate.signers();
        one.len() == 1 && self.best.as_ref().is_some_and(|best| !one.is_subset(best.signers()))
    }

    /// Replaces the best sum by a heavier one, or adds a missing vote to it.
    pub(super) fn merge(&mut self, aggregate: Sum<S>, committee: &Committee<S>, limit: u16) {
        let best = self.best.as_ref().filter(|_| self.lacks(&aggregate));
        // Keys of colluding members can cancel; then keep the heavier sum.
        let sum = best.and_then(|best| best.merge(&aggregate, limit).ok()).unwrap_or(aggregate);
        let weight = committee.weight_of(sum.signers());
        if weight > self.weight {
            (self.best, self.weight) = (Some(sum), weight);
        }
    }
}
