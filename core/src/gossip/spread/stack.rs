//! Unverified aggregates, and the choice of those to verify next.

use alloc::vec;
use alloc::vec::Vec;

use super::Gossip;
use crate::gossip::aggregate::Aggregate;
use crate::machine::MemberIndex;
use crate::scheme::Additive;

impl<S: Additive> Gossip<S> {
    /// Takes the aggregates to verify next off the stack, from the newest down: of each half only aggregates heavier
    /// than the best known and than those taken before, or a quorum alone, which makes all others unnecessary.
    pub(super) fn newest(&mut self) -> (Vec<MemberIndex>, Vec<Aggregate<S>>) {
        let is_quorum = |(_, aggregate): &(_, Aggregate<S>)| self.committee.has_quorum(aggregate.signers());
        if let Some(place) = self.stack.iter().rposition(is_quorum) {
            let (sender, aggregate) = self.stack.remove(place);
            return (vec![sender], vec![aggregate]);
        }
        let (mut senders, mut aggregates, mut left) = (Vec::new(), Vec::<Aggregate<S>>::new(), Vec::new());
        while let Some((sender, aggregate)) = self.stack.pop() {
            let level = self.level_of(aggregate.signers());
            let same = |other: &&Aggregate<S>| level.is_some() && self.level_of(other.signers()) == level;
            let is_lighter = aggregates.iter().find(same).is_some_and(|other| {
                self.committee.weight_of(other.signers()) >= self.committee.weight_of(aggregate.signers())
            });
            if is_lighter || aggregates.len() >= self.parameters.batch.max(1) {
                left.push((sender, aggregate));
            } else {
                senders.push(sender);
                aggregates.push(aggregate);
            }
        }
        left.reverse();
        self.stack = left;
        (senders, aggregates)
    }

    /// Drops aggregates from the stack that bring no news any more.
    pub(super) fn drop_known(&mut self) {
        let stack = core::mem::take(&mut self.stack);
        if !self.is_complete() {
            self.stack = stack.into_iter().filter(|(_, aggregate)| self.is_news(aggregate)).collect();
        }
    }
}
