//! A byte-rate limit per peer, for answers to requests.

use std::collections::BTreeMap;

use quorate::machine::{MemberIndex, Time};

/// A token bucket per peer. A bucket fills at the rate that the caller states and holds at most one second's worth.
#[derive(Debug, Default)]
pub struct PeerRateLimiter(BTreeMap<MemberIndex, (Time, u64)>);

impl PeerRateLimiter {
    /// Takes `bytes` from a peer's bucket, which fills at `rate` bytes per second. Returns false, and takes nothing, if the
    /// bucket holds less.
    pub fn try_consume(&mut self, now: Time, peer: MemberIndex, bytes: usize, rate: u64) -> bool {
        let (at, left) = self.0.get(&peer).copied().unwrap_or((now, rate));
        let earned = u128::from(rate) * now.since(at).as_micros() / 1_000_000;
        let left = u128::from(left).saturating_add(earned).min(rate.into()) as u64;
        let rest = left.checked_sub(bytes as u64);
        self.0.insert(peer, (now, rest.unwrap_or(left)));
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_is_served_at_its_rate() {
        let mut limiter = PeerRateLimiter::default();
        assert!(limiter.try_consume(Time(0), 1, 900, 1000) && !limiter.try_consume(Time(0), 1, 200, 1000));
        assert!(limiter.try_consume(Time(0), 2, 900, 1000), "another peer has its own bucket");
        assert!(limiter.try_consume(Time(100_000), 1, 200, 1000));
        assert!(!limiter.try_consume(Time(u64::MAX), 1, 1001, 1000));
    }
}
