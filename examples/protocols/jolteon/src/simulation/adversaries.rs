//! Byzantine members with knowledge of the protocol. Each holds its own keys; forgers hold each other's keys, too.

use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::{Certificate, TimeoutVote, Vote};
use quorate::committee::SignerSet;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, MemberIndex, Outgoing, Recipient};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Writer};
use quorate_simulator::{Adversary, Control};

use super::keys::SimulationKeys;
use crate::{Advance, Batch, BatchRef, Block, BlockContent, BlockDigest, Message, Replica, TIMEOUT, Timeout};

/// Length of an acknowledgement's signature in bytes.
const SIGNATURE: usize = 64;

/// Names of the protocol's adversaries.
pub const ADVERSARIES: &[&str] = &[
    "equivocator",
    "double-voter",
    "forger",
    "non-proposer",
    "false-state",
    "batch-withholder",
    "double-batcher",
    "false-leader",
    "outdated",
    "request-flooder",
    "certificate-forger",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Proposes two blocks in one view, one to each half of the members.
    Equivocator,
    /// Votes for every block it sees, and sends the votes to all members.
    DoubleVoter,
    /// Adds a value to its signatures that another forger subtracts.
    Forger,
    /// Votes, but never proposes.
    NonProposer,
    /// Names wrong states.
    FalseState,
    /// Withholds the certificates of its batches, and its batches from some members.
    BatchWithholder,
    /// Puts two batches into one slot, one for each half of the members.
    DoubleBatcher,
    /// Proposes in views that it does not lead.
    FalseLeader,
    /// Sends outdated certificates and denies newer ones.
    Outdated,
    /// Sends requests continuously.
    RequestFlooder,
    /// Forges an acknowledgement in the certificates of batches: of others as soon as it sees them, and in its proposals.
    CertificateForger,
}

/// The adversary of one of the [`ADVERSARIES`].
pub struct JolteonAdversary<S: Scheme> {
    kind: Kind,
    me: MemberIndex,
    keys: Arc<SimulationKeys<S>>,
    oldest: Option<Certificate<S>>,
    seen: Vec<(u64, BlockDigest)>,
}

impl<S: Scheme> JolteonAdversary<S> {
    /// Creates the adversary of this name; `None` if the name is unknown.
    pub fn new(name: &str, me: MemberIndex, keys: Arc<SimulationKeys<S>>) -> Option<Self> {
        let kind = match name {
            "equivocator" => Kind::Equivocator,
            "double-voter" => Kind::DoubleVoter,
            "forger" => Kind::Forger,
            "non-proposer" => Kind::NonProposer,
            "false-state" => Kind::FalseState,
            "batch-withholder" => Kind::BatchWithholder,
            "double-batcher" => Kind::DoubleBatcher,
            "false-leader" => Kind::FalseLeader,
            "outdated" => Kind::Outdated,
            "request-flooder" => Kind::RequestFlooder,
            "certificate-forger" => Kind::CertificateForger,
            _ => return None,
        };
        Some(Self { kind, me, keys, oldest: None, seen: Vec::new() })
    }

    /// Signs a block with other content as this member.
    fn sign_block(&self, mut content: BlockContent<S>) -> Arc<Block<S>> {
        content.author = self.me;
        let committees = &self.keys.committees;
        let statement = committees.proposal(content.view, content.digest());
        let bytes = statement.signed_bytes(&committees.identities.id());
        Arc::new(Block::new(content, Ed25519::sign(&self.keys.identity_key(self.me), &bytes)))
    }

    fn ballot(&self, view: u64, digest: BlockDigest) -> Vote<S> {
        let committees = &self.keys.committees;
        let statement = committees.ballot(view, digest);
        Vote::sign_unguarded(&self.keys.voting_key(self.me), &committees.voters, statement).expect("a member")
    }

    /// Returns σ ± X: members with even index add, the others subtract, and X is the same for all forgers of a view.
    /// For a scheme without aggregation the result is a signature of another message.
    fn forge(&self, vote: &Vote<S>) -> Vote<S> {
        let key = self.keys.voting_key(0);
        let mut note = vote.statement().encode();
        note.push(0xff);
        let x = S::sign(&key, &note);
        let mut bytes = x.encode();
        if self.me % 2 == 1
            && let Some(first) = bytes.first_mut()
        {
            *first ^= 0x20;
        }
        let x = S::Signature::decode(&bytes, &()).unwrap_or(x);
        let mut w = Writer::new();
        let mut signers = SignerSet::new(2);
        signers.insert(0);
        signers.insert(1);
        S::encode_proof(&S::combine(&[(0, vote.signature()), (1, &x)]), &signers, &mut w);
        let forged = S::Signature::decode(&w.into_bytes(), &()).unwrap_or(x);
        Vote::new(*vote.statement(), self.me, forged)
    }

    /// Returns the batch with a certificate whose last signature is that of another member.
    fn forge_certificate(&self, batch: &BatchRef) -> BatchRef {
        let mut bytes = batch.encode();
        if let Some(from) = bytes.len().checked_sub(2 * SIGNATURE) {
            bytes.copy_within(from..from + SIGNATURE, from + SIGNATURE);
        }
        BatchRef::decode(&bytes, &*self.keys.committees.identities).unwrap_or_else(|_| batch.clone())
    }

    /// Sends one message to the members with odd index and another to the rest.
    fn split(control: &mut Control<'_, Replica<S>>, one: &Message<S>, other: &Message<S>) {
        for member in control.members() {
            control.send(member, if member % 2 == 0 { one } else { other });
        }
    }

