//! The store with real records and directories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod chain;

use std::collections::BTreeSet;

use chain::{Chain, Voter, batch, binding, committees, open};
use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate_jolteon::{Record, RecordKey};
use quorate_node::application::Changes;
use quorate_node::protocol::{Archive, Executed};
use quorate_node::store::{Binding, Roots, Store, TransactionLocation};
use quorate_node_jolteon::Jolteon;

const START: Executed = Executed { height: 0, state_root: [9; 32] };

fn keys(store: &Store<Jolteon<Ed25519>>) -> BTreeSet<RecordKey> {
    store.load().unwrap().iter().map(Record::key).collect()
}

/// Marks heights as executed, as the execution thread does.
fn execute(store: &Store<Jolteon<Ed25519>>, chain: &Chain<Ed25519>, height: u64) {
    let delivery = chain.delivery(height);
    store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    let roots = Roots { application: [1; 32], execution: [height as u8; 32] };
    store.state().commit(height, &roots, &Changes::default()).unwrap();
    store.index(height, &delivery.batches).unwrap();
}

fn chain_of(heights: u64) -> Chain<Ed25519> {
    let mut chain = Chain::new([9; 32]);
    for height in 1..=heights {
        let batches = vec![batch(2 * height, 3, 40), batch(2 * height + 1, 2, 300)];
        chain.extend(batches, START, u64::from(height % 5 == 3));
    }
    chain
}

#[test]
fn a_restart_loads_exactly_the_needed_records() {
    let dir = tempfile::tempdir().unwrap();
    let chain = chain_of(8);
    let mut voter = Voter::new();
    let store = open::<Ed25519>(dir.path());
    assert!(store.load().unwrap().is_empty());
    let mut last = None;
    for height in 1..=8 {
        last = Some(Record::VoteGuard(voter.vote(height)));
        let mut records = chain.records(height);
        records.push(Record::VoteGuard(voter.vote(height)));
        // Of several records of a slot in one call, the last one counts.
        records.extend(last.clone());
        store.append(&records).unwrap();
    }
    let stray = batch(100, 1, 20);
    store.append(&[Record::Batch(stray.clone()), Record::Batch(stray.clone())]).unwrap();
    execute(&store, &chain, 1);
    execute(&store, &chain, 2);
    drop(store);

    let store = open::<Ed25519>(dir.path());
    let expected: BTreeSet<RecordKey> = (3..=8)
        .flat_map(|height| chain.records(height))
        .map(|record| record.key())
        // The next block extends the executed tip.
        .chain([RecordKey::Block(chain.blocks[1].digest())])
        .chain([RecordKey::Batch(stray.digest()), last.as_ref().unwrap().key()])
        .collect();
    assert_eq!(keys(&store), expected);
    assert!(store.load().unwrap().contains(last.as_ref().unwrap()));

    let orphan = &chain.blocks[3];
    store.prune_batches(&[stray.digest().0]).unwrap();
    store.prune_blocks(&[orphan.digest().0]).unwrap();
    let left = keys(&store);
    assert!(!left.contains(&RecordKey::Batch(stray.digest())));
    assert!(!left.contains(&RecordKey::Block(orphan.digest())));
    assert_eq!(left.len(), expected.len() - 2);
    assert!(store.batch(&stray.digest().0).unwrap().is_none());
}

