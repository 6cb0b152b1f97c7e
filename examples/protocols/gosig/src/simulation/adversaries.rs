//! Byzantine members: adversaries that follow the protocol except for one violation. Each holds its own keys.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::{Certificate, Statement, Vote};
use quorate::gossip::Aggregate;
use quorate::machine::{Input, MemberIndex, Outgoing};
use quorate::sortition::{SeedProof, Ticket};
use quorate::wire::{Decode, Encode, Reader};
use quorate_simulator::{Adversary, Control};

use super::keys::SimulationKeys;
use crate::{
    Block, BlockContent, BlockDigest, Entries, Envelope, GosigScheme, Message, PREPARE, Proposal, Replica,
    Segment, ShortId, TENTATIVE, Transaction, UnsignedSegment,
};

/// Names of the adversaries.
pub const ADVERSARIES: &[&str] = &[
    "equivocator",
    "flooder",
    "ticket-forger",
    "false-state",
    "non-proposer",
    "lock-breaker",
    "double-voter",
    "withholder",
    "inflater",
    "forger",
    "body-withholder",
    "segment-forger",
    "request-flooder",
    "wrong-epoch",
];

/// Number of times an `Inflater` merges an aggregate with itself. Each doubles the counts.
const INFLATIONS: u32 = 7;
/// Number of proposals that a `Flooder` makes from one.
const FLOOD: u64 = 40;
/// Number of `Hello` messages that a `WrongEpoch` member sends at a time.
const HELLOS: u64 = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Proposes two blocks in one round, each to one half of the members.
    Equivocator,
    /// Proposes many blocks in each round.
    Flooder,
    /// Proposes with an invalid ticket.
    TicketForger,
    /// Names wrong states in its blocks.
    FalseState,
    /// Signs, but never proposes.
    NonProposer,
    /// Proposes another block instead of the one that it is locked on.
    LockBreaker,
    /// Signs every block that it sees, and sends the votes to all members.
    DoubleVoter,
    /// Sends signatures to one member only.
    Withholder,
    /// Merges aggregates with themselves until counts are large.
    Inflater,
    /// Sends aggregates with signatures that do not match their signers.
    Forger,
    /// Proposes blocks and withholds their transactions.
    BodyWithholder,
    /// Signs segments that name transactions that do not exist.
    SegmentForger,
    /// Sends requests continuously.
    RequestFlooder,
    /// Marks its messages as of other epochs, and floods the members with them.
    WrongEpoch,
}

/// The adversary of one of the [`ADVERSARIES`].
pub struct GosigAdversary<S: GosigScheme> {
    kind: Kind,
    me: MemberIndex,
    keys: Arc<SimulationKeys<S>>,
    /// Its own seed proofs by height, with the commitment certificates of the parents.
    proofs: BTreeMap<u64, (SeedProof<S>, Option<Certificate<S>>)>,
    /// Round, height and digest of the blocks that it has seen.
    seen: Vec<(u64, u64, BlockDigest)>,
}

impl<S: GosigScheme> GosigAdversary<S> {
    /// Returns the adversary of a name, or `None` if there is none.
    pub fn new(name: &str, me: MemberIndex, keys: Arc<SimulationKeys<S>>) -> Option<Self> {
        let kind = match name {
            "equivocator" => Kind::Equivocator,
            "flooder" => Kind::Flooder,
            "ticket-forger" => Kind::TicketForger,
            "false-state" => Kind::FalseState,
            "non-proposer" => Kind::NonProposer,
            "lock-breaker" => Kind::LockBreaker,
            "double-voter" => Kind::DoubleVoter,
            "withholder" => Kind::Withholder,
            "inflater" => Kind::Inflater,
            "forger" => Kind::Forger,
            "body-withholder" => Kind::BodyWithholder,
            "segment-forger" => Kind::SegmentForger,
            "request-flooder" => Kind::RequestFlooder,
            "wrong-epoch" => Kind::WrongEpoch,
            _ => return None,
        };
        Some(Self { kind, me, keys, proofs: BTreeMap::new(), seen: Vec::new() })
    }

    /// Returns a proposal of a block, signed by this member.
    fn sign(
        &self,
        content: BlockContent<S>,
        round: u64,
        certificate: Option<Certificate<S>>,
        ticket: Ticket<S>,
    ) -> Envelope<S> {
        let committees = &self.keys.committees;
        let block = Arc::new(Block::new(content));
        let digest = Proposal::digest_of(&block, round, self.me, certificate.as_ref(), &ticket);
        let statement = committees.proposal(round, digest);
        let key = self.keys.identity_key(self.me);
        let vote = Vote::sign_unguarded(&key, &committees.identities, statement).expect("a member");
        let signature = vote.signature().clone();
        let proposer = self.me;
        let proposal = Proposal { block, round, proposer, certificate, ticket, signature };
        self.of_epoch(Message::Proposal(Arc::new(proposal)))
    }

    fn of_epoch(&self, message: Message<S>) -> Envelope<S> {
        message.in_epoch(self.keys.committees.voters.epoch())
    }

