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
//! | [`chain`] | epochs without end, whose decisions become certified blocks; survives crashes | `epoch` |
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
//! ([`Step::faults`](quorate::machine::Step)); bytes that do not decode are the driver's to count. `spec/abft.md`
//! describes messages, encodings, rules and bounds for other implementations.
//!
//! # Example
//! Four members order transactions, without encryption. The driver is a queue that delivers in order.
//!
//! ```
//! use std::collections::VecDeque;
//! use std::sync::Arc;
//!
//! use quorate::committee::CommitteeId;
//! use quorate::machine::{Input, Machine, MemberIndex, Recipient, Step, Time};
//! use quorate::threshold::Tolerance;
//! use quorate_abft::epoch::{Command, Epoch, Output};
//! use quorate_abft::signatures::Ed25519List;
//! use quorate_abft::{Context, Setup};
//! use rand::SeedableRng;
//!
//! // A deployment draws keys and seeds from the system's generator.
//! let mut rng = rand::rngs::StdRng::seed_from_u64(1);
//! let tolerance = Tolerance::new(4, 1)?;
//! let (setup, secrets) = Setup::<Ed25519List>::deal(CommitteeId([7; 32]), tolerance, 1 << 16, &mut rng)?;
//! let setup = Arc::new(setup);
//! let mut members = Vec::new();
//! for (member, secrets) in (0..).zip(secrets) {
//!     let context = Context { setup: setup.clone(), secrets: Arc::new(secrets), epoch: 0 };
//!     members.push(Epoch::new(context, None, [member; 32])?);
//! }
//!
//! let mut queue = VecDeque::new();
//! let mut decided = Vec::new();
//! let mut carry_out = |from: MemberIndex, step: Step<Epoch<_>>, queue: &mut VecDeque<_>| {
//!     for sent in step.messages {
//!         let receives = |to: &MemberIndex| match sent.to {
//!             Recipient::One(one) => *to == one,
//!             Recipient::Others => *to != from,
//!         };
//!         (0..4).filter(receives).for_each(|to| queue.push_back((from, to, sent.message.clone())));
//!     }
//!     decided.extend(step.outputs);
//! };
//! for (me, member) in (0..).zip(&mut members) {
//!     let pending = vec![vec![me as u8; 3]];
//!     let step = member.handle(Time(0), Input::Command(Command::Propose { pending, batch: 4 }));
//!     carry_out(me, step, &mut queue);
//! }
//! while let Some((from, to, message)) = queue.pop_front() {
//!     let step = members[usize::from(to)].handle(Time(0), Input::Message { from, message });
//!     carry_out(to, step, &mut queue);
//! }
//!
//! assert_eq!(decided.len(), 4);
//! assert!(decided.iter().all(|output| *output == decided[0]));
//! let Output::Decided(transactions) = &decided[0] else { panic!("refused") };
//! assert_eq!(transactions.len(), 3);
//! # Ok::<(), quorate::Error>(())
//! ```

pub mod acs;
pub mod chain;
mod checks;
mod compose;
pub mod epoch;
pub mod mvba;
pub mod prbc;
mod random;
pub mod rbc;
mod setup;
pub mod signatures;
#[cfg(feature = "simulate")]
pub mod simulation;
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
        is_send::<epoch::Epoch<signatures::Presigned>>();
    }
}
