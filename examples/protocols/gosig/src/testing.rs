//! Committees for tests, the same in every run.

use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Vote};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, Toy};
use quorate::sortition::{EXPECTED_WINNERS, Lottery, Seed, SeedProof, Ticket};
use quorate_protocol::testing::committee;
pub(crate) use quorate_protocol::testing::{certify, check_encoding, secret};

use crate::block::{Block, BlockContent, Committees, Executed, GosigScheme};
use crate::digests::BlockDigest;
use crate::kinds::PREPARE;
use crate::membership::Anchor;
use crate::payload::Payload;
use crate::proposal::Proposal;

/// The scheme of most tests: its aggregates are verified like those of BLS, at no cost.
pub(crate) type T = Toy;

/// Returns committees of `n` members of weight one.
pub(crate) fn committees<S: Scheme>(n: u16) -> Committees<S> {
    Committees { voters: committee("test", n), identities: committee("test", n) }
}

/// The state before block 1.
pub(crate) const GENESIS: Executed = Executed { height: 0, state_root: [0; 32] };

/// Returns the anchor of the tests' chain.
pub(crate) fn anchor<S: GosigScheme>(committees: &Committees<S>) -> Anchor {
    Anchor::genesis(committees, &GENESIS.state_root, b"test")
}

/// Returns a member's ticket in a round. With four members all tickets win.
pub(crate) fn ticket<S: GosigScheme>(c: &Committees<S>, seed: Seed, round: u64, member: u16) -> Ticket<S> {
    let lottery = Lottery::new(c.voters.clone(), seed, round, EXPECTED_WINNERS);
    lottery.draw(&secret::<S>(member)).unwrap().unwrap().into_inner()
}

/// Returns a block on a parent, or on the genesis.
pub(crate) fn block<S: GosigScheme>(
    c: &Committees<S>,
    parent: Option<&Block<S>>,
    seed: Seed,
    round: u64,
    author: u16,
    payload: &Payload,
) -> Arc<Block<S>> {
    Arc::new(Block::new(BlockContent {
        epoch: 0,
        round,
        height: parent.map_or(0, |parent| parent.height) + 1,
        author,
        parent: parent.map_or(anchor(c).digest, |parent| parent.digest()),
        seed: SeedProof::sign(&secret::<S>(author), &c.voters, &seed).unwrap(),
        payload: *payload.summary(),
        executed: GENESIS,
        timestamp: round,
    }))
}

/// Returns a signed proposal of a block.
pub(crate) fn sign<S: GosigScheme>(
    c: &Committees<S>,
    block: Arc<Block<S>>,
    seed: Seed,
    round: u64,
    proposer: u16,
    certificate: Option<Certificate<S>>,
) -> Arc<Proposal<S>> {
    let ticket = ticket(c, seed, round, proposer);
    let digest = Proposal::digest_of(&block, round, proposer, certificate.as_ref(), &ticket);
    let statement = c.proposal(round, digest);
    let vote = Vote::<Ed25519>::sign_unguarded(&secret::<Ed25519>(proposer), &c.identities, statement);
    let signature = vote.unwrap().signature().clone();
    Arc::new(Proposal { block, round, proposer, certificate, ticket, signature })
}

/// Returns a proposal of a test chain: of a first block, or, with a certificate of that kind and round, of the first block
/// again or of a second one.
pub(crate) fn proposal<S: GosigScheme>(
    c: &Committees<S>,
    round: u64,
    certificate: Option<(Kind, u64)>,
    proposer: u16,
) -> Arc<Proposal<S>> {
    let (seed, payload) = (anchor(c).seed, Payload::from_bytes([b"x"]).unwrap());
    let Some((kind, certified)) = certificate else {
        let block = block(c, None, seed, round, proposer, &payload);
        return sign(c, block, seed, round, proposer, None);
    };
    let first = block(c, None, seed, 2, 2, &payload);
    let ballot = c.ballot(first.height, first.digest());
    let certificate = certify(&c.voters, c.voters.statement(kind, certified, ballot));
    if kind == PREPARE {
        return sign(c, first, seed, round, proposer, Some(certificate));
    }
    let next = seed.next(&first.seed, &c.voters).unwrap();
    let second = block(c, Some(&first), next, round, proposer, &Payload::empty());
    assert_ne!(second.digest(), BlockDigest::default());
    sign(c, second, next, round, proposer, Some(certificate))
}