    /// Returns a proposal with a changed block, signed again.
    fn resign(&self, proposal: &Proposal<S>, change: impl FnOnce(&mut BlockContent<S>)) -> Envelope<S> {
        let mut content = (**proposal.block).clone();
        change(&mut content);
        self.sign(content, proposal.round, proposal.certificate.clone(), proposal.ticket.clone())
    }

    fn vote(&self, statement: Statement) -> Aggregate<S> {
        let (key, voters) = (self.keys.voting_key(self.me), &self.keys.committees.voters);
        let vote = Vote::sign_unguarded(&key, voters, statement).expect("a member");
        let vote = vote.verify(voters).expect("its own");
        Aggregate::from_vote(&vote, voters).expect("of this committee").into_inner()
    }

    /// Returns the aggregate with another signature.
    fn forge(&self, aggregate: &Aggregate<S>) -> Option<Aggregate<S>> {
        let sum = S::sign(&self.keys.voting_key(self.me), &aggregate.encode());
        let mut bytes = aggregate.encode();
        bytes.truncate(bytes.len() - sum.encode().len());
        bytes.extend(sum.encode());
        let mut r = Reader::new(&bytes);
        Aggregate::decode_from(&mut r, &*self.keys.committees.voters).ok()
    }

    /// Returns the aggregate merged with itself up to the maximum count.
    fn inflate(&self, aggregate: &Aggregate<S>) -> Option<Aggregate<S>> {
        let mut sum = aggregate.clone().verify(&self.keys.committees.voters).ok()?;
        for _ in 0..INFLATIONS {
            sum = sum.merge(&sum, 255).unwrap_or(sum);
        }
        Some(sum.into_inner())
    }

    /// Sends one message to members with an even index, and another to the rest.
    fn split(control: &mut Control<'_, Replica<S>>, one: &Envelope<S>, other: &Envelope<S>) {
        for member in control.members() {
            control.send(member, if member % 2 == 0 { one } else { other });
        }
    }

    fn change_proposal(
        &mut self,
        proposal: &Arc<Proposal<S>>,
        control: &mut Control<'_, Replica<S>>,
    ) -> bool {
        if proposal.proposer != self.me {
            return false;
        }
        let is_new = !proposal.is_repeated();
        if is_new {
            let proof = (proposal.block.seed.clone(), proposal.certificate.clone());
            self.proofs.insert(proposal.block.height, proof);
        }
        match self.kind {
            Kind::Equivocator if is_new => {
                let other = self.resign(proposal, |content| content.timestamp ^= 1);
                Self::split(control, &self.of_epoch(Message::Proposal(proposal.clone())), &other);
            }
            Kind::Flooder if is_new => {
                for i in 0..FLOOD {
                    control.broadcast(&self.resign(proposal, |content| content.timestamp ^= i));
                }
                return false;
            }
            Kind::TicketForger => {
                let signature = S::sign(&self.keys.voting_key(self.me), &proposal.digest());
                let ticket = Ticket::new(proposal.round, self.me, signature);
                let content = (**proposal.block).clone();
                control.broadcast(&self.sign(content, proposal.round, proposal.certificate.clone(), ticket));
            }
            Kind::FalseState if is_new && proposal.block.executed.height > 0 => {
                control.broadcast(&self.resign(proposal, |content| content.executed.state_root[0] ^= 1));
            }
            Kind::LockBreaker if !is_new => {
                let Some((seed, certificate)) = self.proofs.get(&proposal.block.height).cloned() else {
                    return false;
                };
                let mut content = (**proposal.block).clone();
                content.round = proposal.round;
                content.author = self.me;
                content.seed = seed;
                content.timestamp ^= 1;
                control.broadcast(&self.sign(content, proposal.round, certificate, proposal.ticket.clone()));
            }
            Kind::NonProposer => {}
            _ => return false,
        }
        true
    }

    fn change_segment(&self, segment: &Arc<Segment>, control: &mut Control<'_, Replica<S>>) -> bool {
        if segment.signer != self.me {
            return false;
        }
        match self.kind {
            Kind::BodyWithholder => true,
            Kind::SegmentForger => {
                let nothing = Transaction::new(b"unknown".as_slice()).expect("small");
                let part = UnsignedSegment {
                    entries: match &segment.entries {
                        Entries::Short { ids, .. } => Entries::Short {
                            ids: ids.iter().map(|_| ShortId::new(&segment.block, &nothing.id())).collect(),
                            full: Vec::new(),
                        },
                        Entries::Full(ids) => Entries::Full(vec![nothing.id(); ids.len()]),
                        Entries::Raw(raw) => Entries::Raw(vec![nothing; raw.len()]),
                    },
                    ..(***segment).clone()
                };
                let key = self.keys.identity_key(self.me);
                let garbage = part.sign(&self.keys.committees, &key).expect("a member");
                Self::split(
                    control,
                    &self.of_epoch(Message::Segment(segment.clone())),
                    &self.of_epoch(Message::Segment(Arc::new(garbage))),
                );
                true
            }
            _ => false,
        }
    }

