//! Free TCP ports on the loopback interface.
//!
//! A port is free when it is chosen, but another process can bind it before the program that needs it does. Three
//! measures make that improbable. Ports lie in [`RANGE`], below the ports that the operating system assigns to outgoing
//! connections. They are chosen at random. On Linux, where all of 127.0.0.0/8 is loopback, each port is on a random
//! address, so that two test processes practically never choose the same one.

use std::hash::{BuildHasher, RandomState};
use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::Range;

/// Ports to choose from: above the well-known ports, below the ephemeral ports of Linux (from 32768).
pub const RANGE: Range<u16> = 10_000..30_000;

/// Attempts before a search fails.
const ATTEMPTS: usize = 1_000;

/// Binds a free port. It stays reserved until the listener is dropped.
///
/// # Errors
/// [`ErrorKind::AddrInUse`] if 1000 attempts find no free port.
pub fn reserve() -> Result<TcpListener> {
    for _ in 0..ATTEMPTS {
        let [a, b, c, ..] = random().to_le_bytes();
        let host = if cfg!(target_os = "linux") {
            Ipv4Addr::new(127, a, b, c.clamp(1, 254))
        } else {
            Ipv4Addr::LOCALHOST
        };
        if let Ok(listener) = TcpListener::bind((host, random_port(&RANGE))) {
            return Ok(listener);
        }
    }
    Err(Error::new(ErrorKind::AddrInUse, "no free port on the loopback interface"))
}

/// Returns a free address.
///
/// # Errors
/// As [`reserve`].
pub fn free_address() -> Result<SocketAddr> {
    reserve()?.local_addr()
}

/// Returns `count` distinct free addresses.
///
/// # Errors
/// As [`reserve`].
pub fn free_addresses(count: usize) -> Result<Vec<SocketAddr>> {
    // All listeners exist at the same time, so that no address is chosen twice.
    let listeners: Vec<TcpListener> = (0..count).map(|_| reserve()).collect::<Result<_>>()?;
    listeners.iter().map(TcpListener::local_addr).collect()
}

/// Returns the first of `count` consecutive free ports of 127.0.0.1 in `range`.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if `range` has fewer than `count` + 1 ports, [`ErrorKind::AddrInUse`] if 1000 attempts find
/// no free ports.
pub fn free_block(range: Range<u16>, count: u16) -> Result<u16> {
    let last = range.end.checked_sub(count).filter(|last| *last > range.start);
    let last = last.ok_or_else(|| {
        let text = format!("{count} consecutive ports do not fit into {} to {}", range.start, range.end);
        Error::new(ErrorKind::InvalidInput, text)
    })?;
    for _ in 0..ATTEMPTS {
        let first = random_port(&(range.start..last));
        let bound = (first..first + count).map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        if bound.collect::<Result<Vec<_>>>().is_ok() {
            return Ok(first);
        }
    }
    Err(Error::new(ErrorKind::AddrInUse, format!("no {count} consecutive free ports on 127.0.0.1")))
}

fn random_port(range: &Range<u16>) -> u16 {
    range.start + (random() % u64::from(range.end - range.start)) as u16
}

/// Random bits from the standard library's hasher keys: good enough to spread ports, and no dependency.
fn random() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn addresses_are_free_distinct_and_in_range() {
        let addresses = free_addresses(50).unwrap();
        assert_eq!(addresses.iter().collect::<BTreeSet<_>>().len(), 50);
        for address in addresses {
            assert!(address.ip().is_loopback() && RANGE.contains(&address.port()), "{address}");
            TcpListener::bind(address).unwrap();
        }
    }

    #[test]
    fn a_block_of_ports_is_free_and_in_range() {
        let first = free_block(RANGE, 20).unwrap();
        assert!(RANGE.contains(&first) && first + 20 <= RANGE.end);
        for (range, count) in [(10_000..10_010, 10), (10_000..10_010, 60_000), (10..10, 0)] {
            assert_eq!(free_block(range, count).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }
}
