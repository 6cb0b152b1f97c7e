//! The halves of the committee: what is known of each, and what is told to whom of the other. Why so, [`Gossip`] says.

use core::time::Duration;

use super::{Gossip, Sum};
use crate::committee::{Committee, SignerSet};
use crate::gossip::ranges::Level;
use crate::gossip::{Aggregate, Peers};
use crate::machine::{MemberIndex, Time};
use crate::scheme::Additive;

/// Each level of halves waits so much longer than the one below, if it is not half known by then.
const LEVEL: Duration = Duration::from_millis(50);
/// Who has nothing new to say repeats itself after this time: messages get lost, and peers fail.
const REPEAT: Duration = Duration::from_millis(100);

/// A level: what is known of the other half, and what is told to it.
#[derive(Clone, Debug)]
pub(super) struct Half<S: Additive> {
    pub(super) level: Level,
    /// The heaviest sum that came of members of the other half, and its weight.
    pub(super) best: Option<Sum<S>>,
    pub(super) weight: u128,
    /// The sum of one's own half, once it is asked for.
    pub(super) own: Option<Sum<S>>,
    /// How many signers one's own half has.
    pub(super) own_signers: usize,
    /// To how many members this is still to be told.
    pub(super) untold: usize,
    /// The next turn, modulo the length of the other half, after which turns repeat.
    pub(super) turn: usize,
}

impl<S: Additive> Half<S> {
    /// Whether this is one member's vote, and not in what is kept. Sums replace each other, but votes have nothing in
    /// common: who is told them one by one, by all others, has to come to a quorum, too.
    pub(super) fn lacks(&self, aggregate: &Aggregate<S>) -> bool {
        let one = aggregate.signers();
        one.len() == 1 && self.best.as_ref().is_some_and(|best| !one.is_subset(best.signers()))
    }

    /// Keeps what is heavier, or a vote that is lacking.
    pub(super) fn keep(&mut self, aggregate: Sum<S>, committee: &Committee<S>, limit: u16) {
        let best = self.best.as_ref().filter(|_| self.lacks(&aggregate));
        // Keys of colluders can cancel; then the heavier must do.
        let sum = best.and_then(|best| best.merge(&aggregate, limit).ok()).unwrap_or(aggregate);
        let weight = committee.weight_of(sum.signers());
        if weight > self.weight {
            (self.best, self.weight) = (Some(sum), weight);
        }
    }
}

impl<S: Additive> Gossip<S> {
    /// On which level all signers are in the other half.
    pub(super) fn level_of(&self, signers: &SignerSet) -> Option<usize> {
        let (first, last) = (signers.first()?, signers.last()?);
        let within = |half: &Half<S>| half.level.other.contains(&first) && half.level.other.contains(&last);
        self.halves.iter().position(within)
    }

    /// One's own half has grown on this level and on all above.
    pub(super) fn grow(&mut self, from: usize) {
        let mut signers = self.own.iter().len();
        for (number, half) in self.halves.iter_mut().enumerate() {
            if number >= from {
                half.own = None;
                if signers > half.own_signers {
                    (half.own_signers, half.untold) =
                        (signers, self.parameters.fan_out.min(half.level.other.len()));
                }
            }
            signers += half.best.as_ref().map_or(0, |best| best.signers().len());
        }
    }

    /// What is known of one's own half on a level; on the level past the last, of everybody.
    pub(super) fn sum(&mut self, level: usize) -> Option<Sum<S>> {
        if let Some(sum) = self.halves.get(level).and_then(|half| half.own.clone()) {
            return Some(sum);
        }
        let sum = match level.checked_sub(1) {
            None => self.own.clone(),
            Some(below) => {
                let own = self.sum(below);
                let other = self.halves.get(below).and_then(|half| half.best.clone());
                match (own, other) {
                    // They have no signer in common. Keys of colluders can cancel; then the heavier must do.
                    (Some(own), Some(other)) => own.merge(&other, self.parameters.limit).ok().or(Some(other)),
                    (own, other) => own.or(other),
                }
            }
        };
        if let Some(half) = self.halves.get_mut(level) {
            half.own.clone_from(&sum);
        }
        sum
    }

    /// What goes to which half next.
    pub(super) fn next_in_halves(&mut self, now: Time, peers: &Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        if self.known.is_empty() {
            return None;
        }
        let since = *self.since.get_or_insert(now);
        let mut wait = Duration::ZERO;
        for level in 0..self.halves.len() {
            let is_due = self.halves.get(level).is_some_and(|half| {
                half.untold > 0 && (2 * half.own_signers >= half.level.own.len() || now.since(since) >= wait)
            });
            wait += LEVEL;
            if !is_due {
                continue;
            }
            // Where nobody can be told now, it stays to be told.
            if let Some(said) = self.tell(level, now, peers) {
                return Some(said);
            }
        }
        if now.since(self.said) < REPEAT {
            return None;
        }
        self.said = now;
        for _ in 0..self.halves.len() {
            self.repeats = (self.repeats + 1) % self.halves.len().max(1);
            if let Some(said) = self.tell(self.repeats, now, peers) {
                return Some(said);
            }
        }
        None
    }

    /// Tells what one's own half knows to the next member of the other one.
    fn tell(&mut self, level: usize, now: Time, peers: &Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        let sum = self.sum(level)?;
        let order = self.order(level);
        let half = self.halves.get_mut(level)?;
        for _ in 0..half.level.other.len() {
            let to = half.level.peer(self.me, half.turn, order);
            half.turn = (half.turn + 1) % half.level.other.len();
            if peers.is_available(to, now) && !self.complete.contains(to) {
                half.untold = half.untold.saturating_sub(1);
                return Some((to, sum.into_inner()));
            }
        }
        None
    }

    /// In which order the members of a half are told: the same for all who tell it, and known only with the statement.
    fn order(&self, level: usize) -> u64 {
        let mut seed = [0; 8];
        seed.iter_mut().zip(self.statement.digest).for_each(|(byte, of)| *byte = of);
        let seed = u64::from_le_bytes(seed) ^ self.statement.view ^ (level as u64) << 56;
        // The last steps of SplitMix64, so that every bit of the seed is in every bit of the order.
        let z = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
