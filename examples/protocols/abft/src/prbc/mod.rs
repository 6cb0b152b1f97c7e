//! Provable reliable broadcast (PRBC): reliable broadcast, and a proof of delivery that anyone verifies.
//!
//! The protocol is that of Dumbo (reference 7 of the paper, its Algorithm "PRBC"); the paper lists its signature in
//! section II.A.1.
//!
//! 1. The members run [`rbc`].
//! 2. A member that delivers signs the [statement] of committee, epoch, sender and identity, and sends its **Share**
//!    to all.
//! 3. f + 1 shares yield the [`Proof`]. One of them is from a correct member, so the totality of RBC guarantees that
//!    every correct member delivers the message that the proof names.
//!
//! Correct members sign the same statement because of the agreement of RBC. So f + 1 shares suffice
//! ([`Agreement::Agreed`](quorate::threshold::Agreement)). Shares are combined before they are verified (section
//! II.A.2); wrong ones are found when the combination fails, and their senders are named.
//!
//! Shares that arrive before the delivery are kept, one of each kind for each member. **Memory**: that of RBC, and two
//! shares of each kind for each member.

mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use quorate::Result;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;

pub use message::{Message, Proof, statement};

use crate::checks::{Check, Checks};
use crate::compose::{Never, absorb};
use crate::rbc::{self, CommitmentId, ReliableBroadcast};
use crate::setup::Context;
use crate::signatures::{Collector, ThresholdScheme};
use crate::violation::Violation;

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Broadcasts the sender's message, once.
    Broadcast(Vec<u8>),
    /// Signs again without presignatures.
    FallBack,
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<S: ThresholdScheme> {
    /// The broadcast's message, once.
    Delivered {
        /// Identity of the commitment to the message.
        id: CommitmentId,
        /// The message.
        value: Vec<u8>,
    },
    /// The proof of delivery, after [`Output::Delivered`]: once, unless it is [not wanted](ProvableBroadcast::stop_proving).
    Proved(Proof<S>),
    /// The command was refused.
    Refused(quorate::Error),
}

/// One instance of provable reliable broadcast at one member. See the [module](self).
pub struct ProvableBroadcast<S: ThresholdScheme> {
    context: Context<S>,
    checks: Checks,
    sender: MemberIndex,
    broadcast: ReliableBroadcast,
    is_proof_wanted: bool,
    state: State<S>,
}

enum State<S: ThresholdScheme> {
    /// Not delivered. The first share of each member and kind waits.
    Waiting(BTreeMap<(MemberIndex, u8), S::Share>),
    /// Delivered; shares are collected.
    Collecting { id: CommitmentId, collector: Box<Collector<S>> },
    /// The proof was returned or is not wanted. The collector is kept if further shares may show which were wrong.
    Proved { id: CommitmentId, collector: Option<Box<Collector<S>>> },
}

impl<S: ThresholdScheme> ProvableBroadcast<S> {
    /// Creates the instance of a sender's broadcast in the context's epoch.
    ///
    /// # Errors
    /// As [`ReliableBroadcast::new`].
    pub fn new(context: Context<S>, sender: MemberIndex) -> Result<Self> {
        Self::with_checks(context, sender, Checks::default())
    }

    pub(crate) fn with_checks(context: Context<S>, sender: MemberIndex, checks: Checks) -> Result<Self> {
        let config = rbc::Config {
            tolerance: context.setup.tolerance,
            coding: context.setup.coding,
            me: context.me(),
            sender,
        };
        let broadcast = ReliableBroadcast::with_checks(config, checks)?;
        let state = State::Waiting(BTreeMap::new());
        Ok(Self { context, checks, sender, broadcast, is_proof_wanted: true, state })
    }

    /// Gives up the proof, which saves its combination and verification. The member goes on to deliver and to send its shares;
    /// wrong shares of others are named only if they are in doubt already.
    pub fn stop_proving(&mut self) {
        self.is_proof_wanted = false;
        if let State::Collecting { id, .. } = &self.state {
            self.end_collecting(*id);
        }
    }

    /// Keeps the collected shares only if some of them are in doubt.
    fn end_collecting(&mut self, id: CommitmentId) {
        let state = std::mem::replace(&mut self.state, State::Proved { id, collector: None });
        if let State::Collecting { collector, .. } = state
            && collector.is_in_doubt()
        {
            self.state = State::Proved { id, collector: Some(collector) };
        }
    }

