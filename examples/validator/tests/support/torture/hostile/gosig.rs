//! Attacks with the messages of Gosig.

use std::sync::{Arc, Mutex};

use quorate::bls::{self, Counted, MinSig};
use quorate::certificate::{Certificate, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::SignerSet;
use quorate::ed25519::Ed25519;
use quorate::gossip::Aggregate;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Writer};
use quorate_gosig::{
    Change, Committees, Envelope, MAX_REPLY_BYTES, Message, PREPARE, Proposal, TENTATIVE, Transaction,
};
use quorate_node::genesis::{Genesis, Member as GenesisMember, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::links::Lane;
use quorate_support::rng::SplitMix64;

use super::member::Member;
use super::script::{Outbox, Script};

/// Scheme of the votes.
type S = Counted<MinSig>;

/// Length of a signature of a vote, at the end of the encoding of an aggregate.
const SIGNATURE: usize = 48;
/// Number of requests that await an answer, per member, or are lost.
const REQUESTS: u64 = 64;
/// Number of transactions in a message, for the smallest ones.
const SMALL: usize = 4096;

/// An attack with messages of Gosig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Valid messages that cost their sender nothing.
    Flood,
    /// Votes for two blocks of a round, forged signatures, and pairs of signatures that cancel each other: only their sum is
    /// valid.
    Votes,
    /// Transactions that fill the pools and the blocks, alternately large and small.
    Batches,
    /// Transactions that look like changes of the members, whose certificates are invalid.
    Members,
    /// Requests of old blocks and transactions, as fast as they are answered.
    Archive,
    /// The same without waiting for answers, which the member does not read.
    Unread,
}

/// The member's keys, and what it knows about the chain.
pub struct Gosig {
    kind: Kind,
    others: Vec<MemberIndex>,
    me: MemberIndex,
    committees: Committees<S>,
    voting: bls::SecretKey<MinSig>,
    /// A certificate for a change, with the signatures of other keys.
    certificate: Certificate<Ed25519>,
    state: Mutex<State>,
}

struct State {
    random: SplitMix64,
    newest: Option<Arc<Proposal<S>>>,
    open: u64,
    number: u64,
}

impl Gosig {
    pub fn new(kind: Kind, member: &Member) -> Self {
        let committees = member.genesis.committees::<S>().unwrap();
        let committees = Committees { voters: committees.voters, identities: committees.identities };
        let change = Change::<S>::Leave { identity: committees.identities.keys()[0].clone() };
        Self {
            kind,
            others: member.peers.iter().map(|peer| peer.index).collect(),
            me: member.index,
            voting: member.keys.voting::<S>().unwrap(),
            certificate: foreign_certificate(&change.statement(&committees)),
            committees,
            state: Mutex::new(State { random: SplitMix64::new(17), newest: None, open: 0, number: 0 }),
        }
    }

    fn encode(&self, message: Message<S>) -> Vec<u8> {
        message.in_epoch(self.committees.voters.epoch()).encode()
    }

    fn vote(&self, statement: Statement) -> Aggregate<S> {
        let voters = &self.committees.voters;
        let vote = Vote::sign_unguarded(&self.voting, voters, statement).unwrap().verify(voters).unwrap();
        Aggregate::from_vote(&vote, voters).unwrap().into_inner()
    }

    /// Returns the aggregate with another signature.
    fn with_signature(&self, aggregate: &Aggregate<S>, signature: &[u8]) -> Option<Aggregate<S>> {
        let mut bytes = aggregate.encode();
        let at = bytes.windows(SIGNATURE).rposition(|part| part == aggregate.signature().encode())?;
        bytes[at..at + SIGNATURE].copy_from_slice(signature);
        Aggregate::decode(&bytes, &*self.committees.voters).ok()
    }

    /// Returns σ + X and σ − X.
    fn cancelling(&self, aggregate: &Aggregate<S>, note: u64) -> Option<[Aggregate<S>; 2]> {
        let x = MinSig::sign(&self.voting, &note.to_le_bytes());
        let mut negative = x.encode();
        negative[0] ^= 0x20;
        let negative = bls::Signature::decode(&negative, &()).ok()?;
        let sum = |other| {
            let signers = SignerSet::from_members(2, [0_u16, 1]).ok()?;
            let mut w = Writer::new();
            MinSig::encode_proof(
                &MinSig::combine(&[(0, aggregate.signature()), (1, other)]),
                &signers,
                &mut w,
            );
            self.with_signature(aggregate, w.into_bytes().get(..SIGNATURE)?)
        };
        Some([sum(&x)?, sum(&negative)?])
    }

    /// Votes for the block and for another one, in cancelling pairs: one half to each of two members.
    fn vote_twice(&self, state: &mut State, proposal: &Proposal<S>, out: &Outbox) {
        let (round, block) = (proposal.round, &proposal.block);
        for digest in [self.committees.ballot(block.height, block.digest()), random_digest(&mut state.random)]
        {
            for kind in [PREPARE, TENTATIVE] {
                let vote = self.vote(self.committees.voters.statement(kind, round, digest));
                let Some(pair) = self.cancelling(&vote, state.random.next_u64()) else { continue };
                for (at, to) in self.others.iter().enumerate() {
                    let half = pair[at % 2].clone();
                    out.push(*to, Lane::Urgent, self.encode(Message::Signatures(vec![half])));
                    out.push(*to, Lane::Urgent, self.encode(Message::Signatures(pair.to_vec())));
                    out.push(*to, Lane::Urgent, self.encode(Message::Signatures(vec![vote.clone()])));
                }
            }
        }
    }

