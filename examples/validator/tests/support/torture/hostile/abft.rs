//! Attacks with the messages of ABFT, of which only those of the chain are made here.

use std::sync::{Arc, Mutex};

use quorate::bls::{self, MinSig};
use quorate::certificate::Vote;
use quorate::committee::Committee;
use quorate::machine::MemberIndex;
use quorate::wire::{Reader, Writer};
use quorate_node::links::Lane;
use quorate_support::rng::SplitMix64;

use super::member::Member;
use super::script::{Outbox, Script};

/// Tags of the messages of the chain.
const VOTE: u8 = 2;
const STATUS: u8 = 4;
const END: u8 = 6;
const PRUNED: u8 = 7;

/// An attack with messages of ABFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Valid messages that cost their sender nothing, about heights that exist and others.
    Flood,
    /// Votes for two other blocks at each height, and forged ones.
    Votes,
    /// Requests of old blocks.
    Archive,
}

/// The member's keys, and what it knows about the chain.
pub struct Abft {
    kind: Kind,
    me: MemberIndex,
    others: Vec<MemberIndex>,
    voters: Arc<Committee<MinSig>>,
    voting: bls::SecretKey<MinSig>,
    state: Mutex<State>,
}

struct State {
    random: SplitMix64,
    /// The newest vote of another member.
    newest: Option<Vote<MinSig>>,
}

impl Abft {
    pub fn new(kind: Kind, member: &Member) -> Self {
        Self {
            kind,
            me: member.index,
            others: member.peers.iter().map(|peer| peer.index).collect(),
            voters: member.genesis.committees::<MinSig>().unwrap().voters,
            voting: member.keys.voting::<MinSig>().unwrap(),
            state: Mutex::new(State { random: SplitMix64::new(19), newest: None }),
        }
    }

    fn encode_vote(vote: &Vote<MinSig>) -> Vec<u8> {
        let mut w = Writer::new();
        w.u8(VOTE);
        vote.encode_link(&mut w);
        w.into_bytes()
    }
}

impl Script for Abft {
    fn observe(&self, _: MemberIndex, _: Lane, frame: &[u8], out: &Outbox) {
        let Some((&VOTE, vote)) = frame.split_first() else { return };
        let Ok(vote) = Vote::<MinSig>::decode_link(&mut Reader::new(vote)) else { return };
        let state = &mut *self.state.lock().unwrap();
        let known = state.newest.as_ref().map_or(0, |newest| newest.statement().view);
        let mut statement = *vote.statement();
        if statement.view <= known {
            return;
        }
        state.newest = Some(vote);
        if self.kind == Kind::Votes {
            for _ in 0..2 {
                state.random_digest(&mut statement.digest);
                let vote = Vote::sign_unguarded(&self.voting, &self.voters, statement).unwrap();
                self.others.iter().for_each(|to| out.push(*to, Lane::Urgent, Self::encode_vote(&vote)));
            }
        }
    }

    fn next(&self, _: MemberIndex, lane: Lane) -> Option<Vec<u8>> {
        let state = &mut *self.state.lock().unwrap();
        let height = state.newest.as_ref().map_or(2, |newest| newest.statement().view);
        let random = state.random.next_u64();
        let message = |tag: u8, heights: &[u64]| {
            let mut bytes = vec![tag];
            heights.iter().for_each(|height| bytes.extend(height.to_le_bytes()));
            Some(bytes)
        };
        match (self.kind, lane) {
            (Kind::Flood, _) => match random % 4 {
                0 => message(STATUS, &[height + (random >> 60)]),
                1 => message(STATUS, &[random]),
                2 => message(END, &[random >> 8, random >> 7]),
                _ => message(PRUNED, &[random >> 50, random >> 40]),
            },
            (Kind::Archive, Lane::Urgent) => message(STATUS, &[1 + (random >> 8) % height]),
            (Kind::Votes, Lane::Urgent) => {
                let mut statement = *state.newest.as_ref()?.statement();
                statement.view += random % 8;
                state.random_digest(&mut statement.digest);
                let wrong = <MinSig as quorate::scheme::Scheme>::sign(&self.voting, &random.to_le_bytes());
                Some(Self::encode_vote(&Vote::new(statement, self.me, wrong)))
            }
            _ => None,
        }
    }
}

impl State {
    fn random_digest(&mut self, digest: &mut [u8; 32]) {
        digest.chunks_mut(8).for_each(|part| part.copy_from_slice(&self.random.next_u64().to_le_bytes()));
    }
}