    /// Returns true if the message was delivered.
    pub fn is_delivered(&self) -> bool {
        !matches!(self.state, State::Waiting(_))
    }

    fn run_broadcast(&mut self, now: Time, input: Input<ReliableBroadcast>, step: &mut Step<Self>) {
        #[cfg(test)]
        if !self.checks.has(Check::PrbcDelivered)
            && let Input::Message { message: rbc::Message::Value(shard), .. } = &input
        {
            let id = shard.commitment().identity();
            self.sign(id, step);
        }
        for output in absorb(self.broadcast.handle(now, input), step, Message::Broadcast) {
            match output {
                rbc::Output::Delivered { id, value } => {
                    step.output(Output::Delivered { id, value });
                    if self.checks.has(Check::PrbcDelivered) {
                        self.sign(id, step);
                    }
                }
                rbc::Output::Refused(error) => step.output(Output::Refused(error)),
            }
        }
    }

    /// Signs what was delivered, and adds the shares that waited for it.
    fn sign(&mut self, id: CommitmentId, step: &mut Step<Self>) {
        let State::Waiting(waiting) = &mut self.state else { return };
        let waiting = std::mem::take(waiting);
        let setup = &self.context.setup;
        let statement = statement(&setup.committee, self.context.epoch, self.sender, &id);
        let shares = S::shares(&self.context.secrets.agreed, &statement);
        let collector = Box::new(Collector::new("proof of delivery", &setup.agreed, &statement));
        self.state = State::Collecting { id, collector };
        for share in shares {
            step.broadcast(Message::Share(share.clone()));
            self.on_share(self.context.me(), share, step);
        }
        if !self.is_proof_wanted {
            return self.end_collecting(id);
        }
        for ((from, _), share) in waiting {
            self.on_share(from, share, step);
        }
    }

    /// Signs what was signed with a presignature again, without.
    fn fall_back(&mut self, step: &mut Step<Self>) {
        let (State::Collecting { id, .. } | State::Proved { id, .. }) = &self.state else { return };
        let statement = statement(&self.context.setup.committee, self.context.epoch, self.sender, id);
        if let Some(share) = S::fallback_share(&self.context.secrets.agreed, &statement) {
            step.broadcast(Message::Share(share.clone()));
            self.on_share(self.context.me(), share, step);
        }
    }

    fn on_share(&mut self, from: MemberIndex, share: S::Share, step: &mut Step<Self>) {
        match &mut self.state {
            State::Waiting(waiting) => match waiting.entry((from, S::kind(&share))) {
                Entry::Vacant(place) => {
                    place.insert(share);
                }
                Entry::Occupied(before) if *before.get() == share => {}
                Entry::Occupied(_) => step.fault(from, Violation::Contradiction { what: "Share" }),
            },
            State::Collecting { id, collector } => {
                // Wrong shares of an agreed statement are found without openings.
                if let Some(signature) = collector.add(from, share, &mut Vec::new(), step) {
                    let id = *id;
                    let proof = Proof { sender: self.sender, id, signature };
                    self.end_collecting(id);
                    step.output(Output::Proved(proof));
                }
            }
            State::Proved { collector: Some(collector), .. } => {
                let _ = collector.add(from, share, &mut Vec::new(), step);
            }
            State::Proved { collector: None, .. } => {}
        }
    }
}

impl<S: ThresholdScheme> Machine for ProvableBroadcast<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Never;
    type Record = Never;
    type Output = Output<S>;
    type Fault = Violation;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        Message::decode(bytes, &self.context.setup.coding)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => self.run_broadcast(now, Input::Start, &mut step),
            Input::Timer(never) => match never {},
            Input::Command(Command::Broadcast(value)) => {
                let command = rbc::Command::Broadcast(value);
                self.run_broadcast(now, Input::Command(command), &mut step);
            }
            Input::Command(Command::FallBack) => self.fall_back(&mut step),
            Input::Message { from, message: Message::Broadcast(message) } => {
                self.run_broadcast(now, Input::Message { from, message }, &mut step);
            }
            Input::Message { from, message: Message::Share(share) } => self.on_share(from, share, &mut step),
        }
        step
    }
}
