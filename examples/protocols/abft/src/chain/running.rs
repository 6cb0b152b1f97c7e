use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::{Encode, domain};
use quorate::{Error, Result};

use super::interface::Config;
use crate::epoch::{self, Batch, Epoch, Transaction};
use crate::setup::Context;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Domain of the digests of received messages.
const RECEIVED: &str = "quorate-v1-abft-received";
/// Number of views of an agreement for which messages are accepted. One more is needed with a probability of 1/3 at most.
const MAX_VIEWS: usize = 64;
/// Number of messages that a correct member sends to another one in a view.
const MESSAGES_PER_VIEW: usize = 12;

/// What happens with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is handled.
    New,
    /// It was handled before.
    Known,
    /// No correct member sends as many.
    TooMany,
}

/// An epoch whose block is not certified, with what this member sent in it.
pub(super) struct Running<S: ThresholdScheme> {
    epoch: Epoch<S>,
    sent: Vec<Outgoing<epoch::Message<S>>>,
    /// Digests of the messages of each member.
    received: BTreeMap<MemberIndex, BTreeSet<Hash>>,
    /// The transactions that this member proposed; `None` before the proposal.
    pub(super) proposed: Option<Vec<Transaction>>,
    /// The decided transactions.
    pub(super) decided: Option<Vec<Transaction>>,
}

impl<S: ThresholdScheme> Running<S> {
    pub(super) fn new<V: Scheme>(config: &Config<S, V>, height: u64) -> Result<Self> {
        let (setup, secrets) = (config.setup.clone(), config.secrets.clone());
        let context = Context { setup, secrets, epoch: height };
        let epoch = Epoch::new(context, config.encryption.clone(), *config.seed)?;
        Ok(Self { epoch, sent: Vec::new(), received: BTreeMap::new(), proposed: None, decided: None })
    }

    pub(super) fn epoch(&self) -> &Epoch<S> {
        &self.epoch
    }

    /// Proposes all transactions of a batch.
    pub(super) fn propose(&mut self, now: Time, batch: &Batch, members: u16) -> Results<S> {
        let pending = batch.transactions().to_vec();
        self.proposed = Some(pending.clone());
        // Each member proposes its part of what all members propose together.
        let batch = pending.len() * usize::from(members);
        self.run(now, Input::Command(epoch::Command::Propose { pending, batch }))
    }

    /// Whether the epoch handles a message: not one that it has handled, and no more than a correct member sends. Without
    /// that bound a member could fill the disk with records.
    pub(super) fn admit(
        &mut self,
        from: MemberIndex,
        message: &epoch::Message<S>,
        members: u16,
    ) -> Admission {
        let received = self.received.entry(from).or_default();
        let digest = domain::hash(RECEIVED, &message.encode());
        if received.contains(&digest) {
            return Admission::Known;
        }
        // Four for each broadcast, one for each decryption, and those of the views.
        if received.len() >= 5 * usize::from(members) + MAX_VIEWS * MESSAGES_PER_VIEW {
            return Admission::TooMany;
        }
        received.insert(digest);
        Admission::New
    }

    pub(super) fn message(&mut self, now: Time, from: MemberIndex, message: epoch::Message<S>) -> Results<S> {
        self.run(now, Input::Message { from, message })
    }

    /// Handles the first input of the epoch.
    pub(super) fn start(&mut self, now: Time) -> Results<S> {
        self.run(now, Input::Start)
    }

    fn run(&mut self, now: Time, input: Input<Epoch<S>>) -> Results<S> {
        let Step { messages, outputs, faults, .. } = self.epoch.handle(now, input);
        self.sent.extend(messages.iter().cloned());
        let mut error = None;
        for output in outputs {
            match output {
                epoch::Output::Decided(transactions) => {
                    self.decided =
                        Some(transactions.into_iter().map(|(_, transaction)| transaction).collect());
                }
                epoch::Output::Refused(problem) | epoch::Output::Broken(problem) => error = Some(problem),
            }
        }
        let faults = faults.into_iter().map(|fault| (fault.culprit, fault.evidence)).collect();
        Results { messages, faults, error }
    }

    /// The messages that a member was sent, or should have been.
    pub(super) fn sent_to(&self, member: MemberIndex) -> impl Iterator<Item = &epoch::Message<S>> {
        let sent = self.sent.iter().filter(move |outgoing| match outgoing.to {
            Recipient::One(to) => to == member,
            Recipient::Others => true,
        });
        sent.map(|outgoing| &outgoing.message)
    }
}

/// Results of an input to an epoch.
pub(super) struct Results<S: ThresholdScheme> {
    pub(super) messages: Vec<Outgoing<epoch::Message<S>>>,
    pub(super) faults: Vec<(MemberIndex, Violation)>,
    pub(super) error: Option<Error>,
}
