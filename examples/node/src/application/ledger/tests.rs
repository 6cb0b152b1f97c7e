use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use proptest::prelude::*;
use quorate::wire::Decode;

use super::*;
use crate::application::trie::{Digest, Shape};
use crate::application::{Application, ApplicationError, Changes, ExecutionBlock, State};
use crate::store::{Roots, StateStore};

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

fn ledger(map: &Map) -> (Ledger, Digest) {
    let mut ledger = Ledger::default();
    let root = ledger.restore(State::new(Arc::new(map.clone())), 0).unwrap();
    (ledger, root)
}

/// Executes on a ledger that is restored from `map`, as after a restart before each block.
fn step(map: &mut Map, height: u64, transactions: &[Vec<u8>]) -> Digest {
    let mut changes = Changes::default();
    let views: Vec<&[u8]> = transactions.iter().map(Vec::as_slice).collect();
    let root =
        ledger(map).0.execute(&ExecutionBlock::from_transactions(height, 0, &views), &mut changes).unwrap();
    changes.apply_to(map);
    assert_eq!(ledger(map).1, root);
    root
}

fn transaction() -> impl Strategy<Value = Vec<u8>> {
    let key = "[a-d]{1,2}";
    prop_oneof![
        (key, "[a-z ]{0,4}").prop_map(|(k, v)| format!("put {k} {v}").into_bytes()),
        key.prop_map(|k| format!("delete {k}").into_bytes()),
        proptest::collection::vec(any::<u8>(), 1..8),
    ]
}

#[test]
fn commands_are_parsed_as_documented() {
    let put = |key, value| Ok(Some(LedgerCommand::Put { key, value }));
    assert_eq!(LedgerCommand::parse(b"put alice 10"), put(b"alice", b"10"));
    assert_eq!(LedgerCommand::parse(b"put a two words"), put(b"a", b"two words"));
    assert_eq!(LedgerCommand::parse(b"put a "), put(b"a", b""));
    assert_eq!(LedgerCommand::parse(b"delete a"), Ok(Some(LedgerCommand::Delete { key: b"a" })));
    for payload in [&b"PUT a b"[..], b"put", b"deleted", b"\0"] {
        assert_eq!(LedgerCommand::parse(payload), Ok(None));
    }
    let code = |tx: &[u8]| LedgerCommand::parse(tx).err().map(|e| e.code());
    assert_eq!(code(b"put a"), Some("NO_VALUE"));
    assert_eq!(code(b"put  b"), Some("BAD_KEY"));
    assert_eq!(code(b"delete a b"), Some("BAD_KEY"));
    assert_eq!(code(&[&b"put "[..], &[b'k'; 129], b" v"].concat()), Some("BAD_KEY"));
    assert_eq!(code(&[&b"put k "[..], &[b'v'; 4097]].concat()), Some("VALUE_TOO_LONG"));
}

#[test]
fn payloads_change_the_root_by_content_and_order() {
    let root = |txs: &[&[u8]]| {
        let txs: Vec<_> = txs.iter().map(|tx| tx.to_vec()).collect();
        step(&mut Map::new(), 1, &txs)
    };
    let roots = [root(&[]), root(&[b"x"]), root(&[b"y"]), root(&[b"x", b"y"]), root(&[b"y", b"x"])];
    let distinct: BTreeSet<_> = roots.iter().collect();
    assert_eq!(distinct.len(), roots.len());
}

/// The rows of the example: height | transactions | A(h) | E(h).
#[test]
fn the_specification_shows_these_roots() {
    let page = include_str!("../../../../../spec/ledger.md");
    let hexadecimal =
        |cell: &str| -> Digest { hex::decode(cell.trim_matches('`')).unwrap().try_into().unwrap() };
    let (mut map, mut execution, mut height) = (Map::new(), [0; 32], 0);
    for line in page.lines() {
        let cells: Vec<_> = line.split('|').map(|cell| cell.trim_matches(' ')).collect();
        let [_, number, commands, application, executed, _] = cells[..] else { continue };
        let Ok(number) = number.parse::<u64>() else { continue };
        assert_eq!(number, height);
        let transactions: Vec<_> =
            commands.split('`').skip(1).step_by(2).map(|text| text.as_bytes().to_vec()).collect();
        let root = if height == 0 { ledger(&map).1 } else { step(&mut map, height, &transactions) };
        assert_eq!(root, hexadecimal(application), "A({height})");
        execution = crate::execution::execution_root(&execution, height, &root);
        assert_eq!(execution, hexadecimal(executed), "E({height})");
        height += 1;
    }
    assert_eq!(height, 5);
}

