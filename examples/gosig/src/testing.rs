//! Committees for tests, the same in every run.

use std::sync::Arc;

use quorate::certificate::{Certificate, Statement, Suspects, Vote, VoteCollector};
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, Toy, VerifiedKey};

use crate::block::Committees;

/// The scheme of most tests: its sums are checked as those of BLS are, and cost nothing.
pub(crate) type T = Toy;

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

/// A certificate for any statement of members with test keys, signed by as few as suffice.
pub(crate) fn certify<S: Scheme>(committee: &Arc<Committee<S>>, statement: Statement) -> Certificate<S> {
    let mut collector = VoteCollector::new(committee.clone(), statement.kind, statement.view);
    let mut votes = (0..committee.len())
        .map(|m| Vote::sign_unguarded(&secret::<S>(m), committee, statement).unwrap())
        .filter_map(|vote| collector.add(vote, &mut Suspects::new()).certificate);
    votes.next().unwrap().into_inner()
}
