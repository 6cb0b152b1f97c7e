//! What of the signatures that were sent is still on its way out, and who has not answered.
//!
//! Links take everything at once and tell nobody when it has left. Who sent on without a limit would fill them with sums
//! that better ones overtake; who waited for each answer would send a few messages in the time that one takes there and
//! back, and on long ways that is most of the stage. So a place is held for as long as the message takes to leave at the
//! rate that this member may send with; that an answer comes at all is another matter.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use quorate::gossip::Peers;
use quorate::machine::{MemberIndex, Time};

/// This member's way out. At most the fan-out is on it, and one entry of each member is awaited.
#[derive(Debug)]
pub(crate) struct Uplink {
    bytes_per_second: u64,
    patience: Duration,
    /// When it is free.
    free: Time,
    leaving: VecDeque<(Time, MemberIndex)>,
    awaited: BTreeMap<MemberIndex, Time>,
}

impl Uplink {
    pub(crate) fn new(bytes_per_second: u64, patience: Duration) -> Self {
        let (leaving, awaited) = (VecDeque::new(), BTreeMap::new());
        Self { bytes_per_second: bytes_per_second.max(1), patience, free: Time(0), leaving, awaited }
    }

    /// A message was handed to a link.
    pub(crate) fn sent(&mut self, now: Time, to: MemberIndex, bytes: usize) {
        let micros = (bytes as u64).saturating_mul(1_000_000) / self.bytes_per_second;
        // However slow the rate is said to be, a place is not held for longer than an answer is waited for.
        self.free = self.free.max(now).plus(Duration::from_micros(micros)).min(now.plus(self.patience));
        self.leaving.push_back((self.free, to));
        self.awaited.entry(to).or_insert(self.free.plus(self.patience));
    }

    /// A member is there.
    pub(crate) fn heard(&mut self, from: MemberIndex) {
        self.awaited.remove(&from);
    }

    /// Frees the places of what has left, and gives up those who did not answer.
    pub(crate) fn pass(&mut self, now: Time, peers: &mut Peers) {
        while let Some((_, to)) = self.leaving.front().filter(|(at, _)| *at <= now) {
            peers.left(*to);
            self.leaving.pop_front();
        }
        self.awaited.retain(|peer, until| {
            let is_late = *until <= now;
            if is_late {
                peers.failed(*peer, now);
            }
            !is_late
        });
    }

    /// When the next place is free, if any is taken.
    pub(crate) fn due(&self) -> Option<Time> {
        self.leaving.front().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::gossip::Parameters;

    const PATIENCE: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000)
    }

    #[test]
    fn a_place_is_free_when_the_message_has_left_and_not_only_when_it_was_answered() {
        let parameters = Parameters { fan_out: 2, ..Parameters::default() };
        let mut peers = Peers::new(0, 8, parameters);
        // A thousand bytes take a millisecond.
        let mut uplink = Uplink::new(1_000_000, PATIENCE);
        for peer in [1, 2] {
            peers.begin(peer, ms(5));
            uplink.sent(ms(5), peer, 3_000);
        }
        assert_eq!(uplink.due(), Some(ms(8)));
        uplink.pass(ms(7), &mut peers);
        assert!(!peers.has_room(ms(7)));
        uplink.pass(ms(8), &mut peers);
        assert!(peers.has_room(ms(8)) && peers.is_available(1, ms(8)) && !peers.is_available(2, ms(8)));
        // One after the other.
        assert_eq!(uplink.due(), Some(ms(11)));
        uplink.pass(ms(11), &mut peers);
        assert_eq!(uplink.due(), None);
        uplink.sent(ms(20), 3, usize::MAX);
        assert_eq!(uplink.due(), Some(ms(20).plus(PATIENCE)));
    }

    #[test]
    fn who_does_not_answer_is_left_alone_and_who_does_is_not() {
        let mut peers = Peers::new(0, 8, Parameters::default());
        let mut uplink = Uplink::new(1_000_000, PATIENCE);
        uplink.sent(ms(0), 1, 1_000);
        uplink.sent(ms(0), 2, 1_000);
        // Another message does not give a silent member more time.
        uplink.sent(ms(90), 1, 1_000);
        uplink.heard(2);
        uplink.pass(ms(100), &mut peers);
        assert!(peers.is_available(1, ms(100)));
        uplink.pass(ms(101), &mut peers);
        assert!(!peers.is_available(1, ms(101)) && peers.is_available(2, ms(101)));
        assert!(uplink.awaited.is_empty());
    }
}
