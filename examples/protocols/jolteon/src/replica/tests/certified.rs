//! Certificates of batches: which ones a member verifies, and when.

use std::ops::RangeInclusive;

use super::*;
use crate::batch::{Batch, BatchRef};
use crate::mempool::Checked;
use quorate::certificate::{Suspects, Vote, VoteCollector};
use quorate::machine::Outgoing;
use quorate::wire::{Decode, Encode};

const NO_CULPRITS: [MemberIndex; 0] = [];

/// Returns the reference of a batch with acknowledgements of `members`, and the same with a forged last one.
fn references(batch: &Batch, members: [MemberIndex; 3]) -> (BatchRef, BatchRef) {
    let identities = committees::<E>(4).identities;
    let statement = crate::ids::availability(batch.header().slot, &identities, batch.digest());
    let mut collector = VoteCollector::new(identities.clone(), statement.kind, statement.view);
    let mut votes = members.map(|member| {
        let vote = Vote::sign_unguarded(&secret::<E>(member), &identities, statement).unwrap();
        collector.add(vote, &mut Suspects::new()).certificate
    });
    let certificate = votes[2].take().unwrap().into_inner();
    let valid = BatchRef { header: *batch.header(), certificate };
    let mut bytes = valid.encode();
    let end = bytes.len();
    bytes.copy_within(end - 128..end - 64, end - 64);
    (valid, BatchRef::decode(&bytes, &identities).unwrap())
}

fn forged_reference(batch: &Batch) -> BatchRef {
    references(batch, [0, 1, 2]).1
}

/// Returns a batch of member 1 with a transaction of `bytes` bytes, and its references.
fn batch_of(bytes: usize, members: [MemberIndex; 3]) -> (Arc<Batch>, BatchRef, BatchRef) {
    let batch = Arc::new(Batch::new(1, 1, [vec![7; bytes]]).unwrap());
    let (valid, forged) = references(&batch, members);
    (batch, valid, forged)
}

/// Both references contain the valid acknowledgement of member 0.
fn batch() -> (Arc<Batch>, BatchRef, BatchRef) {
    batch_of(10, [0, 1, 2])
}

fn certified(batch: &BatchRef) -> Message<E> {
    Message::Certified(Box::new(batch.clone()))
}

/// Returns a replica that has acknowledged the batch.
fn acknowledged(batch: &Arc<Batch>) -> Replica<E> {
    let mut replica = replica();
    let step = give(&mut replica, 1, Message::Batch(batch.clone()));
    assert!(matches!(step.messages[..], [Outgoing { message: Message::Acknowledge(_), .. }]));
    replica
}

fn culprits(step: &Step<Replica<E>>) -> Vec<MemberIndex> {
    step.faults.iter().map(|fault| fault.culprit).collect()
}

fn proposed(step: &Step<Replica<E>>) -> Option<Arc<Block<E>>> {
    step.messages.iter().find_map(|outgoing| match &outgoing.message {
        Message::Proposal(block) => Some(block.clone()),
        _ => None,
    })
}

#[test]
fn a_leader_proposes_only_verified_batches() {
    let (batch, valid, forged) = batch();
    let mut replica = acknowledged(&batch);
    assert_eq!(culprits(&give(&mut replica, 1, certified(&forged))), NO_CULPRITS);
    assert_eq!(replica.status().pending, 1, "trusted for the time being");
    let tc = Some(timeout_certificate(&committees::<E>(4), 3, 0));
    let step = give(&mut replica, 3, Message::Advance(Box::new(Advance { high: None, tc })));
    assert_eq!((replica.status().view, replica.leader()), (4, 0));
    assert_eq!((culprits(&step), proposed(&step), replica.status().pending), (vec![1], None, 0));
    let step = give(&mut replica, 1, certified(&valid));
    assert_eq!(proposed(&step).expect("a proposal").payload, [valid]);
}

#[test]
fn a_forged_certificate_times_out_no_view() {
    let (batch, valid, forged) = batch();
    let times_out = |batch: &BatchRef, replica: &mut Replica<E>| {
        drop(give(replica, 1, certified(batch)));
        assert_eq!(replica.view_timer, Some(1));
        let step = replica.handle(replica.now, Input::Timer(Timer::View));
        let sent = step.messages.iter().any(|outgoing| matches!(outgoing.message, Message::Timeout(_)));
        (culprits(&step), sent)
    };
    let mut replica = acknowledged(&batch);
    assert_eq!(times_out(&forged, &mut replica), (vec![1], false));
    assert!(!replica.pacemaker.is_timing(), "the view is idle: later work gets its whole time");
    assert_eq!(times_out(&valid, &mut acknowledged(&batch)), (NO_CULPRITS.into(), true));
}

