use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Places for connections that have not proved who they are. One host, or one network where a host has many
/// addresses, may hold a quarter of them: so nobody keeps members out by holding all places from one spot. This
/// machine itself may hold all of them.
#[derive(Debug)]
pub(super) struct HandshakeLimiter {
    held: Mutex<Held>,
    places: usize,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_host: HashMap<IpAddr, usize>,
}

/// A place that is held until this is dropped.
#[derive(Debug)]
pub(super) struct HandshakePermit {
    handshake_limiter: Arc<HandshakeLimiter>,
    host: IpAddr,
}

impl HandshakeLimiter {
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), places })
    }

    /// A place for a connection from `address`, if there is one for it.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<HandshakePermit> {
        let host = host(address);
        let share = if address.to_canonical().is_loopback() { self.places } else { self.places.div_ceil(4) };
        let mut held = self.lock();
        if held.total >= self.places || held.by_host.get(&host).is_some_and(|n| *n >= share) {
            return None;
        }
        held.total += 1;
        *held.by_host.entry(host).or_default() += 1;
        Some(HandshakePermit { handshake_limiter: self.clone(), host })
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // No code panics while it holds the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HandshakePermit {
    fn drop(&mut self) {
        let mut held = self.handshake_limiter.lock();
        held.total -= 1;
        if let Some(n) = held.by_host.get_mut(&self.host) {
            *n -= 1;
            if *n == 0 {
                held.by_host.remove(&self.host);
            }
        }
    }
}

/// An IPv4 address, or the /64 network of an IPv6 address, which is what one host usually has.
fn host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(handshake_limiter: &Arc<HandshakeLimiter>, address: &str) -> Option<HandshakePermit> {
        handshake_limiter.admit(address.parse().unwrap())
    }

    #[test]
    fn one_host_holds_a_quarter_and_all_hosts_together_no_more_than_there_are() {
        let handshake_limiter = HandshakeLimiter::new(8);
        let held: Vec<_> = (0..2).map(|_| admit(&handshake_limiter, "10.0.0.1").unwrap()).collect();
        assert!(admit(&handshake_limiter, "10.0.0.1").is_none());
        assert!(admit(&handshake_limiter, "::ffff:10.0.0.1").is_none());
        let others: Vec<_> =
            (2..8).map(|i| admit(&handshake_limiter, &format!("10.0.0.{i}")).unwrap()).collect();
        assert!(admit(&handshake_limiter, "10.0.0.9").is_none());
        drop(held);
        assert!(admit(&handshake_limiter, "10.0.0.1").is_some());
        drop(others);
        assert!(handshake_limiter.lock().by_host.is_empty());
    }

    #[test]
    fn many_addresses_of_one_network_are_one_host() {
        let handshake_limiter = HandshakeLimiter::new(8);
        let _held = (
            admit(&handshake_limiter, "2001:db8::1").unwrap(),
            admit(&handshake_limiter, "2001:db8::2").unwrap(),
        );
        assert!(admit(&handshake_limiter, "2001:db8::ffff:1").is_none());
        assert!(admit(&handshake_limiter, "2001:db8:0:1::1").is_some());
    }

    #[test]
    fn this_machine_may_hold_all() {
        let handshake_limiter = HandshakeLimiter::new(8);
        let _held: Vec<_> = (0..8).map(|_| admit(&handshake_limiter, "127.0.0.1").unwrap()).collect();
        assert!(admit(&handshake_limiter, "127.0.0.1").is_none());
    }
}
