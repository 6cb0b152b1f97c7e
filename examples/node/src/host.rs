//! The host behind an address, for limits per host.

use std::net::{IpAddr, Ipv6Addr};

/// The IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one host.
pub(crate) fn host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
    }
}
