use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Limits the number of unauthenticated connections. One host, or one network where a host has many addresses, may hold a
/// quarter of the permits, so that a single host cannot keep members out. The local host may hold all of them.
#[derive(Debug)]
pub(super) struct HandshakeLimiter {
    held: Mutex<HeldPermits>,
    permits: usize,
}

#[derive(Debug, Default)]
struct HeldPermits {
    total: usize,
    by_host: HashMap<IpAddr, usize>,
}

/// Permit for one unauthenticated connection, released on drop.
#[derive(Debug)]
pub(super) struct HandshakePermit {
    limiter: Arc<HandshakeLimiter>,
    host: IpAddr,
}

impl HandshakeLimiter {
    pub(super) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), permits })
    }

    /// Returns a permit for a connection from `address`, if one is free.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<HandshakePermit> {
        let host = host(address);
        let share =
            if address.to_canonical().is_loopback() { self.permits } else { self.permits.div_ceil(4) };
        let mut held = self.lock();
        if held.total >= self.permits || held.by_host.get(&host).is_some_and(|n| *n >= share) {
            return None;
        }
        held.total += 1;
        *held.by_host.entry(host).or_default() += 1;
        Some(HandshakePermit { limiter: self.clone(), host })
    }

    fn lock(&self) -> MutexGuard<'_, HeldPermits> {
        // No code panics while it holds the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HandshakePermit {
    fn drop(&mut self) {
        let mut held = self.limiter.lock();
        held.total -= 1;
        if let Some(n) = held.by_host.get_mut(&self.host) {
            *n -= 1;
            if *n == 0 {
                held.by_host.remove(&self.host);
            }
        }
    }
}

/// The IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one host.
fn host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(limiter: &Arc<HandshakeLimiter>, address: &str) -> Option<HandshakePermit> {
        limiter.admit(address.parse().unwrap())
    }

    #[test]
    fn one_host_holds_at_most_a_quarter() {
        let limiter = HandshakeLimiter::new(8);
        let held: Vec<_> = (0..2).map(|_| admit(&limiter, "10.0.0.1").unwrap()).collect();
        assert!(admit(&limiter, "10.0.0.1").is_none());
        assert!(admit(&limiter, "::ffff:10.0.0.1").is_none());
        let others: Vec<_> = (2..8).map(|i| admit(&limiter, &format!("10.0.0.{i}")).unwrap()).collect();
        assert!(admit(&limiter, "10.0.0.9").is_none());
        drop(held);
        assert!(admit(&limiter, "10.0.0.1").is_some());
        drop(others);
        assert!(limiter.lock().by_host.is_empty());
    }

    #[test]
    fn many_addresses_of_one_network_are_one_host() {
        let limiter = HandshakeLimiter::new(8);
        let _held = (admit(&limiter, "2001:db8::1").unwrap(), admit(&limiter, "2001:db8::2").unwrap());
        assert!(admit(&limiter, "2001:db8::ffff:1").is_none());
        assert!(admit(&limiter, "2001:db8:0:1::1").is_some());
    }

    #[test]
    fn the_local_host_may_hold_all_permits() {
        let limiter = HandshakeLimiter::new(8);
        let _held: Vec<_> = (0..8).map(|_| admit(&limiter, "127.0.0.1").unwrap()).collect();
        assert!(admit(&limiter, "127.0.0.1").is_none());
    }
}
