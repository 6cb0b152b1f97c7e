use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::host::host;

/// Limits the number of unauthenticated connections. A new connection is always admitted, and takes the place of the oldest
/// one if none is free: a member authenticates itself within moments, so that only idle connections become the oldest.
///
/// One host, or one network where a host has many addresses, may hold a quarter of the places; the local host may hold all
/// of them. If all are in use, the host with the most connections loses one.
#[derive(Debug)]
pub(crate) struct HandshakeLimiter {
    held: Mutex<HeldPermits>,
    permits: usize,
}

/// By host and age: the number of a permit grows with time.
#[derive(Debug, Default)]
struct HeldPermits {
    next: u64,
    total: usize,
    by_host: HashMap<IpAddr, BTreeMap<u64, oneshot::Sender<()>>>,
}

/// Permit for one unauthenticated connection, released on drop.
#[derive(Debug)]
pub(crate) struct HandshakePermit {
    limiter: Arc<HandshakeLimiter>,
    host: IpAddr,
    number: u64,
    withdrawn: oneshot::Receiver<()>,
}

impl HandshakeLimiter {
    pub(crate) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), permits })
    }

    /// Returns a permit for a connection from `address`, and withdraws an older one if that is needed.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> HandshakePermit {
        let host = host(address);
        let share =
            if address.to_canonical().is_loopback() { self.permits } else { self.permits.div_ceil(4) };
        let mut held = self.lock();
        if held.by_host.get(&host).is_some_and(|permits| permits.len() >= share) {
            held.withdraw(host);
        } else if held.total >= self.permits {
            let most = held.by_host.iter().max_by_key(|(_, permits)| permits.len()).map(|(host, _)| *host);
            most.into_iter().for_each(|most| held.withdraw(most));
        }
        let (withdraw, withdrawn) = oneshot::channel();
        let number = held.next;
        held.next += 1;
        held.total += 1;
        held.by_host.entry(host).or_default().insert(number, withdraw);
        HandshakePermit { limiter: self.clone(), host, number, withdrawn }
    }

    fn lock(&self) -> MutexGuard<'_, HeldPermits> {
        // No code panics while it holds the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldPermits {
    /// Withdraws the oldest permit of a host.
    fn withdraw(&mut self, host: IpAddr) {
        let oldest = self.by_host.get(&host).and_then(|permits| permits.keys().next().copied());
        if let Some(withdraw) = oldest.and_then(|number| self.remove(host, number)) {
            // The connection may have ended meanwhile.
            let _ = withdraw.send(());
        }
    }

    fn remove(&mut self, host: IpAddr, number: u64) -> Option<oneshot::Sender<()>> {
        let permits = self.by_host.get_mut(&host)?;
        let removed = permits.remove(&number)?;
        if permits.is_empty() {
            self.by_host.remove(&host);
        }
        self.total -= 1;
        Some(removed)
    }
}

impl HandshakePermit {
    /// Completes when a newer connection takes the place.
    pub(crate) async fn withdrawn(&mut self) {
        // The sender is dropped only with the permit.
        let _ = (&mut self.withdrawn).await;
    }
}

impl Drop for HandshakePermit {
    fn drop(&mut self) {
        self.limiter.lock().remove(self.host, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(limiter: &Arc<HandshakeLimiter>, address: &str) -> HandshakePermit {
        limiter.admit(address.parse().unwrap())
    }

    fn is_withdrawn(permit: &mut HandshakePermit) -> bool {
        permit.withdrawn.try_recv().is_ok()
    }

    #[test]
    fn one_host_holds_at_most_a_quarter() {
        let limiter = HandshakeLimiter::new(8);
        let (mut first, mut second) = (admit(&limiter, "10.0.0.1"), admit(&limiter, "10.0.0.1"));
        let mut third = admit(&limiter, "::ffff:10.0.0.1");
        assert!(is_withdrawn(&mut first) && !is_withdrawn(&mut second));
        let others: Vec<_> = (2..8).map(|i| admit(&limiter, &format!("10.0.0.{i}"))).collect();
        // All places are in use: the host that holds two loses one.
        let _more = admit(&limiter, "10.0.0.9");
        assert!(is_withdrawn(&mut second) && !is_withdrawn(&mut third));
        assert_eq!(limiter.lock().total, 8);
        drop((first, second, third, others));
        let held = limiter.lock();
        assert_eq!((held.total, held.by_host.len()), (1, 1));
    }

    #[test]
    fn many_addresses_of_one_network_are_one_host() {
        let limiter = HandshakeLimiter::new(8);
        let (mut first, mut second) = (admit(&limiter, "2001:db8::1"), admit(&limiter, "2001:db8::2"));
        let _third = admit(&limiter, "2001:db8::ffff:1");
        assert!(is_withdrawn(&mut first));
        let _other = admit(&limiter, "2001:db8:0:1::1");
        assert!(!is_withdrawn(&mut second));
    }

    #[test]
    fn the_local_host_may_hold_all_permits() {
        let limiter = HandshakeLimiter::new(8);
        let mut held: Vec<_> = (0..8).map(|_| admit(&limiter, "127.0.0.1")).collect();
        assert!(!held.iter_mut().any(is_withdrawn));
        let _more = admit(&limiter, "127.0.0.1");
        assert_eq!(held.iter_mut().map(is_withdrawn).filter(|is| *is).count(), 1);
    }
}
