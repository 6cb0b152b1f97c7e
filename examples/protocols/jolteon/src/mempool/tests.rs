use quorate::certificate::Vote;
use quorate::machine::Time;
use quorate::wire::{Decode, Encode};

use super::*;
use crate::testing::{certify, committees, secret};

fn batch(author: u16, sequence: u64, byte: u8) -> Arc<Batch> {
    Arc::new(Batch::new(author, sequence, [[byte; 100]]).unwrap())
}

fn certified(batch: &Batch) -> BatchRef {
    let identities = committees::<Ed25519>(4).identities;
    let statement = crate::ids::availability(batch.header().slot, &identities, batch.digest());
    BatchRef { header: *batch.header(), certificate: certify(&identities, statement) }
}

#[test]
fn store_enforces_slot_window_and_byte_limit() {
    let parameters = Parameters { max_author_bytes: 1000, ..Parameters::default() };
    let mut mempool = Mempool::new(0, 4);
    let mut chain = Inventory::new(4);
    assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), StoreOutcome::Stored);
    assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), StoreOutcome::Duplicate);
    assert_eq!(mempool.store(&batch(1, 1, 2), &chain, &parameters), StoreOutcome::Refused);
    let taken = (2..40)
        .filter(|s| mempool.store(&batch(1, *s, 0), &chain, &parameters) == StoreOutcome::Stored)
        .count();
    assert_eq!(taken, 6, "104 bytes each, and 36 for its transaction");
    assert_eq!(
        mempool.store(&batch(2, 1, 1), &chain, &parameters),
        StoreOutcome::Stored,
        "others are not affected"
    );
    chain.include(Slot { author: 1, sequence: 100 });
    let (_, pruned) = mempool.settle(&chain, &[]);
    assert_eq!(pruned.len(), 7);
    assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &parameters), StoreOutcome::Refused);
    assert_eq!(mempool.store(&batch(1, 99, 2), &chain, &parameters), StoreOutcome::Stored);
}

#[test]
fn restart_restores_every_slot_regardless_of_limits() {
    let parameters = Parameters { max_author_bytes: 150, ..Parameters::default() };
    let (mut mempool, chain) = (Mempool::new(0, 4), Inventory::new(4));
    let batches = [batch(1, 1, 1), batch(1, 2, 1)];
    batches.iter().for_each(|batch| mempool.restore(batch, &chain));
    assert!(batches.iter().all(|b| mempool.store(b, &chain, &parameters) == StoreOutcome::Duplicate));
    assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &Parameters::default()), StoreOutcome::Refused);
}

#[test]
fn quorum_certifies_own_batch_and_commit_removes_it() {
    let identities = committees::<Ed25519>(4).identities;
    let parameters = Parameters::default();
    let mut mempool = Mempool::new(0, 4);
    let mut chain = Inventory::new(4);
    let own = batch(0, 1, 1);
    assert_eq!(mempool.store(&own, &chain, &parameters), StoreOutcome::Stored);
    assert!(mempool.own.disseminate(own.clone(), &identities, Time(10), parameters.retry));
    let statement = crate::ids::availability(own.header().slot, &identities, own.digest());
    let mut reference = None;
    for member in 0..3 {
        assert!(reference.is_none());
        let vote = Vote::sign_unguarded(&secret::<Ed25519>(member), &identities, statement).unwrap();
        reference = mempool.own.acknowledge(vote).0;
    }
    let reference = reference.unwrap();
    assert!(reference.is_consistent() && reference.certificate.check(&identities).is_ok());
    assert_eq!(mempool.own.overdue(Time(9), 4, &parameters).len(), 0);
    assert_eq!(mempool.own.overdue(Time(10), 4, &parameters)[0].1, [3]);
    mempool.certify(reference.clone(), Checked::Verified, &chain);
    mempool.certify(reference.clone(), Checked::Unverified(3), &chain);
    assert_eq!((mempool.known(&reference), mempool.pending()), (Some(Checked::Verified), 1));
    assert_eq!(mempool.select(&chain, 10).as_slice(), std::slice::from_ref(&reference));
    chain.include(own.header().slot);
    assert_eq!(mempool.select(&chain, 10), []);
    assert_eq!(mempool.settle(&chain, &[reference]), (vec![(1, true)], Vec::new()));
    assert!(mempool.batch(&own.digest()).is_some(), "until it is delivered");
    mempool.release(&own.digest());
    assert_eq!((mempool.pending(), mempool.own.len(), mempool.bytes[0]), (0, 0, 0));
}

