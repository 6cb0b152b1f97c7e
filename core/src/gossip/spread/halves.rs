//! Dissemination by halves: what is known of each half, and what is sent to which member of the other. [`Gossip`]
//! gives the reasons.

use core::time::Duration;

use super::half::Half;
use super::{Gossip, Sum};
use crate::committee::SignerSet;
use crate::gossip::aggregate::Aggregate;
use crate::gossip::peers::Peers;
use crate::machine::{MemberIndex, Time};
use crate::scheme::Additive;
use crate::split_mix;

/// Additional delay of each level over the one below, unless half of it is known before.
const LEVEL_DELAY: Duration = Duration::from_millis(50);
/// Interval at which a member without new signers sends its sums again: messages get lost, and peers fail.
const REPEAT_INTERVAL: Duration = Duration::from_millis(100);

impl<S: Additive> Gossip<S> {
    /// Returns the level on which all signers are in the other half.
    pub(super) fn level_of(&self, signers: &SignerSet) -> Option<usize> {
        let (first, last) = (signers.first()?, signers.last()?);
        let within = |half: &Half<S>| half.level.other.contains(&first) && half.level.other.contains(&last);
        self.halves.iter().position(within)
    }

    /// Updates the levels from `from` on after this member's own half has grown.
    pub(super) fn grow(&mut self, from: usize) {
        let mut signers = self.own.iter().len();
        for (number, half) in self.halves.iter_mut().enumerate() {
            if number >= from {
                half.own = None;
                if signers > half.own_signers {
                    (half.own_signers, half.pending) =
                        (signers, self.parameters.fan_out.min(half.level.other.len()));
                }
            }
            signers += half.best.as_ref().map_or(0, |best| best.signers().len());
        }
    }

    /// Returns the sum of this member's own half on a level, or on the level past the last the sum of all.
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
                    // They have no signer in common. Keys of colluding members can cancel; then keep the received sum.
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

    /// Returns the next member of some half to send to, and what to send.
    pub(super) fn next_in_halves(&mut self, now: Time, peers: &Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        if self.known.is_empty() {
            return None;
        }
        let since = *self.since.get_or_insert(now);
        let mut wait = Duration::ZERO;
        for level in 0..self.halves.len() {
            let is_due = self.halves.get(level).is_some_and(|half| {
                half.pending > 0 && (2 * half.own_signers >= half.level.own.len() || now.since(since) >= wait)
            });
            wait += LEVEL_DELAY;
            if !is_due {
                continue;
            }
            // If no member is available now, the level stays pending.
            if let Some(next) = self.next_in_level(level, now, peers) {
                return Some(next);
            }
        }
        if now.since(self.last_sent) < REPEAT_INTERVAL {
            return None;
        }
        self.last_sent = now;
        for _ in 0..self.halves.len() {
            self.repeats = (self.repeats + 1) % self.halves.len().max(1);
            if let Some(next) = self.next_in_level(self.repeats, now, peers) {
                return Some(next);
            }
        }
        None
    }

    /// Selects the next member of the other half, and the sum of this member's own half for it.
    fn next_in_level(
        &mut self,
        level: usize,
        now: Time,
        peers: &Peers,
    ) -> Option<(MemberIndex, Aggregate<S>)> {
        let sum = self.sum(level)?;
        let order = self.order(level);
        let half = self.halves.get_mut(level)?;
        for _ in 0..half.level.other.len() {
            let to = half.level.peer(self.me, half.turn, order);
            half.turn = (half.turn + 1) % half.level.other.len();
            if peers.is_available(to, now) && !self.complete.contains(to) {
                half.pending = half.pending.saturating_sub(1);
                return Some((to, sum.into_inner()));
            }
        }
        None
    }

    /// Returns the order in which the members of a half are addressed: the same for all senders, and unknown before the
    /// statement.
    fn order(&self, level: usize) -> u64 {
        let mut seed = [0; 8];
        seed.iter_mut().zip(self.statement.digest).for_each(|(byte, of)| *byte = of);
        let seed = u64::from_le_bytes(seed) ^ self.statement.view ^ (level as u64) << 56;
        split_mix::mix(seed)
    }
}
