//! To whom to speak next: what is known of the other members as addresses.

use alloc::collections::{BTreeMap, VecDeque};

use super::Parameters;
use crate::machine::{MemberIndex, Time};

/// How many of those who were heard last are remembered.
const HEARD: usize = 64;
/// How often a random choice is repeated before the members are gone through in order.
const TRIES: usize = 16;
/// How often the time for which an accused peer is refused doubles.
const LONGEST: u32 = 10;

/// The other members as one member sees them: who is being sent something, who did not answer and is left alone for
/// a while, who was heard lately. Several [`Gossip`](super::Gossip)s share one `Peers` for as long as a committee
/// lasts, so that what is learnt of a peer in one of them holds in all, and so that the limit of concurrent sends is
/// one for all.
///
/// Every second choice falls on somebody who was heard lately, if there is anybody: such a member is alive, which
/// matters where many are not. The others are even over all members, so that nobody can place itself between.
///
/// Memory: one entry for each member that failed or is being sent something, and a list of those who were heard last.
#[derive(Clone, Debug)]
pub struct Peers {
    me: MemberIndex,
    n: u16,
    parameters: Parameters,
    /// Until when a send may go without an answer.
    sending: BTreeMap<MemberIndex, Time>,
    failing: BTreeMap<MemberIndex, Failing>,
    accused: BTreeMap<MemberIndex, Failing>,
    heard: VecDeque<MemberIndex>,
}

/// A peer that failed so many times in a row, or that was accused so often.
#[derive(Clone, Copy, Debug)]
struct Failing {
    times: u32,
    until: Time,
}

impl Peers {
    /// The peers of member `me` in a committee of `n`.
    pub fn new(me: MemberIndex, n: u16, parameters: Parameters) -> Self {
        Self {
            me,
            n,
            parameters,
            sending: BTreeMap::new(),
            failing: BTreeMap::new(),
            accused: BTreeMap::new(),
            heard: VecDeque::new(),
        }
    }

    /// A peer to whom something may be sent now, by the randomness of `draw`: not oneself, not in the middle of a
    /// send, not left alone. `None` if the limit of concurrent sends is reached, or nobody is left. Nothing is noted
    /// until [`begin`](Peers::begin).
    pub fn pick(&mut self, now: Time, draw: u64) -> Option<MemberIndex> {
        if !self.has_room(now) {
            return None;
        }
        let mut random = Draws(draw);
        for _ in 0..TRIES {
            let peer = match self.heard.len() {
                1.. if random.below(2) == 0 => self.heard.get(random.below(self.heard.len())).copied()?,
                _ => random.below(self.n.into()) as MemberIndex,
            };
            if self.is_available(peer, now) {
                return Some(peer);
            }
        }
        let start = random.below(self.n.into()) as MemberIndex;
        (start..self.n).chain(0..start).find(|peer| self.is_available(*peer, now))
    }

    /// Whether a place is free.
    pub fn has_room(&mut self, now: Time) -> bool {
        self.expire(now);
        self.sending.len() < self.parameters.fan_out
    }

    /// Whether something may be sent to this peer, were there a place: it is another member, nothing is being sent to it,
    /// and it is not left alone.
    pub fn is_available(&self, peer: MemberIndex, now: Time) -> bool {
        peer < self.n
            && peer != self.me
            && !self.sending.contains_key(&peer)
            && self.failing.get(&peer).is_none_or(|failing| failing.until <= now)
            && !self.is_refused(peer, now)
    }

    /// A send to a peer begins: it holds one of the places until [`left`](Peers::left), [`sent`](Peers::sent) or
    /// [`failed`](Peers::failed), at most for [`Parameters::patience`], after which it has failed.
    pub fn begin(&mut self, peer: MemberIndex, now: Time) {
        self.sending.insert(peer, now.plus(self.parameters.patience));
    }

    /// A message has left: its place is free again, though nobody knows yet whether it arrives.
    pub fn left(&mut self, peer: MemberIndex) {
        self.sending.remove(&peer);
    }

    /// A send was answered.
    pub fn sent(&mut self, peer: MemberIndex) {
        self.sending.remove(&peer);
        self.heard(peer);
    }

    /// A send failed: the peer is left alone for [`Parameters::back_off`], after each further failure in a row for so
    /// much longer.
    pub fn failed(&mut self, peer: MemberIndex, now: Time) {
        self.sending.remove(&peer);
        self.heard.retain(|heard| *heard != peer);
        if peer >= self.n {
            return;
        }
        let failing = self.failing.entry(peer).or_insert(Failing { times: 0, until: now });
        failing.times = failing.times.saturating_add(1);
        failing.until = now.plus(self.parameters.back_off.saturating_mul(failing.times));
    }

    /// Something came from a peer: it is there, and is no longer left alone for not having answered.
    pub fn heard(&mut self, peer: MemberIndex) {
        if peer >= self.n || peer == self.me {
            return;
        }
        self.failing.remove(&peer);
        if self.heard.contains(&peer) {
            return;
        }
        if self.heard.len() >= HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back(peer);
    }