#[test]
fn damaged_entries_are_noticed() {
    let mut map = Map::new();
    step(&mut map, 1, &[b"put a 1".to_vec(), b"put b 2".to_vec()]);
    let damaged = |key: &[u8], value: &[u8]| {
        let mut map = map.clone();
        assert!(map.insert(key.to_vec(), value.to_vec()).is_some());
        State::new(Arc::new(map))
    };
    // A value is compared when it is asked for.
    let mut ledger = Ledger::default();
    ledger.restore(damaged(b"ea", b"9"), 1).unwrap();
    let error = ledger.query(b"a").unwrap_err();
    assert!(error.to_string().contains("do not add up"), "{error}");
    assert_eq!(ledger.query(b"b").unwrap().unwrap().value.unwrap(), b"2");
    let node = map.keys().find(|key| key[0] == b'b').unwrap();
    let error = ledger.restore(damaged(node, &[1; 33]), 1).unwrap_err();
    assert!(error.to_string().contains("do not add up"), "{error}");
}

/// A ledger whose levels in memory are few, so that it grows.
fn small(max_entries: u64) -> Ledger {
    Ledger::new(Shape::new(1, 3, 1), max_entries)
}

fn execute(ledger: &mut Ledger, height: u64, transactions: &[Vec<u8>]) -> (Digest, Changes) {
    let mut changes = Changes::default();
    let views: Vec<&[u8]> = transactions.iter().map(Vec::as_slice).collect();
    let block = ExecutionBlock::from_transactions(height, 0, &views);
    (ledger.execute(&block, &mut changes).unwrap(), changes)
}

/// What a state has besides the trie's records, and the records.
fn parts(state: &State) -> (Map, Map) {
    let mut all = Map::new();
    state
        .visit(&[], |key, value| {
            all.insert(key.to_vec(), value.to_vec());
            Ok(())
        })
        .unwrap();
    all.into_iter().partition(|(key, _)| matches!(key[0], b'e' | b's'))
}

fn commit(store: &StateStore, height: u64, (root, changes): &(Digest, Changes)) {
    store.commit(height, &Roots { application: *root, execution: [0; 32] }, changes).unwrap();
}

fn puts(keys: std::ops::Range<u32>, value: &str) -> Vec<Vec<u8>> {
    keys.map(|key| format!("put key{key} {value}").into_bytes()).collect()
}

#[test]
fn a_state_of_an_earlier_version_is_completed() {
    let dir = tempfile::tempdir().unwrap();
    let store = StateStore::open(&dir.path().join("state"), 1, false).unwrap();
    let mut ledger = small(1000);
    ledger.restore(store.state(), 0).unwrap();
    commit(&store, 1, &execute(&mut ledger, 1, &puts(0..100, "old")));
    let (_, earlier) = parts(&store.state());
    let second = [puts(50..150, "new"), vec![b"delete key3".to_vec()]].concat();
    commit(&store, 2, &execute(&mut ledger, 2, &second));
    let (entries, records) = parts(&store.state());
    // Without records, and with those of another height, from which an earlier version continued.
    for before in [Map::new(), earlier] {
        let mut changes = Changes::default();
        records.keys().for_each(|key| changes.delete(key));
        before.iter().for_each(|(key, value)| changes.put(key, value));
        store.write(&changes).unwrap();
        assert!(small(1000).restore(store.state(), 2).is_err());
        let mut writes = 0;
        let interrupted = small(1000).upgrade(&store.state(), &mut |changes| {
            writes += 1;
            store.write(changes).unwrap();
            if writes == 2 { Err(ApplicationError::new("interrupted")) } else { Ok(()) }
        });
        assert!(interrupted.is_err());
        let mut upgraded = small(1000);
        let mut write = |changes: &Changes| {
            store.write(changes).unwrap();
            Ok(())
        };
        upgraded.upgrade(&store.state(), &mut write).unwrap();
        assert_eq!(parts(&store.state()), (entries.clone(), records.clone()));
        assert_eq!(upgraded.restore(store.state(), 2), ledger.restore(store.state(), 2));
        upgraded.upgrade(&store.state(), &mut |_| panic!("it is complete")).unwrap();
    }
    let mut write = |changes: &Changes| {
        store.write(changes).unwrap();
        Ok(())
    };
    let mut changes = Changes::default();
    changes.put(b"ekey7", b"damaged");
    changes.delete(b"i");
    write(&changes).unwrap();
    let error = small(1000).upgrade(&store.state(), &mut write).unwrap_err();
    assert!(error.to_string().contains("do not add up"), "{error}");
    // An earlier version deleted all entries.
    let mut changes = Changes::default();
    entries.keys().for_each(|key| changes.delete(key));
    write(&changes).unwrap();
    small(1000).upgrade(&store.state(), &mut write).unwrap();
    assert_eq!(small(1000).restore(store.state(), 3), small(1000).restore(State::empty(), 0));
}

