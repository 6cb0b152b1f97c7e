//! Committees for tests, identical in every run.

use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate_protocol::testing::committee;
pub(crate) use quorate_protocol::testing::{certify, check_encoding, secret};

use crate::batch::{Batch, BatchRef};
use crate::block::{Block, BlockContent, Committees, Executed};
use crate::ids::{BlockDigest, TIMEOUT};

/// Returns `n` members of weight one.
pub(crate) fn committees<S: Scheme>(n: u16) -> Committees<S> {
    Committees { voters: committee("test", n), identities: committee("test", n) }
}

/// Returns a certificate of a block, signed by a minimal quorum.
pub(crate) fn certificate<S: Scheme>(
    committees: &Committees<S>,
    view: u64,
    digest: [u8; 32],
) -> Certificate<S> {
    certify(&committees.voters, committees.ballot(view, BlockDigest(digest)))
}

/// Returns a timeout certificate whose signers all name `value`.
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

/// Returns a block of height 1 and its child, both with batches. With `timed_out`, the child follows a timeout.
pub(crate) fn chain<S: Scheme>(committees: &Committees<S>, timed_out: bool) -> [Arc<Block<S>>; 2] {
    let reference = |author, sequence| {
        let batch = Batch::new(author, sequence, [b"transaction"]).unwrap();
        let statement = crate::ids::availability(batch.header().slot, &committees.identities, batch.digest());
        BatchRef { header: *batch.header(), certificate: certify(&committees.identities, statement) }
    };
    let sign = |content: BlockContent<S>| {
        let statement = committees.proposal(content.view, content.digest());
        let bytes = statement.signed_bytes(&committees.identities.id());
        let signature = Ed25519::sign(&secret::<Ed25519>(content.author), &bytes);
        Arc::new(Block::new(content, signature))
    };
    let first = BlockContent {
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
    let second = BlockContent {
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