#[test]
fn the_archive_answers_by_height_digest_and_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let chain = chain_of(9);
    let store = open::<Ed25519>(dir.path());
    for height in 1..=5 {
        store.append(&chain.records(height)).unwrap();
    }
    for height in 1..=5 {
        let delivery = chain.delivery(height);
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
        store.index(height, &delivery.batches).unwrap();
    }
    for height in 1..=5u64 {
        let block = &chain.blocks[height as usize - 1];
        assert_eq!(store.block_at(height).unwrap().as_ref(), Some(block));
        assert_eq!(store.block(&block.digest().0).unwrap().as_ref(), Some(block));
        for (b, batch) in chain.batches[height as usize - 1].iter().enumerate() {
            assert_eq!(store.batch(&batch.digest().0).unwrap().as_ref(), Some(batch));
            for (position, id) in (0..).zip(batch.ids()) {
                let at = TransactionLocation { height, batch: b as u16, position };
                assert_eq!(store.transaction_location(id).unwrap(), Some(at));
            }
        }
        let finality = store.finality(block).unwrap().unwrap();
        finality.verify(&chain.committees.voters, block).unwrap();
        // Height 3 was proposed after a skipped view: height 2 is committed through it and its child.
        assert_eq!(finality.links.len(), if height == 2 { 2 } else { 1 });
    }
    assert!(store.block_at(6).unwrap().is_none());
    assert_eq!(store.history(2, 3, usize::MAX).unwrap(), chain.blocks[1..4]);
    assert_eq!(store.history(2, 30, 1).unwrap(), chain.blocks[1..2]);
    assert_eq!(store.history(4, 30, usize::MAX).unwrap(), chain.blocks[3..5]);
    assert!(store.history(6, 30, usize::MAX).unwrap().is_empty());
}

#[test]
fn finality_is_found_while_the_next_block_is_archived() {
    let dir = tempfile::tempdir().unwrap();
    let mut chain = Chain::new([9; 32]);
    (1..=600).for_each(|number| drop(chain.extend(vec![batch(number, 3, 40)], START, 0)));
    let store = open::<Ed25519>(dir.path());
    let archive = |height| {
        let delivery = chain.delivery(height);
        store.append(&chain.records(height)).unwrap();
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    };
    archive(1);
    std::thread::scope(|scope| {
        scope.spawn(|| (2..=598).for_each(archive));
        let mut height = 1;
        while height < 598 {
            height += u64::from(store.block_at(height + 1).unwrap().is_some());
            let block = &chain.blocks[height as usize - 1];
            assert!(store.finality(block).unwrap().is_some(), "height {height}");
        }
    });
}

#[test]
fn lost_state_is_executed_again_from_the_archive() {
    let dir = tempfile::tempdir().unwrap();
    let chain = chain_of(7);
    let store = open::<Ed25519>(dir.path());
    for height in 1..=4 {
        store.append(&chain.records(height)).unwrap();
        execute(&store, &chain, height);
    }
    assert_eq!(keys(&store), BTreeSet::from([RecordKey::Block(chain.blocks[3].digest())]));
    drop(store);
    // A crash of the machine can lose the last writes of the state.
    std::fs::remove_dir_all(dir.path().join("state")).unwrap();
    let store = open::<Ed25519>(dir.path());
    let needed: BTreeSet<RecordKey> = (1..=4).flat_map(|h| chain.records(h)).map(|r| r.key()).collect();
    assert_eq!(keys(&store), needed);
    let delivery = chain.delivery(1);
    store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    // The archive still has the finality of its newest block.
    let newest = &chain.blocks[3];
    store.finality(newest).unwrap().unwrap().verify(&chain.committees.voters, newest).unwrap();
}

#[test]
fn another_chain_key_format_or_process_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open::<Ed25519>(dir.path());
    let again = |binding: Binding| {
        Store::<Jolteon<Ed25519>>::open(dir.path(), &binding, committees(4)).err().unwrap()
    };
    assert_eq!(again(binding::<Ed25519>()).code(), "DATA_IN_USE");
    drop(store);
    // The same identity key with a voting key of another scheme is another validator.
    let error = again(binding::<MinSig>());
    assert_eq!(error.code(), "DATA_MISMATCH");
    assert!(error.to_string().contains("another validator"), "{error}");
    drop(open::<Ed25519>(dir.path()));
}

#[test]
fn a_damaged_record_prevents_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let store = open::<Ed25519>(dir.path());
    let lost = batch(5, 4, 100);
    store.append(&[Record::Batch(lost), Record::Batch(batch(6, 1, 100))]).unwrap();
    drop(store);
    let path = dir.path().join("batches/00000001.segment");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[200] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let store = open::<Ed25519>(dir.path());
    assert_eq!(store.load().unwrap_err().code(), "CORRUPT");
}
