//! Asynchronous common subset (ACS): every member proposes a value, and all correct members output the same N − f of
//! them.
//!
//! The protocol is Dumbo2 (reference 7 of the paper, its section 5), which the paper adopts in section II. N is the
//! number of members and f < N/3 the number of faulty ones.
//!
//! 1. Each member broadcasts its value with [`prbc`].
//! 2. A member with the proofs of delivery of N − f broadcasts proposes this [`ProofSet`] to one instance of
//!    [`mvba`], and collects no further proofs. A set is valid if it has exactly N − f proofs of different senders and all
//!    verify.
//! 3. When the agreement decides a set, a member waits until it has delivered all broadcasts in it, and outputs their
//!    values, ascending by sender.
//!
//! * **Agreement**: MVBA decides one set, and each proof names the one message that its broadcast delivers.
//! * **Termination**: at least N − f broadcasts have correct senders, so every correct member proposes. A proof means
//!   that a correct member delivered, so every correct member delivers.
//! * **Validity**: at least N − 2f of the values are those of correct members.
//!
//! A member goes on with the broadcasts after its output, because others may need its Echoes and Readies. The driver
//! drops the machine when the epoch is over.
//!
//! The values are output with the set of proofs, from which any holder of the public keys can verify which values
//! exist; that the set was decided is proven by the Decide of MVBA.
//!
//! **Memory**: that of N broadcasts and one agreement, the N values, and the N² signatures of proofs that were verified: each
//! member's set repeats most of them, and none is verified twice.

mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

pub use message::{Limits, Message, ProofSet};

use message::KnownProofs;

use crate::checks::{Check, Checks};
use crate::compose::{Never, absorb};
use crate::mvba::{self, Agreement, Validity};
use crate::prbc::{self, Proof, ProvableBroadcast};
use crate::rbc::CommitmentId;
use crate::setup::{Context, Setup};
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Proposes this member's value, once.
    Propose(Vec<u8>),
    /// Signs again without presignatures.
    FallBack,
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The broadcast of a member was delivered. It need not become part of the subset.
    Delivered {
        /// The member.
        sender: MemberIndex,
    },
    /// The common subset, once: N − f values, ascending by sender.
    Decided(Vec<(MemberIndex, Vec<u8>)>),
    /// The command was refused.
    Refused(Error),
    /// An internal operation failed; the machine cannot go on.
    Broken(Error),
}

/// One instance of common subset at one member. See the [module](self).
pub struct CommonSubset<S: ThresholdScheme> {
    context: Context<S>,
    checks: Checks,
    limits: Limits,
    /// The broadcast of each member.
    broadcasts: Vec<ProvableBroadcast<S>>,
    agreement: Agreement<S>,
    values: BTreeMap<MemberIndex, (CommitmentId, Vec<u8>)>,
    /// Shared with the validity of the agreement.
    known: Arc<Mutex<KnownProofs<S>>>,
    state: State<S>,
}

enum State<S: ThresholdScheme> {
    /// Proofs are collected.
    Collecting(BTreeMap<MemberIndex, Proof<S>>),
    /// A set was proposed.
    Proposed,
    /// The set is decided, and some of its values are not delivered.
    Decided(ProofSet<S>),
    /// The values were output.
    Done,
}

impl<S: ThresholdScheme> CommonSubset<S> {
    /// Creates the instance of the context's epoch. `seed` is secret and used for this instance only.
    ///
    /// # Errors
    /// Those of [`ProvableBroadcast::new`] and [`Agreement::new`].
    pub fn new(context: Context<S>, seed: [u8; 32]) -> Result<Self> {
        Self::with_checks(context, seed, Checks::default())
    }

    pub(crate) fn with_checks(context: Context<S>, seed: [u8; 32], checks: Checks) -> Result<Self> {
        let setup = &context.setup;
        let broadcast = |sender| ProvableBroadcast::with_checks(context.clone(), sender, checks);
        let broadcasts = (0..setup.members()).map(broadcast).collect::<Result<_>>()?;
        let max_value = ProofSet::encoded_len(setup);
        let known = Arc::new(Mutex::new(KnownProofs::new()));
        let validity = validity(setup.clone(), context.epoch, checks, known.clone());
        let agreement = Agreement::with_checks(context.clone(), max_value, validity, seed, checks)?;
        let limits = Limits { members: setup.members(), coding: setup.coding, agreement: agreement.limits() };
        Ok(Self {
            context,
            checks,
            limits,
            broadcasts,
            agreement,
            values: BTreeMap::new(),
            known,
            state: State::Collecting(BTreeMap::new()),
        })
    }

    /// Returns the bounds for decoders.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the number of broadcasts that this member has delivered.
    pub fn delivered(&self) -> usize {
        self.broadcasts.iter().filter(|broadcast| broadcast.is_delivered()).count()
    }

    /// Returns a delivered value.
    pub fn value(&self, sender: MemberIndex) -> Option<&[u8]> {
        self.values.get(&sender).map(|(_, value)| value.as_slice())
    }

