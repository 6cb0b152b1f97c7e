#![forbid(unsafe_code)]
//! Consistent broadcast as a pure state machine: no sender can make two members deliver different messages.
//!
//! ```text
//!   sender ──Send(sequence, message, signature)──▶ all     attests: "this is my message with this number"
//!            each member persists the first message it receives in a slot, then
//!   member ──Echo(slot, digest, signature)──▶ all          attests: "I have it, and attest no other"
//!
//!   a member that has the message and the attestations of a quorum delivers it
//! ```
//!
//! A slot is a sender and a sequence number. Each member attests at most one message per slot; the sender's own
//! signature counts as its echo. A quorum weighs more than two thirds, so any two quorums share a correct member,
//! which attests once. As long as faulty members weigh less than a third, the following holds:
//!
//! * **Consistency.** No two correct members deliver different messages in one slot, for any behaviour of the sender
//!   and any crashes and restarts of members.
//! * **Integrity.** A message delivered in a correct sender's slot was broadcast by that sender. A member delivers a
//!   slot once; after a restart it delivers the tail again.
//! * **Validity, for the tail.** A message that a correct sender broadcasts is delivered by the sender, and by every
//!   correct member that is connected before the sender is [`tail`](Parameters::tail) messages further. In
//!   particular, if one correct member delivers it, all do.
//!
//! This is not reliable broadcast: correct members may disagree on whether a faulty sender's message is delivered.
//! There is no order between slots.
//!
//! The primitive is the consistent tail broadcast (CTB) of Aguilera et al., *uBFT: Microsecond-Scale BFT using
//! Disaggregated Memory* (ASPLOS '23), which *DSig* (OSDI '24) measures. Differences:
//!
//! | uBFT | this crate | reason |
//! |---|---|---|
//! | 2f + 1 members, and registers in memory nodes trusted to fail only by crashing | 3f + 1 members, nothing else | such memory is rarely available; without it, fewer members do not suffice |
//! | signatures only where the path without them fails | signatures always | a single path, whose cost is the one that the DSig paper compares |
//! | registers hold the last t messages | each member durably keeps the last `tail` messages of each sender | a restarted member must not contradict itself |
//! | – | evidence against members that attest twice | signatures are transferable |
//!
//! # Modules
//! | module | responsibility |
//! |---|---|
//! | `statement` | signed statements, and the evidence that two of them form |
//! | `message` | encoding of messages and records |
//! | `group_parameters` | parameters that a group agrees on in addition to its file |
//! | [`evidence`] | file format of evidence |
//! | [`authentication`] | attestations by authenticated links, Ed25519 or DSig |
//! | `window` | the last slots of one sender |
//! | [`deferred`] | queue of messages that are slow to verify |
//! | `machine` | the complete state machine: [`Broadcaster`] |
//!
//! # Driving the machine
//! As for every [`Machine`](quorate::machine::Machine): persist, then send. In addition, run [`Output::Work`] on any
//! thread and return its result, and fire [`Timer::Slow`] when no message waits, so that slow signatures never delay
//! fast ones.
//!
//! Memory is bounded by [`Parameters::memory`]: 8 MB for four members with DSig and messages of 1 kB.

pub mod authentication;
pub mod deferred;
pub mod evidence;
mod group_parameters;
mod interface;
mod machine;
mod message;
#[cfg(feature = "simulate")]
pub mod simulation;
mod statement;
mod window;

pub use group_parameters::{AuthenticationKind, DsigVariant, GroupParameters};
pub use interface::{
    Command, Config, Delivery, Misbehaviour, Outcome, Output, Parameters, Refusal, Status, Timer, Work,
};
pub use machine::{Broadcaster, limits};
pub use message::{Limits, Message, Record, SignedMessage};
pub use statement::{Attestation, Digest, Equivocation, Slot, attestation_bytes, digest};
