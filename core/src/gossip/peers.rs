//! Selection of the next peer to send to, by the known reachability of the other members.

use alloc::collections::{BTreeMap, VecDeque};

use super::parameters::Parameters;
use crate::machine::{MemberIndex, Time};
use crate::split_mix::SplitMix64;

/// Maximum number of peers in the list of those heard from recently.
const MAX_HEARD: usize = 64;
/// Number of random attempts before the members are tried in order.
const MAX_TRIES: usize = 16;
/// Maximum number of times that the refusal of an accused peer doubles.
const MAX_DOUBLINGS: u32 = 10;

/// The other members as seen by one member: sends in progress, peers in back-off after a failure, peers heard
/// from recently. Several [`Gossip`](super::Gossip)s share one `Peers` for the lifetime of a committee, so that they
/// share this knowledge and the limit on concurrent sends.
///
/// Every second random choice is a peer heard from recently, if there is one: such a member is reachable, which matters
/// when many are not. The other choices are uniform over all members, so that no member can attract more traffic.
///
/// Memory: one entry for each member that failed or is being sent to, and a list of those heard from recently.
#[derive(Clone, Debug)]
pub struct Peers {
    me: MemberIndex,
    n: u16,
    parameters: Parameters,
    /// Deadline of each send in progress.
    sending: BTreeMap<MemberIndex, Time>,
    failing: BTreeMap<MemberIndex, BackOff>,
    accused: BTreeMap<MemberIndex, BackOff>,
    heard: VecDeque<MemberIndex>,
}

/// Failures in a row of a peer, or accusations of it.
#[derive(Clone, Copy, Debug)]
struct BackOff {
    times: u32,
    until: Time,
}

impl Peers {
    /// Creates the peers of member `me` in a committee of `n`.
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

    /// Picks a peer to send to now, with the randomness of `draw`: not `me`, not being sent to, not in back-off.
    /// Returns `None` if the limit of concurrent sends is reached or no peer is left. Call [`begin`](Peers::begin) to
    /// record the send.
    pub fn pick(&mut self, now: Time, draw: u64) -> Option<MemberIndex> {
        if !self.has_room(now) {
            return None;
        }
        let mut random = SplitMix64(draw);
        for _ in 0..MAX_TRIES {
            let peer = match self.heard.len() {
                1.. if below(&mut random, 2) == 0 => {
                    self.heard.get(below(&mut random, self.heard.len())).copied()?
                }
                _ => below(&mut random, self.n.into()) as MemberIndex,
            };
            if self.is_available(peer, now) {
                return Some(peer);
            }
        }
        let start = below(&mut random, self.n.into()) as MemberIndex;
        (start..self.n).chain(0..start).find(|peer| self.is_available(*peer, now))
    }

    /// Returns true if fewer sends than the limit are in progress.
    pub fn has_room(&mut self, now: Time) -> bool {
        self.expire(now);
        self.sending.len() < self.parameters.fan_out
    }

    /// Returns true if this peer may be sent to, given a free slot: it is another member, not being sent to, and not
    /// in back-off.
    pub fn is_available(&self, peer: MemberIndex, now: Time) -> bool {
        peer < self.n
            && peer != self.me
            && !self.sending.contains_key(&peer)
            && self.failing.get(&peer).is_none_or(|failing| failing.until <= now)
            && !self.is_refused(peer, now)
    }

    /// Records the start of a send. It occupies a slot until [`left`](Peers::left), [`sent`](Peers::sent) or
    /// [`failed`](Peers::failed) is called, or until [`Parameters::send_timeout`] has passed, when it counts as failed.
    pub fn begin(&mut self, peer: MemberIndex, now: Time) {
        self.sending.insert(peer, now.plus(self.parameters.send_timeout));
    }

    /// Records that a message has left: its slot is free again, though its delivery is unknown.
    pub fn left(&mut self, peer: MemberIndex) {
        self.sending.remove(&peer);
    }

    /// Records that a send was answered.
    pub fn sent(&mut self, peer: MemberIndex) {
        self.sending.remove(&peer);
        self.heard(peer);
    }

    /// Records that a send failed: the peer is in back-off for [`Parameters::back_off`], which each further failure
    /// in a row extends by the same time.
    pub fn failed(&mut self, peer: MemberIndex, now: Time) {
        self.sending.remove(&peer);
        self.heard.retain(|heard| *heard != peer);
        if peer >= self.n {
            return;
        }
        let failing = self.failing.entry(peer).or_insert(BackOff { times: 0, until: now });
        failing.times = failing.times.saturating_add(1);
        failing.until = now.plus(self.parameters.back_off.saturating_mul(failing.times));
    }

