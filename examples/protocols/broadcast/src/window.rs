//! A member's knowledge of one sender's last messages. Bounded by `tail` messages of the sender and `tail`
//! attestations per member.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};

use crate::statement::Digest;

/// The slots of one sender.
#[derive(Debug)]
pub(crate) struct Window<S> {
    tail: u64,
    highest: u64,
    accepted: BTreeMap<u64, Accepted<S>>,
    /// By member: its verified attestations, one per slot.
    attestations: Vec<BTreeMap<u64, (Digest, S)>>,
}

/// A message that this member attests.
#[derive(Debug)]
pub(crate) struct Accepted<S> {
    pub(crate) message: Arc<[u8]>,
    pub(crate) digest: Digest,
    /// Signature of the sender.
    pub(crate) signature: S,
    /// Signature of this member's echo, once made. The sender needs none.
    pub(crate) echo: Option<S>,
    pub(crate) delivered: bool,
    /// Time of the next request or repetition, and the number of attempts.
    pub(crate) due: Time,
    pub(crate) attempts: u32,
    /// Time of the last answer about this slot to each member.
    pub(crate) answered: BTreeMap<MemberIndex, Time>,
}

impl<S> Window<S> {
    pub(crate) fn new(members: u16, tail: u64) -> Self {
        let attestations = (0..members).map(|_| BTreeMap::new()).collect();
        Self { tail, highest: 0, accepted: BTreeMap::new(), attestations }
    }

    /// Returns the highest accepted sequence; 0 if there is none.
    pub(crate) fn highest(&self) -> u64 {
        self.highest
    }

    /// Returns `true` if the slot has left the window. Nothing is attested there any more, because the earlier
    /// attestation is unknown.
    pub(crate) fn is_stale(&self, sequence: u64) -> bool {
        self.highest.checked_sub(self.tail).is_some_and(|last| sequence <= last)
    }

    pub(crate) fn accepted(&self, sequence: u64) -> Option<&Accepted<S>> {
        self.accepted.get(&sequence)
    }

    pub(crate) fn accepted_mut(&mut self, sequence: u64) -> Option<&mut Accepted<S>> {
        self.accepted.get_mut(&sequence)
    }

    /// Iterates over the accepted messages in the window, in order.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = (u64, &mut Accepted<S>)> {
        self.accepted.iter_mut().map(|(sequence, accepted)| (*sequence, accepted))
    }

    /// Accepts a message in an empty slot of the window, and drops the messages and attestations that leave the window.
    pub(crate) fn accept(&mut self, sequence: u64, accepted: Accepted<S>) {
        self.accepted.entry(sequence).or_insert(accepted);
        self.highest = self.highest.max(sequence);
        // The first sequence in the window.
        let first = (self.highest - self.tail.min(self.highest)).saturating_add(1);
        self.accepted = self.accepted.split_off(&first);
        for attestations in &mut self.attestations {
            while attestations.first_key_value().is_some_and(|(sequence, _)| *sequence < first) {
                attestations.pop_first();
            }
        }
    }

    /// Returns a member's attestation for a slot.
    pub(crate) fn attestation(&self, member: MemberIndex, sequence: u64) -> Option<&(Digest, S)> {
        self.attestations.get(usize::from(member))?.get(&sequence)
    }

    /// Records a member's attestation for a slot without one. Beyond `tail` attestations the lowest is dropped: a
    /// correct member does not need it, and a faulty one harms only itself.
    pub(crate) fn note(&mut self, member: MemberIndex, sequence: u64, digest: Digest, signature: S) {
        let Some(attestations) = self.attestations.get_mut(usize::from(member)) else { return };
        attestations.entry(sequence).or_insert((digest, signature));
        if attestations.len() as u64 > self.tail {
            attestations.pop_first();
        }
    }

    /// Returns `true` if an attestation of the member for this slot would be kept.
    pub(crate) fn has_room(&self, member: MemberIndex, sequence: u64) -> bool {
        let Some(attestations) = self.attestations.get(usize::from(member)) else { return false };
        let full = attestations.len() as u64 >= self.tail;
        !full || attestations.first_key_value().is_none_or(|(first, _)| *first < sequence)
    }

    /// Iterates over the attestations for a slot, by member.
    pub(crate) fn attestations(&self, sequence: u64) -> impl Iterator<Item = (MemberIndex, &Digest)> {
        (0..).zip(&self.attestations).filter_map(move |(member, attestations)| {
            let (digest, _) = attestations.get(&sequence)?;
            Some((member, digest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(digest: u8) -> Accepted<()> {
        Accepted {
            message: Arc::from([digest]),
            digest: [digest; 32],
            signature: (),
            echo: None,
            delivered: false,
            due: Time(0),
            attempts: 0,
            answered: BTreeMap::new(),
        }
    }

    #[test]
    fn the_window_moves_up_and_never_down() {
        let mut window = Window::new(3, 4);
        assert!(!window.is_stale(1));
        for sequence in [1, 3, 2, 6] {
            window.accept(sequence, accepted(sequence as u8));
        }
        // The last four slots end at 6.
        assert_eq!(window.all_mut().map(|(sequence, _)| sequence).collect::<Vec<_>>(), [3, 6]);
        assert!(window.is_stale(2) && !window.is_stale(3) && !window.is_stale(7));
        window.accept(4, accepted(4));
        assert_eq!(window.highest(), 6);
        window.accept(u64::MAX, accepted(9));
        assert!(window.is_stale(u64::MAX - 4) && !window.is_stale(u64::MAX - 3));
        assert_eq!(window.all_mut().count(), 1);
    }

    #[test]
    fn the_first_message_of_a_slot_stays() {
        let mut window = Window::new(1, 4);
        window.accept(1, accepted(1));
        window.accept(1, accepted(2));
        assert_eq!(window.accepted(1).unwrap().digest, [1; 32]);
    }

    #[test]
    fn attestations_are_bounded_and_leave_with_the_window() {
        let mut window = Window::new(2, 4);
        for sequence in 1..=10 {
            assert!(window.has_room(0, sequence));
            window.note(0, sequence, [1; 32], ());
        }
        assert!(!window.has_room(0, 6) && window.has_room(1, 6));
        window.note(0, 6, [1; 32], ());
        assert!(window.attestation(0, 6).is_none() && window.attestation(0, 7).is_some());
        window.note(1, 7, [2; 32], ());
        let attestations: Vec<_> =
            window.attestations(7).map(|(member, digest)| (member, digest[0])).collect();
        assert_eq!(attestations, [(0, 1), (1, 2)]);
        window.accept(12, accepted(3));
        assert!(window.attestation(0, 8).is_none() && window.attestation(0, 9).is_some());
        assert!(window.attestation(9, 9).is_none() && !window.has_room(9, 9));
    }
}
