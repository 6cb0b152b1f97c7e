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
    "squatter",
    "liar",
    "idler",
    "turncoat",
    "double-voter",
    "withholder",
    "inflater",
    "forger",
    "hoarder",
    "litterer",
    "beggar",
    "stray",
];

/// Number of times an inflater merges an aggregate with itself. Each doubles the counts.
const INFLATIONS: u32 = 7;
/// Number of proposals that a flooder makes from one.
const FLOOD: u64 = 40;
/// Number of `Hello` messages that a stray sends at a time.
const GREETINGS: u64 = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Proposes two blocks in one round, each to one half of the members.
    Equivocator,
    /// Proposes many blocks in each round.
    Flooder,
    /// Proposes with an invalid ticket.
    Squatter,
    /// Names wrong states in its blocks.
    Liar,
    /// Signs, but never proposes.
    Idler,
    /// Proposes another block instead of the one that it is locked on.
    Turncoat,
    /// Signs every block that it sees, and sends the votes to all members.
    DoubleVoter,
    /// Sends signatures to one member only.
    Withholder,
    /// Merges aggregates with themselves until counts are large.
    Inflater,
    /// Sends aggregates with signatures that do not match their signers.
    Forger,
    /// Proposes blocks and withholds their transactions.
    Hoarder,
    /// Signs segments that name transactions that do not exist.
    Litterer,
    /// Sends requests continuously.
    Beggar,
    /// Marks its messages as of other epochs, and floods the members with them.
    Stray,
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
            "squatter" => Kind::Squatter,
            "liar" => Kind::Liar,
            "idler" => Kind::Idler,
            "turncoat" => Kind::Turncoat,
            "double-voter" => Kind::DoubleVoter,
            "withholder" => Kind::Withholder,
            "inflater" => Kind::Inflater,
            "forger" => Kind::Forger,
            "hoarder" => Kind::Hoarder,
            "litterer" => Kind::Litterer,
            "beggar" => Kind::Beggar,
            "stray" => Kind::Stray,
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

    fn twist_proposal(&mut self, proposal: &Arc<Proposal<S>>, control: &mut Control<'_, Replica<S>>) -> bool {
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
            Kind::Squatter => {
                let signature = S::sign(&self.keys.voting_key(self.me), &proposal.digest());
                let ticket = Ticket::new(proposal.round, self.me, signature);
                let content = (**proposal.block).clone();
                control.broadcast(&self.sign(content, proposal.round, proposal.certificate.clone(), ticket));
            }
            Kind::Liar if is_new && proposal.block.executed.height > 0 => {
                control.broadcast(&self.resign(proposal, |content| content.executed.state_root[0] ^= 1));
            }
            Kind::Turncoat if !is_new => {
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
            Kind::Idler => {}
            _ => return false,
        }
        true
    }

    fn twist_segment(&self, segment: &Arc<Segment>, control: &mut Control<'_, Replica<S>>) -> bool {
        if segment.signer != self.me {
            return false;
        }
        match self.kind {
            Kind::Hoarder => true,
            Kind::Litterer => {
                let nothing = Transaction::new(b"nowhere".as_slice()).expect("small");
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

    fn twist_signatures(
        &self,
        outgoing: &Outgoing<Envelope<S>>,
        aggregates: &[Aggregate<S>],
        control: &mut Control<'_, Replica<S>>,
    ) -> bool {
        let twisted: Vec<Aggregate<S>> = match self.kind {
            Kind::Inflater => aggregates.iter().filter_map(|aggregate| self.inflate(aggregate)).collect(),
            Kind::Forger => aggregates.iter().filter_map(|aggregate| self.forge(aggregate)).collect(),
            Kind::Withholder => {
                let favourite = if self.me == 0 { 1 } else { 0 };
                control.send(favourite, &outgoing.message);
                return true;
            }
            _ => return false,
        };
        if !twisted.is_empty() {
            let twisted = self.of_epoch(Message::Signatures(twisted));
            control.raw(outgoing.to, twisted.encode(), Duration::ZERO);
        }
        true
    }

    /// Sends a message marked as of other epochs. Returns true, so that the original is not sent, half of the time.
    fn stray(&self, outgoing: &Outgoing<Envelope<S>>, control: &mut Control<'_, Replica<S>>) -> bool {
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
            Kind::Beggar => self.seen.push((round, block.height, block.digest())),
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
            return !(self.kind == Kind::Hoarder && wanted);
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<Envelope<S>>, control: &mut Control<'_, Replica<S>>) {
        let twisted = match &*outgoing.message {
            _ if self.kind == Kind::Stray => self.stray(&outgoing, control),
            Message::Proposal(proposal) => self.twist_proposal(&proposal.clone(), control),
            Message::Segment(segment) => self.twist_segment(segment, control),
            Message::Signatures(aggregates) => self.twist_signatures(&outgoing, aggregates, control),
            // Without these messages, only the proposer has the transactions of its block.
            Message::Transactions(_) => self.kind == Kind::Hoarder,
            _ => false,
        };
        if !twisted {
            control.pass(outgoing);
        }
    }

    fn on_wake(&mut self, _: u64, control: &mut Control<'_, Replica<S>>) {
        if self.kind == Kind::Beggar {
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
        if self.kind == Kind::Stray {
            for i in 0..GREETINGS {
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