    fn run_broadcast(
        &mut self,
        now: Time,
        sender: MemberIndex,
        input: Input<ProvableBroadcast<S>>,
        step: &mut Step<Self>,
    ) {
        let Some(broadcast) = self.broadcasts.get_mut(usize::from(sender)) else { return };
        let inner = broadcast.handle(now, input);
        for output in absorb(inner, step, |message| Message::Broadcast { sender, message }) {
            match output {
                prbc::Output::Delivered { id, value } => {
                    self.values.insert(sender, (id, value));
                    step.output(Output::Delivered { sender });
                    self.finish(step);
                }
                prbc::Output::Proved(proof) => self.on_proof(now, proof, step),
                prbc::Output::Refused(error) => step.output(Output::Refused(error)),
            }
        }
    }

    /// Collects the proofs of N − f broadcasts, and proposes them.
    fn on_proof(&mut self, now: Time, proof: Proof<S>, step: &mut Step<Self>) {
        let State::Collecting(proofs) = &mut self.state else { return };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remember(&proof);
        proofs.insert(proof.sender, proof);
        let needed = if self.checks.has(Check::AcsCount) { self.context.setup.available() } else { 1 };
        if proofs.len() < needed {
            return;
        }
        let set = ProofSet::new(std::mem::take(proofs).into_values().collect());
        self.state = State::Proposed;
        self.broadcasts.iter_mut().for_each(ProvableBroadcast::stop_proving);
        let propose = mvba::Command::Propose(set.encode());
        self.run_agreement(now, Input::Command(propose), step);
    }

    fn run_agreement(&mut self, now: Time, input: Input<Agreement<S>>, step: &mut Step<Self>) {
        for output in absorb(self.agreement.handle(now, input), step, Message::Agree) {
            match output {
                mvba::Output::Decided { value, .. } => self.on_decision(&value, step),
                mvba::Output::Refused(error) | mvba::Output::Broken(error) => {
                    step.output(Output::Broken(error));
                }
            }
        }
    }

    fn on_decision(&mut self, value: &[u8], step: &mut Step<Self>) {
        match ProofSet::decode(value, &self.context.setup.available()) {
            Ok(set) => {
                self.state = State::Decided(set);
                self.broadcasts.iter_mut().for_each(ProvableBroadcast::stop_proving);
                self.finish(step);
            }
            // Not possible: the agreement decides valid values.
            Err(error) => step.output(Output::Broken(error)),
        }
    }

    /// Outputs the values of the decided set, once all are delivered.
    fn finish(&mut self, step: &mut Step<Self>) {
        let State::Decided(set) = &self.state else { return };
        let is_delivered =
            |proof: &Proof<S>| self.values.get(&proof.sender).is_some_and(|(id, _)| *id == proof.id);
        if !set.proofs().iter().all(is_delivered) {
            return;
        }
        let senders: Vec<MemberIndex> = set.proofs().iter().map(|proof| proof.sender).collect();
        let mut delivered = std::mem::take(&mut self.values);
        let value = |sender| delivered.remove(&sender).map(|(_, value)| (sender, value));
        let values = senders.into_iter().filter_map(value).collect();
        self.state = State::Done;
        step.output(Output::Decided(values));
    }
}

/// Returns the external validity of sets of proofs.
fn validity<S: ThresholdScheme>(
    setup: Arc<Setup<S>>,
    epoch: u64,
    checks: Checks,
    known: Arc<Mutex<KnownProofs<S>>>,
) -> Validity {
    Arc::new(move |value| {
        let needed = setup.available();
        let Ok(set) = ProofSet::decode(value, &needed) else { return false };
        let is_complete = set.proofs().len() == needed || !checks.has(Check::AcsCount);
        let verify = || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            set.verify_unknown(&setup, epoch, &mut known).is_ok()
        };
        is_complete && (!checks.has(Check::AcsProof) || verify())
    })
}

impl<S: ThresholdScheme> Machine for CommonSubset<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Never;
    type Record = Never;
    type Output = Output;
    type Fault = Violation;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        Message::decode(bytes, &self.limits)
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => {
                for sender in 0..self.context.setup.members() {
                    self.run_broadcast(now, sender, Input::Start, &mut step);
                }
                self.run_agreement(now, Input::Start, &mut step);
            }
            Input::Timer(never) => match never {},
            Input::Command(Command::Propose(value)) => {
                let input = Input::Command(prbc::Command::Broadcast(value));
                self.run_broadcast(now, self.context.me(), input, &mut step);
            }
            Input::Command(Command::FallBack) => {
                for sender in 0..self.context.setup.members() {
                    self.run_broadcast(now, sender, Input::Command(prbc::Command::FallBack), &mut step);
                }
                self.run_agreement(now, Input::Command(mvba::Command::FallBack), &mut step);
            }
            Input::Message { from, message: Message::Broadcast { sender, message } } => {
                self.run_broadcast(now, sender, Input::Message { from, message }, &mut step);
            }
            Input::Message { from, message: Message::Agree(message) } => {
                self.run_agreement(now, Input::Message { from, message }, &mut step);
            }
        }
        step
    }
}

impl<S: ThresholdScheme> fmt::Debug for CommonSubset<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommonSubset({:?}, {:?})", self.context, self.agreement)
    }
}