    fn change_signatures(
        &self,
        outgoing: &Outgoing<Envelope<S>>,
        aggregates: &[Aggregate<S>],
        control: &mut Control<'_, Replica<S>>,
    ) -> bool {
        let changed: Vec<Aggregate<S>> = match self.kind {
            Kind::Inflater => aggregates.iter().filter_map(|aggregate| self.inflate(aggregate)).collect(),
            Kind::Forger => aggregates.iter().filter_map(|aggregate| self.forge(aggregate)).collect(),
            Kind::Withholder => {
                let only_receiver = if self.me == 0 { 1 } else { 0 };
                control.send(only_receiver, &outgoing.message);
                return true;
            }
            _ => return false,
        };
        if !changed.is_empty() {
            let changed = self.of_epoch(Message::Signatures(changed));
            control.raw(outgoing.to, changed.encode(), Duration::ZERO);
        }
        true
    }

    /// Sends a message marked as of other epochs. Returns true, so that the original is not sent, half of the time.
    fn send_in_wrong_epochs(
        &self,
        outgoing: &Outgoing<Envelope<S>>,
        control: &mut Control<'_, Replica<S>>,
    ) -> bool {
        let epoch = outgoing.message.epoch;
        for other in [epoch ^ 1, epoch.wrapping_sub(1), epoch.wrapping_add(2), u64::MAX] {
            let marked = outgoing.message.message.clone().in_epoch(other);
            control.raw(outgoing.to, marked.encode(), Duration::ZERO);
        }
        control.rng().below(2) == 0
    }

    fn observe(&mut self, message: &Message<S>, control: &mut Control<'_, Replica<S>>) {
        let Message::Proposal(proposal) = message else { return };
        let (block, round) = (&proposal.block, proposal.round);
        match self.kind {
            Kind::DoubleVoter => {
                let voters = &self.keys.committees.voters;
                let ballot = self.keys.committees.ballot(block.height, block.digest());
                let votes = [PREPARE, TENTATIVE].map(|kind| self.vote(voters.statement(kind, round, ballot)));
                control.broadcast(&self.of_epoch(Message::Signatures(votes.to_vec())));
            }
            Kind::RequestFlooder => self.seen.push((round, block.height, block.digest())),
            _ => {}
        }
    }
}

impl<S: GosigScheme> Adversary<Replica<S>> for GosigAdversary<S> {
    fn on_start(&mut self, control: &mut Control<'_, Replica<S>>) {
        control.wake(0, Duration::from_millis(100));
    }

    fn on_input(&mut self, input: &Input<Replica<S>>, control: &mut Control<'_, Replica<S>>) -> bool {
        if let Input::Message { message, .. } = input {
            self.observe(message, control);
            let wanted =
                matches!(**message, Message::BodyRequest { .. } | Message::TransactionRequest { .. });
            return !(self.kind == Kind::BodyWithholder && wanted);
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<Envelope<S>>, control: &mut Control<'_, Replica<S>>) {
        let changed = match &*outgoing.message {
            _ if self.kind == Kind::WrongEpoch => self.send_in_wrong_epochs(&outgoing, control),
            Message::Proposal(proposal) => self.change_proposal(&proposal.clone(), control),
            Message::Segment(segment) => self.change_segment(segment, control),
            Message::Signatures(aggregates) => self.change_signatures(&outgoing, aggregates, control),
            // Without these messages, only the proposer has the transactions of its block.
            Message::Transactions(_) => self.kind == Kind::BodyWithholder,
            _ => false,
        };
        if !changed {
            control.pass(outgoing);
        }
    }

    fn on_wake(&mut self, _: u64, control: &mut Control<'_, Replica<S>>) {
        if self.kind == Kind::RequestFlooder {
            for (round, height, block) in self.seen.split_off(self.seen.len().saturating_sub(4)) {
                let ballot = self.keys.committees.ballot(height, block);
                control.broadcast(&self.of_epoch(Message::ProposalRequest { round, ballot }));
                control.broadcast(&self.of_epoch(Message::BodyRequest {
                    block,
                    round,
                    segments: Vec::new(),
                }));
                control.broadcast(&self.of_epoch(Message::TransactionRequest {
                    block,
                    height,
                    places: vec![0, 1, 9],
                }));
                control.broadcast(&self.of_epoch(Message::BlockRequest { from: 1 }));
                control.broadcast(&self.of_epoch(Message::Hello { committed: 0 }));
                control.broadcast(&self.of_epoch(Message::Welcome { committed: u64::MAX }));
            }
        }
        if self.kind == Kind::WrongEpoch {
            for i in 0..HELLOS {
                let (epoch, height) = (control.rng().below(4), [0, 1, i, u64::MAX][i as usize % 4]);
                control.broadcast(&Message::Hello { committed: height }.in_epoch(epoch));
                control.broadcast(&Message::Welcome { committed: height }.in_epoch(!epoch));
                control.broadcast(&Message::BlockRequest { from: height }.in_epoch(epoch));
                control.broadcast(&Message::Blocks(Vec::new()).in_epoch(epoch));
                control.broadcast(&Message::Heard.in_epoch(epoch));
            }
        }
        control.wake(0, Duration::from_millis(100));
    }
}
