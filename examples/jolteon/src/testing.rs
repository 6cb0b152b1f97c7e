//! Committees for tests, the same in every run.

use std::sync::Arc;

use quorate::certificate::{
    Certificate, Statement, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote, VoteCollector,
};
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, VerifiedKey};

use crate::batch::{Batch, BatchRef};
use crate::block::{Block, Committees, Content, Executed};
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

/// A block of height 1 and one above it, both with a batch; the second was reached by a timeout if `timed_out`.
pub(crate) fn chain<S: Scheme>(committees: &Committees<S>, timed_out: bool) -> [Arc<Block<S>>; 2] {
    let reference = |author, sequence| {
        let batch = Batch::new(author, sequence, [b"transaction"]).unwrap();
        let statement = batch.header().slot.statement(&committees.identities, batch.digest());
        BatchRef { header: *batch.header(), certificate: certify(&committees.identities, statement) }
    };
    let sign = |content: Content<S>| {
        let statement = committees.proposal(content.view, content.digest());
        let bytes = statement.signed_bytes(&committees.identities.id());
        let signature = Ed25519::sign(&secret::<Ed25519>(content.author), &bytes);
        Arc::new(Block::new(content, signature))
    };
    let first = Content {
        epoch: 0,
        view: 1,
        height: 1,
        author: 1,
        parent: committees.genesis(&[0; 32]),
        justify: None,
        tc: None,
        payload: vec![reference(0, 1)],
        executed: Executed { height: 0, state_root: [0; 32] },
        timestamp: 5,
    };
    let first = sign(first);
    let view = if timed_out { 3 } else { 2 };
    let second = Content {
        view,
        height: 2,
        author: view as u16,
        parent: first.digest(),
        justify: Some(certificate(committees, 1, first.digest().0)),
        tc: timed_out.then(|| timeout_certificate(committees, 2, 1)),
        payload: vec![reference(1, 1), reference(2, 9)],
        ..(**first).clone()
    };
    let second = sign(second);
    [first, second]
}
