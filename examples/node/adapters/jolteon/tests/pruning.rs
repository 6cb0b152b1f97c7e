//! Removal of old blocks from the store, with crashes between its steps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod chain;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use chain::{Chain, batch, binding, committees};
use proptest::prelude::*;
use quorate::ed25519::Ed25519;
use quorate_jolteon::Record;
use quorate_node::application::Changes;
use quorate_node::protocol::{Archive, Executed};
use quorate_node::store::files::disk_bytes;
use quorate_node::store::{Roots, Store, StoreOptions};
use quorate_node_jolteon::Jolteon;

type JolteonStore = Store<Jolteon<Ed25519>>;

const START: Executed = Executed { height: 0, state_root: [9; 32] };
const HEIGHTS: u64 = 120;

/// A chain with about 800 bytes of transactions in each block. Its last block has no certificate.
static CHAIN: LazyLock<Chain<Ed25519>> = LazyLock::new(|| {
    let mut chain = Chain::new([9; 32]);
    for height in 1..=HEIGHTS + 1 {
        chain.extend(vec![batch(2 * height, 3, 40), batch(2 * height + 1, 2, 300)], START, 0);
    }
    chain
});

fn open(dir: &Path) -> JolteonStore {
    let options = StoreOptions { file_bytes: 4096, prunes: true, ..StoreOptions::default() };
    Store::open_with(dir, &binding::<Ed25519>(), committees(4), options).unwrap()
}

fn roots(height: u64) -> Roots {
    Roots { application: [1; 32], execution: [height as u8; 32] }
}

/// Executes a block as the node does: the replica records it first.
fn execute(store: &JolteonStore, height: u64) {
    let delivery = CHAIN.delivery(height);
    store.append(&CHAIN.records(height)).unwrap();
    store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    store.state().commit(height, &roots(height), &Changes::default()).unwrap();
    if store.indexed_height() < height {
        store.index(height, &delivery.batches).unwrap();
    }
}

/// Executes again what the state has lost, as the start of a node does. Returns the executed height.
fn recover(store: &JolteonStore) -> u64 {
    if store.state().executed().unwrap().is_none() {
        store.state().commit(0, &roots(0), &Changes::default()).unwrap();
    }
    let executed = || store.state().executed().unwrap().unwrap().0;
    for height in store.indexed_height() + 1..=executed() {
        assert!(store.block_at(height).unwrap().is_some(), "height {height} of the index is lost");
        store.index(height, &CHAIN.batches[height as usize - 1]).unwrap();
    }
    store.load().unwrap();
    while store.block_at(executed() + 1).unwrap().is_some() {
        execute(store, executed() + 1);
    }
    executed()
}

fn prune(store: &JolteonStore, keep: u64) {
    while store.prune(keep).unwrap() {}
}

/// Checks that all heights from the oldest one on are complete, and that all below are pruned.
fn check(store: &JolteonStore, tip: u64) {
    let oldest = store.oldest_height();
    assert!(oldest >= 1 && oldest <= tip + 1);
    for height in 1..=tip {
        let block = &CHAIN.blocks[height as usize - 1];
        let batches = &CHAIN.batches[height as usize - 1];
        let first = batches[0].ids()[0];
        if height < oldest {
            assert_eq!(store.check_height(height).unwrap_err().code(), "PRUNED");
            assert!(
                store.block_at(height).unwrap().is_none()
                    && store.block(&block.digest().0).unwrap().is_none()
            );
            assert!(batches.iter().all(|batch| store.batch(&batch.digest().0).unwrap().is_none()));
            let found = store.transaction_location(&first).unwrap();
            assert!(found.is_none_or(|found| found.height == height));
            assert!(height + 1 == oldest || store.state().roots(height).unwrap().is_none());
        } else {
            store.check_height(height).unwrap();
            assert_eq!(store.block_at(height).unwrap().as_ref(), Some(block), "height {height} of {tip}");
            for batch in batches {
                assert_eq!(store.batch(&batch.digest().0).unwrap().as_ref(), Some(batch));
            }
            assert_eq!(store.transaction_location(&first).unwrap().unwrap().height, height);
            assert_eq!(store.state().roots(height).unwrap(), Some(roots(height)));
            let finality = store.finality(block).unwrap().unwrap();
            finality.verify(&CHAIN.committees.voters, block).unwrap();
        }
    }
    // A proof of the oldest state needs the root before it.
    assert_eq!(store.state().roots(oldest - 1).unwrap(), Some(roots(oldest - 1)));
    assert_eq!(store.state().roots(0).unwrap(), Some(roots(0)));
}