    fn cheap(state: &mut State) -> Message<S> {
        let random = state.random.next_u64();
        match random % 6 {
            0 => Message::Hello { committed: 0 },
            1 => Message::Heard,
            2 => Message::ProposalRequest { round: random >> 50, ballot: random_digest(&mut state.random) },
            3 => Message::Hello { committed: random },
            4 => Message::Pruned { oldest: random >> 50 },
            _ => Message::Welcome { committed: random >> 56 },
        }
    }

    fn forged(&self, state: &mut State) -> Option<Message<S>> {
        let newest = state.newest.clone()?;
        let random = state.random.next_u64();
        let digest = if random.is_multiple_of(2) {
            random_digest(&mut state.random)
        } else {
            self.committees.ballot(newest.block.height, newest.block.digest())
        };
        let round = newest.round + (random >> 8) % 4;
        let vote = self.vote(self.committees.voters.statement(PREPARE, round, digest));
        let wrong = MinSig::sign(&self.voting, &random.to_le_bytes());
        Some(Message::Signatures(vec![self.with_signature(&vote, &wrong.encode())?]))
    }

    fn transactions(&self, state: &mut State) -> Message<S> {
        state.number += 1;
        let number = state.random.next_u64();
        let make = |bytes: Vec<u8>| Transaction::new(bytes).unwrap();
        Message::Transactions(match (self.kind, state.number % 2) {
            (Kind::Members, _) => {
                let change = |i: u64| {
                    let identity = self.committees.identities.keys()[0].clone();
                    let mut bytes = Change::<S>::Leave { identity }
                        .transaction(&self.certificate)
                        .unwrap()
                        .bytes()
                        .to_vec();
                    // Another signature makes another transaction.
                    let length = bytes.len();
                    bytes[length - 24..length - 16].copy_from_slice(&(number ^ i).to_le_bytes());
                    make(bytes)
                };
                (0..SMALL as u64 / 2).map(change).collect()
            }
            (_, 0) => (0..SMALL)
                .map(|i| make(format!("put g{} {number:x}", i % 512 + (number % 8) as usize).into()))
                .collect(),
            _ => {
                let value = format!("{number:016x}").repeat(60_000 / 16);
                let count = MAX_REPLY_BYTES / 60_100;
                (0..count).map(|i| make(format!("put h{i} {value}").into())).collect()
            }
        })
    }

    fn request(&self, state: &mut State) -> Option<Message<S>> {
        state.open += 1;
        if self.kind == Kind::Archive && state.open > REQUESTS * self.others.len() as u64 {
            // An answer may be lost: then as many turns as there may be requests count as answers.
            state.open %= 2 * REQUESTS * self.others.len() as u64;
            return None;
        }
        let random = state.random.next_u64();
        match (&state.newest, random % 2) {
            (Some(newest), 0) => {
                let (block, height) = (newest.block.parent, newest.block.height.saturating_sub(1));
                Some(Message::TransactionRequest { block, height, places: (0..256).collect() })
            }
            (newest, _) => {
                let height = newest.as_ref().map_or(2, |newest| newest.block.height.max(1));
                Some(Message::BlockRequest { from: 1 + (random >> 8) % height })
            }
        }
    }
}

impl Script for Gosig {
    fn observe(&self, _: MemberIndex, _: Lane, frame: &[u8], out: &Outbox) {
        let Ok(envelope) = Envelope::<S>::decode(frame, &self.committees) else { return };
        let state = &mut *self.state.lock().unwrap();
        match envelope.message {
            Message::Proposal(proposal) => {
                let known = state.newest.as_ref().map_or(0, |newest| newest.round);
                if proposal.round > known && proposal.proposer != self.me {
                    state.newest = Some(proposal.clone());
                    if self.kind == Kind::Votes {
                        self.vote_twice(state, &proposal, out);
                    }
                }
            }
            Message::Blocks(_) | Message::TransactionReply { .. } => {
                state.open = state.open.saturating_sub(1)
            }
            _ => {}
        }
    }

    fn next(&self, _: MemberIndex, lane: Lane) -> Option<Vec<u8>> {
        let state = &mut *self.state.lock().unwrap();
        let message = match (self.kind, lane) {
            (Kind::Flood, _) => Self::cheap(state),
            (Kind::Votes, Lane::Urgent) => self.forged(state)?,
            (Kind::Archive | Kind::Unread, Lane::Urgent) => self.request(state)?,
            (Kind::Batches | Kind::Members, Lane::Bulk) => self.transactions(state),
            _ => return None,
        };
        Some(self.encode(message))
    }
}

/// A certificate of other members, whose committee has the same size.
fn foreign_certificate(statement: &Statement) -> Certificate<Ed25519> {
    let keys: Vec<_> = (0..4).map(|_| NodeKeys::generate(SchemeName::Bls).unwrap()).collect();
    let members = keys.iter().zip(0..).map(|(keys, i)| GenesisMember {
        name: format!("member{i}"),
        address: "127.0.0.1:1".into(),
        weight: 1,
        keys: keys.public().unwrap(),
    });
    let genesis = Genesis::new("other", SchemeName::Bls, members.collect());
    let committee = genesis.committees::<S>().unwrap().identities;
    let (mut collector, mut suspects) =
        (VoteCollector::new(committee.clone(), statement.kind, statement.view), Suspects::new());
    let mut votes = keys
        .iter()
        .map(|keys| Vote::sign_unguarded(&keys.identity().unwrap(), &committee, *statement).unwrap());
    votes.find_map(|vote| collector.add(vote, &mut suspects).certificate).unwrap().into_inner()
}

fn random_digest(random: &mut SplitMix64) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.next_u64().to_le_bytes()));
    digest
}
