#![forbid(unsafe_code)]
//! Consistent broadcast: a sender cannot make two members believe two things. A pure state machine.
//!
//! ```text
//!   sender ──Send(sequence, message, word)──▶ all          its word: "this is my message of that number"
//!            each that hears it for the first time in that slot makes it durable, then
//!   member ──Echo(slot, digest, word)──▶ all               its word: "I have it, and vouch for no other"
//!
//!   a member that has the message and the words of a quorum on it delivers it
//! ```
//!
//! One word is enough for a member in a slot, which is a sender and a number; the sender's own word counts as its
//! echo. A quorum weighs more than two thirds, so two quorums share a member that follows the protocol, and that one
//! vouches once. So, as long as faulty members weigh less than a third:
//!
//! * **Consistency.** No two correct members deliver different messages in one slot, whatever the sender does, and
//!   whichever members crash and come back at any moment.
//! * **Integrity.** What is delivered in a correct sender's slot, it has broadcast. In a member's life a slot is
//!   delivered once; after a restart the tail is delivered again.
//! * **Validity, for the tail.** What a correct sender broadcasts is delivered by itself, and by every correct member
//!   that is connected before the sender is [`tail`](Parameters::tail) messages further. In particular: if one correct
//!   member delivers it, all do.
//!
//! It is not reliable broadcast: of a faulty sender's message it may be that some correct members deliver it and others
//! nothing. There is no order between slots.
//!
//! The primitive is the consistent tail broadcast (CTB) of Aguilera et al., *uBFT: Microsecond-Scale BFT using
//! Disaggregated Memory* (ASPLOS '23), which *DSig* (OSDI '24) measures. What differs, and why:
//!
//! | uBFT | here | because |
//! |---|---|---|
//! | 2f + 1 members, and registers in memory nodes that are trusted to do no more than crash | 3f + 1 members, nothing else | no such memory is at hand; without it, fewer members cannot do it |
//! | signatures where the path without them fails | signatures always | one path, and the one whose cost the DSig paper compares |
//! | registers hold the last t messages | each member keeps the last `tail` of each sender, durably | a member that restarts must not contradict itself |
//! | – | evidence against whoever vouches twice | signatures can be shown to others |
//!
//! # Parts
//! | module | knows |
//! |---|---|
//! | `statement` | what is signed, and what two signatures prove |
//! | `message` | what is sent and kept, as bytes |
//! | `group_parameters` | what a group agrees on besides its file |
//! | [`evidence`] | evidence as a file |
//! | [`authentication`] | words believed from the link, by Ed25519, by DSig |
//! | `window` | one sender's last slots |
//! | `deferred` | what is slow to verify and waits until nothing else does |
//! | `machine` | all of it together: [`Broadcaster`] |
//!
//! # Driving it
//! As every [`Machine`](quorate::machine::Machine): persist, then send. Besides, [`Output::Work`] is done anywhere and
//! handed in again, and [`Timer::Slow`] fires when no message waits: so that slow signatures never delay fast ones.
//!
//! Memory: what [`Parameters::memory`] says at most; 8 MB for four members with DSig and messages of 1 kB.

pub mod authentication;
mod deferred;
pub mod evidence;
mod group_parameters;
mod interface;
mod machine;
mod message;
#[cfg(feature = "simulate")]
pub mod simulation;
mod statement;
mod window;

pub use group_parameters::{AuthenticationKind, DsigSuite, GroupParameters};
pub use interface::{
    Command, Config, Delivery, Misbehaviour, Outcome, Output, Parameters, Refusal, Status, Timer, Work,
};
pub use machine::{Broadcaster, limits};
pub use message::{Limits, Message, Record, SignedMessage};
pub use statement::{Attestation, Digest, Equivocation, Slot, attestation_bytes, digest};
