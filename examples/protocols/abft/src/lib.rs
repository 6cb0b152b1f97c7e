#![forbid(unsafe_code)]
//! ABFT: agreement in an asynchronous network, without timeouts, as pure state machines.
//!
//! | module | protocol | built on |
//! |---|---|---|
//! | [`rbc`] | reliable broadcast of a large message by erasure-coded shards | – |
//! | [`prbc`] | reliable broadcast with a proof of delivery | `rbc` |
//! | [`mvba`] | agreement on one valid value | – |
//! | [`acs`] | agreement on N − f of the members' values | `prbc`, `mvba` |
//! | [`epoch`] | agreement on the order of encrypted transactions | `acs` |
//!
//! The source is Knudsen et al., *High-Performance Asynchronous Byzantine Fault Tolerance Consensus Protocol*
//! ("the paper"); each module names the section and the protocol's own paper. Every machine has the shape of
//! [`quorate::machine`], is usable alone, and contains the machines that it builds on.
//!
//! # Assumptions
//! N members, of which f < N/3 may be Byzantine. Links authenticate the sender and deliver every message between
//! correct members eventually, in any order and possibly more than once. There is no clock.
//!
//! # Bad input
//! A machine drops a message that no correct member sends and reports a [`Violation`] of its sender
//! ([`Step::faults`](quorate::machine::Step)); bytes that do not decode are the driver's to count.

pub mod acs;
mod checks;
mod compose;
pub mod epoch;
pub mod mvba;
pub mod prbc;
mod random;
pub mod rbc;
mod setup;
pub mod signatures;
#[cfg(test)]
mod testing;
mod violation;

pub use compose::Never;
pub use setup::{Context, Secrets, Setup};
pub use violation::Violation;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_can_move_between_threads() {
        fn is_send<T: Send>() {}
        is_send::<rbc::ReliableBroadcast>();
        is_send::<epoch::Epoch<signatures::Bls>>();
        is_send::<epoch::Epoch<signatures::Ed25519List>>();
    }
}