    fn twist_proposal(&self, block: &Arc<Block<S>>, control: &mut Control<'_, Replica<S>>) -> bool {
        let mut content = (***block).clone();
        match self.kind {
            Kind::Equivocator => {
                content.timestamp ^= 1;
                let other = self.sign_block(content);
                Self::split(control, &Message::Proposal(block.clone()), &Message::Proposal(other));
            }
            Kind::FalseState if content.executed.height > 0 => {
                content.executed.state_root[0] ^= 1;
                control.broadcast(&Message::Proposal(self.sign_block(content)));
            }
            Kind::CertificateForger if !content.payload.is_empty() => {
                content.payload = content.payload.iter().map(|batch| self.forge_certificate(batch)).collect();
                control.broadcast(&Message::Proposal(self.sign_block(content)));
            }
            Kind::NonProposer => {}
            _ => return false,
        }
        true
    }

    fn twist_timeout(&self, timeout: &Timeout<S>, control: &mut Control<'_, Replica<S>>) -> bool {
        match self.kind {
            Kind::Forger => {
                let ballot = timeout.ballot.as_ref().map(|ballot| self.forge(ballot));
                let vote = self.forge(timeout.vote.as_vote());
                let t = &timeout.vote;
                let vote = TimeoutVote::new(
                    TIMEOUT,
                    t.epoch(),
                    t.view(),
                    t.value(),
                    self.me,
                    vote.signature().clone(),
                );
                control.broadcast(&Message::Timeout(Box::new(Timeout { vote, ballot, ..timeout.clone() })));
            }
            // Only a timeout certificate lets it deny its certificates and still be in this view.
            Kind::Outdated if timeout.tc.is_some() => {
                let voters = &self.keys.committees.voters;
                let key = self.keys.voting_key(self.me);
                let value = self.oldest.as_ref().map_or(0, |qc| qc.statement().view);
                let vote = TimeoutVote::sign_unguarded(&key, voters, TIMEOUT, timeout.vote.view(), value);
                let vote = vote.expect("a member");
                let denial =
                    Timeout { vote, high: self.oldest.clone(), tc: timeout.tc.clone(), ballot: None };
                control.broadcast(&Message::Timeout(Box::new(denial)));
            }
            _ => return false,
        }
        true
    }

    fn observe(&mut self, message: &Message<S>, control: &mut Control<'_, Replica<S>>) {
        let block = match message {
            Message::Proposal(block) => block,
            Message::Certified(batch) if self.kind == Kind::CertificateForger => {
                control.broadcast(&Message::Certified(Box::new(self.forge_certificate(batch))));
                return;
            }
            _ => return,
        };
        if let (None, Some(qc)) = (&self.oldest, &block.justify) {
            self.oldest = Some(qc.clone());
        }
        match self.kind {
            Kind::DoubleVoter => control.broadcast(&Message::Vote(self.ballot(block.view, block.digest()))),
            Kind::FalseLeader => {
                let content = (***block).clone();
                control.broadcast(&Message::Proposal(self.sign_block(content)));
            }
            Kind::RequestFlooder => self.seen.push((block.height, block.digest())),
            _ => {}
        }
    }
}

impl<S: Scheme> Adversary<Replica<S>> for JolteonAdversary<S> {
    fn on_start(&mut self, control: &mut Control<'_, Replica<S>>) {
        control.wake(0, Duration::from_millis(100));
    }

    fn on_input(&mut self, input: &Input<Replica<S>>, control: &mut Control<'_, Replica<S>>) -> bool {
        if let Input::Message { message, .. } = input {
            self.observe(message, control);
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<Message<S>>, control: &mut Control<'_, Replica<S>>) {
        let twisted = match &outgoing.message {
            Message::Proposal(block) => self.twist_proposal(block, control),
            Message::Timeout(timeout) => self.twist_timeout(timeout, control),
            Message::Vote(vote) if self.kind == Kind::Forger => {
                let forged = Message::Vote(self.forge(vote));
                control.raw(outgoing.to, forged.encode(), Duration::ZERO);
                true
            }
            Message::Certified(_) if self.kind == Kind::BatchWithholder => {
                control.send(if self.me == 0 { 1 } else { 0 }, &outgoing.message);
                true
            }
            Message::Batch(batch) if self.kind == Kind::DoubleBatcher => {
                let other = Batch::new(self.me, batch.sequence(), [b"other"]).expect("small");
                Self::split(control, &outgoing.message, &Message::Batch(Arc::new(other)));
                true
            }
            Message::Batch(_) if self.kind == Kind::BatchWithholder && outgoing.to == Recipient::Others => {
                let last = control.members().last();
                for member in control.members().filter(|member| Some(*member) != last) {
                    control.send(member, &outgoing.message);
                }
                true
            }
            _ => false,
        };
        if !twisted {
            control.pass(outgoing);
        }
    }

    fn on_wake(&mut self, _: u64, control: &mut Control<'_, Replica<S>>) {
        match self.kind {
            Kind::Outdated => {
                let advance = Advance { high: self.oldest.clone(), tc: None };
                control.broadcast(&Message::Advance(Box::new(advance)));
            }
            Kind::RequestFlooder => {
                for (height, target) in self.seen.split_off(self.seen.len().saturating_sub(4)) {
                    control.broadcast(&Message::BlockRequest { from: height.saturating_sub(3), target });
                    control.broadcast(&Message::BlockRequest { from: 1, target });
                    control.broadcast(&Message::Hello { certified: 0 });
                }
            }
            _ => {}
        }
        control.wake(0, Duration::from_millis(100));
    }
}
