//! Difference between this node's clock and a peer's, estimated from the answers to probes.

use std::time::Duration;

use quorate::machine::Time;

/// Round trip above which an answer says too little: the error of an estimate is at most half the round trip.
const MAX_ROUND_TRIP: Duration = Duration::from_millis(500);
/// Age of an estimate at which a less exact one replaces it.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Estimate for one peer.
#[derive(Debug, Default)]
pub(super) struct ClockEstimate {
    best: Option<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The peer's clock minus this node's, in microseconds.
    difference: i64,
    round_trip: Duration,
    at: Time,
}

impl ClockEstimate {
    /// Adds an answer: `peer` is the peer's clock, in microseconds since 1970, between `sent` and `received`.
    pub(super) fn add(&mut self, sent: Time, peer: u64, received: Time) {
        let round_trip = received.since(sent);
        let middle = sent.plus(round_trip / 2);
        let (Ok(peer), Ok(middle)) = (i64::try_from(peer), i64::try_from(middle.0)) else { return };
        let sample = Sample { difference: peer.saturating_sub(middle), round_trip, at: received };
        let is_better = |best: &Sample| round_trip <= best.round_trip || received.since(best.at) > MAX_AGE;
        if round_trip <= MAX_ROUND_TRIP && self.best.as_ref().is_none_or(is_better) {
            self.best = Some(sample);
        }
    }

    /// The peer's clock minus this node's, in milliseconds.
    pub(super) fn milliseconds(&self) -> Option<i64> {
        self.best.map(|sample| sample.difference / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time(ms * 1000)
    }

    #[test]
    fn the_shortest_round_trip_decides_until_it_is_old() {
        let mut clock = ClockEstimate::default();
        assert_eq!(clock.milliseconds(), None);
        clock.add(at(10_000), at(12_050).0, at(10_100));
        assert_eq!(clock.milliseconds(), Some(2_000));
        clock.add(at(11_000), at(13_010).0, at(11_010));
        assert_eq!(clock.milliseconds(), Some(2_005));
        clock.add(at(12_000), at(14_400).0, at(12_400));
        assert_eq!(clock.milliseconds(), Some(2_005), "a longer round trip");
        clock.add(at(72_000), at(71_000).0, at(72_400));
        assert_eq!(clock.milliseconds(), Some(-1_200), "the best one is old");
    }

    #[test]
    fn answers_without_information_are_ignored() {
        let mut clock = ClockEstimate::default();
        clock.add(at(1_000), at(9_000).0, at(1_501));
        clock.add(at(2_000), u64::MAX, at(2_001));
        assert_eq!(clock.milliseconds(), None);
    }
}
