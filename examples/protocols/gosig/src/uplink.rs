//! The uplink: the signature messages that are still leaving, and the members that have not answered.
//!
//! A link accepts any message at once and does not report when it has left. A member that sent without a limit would
//! fill its links with aggregates that better ones overtake. One that waited for each answer would send a few messages
//! per round trip, and over long distances that is most of the stage. So each message holds a place for as long as it
//! takes to leave at the member's sending rate; whether an answer arrives is tracked apart from that.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use quorate::gossip::Peers;
use quorate::machine::{MemberIndex, Time};

/// This member's uplink. It holds at most as many messages as the fan-out, and awaits one answer per member.
#[derive(Debug)]
pub(crate) struct Uplink {
    bytes_per_second: u64,
    send_timeout: Duration,
    /// Time at which all messages have left.
    free: Time,
    leaving: VecDeque<(Time, MemberIndex)>,
    awaited: BTreeMap<MemberIndex, Time>,
}

impl Uplink {
    pub(crate) fn new(bytes_per_second: u64, send_timeout: Duration) -> Self {
        let (leaving, awaited) = (VecDeque::new(), BTreeMap::new());
        Self { bytes_per_second: bytes_per_second.max(1), send_timeout, free: Time(0), leaving, awaited }
    }

    /// Records that a message was passed to a link.
    pub(crate) fn sent(&mut self, now: Time, to: MemberIndex, bytes: usize) {
        let micros = (bytes as u64).saturating_mul(1_000_000) / self.bytes_per_second;
        // However low the rate is, a place is held no longer than an answer is awaited.
        self.free = self.free.max(now).plus(Duration::from_micros(micros)).min(now.plus(self.send_timeout));
        self.leaving.push_back((self.free, to));
        self.awaited.entry(to).or_insert(self.free.plus(self.send_timeout));
    }

    /// Records a message from a member: it is available.
    pub(crate) fn heard(&mut self, from: MemberIndex) {
        self.awaited.remove(&from);
    }

    /// Frees the places of messages that have left, and reports the members that did not answer in time as failed.
    pub(crate) fn advance(&mut self, now: Time, peers: &mut Peers) {
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

    /// Returns the time at which the next place is free; `None` if all are.
    pub(crate) fn due(&self) -> Option<Time> {
        self.leaving.front().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::gossip::Parameters;

    const SEND_TIMEOUT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000)
    }

    #[test]
    fn a_slot_is_free_once_the_message_has_left() {
        let parameters = Parameters { fan_out: 2, ..Parameters::default() };
        let mut peers = Peers::new(0, 8, parameters);
        // 1000 bytes take a millisecond.
        let mut uplink = Uplink::new(1_000_000, SEND_TIMEOUT);
        for peer in [1, 2] {
            peers.begin(peer, ms(5));
            uplink.sent(ms(5), peer, 3_000);
        }
        assert_eq!(uplink.due(), Some(ms(8)));
        uplink.advance(ms(7), &mut peers);
        assert!(!peers.has_room(ms(7)));
        uplink.advance(ms(8), &mut peers);
        assert!(peers.has_room(ms(8)) && peers.is_available(1, ms(8)) && !peers.is_available(2, ms(8)));
        // The second message leaves after the first.
        assert_eq!(uplink.due(), Some(ms(11)));
        uplink.advance(ms(11), &mut peers);
        assert_eq!(uplink.due(), None);
        uplink.sent(ms(20), 3, usize::MAX);
        assert_eq!(uplink.due(), Some(ms(20).plus(SEND_TIMEOUT)));
    }

    #[test]
    fn silent_members_are_backed_off_from() {
        let mut peers = Peers::new(0, 8, Parameters::default());
        let mut uplink = Uplink::new(1_000_000, SEND_TIMEOUT);
        uplink.sent(ms(0), 1, 1_000);
        uplink.sent(ms(0), 2, 1_000);
        // Another message does not extend the time for an answer.
        uplink.sent(ms(90), 1, 1_000);
        uplink.heard(2);
        uplink.advance(ms(100), &mut peers);
        assert!(peers.is_available(1, ms(100)));
        uplink.advance(ms(101), &mut peers);
        assert!(!peers.is_available(1, ms(101)) && peers.is_available(2, ms(101)));
        assert!(uplink.awaited.is_empty());
    }
}
