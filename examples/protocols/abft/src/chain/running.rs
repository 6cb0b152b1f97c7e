use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time};
use quorate::merkle::Hash;
use quorate::wire::domain;
use quorate::{Error, Result};

use super::pending::Entry;
use crate::epoch::{self, Batch, Encryption, Epoch, Ordered};
use crate::setup::Context;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Number of views of an agreement for which messages are accepted. One more is needed with a probability of 1/3 at most.
const MAX_VIEWS: usize = 64;
/// Number of messages that a correct member sends to another one in a view: 12, five of them again without presignatures, and a
/// doubt and an opening for each stage.
const MESSAGES_PER_VIEW: usize = 25;

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
    members: usize,
    sent: Vec<Outgoing<epoch::Message<S>>>,
    received: BTreeMap<MemberIndex, Received>,
    /// The other members that proposed, as far as this one knows.
    proposers: BTreeSet<MemberIndex>,
    /// Whether this member has proposed.
    pub(super) has_proposed: bool,
    /// True if the epoch is signed with presignatures and has not fallen back.
    pub(super) may_fall_back: bool,
    /// The transactions that this member proposed, to be proposed again if the epoch does not decide them.
    pub(super) proposed: Vec<Entry>,
    /// The decided transactions.
    pub(super) decided: Option<Vec<Ordered>>,
}

impl<S: ThresholdScheme> Running<S> {
    pub(super) fn new(context: Context<S>, encryption: Option<Encryption>, seed: &[u8; 32]) -> Result<Self> {
        let members = usize::from(context.setup.members());
        let epoch = Epoch::new(context, encryption, *seed)?;
        let (sent, received, proposers) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let (has_proposed, may_fall_back) = (false, false);
        let proposed = Vec::new();
        let decided = None;
        Ok(Self { epoch, members, sent, received, proposers, has_proposed, may_fall_back, proposed, decided })
    }

    pub(super) fn epoch(&self) -> &Epoch<S> {
        &self.epoch
    }

    /// Proposes all transactions of a batch.
    pub(super) fn propose(&mut self, now: Time, batch: Batch) -> Results<S> {
        self.has_proposed = true;
        let pending = batch.into_transactions();
        // Each member proposes its part of what all members propose together.
        let batch = pending.len() * self.members;
        self.run(now, Input::Command(epoch::Command::Propose { pending, batch }))
    }

    /// Whether the epoch handles a message: not one that it has handled, and no more than a correct member sends. Without
    /// that bound a member could fill the disk with records.
    pub(super) fn admit(&mut self, from: MemberIndex, encoded: &[u8], has_shard: bool) -> Admission {
        let received = self.received.entry(from).or_default();
        let digest = domain::hash(domain::ABFT_RECEIVED, encoded);
        if received.digests.contains(&digest) {
            return Admission::Known;
        }
        // Five for each broadcast, one for each decryption, and those of the views. A shard for each broadcast, and one more of
        // its own.
        let is_full = received.digests.len() >= 6 * self.members + MAX_VIEWS * MESSAGES_PER_VIEW;
        if is_full || (has_shard && received.shards > self.members) {
            return Admission::TooMany;
        }
        received.digests.insert(digest);
        received.shards += usize::from(has_shard);
        Admission::New
    }

    /// Returns the number of other members that proposed.
    pub(super) fn proposers(&self) -> usize {
        self.proposers.len()
    }

    pub(super) fn message(&mut self, now: Time, from: MemberIndex, message: epoch::Message<S>) -> Results<S> {
        if message.is_proposal_of(from) {
            self.proposers.insert(from);
        }
        self.run(now, Input::Message { from, message })
    }

    /// Signs again without presignatures.
    pub(super) fn fall_back(&mut self, now: Time) -> Results<S> {
        self.may_fall_back = false;
        self.run(now, Input::Command(epoch::Command::FallBack))
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
                epoch::Output::Decided(transactions) => self.decided = Some(transactions),
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

/// The messages of a member.
#[derive(Default)]
struct Received {
    digests: BTreeSet<Hash>,
    /// Number of those with a shard, which are large.
    shards: usize,
}

/// Results of an input to an epoch.
pub(super) struct Results<S: ThresholdScheme> {
    pub(super) messages: Vec<Outgoing<epoch::Message<S>>>,
    pub(super) faults: Vec<(MemberIndex, Violation)>,
    pub(super) error: Option<Error>,
}
