//! What a member knows of one sender's last messages. Bounded: `tail` messages of the sender, and `tail` words of each
//! member about them.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};

use crate::statement::Digest;

/// One sender's slots.
#[derive(Debug)]
pub(crate) struct Window<S> {
    tail: u64,
    highest: u64,
    accepted: BTreeMap<u64, Accepted<S>>,
    /// By member: its words, verified, one for a slot.
    attestations: Vec<BTreeMap<u64, (Digest, S)>>,
}

/// A message that this member vouches for.
#[derive(Debug)]
pub(crate) struct Accepted<S> {
    pub(crate) message: Arc<[u8]>,
    pub(crate) digest: Digest,
    /// The sender's.
    pub(crate) signature: S,
    /// This member's, once it was made; the sender's own message needs none.
    pub(crate) echo: Option<S>,
    pub(crate) delivered: bool,
    /// When to ask or to send again, and how often that was done.
    pub(crate) due: Time,
    pub(crate) attempts: u32,
    /// When each member was last told again what this one says of it.
    pub(crate) answered: BTreeMap<MemberIndex, Time>,
}

impl<S> Window<S> {
    pub(crate) fn new(members: u16, tail: u64) -> Self {
        let attestations = (0..members).map(|_| BTreeMap::new()).collect();
        Self { tail, highest: 0, accepted: BTreeMap::new(), attestations }
    }

    /// The highest sequence that was accepted; 0 if none was.
    pub(crate) fn highest(&self) -> u64 {
        self.highest
    }

    /// Whether the slot has left the window. Nothing is vouched for there any more, for nobody knows what was.
    pub(crate) fn is_stale(&self, sequence: u64) -> bool {
        self.highest.checked_sub(self.tail).is_some_and(|last| sequence <= last)
    }

    pub(crate) fn accepted(&self, sequence: u64) -> Option<&Accepted<S>> {
        self.accepted.get(&sequence)
    }

    pub(crate) fn accepted_mut(&mut self, sequence: u64) -> Option<&mut Accepted<S>> {
        self.accepted.get_mut(&sequence)
    }

    /// All that was accepted and has not left, in order.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = (u64, &mut Accepted<S>)> {
        self.accepted.iter_mut().map(|(sequence, accepted)| (*sequence, accepted))
    }

    /// Takes in a message in a slot that is not stale and has none. What the window leaves behind is forgotten.
    pub(crate) fn accept(&mut self, sequence: u64, accepted: Accepted<S>) {
        self.accepted.entry(sequence).or_insert(accepted);
        self.highest = self.highest.max(sequence);
        // The first sequence that is not stale.
        let first = (self.highest - self.tail.min(self.highest)).saturating_add(1);
        self.accepted = self.accepted.split_off(&first);
        for attestations in &mut self.attestations {
            while attestations.first_key_value().is_some_and(|(sequence, _)| *sequence < first) {
                attestations.pop_first();
            }
        }
    }

    /// What a member said of a slot.
    pub(crate) fn attestation(&self, member: MemberIndex, sequence: u64) -> Option<&(Digest, S)> {
        self.attestations.get(usize::from(member))?.get(&sequence)
    }

    /// Notes a member's word on a slot of which it has said nothing. Of more than `tail` the highest stay: a member
    /// that follows the protocol has no use for the others, and one that does not only harms its own.
    pub(crate) fn note(&mut self, member: MemberIndex, sequence: u64, digest: Digest, signature: S) {
        let Some(attestations) = self.attestations.get_mut(usize::from(member)) else { return };
        attestations.entry(sequence).or_insert((digest, signature));
        if attestations.len() as u64 > self.tail {
            attestations.pop_first();
        }
    }

    /// Whether a note of the member on this slot would stay.
    pub(crate) fn has_room(&self, member: MemberIndex, sequence: u64) -> bool {
        let Some(attestations) = self.attestations.get(usize::from(member)) else { return false };
        let full = attestations.len() as u64 >= self.tail;
        !full || attestations.first_key_value().is_none_or(|(first, _)| *first < sequence)
    }

    /// Who said something of a slot, and what.
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
        // The last four end at 6.
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
    fn words_are_bounded_for_each_member_and_go_with_the_window() {
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