fn files(dir: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(dir.join("batches")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn pruned_blocks_free_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    (1..=100).for_each(|height| execute(&store, height));
    let before = files(dir.path()).len();
    assert!(before > 15, "{before} files");
    prune(&store, 20);
    assert!((78..=81).contains(&store.oldest_height()), "{}", store.oldest_height());
    let after = files(dir.path()).len();
    assert!(after <= 6, "{after} of {before} files");
    check(&store, 100);
    drop(store);
    let store = open(dir.path());
    assert_eq!(recover(&store), 100);
    check(&store, 100);
    // Later blocks are stored and pruned as before.
    (101..=120).for_each(|height| execute(&store, height));
    prune(&store, 20);
    assert!(store.oldest_height() > 95);
    check(&store, 120);
    assert!(store.history(1, 64, usize::MAX).unwrap().is_empty());
}

/// The records are durable with the new oldest height before anything else is removed, so a crash leaves them with older
/// copies of the other directories and any of the files.
#[test]
fn a_crash_between_two_steps_loses_nothing() {
    let origin = tempfile::tempdir().unwrap();
    let store = open(origin.path());
    recover(&store);
    (1..=60).for_each(|height| execute(&store, height));
    store.flush().unwrap();
    drop(store);
    let pruned = tempfile::tempdir().unwrap();
    copy(origin.path(), pruned.path());
    let store = open(pruned.path());
    recover(&store);
    prune(&store, 20);
    let oldest = store.oldest_height();
    store.flush().unwrap();
    drop(store);
    let remaining = files(pruned.path()).len();
    let deleted: Vec<PathBuf> = files(origin.path())
        .into_iter()
        .filter(|file| !pruned.path().join("batches").join(file.file_name().unwrap()).exists())
        .collect();
    assert!(deleted.len() > 3, "{deleted:?}");
    let all = deleted.len();
    // The state is durable when the first file is deleted.
    for (old, restored) in
        [(&["state", "transactions"][..], all), (&["transactions"], all), (&[], all), (&[], 1)]
    {
        let dir = tempfile::tempdir().unwrap();
        copy(pruned.path(), dir.path());
        for name in old {
            fs::remove_dir_all(dir.path().join(name)).unwrap();
            copy(&origin.path().join(name), &dir.path().join(name));
        }
        for file in &deleted[..restored] {
            fs::copy(file, dir.path().join("batches").join(file.file_name().unwrap())).unwrap();
        }
        let store = open(dir.path());
        assert_eq!((recover(&store), store.oldest_height()), (60, oldest));
        check(&store, 60);
        assert_eq!(files(dir.path()).len(), remaining);
    }
}

#[test]
fn a_file_that_cannot_be_deleted_is_deleted_later() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    (1..=60).for_each(|height| execute(&store, height));
    let first = dir.path().join("batches/00000001.segment");
    let aside = dir.path().join("aside");
    fs::rename(&first, &aside).unwrap();
    fs::create_dir(&first).unwrap();
    fs::write(first.join("x"), "x").unwrap();
    let error = (0..20).find_map(|_| store.prune(20).err()).unwrap();
    assert_eq!(error.code(), "IO");
    drop(store);
    fs::remove_dir_all(&first).unwrap();
    fs::rename(&aside, &first).unwrap();
    let store = open(dir.path());
    assert!(!first.exists(), "the start deletes it");
    recover(&store);
    check(&store, 60);
    prune(&store, 20);
    check(&store, 60);
}