    /// Records that a message from a peer arrived: the peer is reachable, so its back-off ends.
    pub fn heard(&mut self, peer: MemberIndex) {
        if peer >= self.n || peer == self.me {
            return;
        }
        self.failing.remove(&peer);
        if self.heard.contains(&peer) {
            return;
        }
        if self.heard.len() >= MAX_HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back(peer);
    }

    /// Records that a peer sent data that does not verify: it is refused, as receiver and as sender, for
    /// [`Parameters::back_off`]; for twice as long each further time, up to 2¹⁰ times.
    pub fn accuse(&mut self, peer: MemberIndex, now: Time) {
        self.heard.retain(|heard| *heard != peer);
        if peer >= self.n {
            return;
        }
        let accused = self.accused.entry(peer).or_insert(BackOff { times: 0, until: now });
        accused.until = now.plus(self.parameters.back_off.saturating_mul(1 << accused.times));
        accused.times = (accused.times + 1).min(MAX_DOUBLINGS);
    }

    /// Returns true if data from this peer is refused now.
    pub fn is_refused(&self, peer: MemberIndex, now: Time) -> bool {
        self.accused.get(&peer).is_some_and(|accused| accused.until > now)
    }

    /// Returns the time at which the next slot becomes free without an answer, for the driver's timer.
    pub fn next_free(&self) -> Option<Time> {
        self.sending.values().min().copied()
    }

    fn expire(&mut self, now: Time) {
        while let Some(peer) = self.sending.iter().find(|(_, until)| **until <= now).map(|(peer, _)| *peer) {
            self.failed(peer, now);
        }
    }
}

/// Draws a number below `n`; 0 if `n` is 0.
fn below(random: &mut SplitMix64, n: usize) -> usize {
    ((u128::from(random.next_u64()) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn peers() -> Peers {
        let parameters =
            Parameters { back_off: SECOND, send_timeout: SECOND / 2, fan_out: 3, ..Parameters::default() };
        Peers::new(0, 5, parameters)
    }

    fn at(milliseconds: u64) -> Time {
        Time(1_000 * milliseconds)
    }

    #[test]
    fn picks_are_unique_and_bounded_by_the_fan_out() {
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
    fn back_off_grows_until_the_peer_is_heard() {
        let mut peers = peers();
        peers.failed(3, at(0));
        assert!(!peers.is_available(3, at(999)) && peers.is_available(3, at(1_000)));
        peers.failed(3, at(1_000));
        assert!(!peers.is_available(3, at(2_999)) && peers.is_available(3, at(3_000)));
        peers.heard(3);
        assert!(peers.is_available(3, at(1_000)));
        peers.failed(3, at(5_000));
        assert!(peers.is_available(3, at(6_000)));
        // Whichever peers are failing, the others are found.
        for peer in [1, 2, 3] {
            peers.failed(peer, at(7_000));
        }
        assert!((0..50).all(|draw| peers.pick(at(7_000), draw) == Some(4)));
        peers.failed(4, at(7_000));
        assert_eq!(peers.pick(at(7_000), 1), None);
    }

    #[test]
    fn unanswered_send_frees_its_slot() {
        let mut peers = peers();
        for peer in [1, 2, 3] {
            peers.begin(peer, at(0));
        }
        assert_eq!((peers.pick(at(499), 1), peers.next_free()), (None, Some(at(500))));
        assert_eq!(peers.pick(at(500), 1), Some(4));
        assert!(!peers.is_available(1, at(1_499)) && peers.is_available(1, at(1_500)));
    }

    #[test]
    fn accused_peer_is_refused_both_ways() {
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
        // A peer outside the committee takes no memory.
        for peer in [5, 700] {
            peers.accuse(peer, at(0));
        }
        for peer in [5, 700] {
            peers.failed(peer, at(0));
        }
        assert!(peers.accused.len() == 1 && peers.failing.is_empty());
    }

    #[test]
    fn half_of_the_picks_are_recently_heard_peers() {
        let mut peers = Peers::new(0, 1_000, Parameters::default());
        for peer in [10, 20] {
            peers.heard(peer);
        }
        let picked: Vec<_> = (0..4_000).filter_map(|draw| peers.pick(at(0), draw)).collect();
        let heard = picked.iter().filter(|peer| [10, 20].contains(peer)).count();
        assert!((1_900..2_100).contains(&heard), "{heard}");
        let low = picked.iter().filter(|peer| **peer < 500 && ![10, 20].contains(*peer)).count();
        assert!((900..1_100).contains(&low), "{low}");
        (0..1_000).for_each(|peer| peers.heard(peer));
        assert_eq!(peers.heard.len(), MAX_HEARD);
    }
}