#[test]
fn a_ledger_continues_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let (mut map, mut steady) = (Map::new(), small(MAX_ENTRIES));
    for height in 1..=6_u32 {
        let store = StateStore::open(&path, 1, false).unwrap();
        let mut ledger = Ledger::default();
        ledger.restore(store.state(), 0).unwrap();
        let mut block = puts(height * 20..height * 40, &format!("v{height}"));
        block.extend((0..height * 7).map(|key| format!("delete key{}", key * 3).into_bytes()));
        let executed = execute(&mut ledger, u64::from(height), &block);
        commit(&store, u64::from(height), &executed);
        steady.restore(State::new(Arc::new(map.clone())), 0).unwrap();
        let (root, changes) = execute(&mut steady, u64::from(height), &block);
        assert_eq!(root, executed.0);
        changes.apply_to(&mut map);
        assert_eq!(parts(&store.state()).0, parts(&State::new(Arc::new(map.clone()))).0);
        for key in [0, 21, 45, 100, 333, 600].map(|key| format!("key{key}")) {
            let found = ledger.query(key.as_bytes()).unwrap().unwrap();
            assert_eq!(found.value.as_ref(), map.get(format!("e{key}").as_bytes()));
            let proof = LedgerProof::decode(&found.proof, &()).unwrap();
            proof.verify(&root, key.as_bytes(), found.value.as_deref()).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn restarts_before_each_block_do_not_change_the_state(
        blocks in proptest::collection::vec(proptest::collection::vec(transaction(), 0..12), 1..8)
    ) {
        let (mut restarting, mut model) = (Map::new(), Map::new());
        let steady_map = Arc::new(RwLock::new(Map::new()));
        let mut steady = Ledger::default();
        steady.restore(State::new(steady_map.clone()), 0).unwrap();
        for (height, block) in (1..).zip(&blocks) {
            let root = step(&mut restarting, height, block);
            let mut changes = Changes::default();
            let views: Vec<&[u8]> = block.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(steady.execute(&ExecutionBlock::from_transactions(height, 0, &views), &mut changes).unwrap(), root);
            changes.apply_to(&mut steady_map.write().unwrap());
            for tx in block {
                match LedgerCommand::parse(tx) {
                    Ok(Some(LedgerCommand::Put { key, value })) => { model.insert(key.to_vec(), value.to_vec()); }
                    Ok(Some(LedgerCommand::Delete { key })) => { model.remove(key); }
                    _ => {}
                }
            }
            let (reader, _) = ledger(&restarting);
            for key in ["a", "b", "cc", "da", "zz"] {
                let found = reader.query(key.as_bytes()).unwrap().unwrap();
                prop_assert_eq!(found.value.as_ref(), model.get(key.as_bytes()));
                let proof = LedgerProof::decode(&found.proof, &()).unwrap();
                prop_assert!(proof.verify(&root, key.as_bytes(), found.value.as_deref()).is_ok());
                prop_assert!(proof.verify(&root, key.as_bytes(), Some(b"not this")).is_err());
                prop_assert!(proof.verify(&[1; 32], key.as_bytes(), found.value.as_deref()).is_err());
            }
        }
        prop_assert_eq!(&*steady_map.read().unwrap(), &restarting);
    }

    #[test]
    fn puts_of_new_keys_have_no_effect_at_the_limit(
        blocks in proptest::collection::vec(proptest::collection::vec(transaction(), 0..12), 1..8), max in 0..8_usize
    ) {
        let (mut map, mut model) = (Map::new(), Map::new());
        for (height, block) in (1..).zip(&blocks) {
            let mut ledger = small(max as u64);
            ledger.restore(State::new(Arc::new(map.clone())), 0).unwrap();
            execute(&mut ledger, height, block).1.apply_to(&mut map);
            for tx in block {
                match LedgerCommand::parse(tx) {
                    Ok(Some(LedgerCommand::Put { key, value })) if model.len() < max || model.contains_key(key) => {
                        model.insert(key.to_vec(), value.to_vec());
                    }
                    Ok(Some(LedgerCommand::Delete { key })) => { model.remove(key); }
                    _ => {}
                }
            }
            let entries = map.iter().filter(|(key, _)| key[0] == b'e');
            let entries: Map = entries.map(|(key, value)| (key[1..].to_vec(), value.clone())).collect();
            prop_assert_eq!(&entries, &model);
        }
    }
}