#[test]
fn a_batch_that_is_not_committed_keeps_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    (1..=20).for_each(|height| execute(&store, height));
    let pending = batch(10_001, 1, 100);
    store.append(&[Record::Batch(pending.clone())]).unwrap();
    (21..=100).for_each(|height| execute(&store, height));
    prune(&store, 20);
    check(&store, 100);
    assert_eq!(store.batch(&pending.digest().0).unwrap(), Some(pending.clone()));
    let with_pending = files(dir.path()).len();
    drop(store);
    let store = open(dir.path());
    assert_eq!(recover(&store), 100);
    assert!(store.load().unwrap().contains(&Record::Batch(pending.clone())));
    store.prune_batches(&[pending.digest().0]).unwrap();
    (101..=110).for_each(|height| execute(&store, height));
    prune(&store, 20);
    check(&store, 110);
    assert!(files(dir.path()).len() <= with_pending, "its file is deleted");
    assert!(store.batch(&pending.digest().0).unwrap().is_none());
}

/// Gosig may order the same payload twice.
#[test]
fn a_batch_of_two_blocks_stays_until_both_are_pruned() {
    let dir = tempfile::tempdir().unwrap();
    let mut chain = Chain::<Ed25519>::new([9; 32]);
    let repeated = batch(7, 2, 500);
    for height in 1..=61u64 {
        let own = batch(1000 + height, 2, 500);
        chain.extend(
            if [3, 40, 50].contains(&height) { vec![repeated.clone()] } else { vec![own] },
            START,
            0,
        );
    }
    let store = open(dir.path());
    recover(&store);
    let execute = |height: u64| {
        let delivery = chain.delivery(height);
        store.append(&chain.records(height)).unwrap();
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
        store.state().commit(height, &roots(height), &Changes::default()).unwrap();
        store.index(height, &delivery.batches).unwrap();
    };
    (1..=44).for_each(execute);
    // Height 50 is recorded and not executed yet.
    store.append(&chain.records(50)).unwrap();
    prune(&store, 8);
    assert!(store.oldest_height() > 30);
    assert_eq!(store.batch(&repeated.digest().0).unwrap(), Some(repeated.clone()));
    (45..=49).for_each(execute);
    prune(&store, 4);
    assert!(store.oldest_height() > 40);
    assert_eq!(store.batch(&repeated.digest().0).unwrap(), Some(repeated.clone()), "height 50 needs it");
    (50..=60).for_each(execute);
    prune(&store, 4);
    assert!(store.oldest_height() > 50);
    assert_eq!(store.batch(&repeated.digest().0).unwrap(), None);
}

/// The location of a body may outlive the need for its file.
#[test]
fn a_body_is_stored_again_if_its_file_may_be_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    let (repeated, neighbor) = (batch(10_001, 2, 500), batch(10_002, 1, 100));
    // Two other chains contain it: one at height 3, one at height 50.
    let chain_with = |height: u64| {
        let mut chain = Chain::<Ed25519>::new([9; 32]);
        for at in 1..=height + 1 {
            chain.extend(Vec::from_iter((at == height).then(|| repeated.clone())), START, 0);
        }
        chain
    };
    let (other, fork) = (chain_with(3), chain_with(50));
    store.append(&[Record::Batch(neighbor.clone()), Record::Batch(repeated.clone())]).unwrap();
    (1..=40).for_each(|height| {
        let delivery = if height == 3 { other.delivery(3) } else { CHAIN.delivery(height) };
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
        store.state().commit(height, &roots(height), &Changes::default()).unwrap();
        store.index(height, &delivery.batches).unwrap();
    });
    // A block that is never committed keeps it at first.
    let stray = fork.blocks[49].clone();
    store.append(&[Record::Block(stray.clone())]).unwrap();
    prune(&store, 8);
    assert!(store.oldest_height() > 3);
    store.prune_blocks(&[stray.digest().0]).unwrap();
    (41..=70).for_each(|height| execute(&store, height));
    prune(&store, 4);
    assert!(store.oldest_height() > 50);
    let body = |store: &JolteonStore| store.batch(&repeated.digest().0).unwrap();
    assert!(body(&store).is_some(), "its neighbor keeps the file");
    store.append(&[Record::Batch(repeated.clone())]).unwrap();
    store.prune_batches(&[neighbor.digest().0]).unwrap();
    (71..=90).for_each(|height| execute(&store, height));
    prune(&store, 4);
    assert!(!dir.path().join("batches/00000001.segment").exists());
    assert_eq!(body(&store), Some(repeated.clone()));
    drop(store);
    let store = open(dir.path());
    recover(&store);
    assert!(store.load().unwrap().contains(&Record::Batch(repeated.clone())));
}

