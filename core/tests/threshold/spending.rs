//! The guard's rule for presignatures, without any curve: one digest per presignature, in the journal of the votes.

use quorate::Error;
use quorate::certificate::Kind;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord, Spend};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};

fn secret(seed: u8) -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[seed; 32]).unwrap()
}

fn chain() -> ChainId {
    ChainId::from_name("spending")
}

fn restore(records: &[GuardRecord]) -> quorate::Result<Guard<Ed25519>> {
    Guard::restore(secret(1), chain(), records.iter().copied())
}

fn spend(key: u8, epoch: u64, index: u32, digest: u8) -> Spend {
    Spend { key: [key; 32], epoch, index, digest: [digest; 32] }
}

#[test]
fn votes_and_presignatures_share_one_journal() {
    let committee =
        Committee::<Ed25519>::new(chain(), 3, vec![(VerifiedKey::from_secret(&secret(1)), 1)]).unwrap();
    let mut guard = restore(&[]).unwrap();
    let mut log = Vec::new();
    for view in [5u64, 6] {
        let (_, record) = guard.sign(&committee, committee.statement(Kind::new(0), view, [1; 32])).unwrap();
        log.push(record);
        log.extend(guard.spend(&spend(9, 3, view as u32, 1)).unwrap());
        log.extend(guard.spend(&spend(9, 3, 0x100 - view as u32, 1)).unwrap());
    }
    for record in &log {
        assert_eq!(GuardRecord::decode(&record.encode(), &()), Ok(*record));
        assert_eq!(record.encode().len(), GuardRecord::LEN);
    }
    log.reverse();
    let mut guard = restore(&log).unwrap();
    assert_eq!(guard.last(Kind::new(0)), Some((3, 6)));
    assert_eq!(guard.records().count(), 5);
    for index in [5, 6, 0x100 - 5, 0x100 - 6] {
        let refused = guard.spend(&spend(9, 3, index, 2)).unwrap_err();
        assert_eq!(refused, Error::Contradiction { kind: 0, signed_view: index.into() });
        assert!(guard.spend(&spend(9, 3, index, 1)).unwrap().is_some());
    }
    // A presignature of another key with the same index is a different one.
    assert!(guard.spend(&spend(8, 3, 5, 2)).unwrap().is_some());
}

#[test]
fn a_journal_of_another_guard_is_refused() {
    let mut guard = restore(&[]).unwrap();
    let spent = guard.spend(&spend(9, 3, 1, 1)).unwrap().unwrap();
    let reserved = guard.reserve(&[9; 32], 3, 5_000).unwrap();
    let closed = guard.close_epoch(&[9; 32], 2);
    for record in [spent, reserved, closed] {
        let refused = Guard::<Ed25519>::restore(secret(2), chain(), [record]).map(drop).unwrap_err();
        assert_eq!(refused.code(), "WRONG_CONTEXT");
        let refused = Guard::<Ed25519>::restore(secret(1), ChainId::from_name("other"), [record]);
        assert_eq!(refused.map(drop).unwrap_err().code(), "WRONG_CONTEXT");
    }
    let mut unknown = spent.encode();
    unknown[32] = 3;
    let unknown = GuardRecord::decode(&unknown, &()).unwrap();
    assert_eq!(restore(&[unknown]).map(drop).unwrap_err().code(), "MALFORMED");
}

#[test]
fn journal_with_a_double_spend_is_refused() {
    let one = restore(&[]).unwrap().spend(&spend(9, 3, 1, 1)).unwrap().unwrap();
    let two = restore(&[]).unwrap().spend(&spend(9, 3, 1, 2)).unwrap().unwrap();
    for records in [[one, two], [two, one]] {
        assert_eq!(restore(&records).map(drop).unwrap_err().code(), "CONTRADICTION");
    }
    assert!(restore(&[one, one]).is_ok());
}

#[test]
fn only_the_guard_that_made_a_reservation_confirms_it() {
    let mut guard = restore(&[]).unwrap();
    let block = guard.reserve(&[9; 32], 3, 2_047).unwrap();
    assert!(guard.spend(&spend(9, 3, 1_024, 1)).unwrap().is_some());
    guard.confirm(&block).unwrap();
    assert!(guard.spend(&spend(9, 3, 1_025, 1)).unwrap().is_none());
    assert!(guard.spend(&spend(9, 3, 1_025, 1)).unwrap().is_none(), "the same digest again");
    assert_eq!(guard.spend(&spend(9, 3, 1_025, 2)).unwrap_err().code(), "CONTRADICTION");
    assert!(guard.spend(&spend(9, 3, 1_023, 1)).unwrap().is_some(), "the previous block");
    assert!(guard.spend(&spend(9, 3, 2_048, 1)).unwrap().is_some(), "the next block");
    assert!(guard.spend(&spend(9, 4, 1_026, 1)).unwrap().is_some(), "the next epoch");
    assert!(guard.spend(&spend(8, 3, 1_026, 1)).unwrap().is_some(), "another key");
    let spent = guard.spend(&spend(9, 3, 1, 1)).unwrap().unwrap();
    assert_eq!(guard.confirm(&spent).unwrap_err().code(), "WRONG_CONTEXT");
    // A restored block is burnt, and confirming it does not change that.
    let mut after = restore(&[block]).unwrap();
    assert_eq!(after.confirm(&block).unwrap_err().code(), "WRONG_CONTEXT");
    assert_eq!(after.spend(&spend(9, 3, 1_100, 1)), Err(Error::Exhausted));
    assert_eq!(restore(&[]).unwrap().confirm(&block).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn closed_epochs_refuse_presignatures_in_any_record_order() {
    let mut guard = restore(&[]).unwrap();
    let mut log = vec![guard.reserve(&[9; 32], 3, 0).unwrap()];
    for epoch in 2..5 {
        log.extend(guard.spend(&spend(9, epoch, 1, 1)).unwrap());
        log.extend(guard.spend(&spend(8, epoch, 1, 1)).unwrap());
    }
    log.push(guard.close_epoch(&[9; 32], 3));
    assert_eq!(guard.close_epoch(&[9; 32], 1), log[7], "closing an earlier epoch reopens none");
    for _ in 0..log.len() {
        log.rotate_left(1);
        let mut guard = restore(&log).unwrap();
        for epoch in 0..4 {
            assert_eq!(guard.spend(&spend(9, epoch, 1, 1)), Err(Error::Exhausted));
            assert_eq!(guard.reserve(&[9; 32], epoch, 1), Err(Error::Exhausted));
        }
        assert_eq!(guard.spend(&spend(9, 4, 1, 2)).unwrap_err().code(), "CONTRADICTION");
        assert_eq!(guard.spend(&spend(8, 2, 1, 2)).unwrap_err().code(), "CONTRADICTION");
        // One record closes the epochs, one is of epoch 4, and three are of the other key.
        assert_eq!(guard.records().count(), 5);
    }
}