    /// A peer sent what does not verify: for [`Parameters::back_off`] nothing is sent to it, nor taken from it; for
    /// twice as long each time that it happens again, up to 2¹⁰ times.
    pub fn accuse(&mut self, peer: MemberIndex, now: Time) {
        self.heard.retain(|heard| *heard != peer);
        if peer >= self.n {
            return;
        }
        let accused = self.accused.entry(peer).or_insert(Failing { times: 0, until: now });
        accused.until = now.plus(self.parameters.back_off.saturating_mul(1 << accused.times));
        accused.times = (accused.times + 1).min(LONGEST);
    }

    /// Whether nothing is taken from this peer now.
    pub fn is_refused(&self, peer: MemberIndex, now: Time) -> bool {
        self.accused.get(&peer).is_some_and(|accused| accused.until > now)
    }

    /// When the next place gets free by itself, if no answer comes: for the driver's timer.
    pub fn next_free(&self) -> Option<Time> {
        self.sending.values().min().copied()
    }

    fn expire(&mut self, now: Time) {
        while let Some(peer) = self.sending.iter().find(|(_, until)| **until <= now).map(|(peer, _)| *peer) {
            self.failed(peer, now);
        }
    }
}

/// SplitMix64: many choices from one draw.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (u128::from(z ^ z >> 31) * n as u128 >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn peers() -> Peers {
        let parameters =
            Parameters { back_off: SECOND, patience: SECOND / 2, fan_out: 3, ..Parameters::default() };
        Peers::new(0, 5, parameters)
    }

    fn at(milliseconds: u64) -> Time {
        Time(1_000 * milliseconds)
    }

    #[test]
    fn no_more_are_picked_than_may_be_sent_to_at_once_and_each_only_once() {
        let mut peers = peers();
        let mut picked: Vec<_> = (0..10)
            .map_while(|draw| {
                let peer = peers.pick(at(0), draw)?;
                peers.begin(peer, at(0));
                Some(peer)
            })
            .collect();
        assert_eq!(picked.len(), 3);
        peers.sent(picked[0]);
        assert!(peers.pick(at(0), 7).is_some_and(|peer| !picked[1..].contains(&peer)));
        picked.sort_unstable();
        picked.dedup();
        assert!(picked.len() == 3 && !picked.contains(&0));
    }

    #[test]
    fn who_fails_is_left_alone_longer_each_time_until_it_is_heard() {
        let mut peers = peers();
        peers.failed(3, at(0));
        assert!(!peers.is_available(3, at(999)) && peers.is_available(3, at(1_000)));
        peers.failed(3, at(1_000));
        assert!(!peers.is_available(3, at(2_999)) && peers.is_available(3, at(3_000)));
        peers.heard(3);
        assert!(peers.is_available(3, at(1_000)));
        peers.failed(3, at(5_000));
        assert!(peers.is_available(3, at(6_000)));
        // Whatever is failing, the others are found.
        [1, 2, 3].map(|peer| peers.failed(peer, at(7_000)));
        assert!((0..50).all(|draw| peers.pick(at(7_000), draw) == Some(4)));
        peers.failed(4, at(7_000));
        assert_eq!(peers.pick(at(7_000), 1), None);
    }

    #[test]
    fn a_send_that_nobody_answers_gives_its_place_back() {
        let mut peers = peers();
        [1, 2, 3].map(|peer| peers.begin(peer, at(0)));
        assert_eq!((peers.pick(at(499), 1), peers.next_free()), (None, Some(at(500))));
        assert_eq!(peers.pick(at(500), 1), Some(4));
        assert!(!peers.is_available(1, at(1_499)) && peers.is_available(1, at(1_500)));
    }

    #[test]
    fn who_is_accused_is_not_heard_nor_spoken_to() {
        let mut peers = peers();
        peers.heard(2);
        peers.accuse(2, at(0));
        peers.heard(2);
        assert!(peers.is_refused(2, at(999)) && !peers.is_available(2, at(999)));
        assert!(!peers.is_refused(2, at(1_000)));
        peers.accuse(2, at(1_000));
        assert!(peers.is_refused(2, at(2_999)) && !peers.is_refused(2, at(3_000)));
        (0..100).for_each(|_| peers.accuse(2, at(3_000)));
        assert!(peers.is_refused(2, at(1_026_999)) && !peers.is_refused(2, at(1_027_000)));
        // Nobody whom the committee does not have takes up memory.
        [5, 700].map(|peer| peers.accuse(peer, at(0)));
        [5, 700].map(|peer| peers.failed(peer, at(0)));
        assert!(peers.accused.len() == 1 && peers.failing.is_empty());
    }

    #[test]
    fn every_second_choice_falls_on_who_was_heard_and_the_others_are_even() {
        let mut peers = Peers::new(0, 1_000, Parameters::default());
        [10, 20].map(|peer| peers.heard(peer));
        let picked: Vec<_> = (0..4_000).filter_map(|draw| peers.pick(at(0), draw)).collect();
        let heard = picked.iter().filter(|peer| [10, 20].contains(peer)).count();
        assert!((1_900..2_100).contains(&heard), "{heard}");
        let low = picked.iter().filter(|peer| **peer < 500 && ![10, 20].contains(*peer)).count();
        assert!((900..1_100).contains(&low), "{low}");
        (0..1_000).for_each(|peer| peers.heard(peer));
        assert_eq!(peers.heard.len(), HEARD);
    }
}