#[test]
fn a_pruned_block_does_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    (1..=40).for_each(|height| execute(&store, height));
    prune(&store, 8);
    let delivery = CHAIN.delivery(3);
    store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    store.append(&[Record::Block(delivery.block.clone())]).unwrap();
    check(&store, 40);
    drop(store);
    let store = open(dir.path());
    recover(&store);
    check(&store, 40);
    // Nothing is above the height that a peer shows, so there is nothing to compare it with.
    store.compare(&delivery.block, &delivery.finality).unwrap();
}

/// A version without pruning wrote them: nothing shows which files they need.
#[test]
fn blocks_without_notes_are_pruned() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    recover(&store);
    // No later block is noted, because the first one is missing.
    let second = CHAIN.delivery(2);
    store.archive(&second.block, &second.batches, &second.finality).unwrap();
    (1..=100).for_each(|height| execute(&store, height));
    drop(store);
    let store = open(dir.path());
    assert_eq!(recover(&store), 100);
    // Two calls note them, so that none takes long.
    for _ in 0..2 {
        assert!(store.prune(20).unwrap());
        assert_eq!(store.oldest_height(), 1);
    }
    assert!(store.prune(20).unwrap() && store.oldest_height() > 1);
    prune(&store, 20);
    check(&store, 100);
    assert!(files(dir.path()).len() < 8);
    (101..=120).for_each(|height| execute(&store, height));
    prune(&store, 20);
    check(&store, 120);
}

/// An older block that is noted later does not replace a newer use.
#[test]
fn a_block_is_archived_while_older_ones_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    let repeated = batch(9_001, 2, 500);
    let mut chain = Chain::<Ed25519>::new([9; 32]);
    for height in 1..=101u64 {
        let own = batch(1000 + height, 2, 500);
        chain.extend(vec![if [3, 80].contains(&height) { repeated.clone() } else { own }], START, 0);
    }
    let store = open(dir.path());
    recover(&store);
    let archive = |height: u64| {
        let delivery = chain.delivery(height);
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    };
    let execute = |height: u64| {
        archive(height);
        store.state().commit(height, &roots(height), &Changes::default()).unwrap();
        store.index(height, &chain.delivery(height).batches).unwrap();
    };
    // No later block is noted, because the first one is missing.
    archive(2);
    (1..=79).for_each(execute);
    assert!(store.prune(8).unwrap());
    (80..=100).for_each(execute);
    prune(&store, 30);
    assert!((4..=80).contains(&store.oldest_height()));
    assert_eq!(store.batch(&repeated.digest().0).unwrap(), Some(repeated.clone()));
    prune(&store, 8);
    assert!(store.oldest_height() > 80);
    assert_eq!(store.batch(&repeated.digest().0).unwrap(), None);
}

