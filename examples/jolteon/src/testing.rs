//! Committees for tests, the same in every run.

use std::sync::Arc;

use quorate::certificate::{
    Certificate, Statement, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote, VoteCollector,
};
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, VerifiedKey};

use crate::block::Committees;
use crate::ids::{BlockDigest, TIMEOUT};

/// A test member's secret key.
pub(crate) fn secret<S: Scheme>(member: u16) -> S::SecretKey {
    let mut bytes = [0; 32];
    bytes[1..3].copy_from_slice(&(member + 1).to_le_bytes());
    S::secret_from_bytes(&bytes).unwrap()
}

/// `n` members of weight one.
pub(crate) fn committees<S: Scheme>(n: u16) -> Committees<S> {
    fn make<T: Scheme>(n: u16) -> Arc<Committee<T>> {
        let members = (0..n).map(|m| (VerifiedKey::of(&secret::<T>(m)), 1)).collect();
        Arc::new(Committee::new(ChainId::from_name("test"), 0, members).unwrap())
    }
    Committees { voters: make::<S>(n), identities: make::<Ed25519>(n) }
}

/// A certificate for a block, signed by as few members as suffice.
pub(crate) fn certificate<S: Scheme>(
    committees: &Committees<S>,
    view: u64,
    digest: [u8; 32],
) -> Certificate<S> {
    certify(&committees.voters, committees.ballot(view, BlockDigest(digest)))
}

/// A certificate for any statement of members with test keys.
pub(crate) fn certify<S: Scheme>(committee: &Arc<Committee<S>>, statement: Statement) -> Certificate<S> {
    let mut collector = VoteCollector::new(committee.clone(), statement.kind, statement.view);
    let mut votes = (0..committee.len())
        .map(|m| Vote::sign_unguarded(&secret::<S>(m), committee, statement).unwrap())
        .filter_map(|vote| collector.add(vote, &mut Suspects::new()).certificate);
    votes.next().unwrap().into_inner()
}

/// A timeout certificate of members who all name `value`.
pub(crate) fn timeout_certificate<S: Scheme>(
    committees: &Committees<S>,
    view: u64,
    value: u64,
) -> TimeoutCertificate<S> {
    let mut collector = TimeoutCollector::new(committees.voters.clone(), TIMEOUT, view);
    let mut votes = (0..committees.voters.len())
        .map(|m| {
            TimeoutVote::sign_unguarded(&secret::<S>(m), &committees.voters, TIMEOUT, view, value).unwrap()
        })
        .filter_map(|vote| collector.add(vote, &mut Suspects::new()).certificate);
    votes.next().unwrap().into_inner()
}