#[test]
fn payload_takes_oldest_batches_first_and_no_slot_twice() {
    let chain = Inventory::new(4);
    let mut mempool = Mempool::new(0, 4);
    let batches = [batch(1, 2, 1), batch(2, 1, 1), batch(1, 1, 1)];
    batches.iter().for_each(|batch| mempool.certify(certified(batch), Checked::Verified, &chain));
    let payload = mempool.select(&chain, 2);
    assert_eq!(
        payload.iter().map(BatchRef::digest).collect::<Vec<_>>(),
        [batches[0].digest(), batches[1].digest()]
    );
    assert_eq!(mempool.select(&chain, 9).len(), 3);
    let other = certified(&batch(1, 2, 9));
    mempool.certify(other.clone(), Checked::Verified, &chain);
    assert_eq!((mempool.known(&other), mempool.pending()), (None, 3), "the slot is taken");
}

/// A certificate with this member's own acknowledgement and forged others is trusted by this member alone, and only until
/// it is verified.
#[test]
fn forged_acknowledgements_beside_an_own_one_are_found() {
    let identities = committees::<Ed25519>(4).identities;
    let (mut mempool, chain) = (Mempool::new(0, 4), Inventory::new(4));
    let batches = [batch(1, 1, 1), batch(1, 2, 2), batch(1, 3, 3)];
    for batch in &batches {
        assert_eq!(mempool.store(batch, &chain, &Parameters::default()), StoreOutcome::Stored);
    }
    let valid = batches.clone().map(|batch| certified(&batch));
    assert!(valid.iter().all(|batch| !mempool.has_own_acknowledgement(batch)), "not acknowledged yet");
    for batch in &valid {
        let (signer, own) = &batch.certificate.proof()[0];
        assert_eq!(*signer, 0);
        mempool.acknowledged(batch.header.slot, own.clone());
    }
    assert!(valid.iter().all(|batch| mempool.has_own_acknowledgement(batch)));
    let foreign = certified(&batch(1, 1, 9));
    assert!(!mempool.has_own_acknowledgement(&foreign), "another batch in the slot");

    // The third signature is replaced by the second one's.
    let mut bytes = valid[1].encode();
    let end = bytes.len();
    bytes.copy_within(end - 128..end - 64, end - 64);
    let forged = BatchRef::decode(&bytes, &identities).unwrap();
    assert!(mempool.has_own_acknowledgement(&forged));
    for (batch, sender) in [(&valid[0], 1), (&forged, 2), (&valid[2], 1)] {
        mempool.certify(batch.clone(), Checked::Unverified(sender), &chain);
    }
    let payload = mempool.select(&chain, 9);
    let invalid = mempool.verify(&payload, &identities);
    assert!(matches!(invalid[..], [(2, Error::BadSignature { .. })]), "{invalid:?}");
    assert_eq!(mempool.known(&valid[0]), Some(Checked::Verified));
    assert_eq!((mempool.known(&forged), mempool.pending()), (None, 2));
    mempool.certify(forged, Checked::Unverified(2), &chain);
    mempool.certify(valid[1].clone(), Checked::Unverified(3), &chain);
    assert_eq!(mempool.known(&valid[1]), None, "an unverified one replaces none");
    mempool.certify(valid[1].clone(), Checked::Verified, &chain);
    assert_eq!(mempool.known(&valid[1]), Some(Checked::Verified), "a verified one does");
}