#[test]
fn a_second_certificate_in_a_slot_is_verified() {
    let (batch, valid, forged) = batch();
    let mut replica = acknowledged(&batch);
    drop(give(&mut replica, 1, certified(&forged)));
    assert_eq!(culprits(&give(&mut replica, 2, certified(&valid))), NO_CULPRITS);
    assert_eq!(replica.mempool.known(&valid), Some(Checked::Verified));
    let mut replica = acknowledged(&batch);
    drop(give(&mut replica, 1, certified(&valid)));
    assert_eq!(culprits(&give(&mut replica, 2, certified(&forged))), [2]);
    assert_eq!(replica.mempool.known(&valid), Some(Checked::Unverified(1)));
}

/// Only the author's first certificates wait for their verification, and few of them.
#[test]
fn a_flood_of_forged_certificates_is_verified_at_once() {
    let (batch, _, forged) = batch();
    let mut replica = acknowledged(&batch);
    assert_eq!(culprits(&give(&mut replica, 2, certified(&forged))), [2], "not its author");
    assert!(!replica.mempool.trusts(2) && replica.mempool.trusts(1));
    let forge = |sequence| {
        let batch = Arc::new(Batch::new(1, sequence, [b"transaction"]).unwrap());
        forged_reference(&batch)
    };
    let flood = |replica: &mut Replica<E>, sequences: RangeInclusive<u64>| -> usize {
        sequences.map(|sequence| culprits(&give(replica, 1, certified(&forge(sequence)))).len()).sum()
    };
    assert_eq!((flood(&mut replica, 1..=64), replica.status().pending), (0, 64));
    // The first invalid one drops all that its sender announced, and the next ones are verified.
    assert_eq!((flood(&mut replica, 65..=70), replica.status().pending), (6, 0));

    let mut replica = acknowledged(&batch);
    flood(&mut replica, 1..=64);
    let step = replica.handle(replica.now, Input::Timer(Timer::View));
    assert_eq!((culprits(&step).len(), replica.status().pending), (8, 0));
    assert_eq!(flood(&mut replica, 71..=71), 1);
}

/// Lets member 1 propose a batch. Returns the culprits, whether the replica votes, and the number of batches that it makes durable.
fn vote(replica: &mut Replica<E>, batch: &BatchRef) -> (Vec<MemberIndex>, bool, usize) {
    let c = committees::<E>(4);
    let mut content = (**block(1, None, None)).clone();
    content.payload = vec![batch.clone()];
    let bytes = c.proposal(1, content.digest()).signed_bytes(&c.identities.id());
    let proposal = Block::new(content, E::sign(&secret::<E>(1), &bytes));
    let step = give(replica, 1, Message::Proposal(Arc::new(proposal)));
    let voted = step.persist.iter().any(|record| matches!(record, Record::VoteGuard(_)));
    let batches = step.persist.iter().filter(|record| matches!(record, Record::Batch(_)));
    (culprits(&step), voted, batches.count())
}

/// A quorum of voters has at least f + 1 honest members that store the batch, because each of them acknowledged it, stores it with
/// its vote, or verified that a quorum acknowledged it.
#[test]
fn a_voter_verifies_batches_that_it_does_not_store() {
    let (batch, valid, forged) = batch();
    assert_eq!(vote(&mut acknowledged(&batch), &forged), (NO_CULPRITS.into(), true, 0));
    assert_eq!(vote(&mut replica(), &forged), (vec![1], false, 0));
    assert_eq!(vote(&mut replica(), &valid), (NO_CULPRITS.into(), true, 0));
}

#[test]
fn a_vote_makes_small_batches_durable() {
    for (bytes, expected) in [(10, (NO_CULPRITS.into(), true, 1)), (20_000, (vec![1], false, 0))] {
        let (batch, valid, forged) = batch_of(bytes, [1, 2, 3]);
        assert_eq!(vote(&mut acknowledged(&batch), &forged), expected);
        assert_eq!(vote(&mut acknowledged(&batch), &valid), (NO_CULPRITS.into(), true, expected.2));
    }
}

/// An author can make two valid certificates of one batch. A member that has verified one votes for a block with the other.
#[test]
fn a_second_valid_certificate_prevents_no_vote() {
    let (batch, first, _) = batch_of(70_000, [0, 1, 2]);
    let (second, _) = references(&batch, [1, 2, 3]);
    let mut replica = acknowledged(&batch);
    let (_, forged) = references(&batch, [0, 1, 3]);
    drop(give(&mut replica, 1, certified(&forged)));
    drop(give(&mut replica, 2, certified(&first)));
    assert_eq!(replica.mempool.known(&first), Some(Checked::Verified));
    assert_eq!(vote(&mut replica, &second), (NO_CULPRITS.into(), true, 0));
}