/// Prints the bytes on disk per transaction of 512 bytes, by folder of the data directory:
/// `cargo test -p quorate-node-jolteon --test pruning -- --ignored --nocapture bytes_per_transaction`.
#[test]
#[ignore = "a measurement"]
fn bytes_per_transaction() {
    const TRANSACTIONS: u64 = 200;
    let mut chain = Chain::<Ed25519>::new([9; 32]);
    for height in 1..=401 {
        chain.extend(vec![batch(height, TRANSACTIONS, 512)], START, 0);
    }
    let dir = tempfile::tempdir().unwrap();
    let options = StoreOptions { file_bytes: 1 << 20, prunes: true, ..StoreOptions::default() };
    let store = Store::open_with(dir.path(), &binding::<Ed25519>(), committees(4), options).unwrap();
    recover(&store);
    let folders = ["batches", "records", "state", "transactions"];
    let sizes = || folders.map(|name| disk_bytes(&dir.path().join(name)).unwrap());
    let print = |what: &str, before: [u64; 4], blocks: u64| {
        let each = sizes().into_iter().zip(before).map(|(now, before)| now.saturating_sub(before));
        let each: Vec<_> = each.map(|bytes| bytes as f64 / (blocks * TRANSACTIONS) as f64).collect();
        let all: f64 = each.iter().sum();
        let each: Vec<_> =
            folders.iter().zip(&each).map(|(name, bytes)| format!("{name} {bytes:.1}")).collect();
        println!("{what}: {all:.1} bytes per transaction ({})", each.join(", "));
    };
    let empty = sizes();
    for height in 1..=400 {
        let delivery = chain.delivery(height);
        store.append(&chain.records(height)).unwrap();
        store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
        store.state().commit(height, &roots(height), &Changes::default()).unwrap();
        store.index(height, &delivery.batches).unwrap();
        if height % 50 == 0 {
            store.flush().unwrap();
        }
    }
    print("400 blocks, all kept", empty, 400);
    prune(&store, 100);
    store.flush().unwrap();
    let kept = 401 - store.oldest_height();
    print(&format!("400 blocks, {kept} kept"), empty, kept);
}

#[derive(Clone, Debug)]
enum Operation {
    Execute(u64),
    Prune(u64),
    Restart,
    /// The state loses its writes since the last call that made it durable, and the index those in memory.
    Crash,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (1..12u64).prop_map(Operation::Execute),
        3 => (4..30u64).prop_map(Operation::Prune),
        1 => Just(Operation::Restart),
        1 => Just(Operation::Crash),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn kept_heights_are_complete_after_any_history(operations in prop::collection::vec(operation(), 1..16)) {
        let (dir, durable) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut store = open(dir.path());
        let mut tip = recover(&store);
        let mut before = BTreeMap::new();
        for operation in operations {
            match operation {
                Operation::Execute(heights) => {
                    let to = (tip + heights).min(HEIGHTS);
                    (tip + 1..=to).for_each(|height| execute(&store, height));
                    tip = to;
                }
                Operation::Prune(keep) => {
                    let oldest = store.oldest_height();
                    prune(&store, keep);
                    if store.oldest_height() > oldest {
                        // Pruning made the state durable.
                        let _ = fs::remove_dir_all(durable.path().join("state"));
                        copy(&dir.path().join("state"), &durable.path().join("state"));
                    }
                }
                Operation::Restart => {
                    drop(store);
                    store = open(dir.path());
                    assert_eq!(recover(&store), tip);
                }
                Operation::Crash => {
                    drop(store);
                    if durable.path().join("state").exists() {
                        fs::remove_dir_all(dir.path().join("state")).unwrap();
                        copy(&durable.path().join("state"), &dir.path().join("state"));
                    }
                    store = open(dir.path());
                    assert_eq!(recover(&store), tip);
                }
            }
            check(&store, tip);
            let oldest = store.oldest_height();
            prop_assert!(before.insert("oldest", oldest).is_none_or(|before| before <= oldest));
        }
    }
}

#[test]
fn readers_see_a_whole_block_or_a_pruned_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(open(dir.path()));
    recover(&store);
    (1..=30).for_each(|height| execute(&store, height));
    std::thread::scope(|scope| {
        for first in 0..2 {
            let store = store.clone();
            scope.spawn(move || {
                while store.oldest_height() < 80 {
                    for height in (1 + first..=30).step_by(2) {
                        let found = store.block_at(height).unwrap();
                        assert!(found.is_some() || height < store.oldest_height());
                        let batch = &CHAIN.batches[height as usize - 1][1];
                        let found = store.batch(&batch.digest().0).unwrap();
                        assert!(found.is_some() || height < store.oldest_height());
                    }
                }
            });
        }
        for height in 31..=100 {
            execute(&store, height);
            store.prune(12).unwrap();
        }
    });
    check(&store, 100);
}
