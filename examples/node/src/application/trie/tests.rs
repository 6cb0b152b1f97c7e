use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use quorate::wire::{Decode, Encode, domain};

use super::node::{EMPTY, bit};
use super::stored::Branch;
use super::*;
use crate::application::{Changes, State};

/// Paths and value hashes in ascending order.
type Pairs = Vec<(Digest, Digest)>;

/// The root by the definition in the module's documentation.
fn reference(entries: &[(Digest, Digest)], depth: usize) -> Digest {
    match entries {
        [] => EMPTY,
        [(path, value)] => domain::hash(domain::LEDGER_LEAF, &[path.as_slice(), value.as_slice()].concat()),
        _ => {
            let (left, right) = halves(entries, depth);
            let children = [reference(&left, depth + 1), reference(&right, depth + 1)].concat();
            domain::hash(domain::LEDGER_NODE, &children)
        }
    }
}

fn halves(entries: &[(Digest, Digest)], depth: usize) -> (Pairs, Pairs) {
    entries.iter().copied().partition(|entry| !bit(&entry.0, depth))
}

/// Siblings and hash of the subtree at the first `bits` bits of a path, or of a single entry above it.
fn reference_branch(
    entries: &[(Digest, Digest)],
    path: &Digest,
    bits: usize,
) -> (Vec<Digest>, Digest, Pairs) {
    let (mut entries, mut siblings) = (entries.to_vec(), Vec::new());
    while siblings.len() < bits && entries.len() > 1 {
        let depth = siblings.len();
        let (left, right) = halves(&entries, depth);
        let (mine, other) = if bit(path, depth) { (right, left) } else { (left, right) };
        siblings.push(reference(&other, depth + 1));
        entries = mine;
    }
    let hash = reference(&entries, siblings.len());
    (siblings, hash, entries)
}

/// Paths of which every second has a long common prefix with others, as an attacker would search for.
fn path(n: u8) -> Digest {
    let mut path = [0; 32];
    path[usize::from(n) % 2 * 2] = n;
    path[31] = n / 16;
    path
}

/// A trie with its state in memory, and the entries that it should have.
struct Model {
    trie: StoredTrie,
    shape: Shape,
    state: BTreeMap<Vec<u8>, Vec<u8>>,
    entries: BTreeMap<Digest, Digest>,
}

impl Model {
    fn new(shape: Shape) -> Self {
        Self { trie: StoredTrie::new(shape), shape, state: BTreeMap::new(), entries: BTreeMap::new() }
    }

    fn state(&self) -> State {
        State::new(Arc::new(self.state.clone()))
    }

    fn execute(&mut self, block: &[(u8, Option<u8>)]) {
        let last: BTreeMap<_, _> = block.iter().map(|(n, value)| (path(*n), (*n, *value))).collect();
        let keys: Vec<_> = last.values().map(|(n, _)| [*n]).collect();
        let change = |((path, (_, value)), key): ((&Digest, &(u8, Option<u8>)), _)| Change {
            path: *path,
            key,
            value: value.map(|v| [v; 32]),
            existed: false,
        };
        let mut changes: Vec<_> = last.iter().zip(keys.iter().map(<[u8; 1]>::as_slice)).map(change).collect();
        let mut records = Changes::default();
        self.trie.apply(&self.state(), &mut changes, &mut records).unwrap();
        records.apply_to(&mut self.state);
        for change in changes {
            let before = match change.value {
                Some(value) => self.entries.insert(change.path, value),
                None => self.entries.remove(&change.path),
            };
            assert_eq!(change.existed, before.is_some());
        }
    }

    fn restart(&mut self) {
        let root = self.trie.root();
        self.trie = StoredTrie::restore(&self.state(), self.shape, self.trie.len()).unwrap();
        assert_eq!(self.trie.root(), root);
    }

    fn check(&self) {
        let entries: Vec<_> = self.entries.iter().map(|(k, v)| (*k, *v)).collect();
        let (state, root) = (self.state(), self.trie.root());
        assert_eq!((root, self.trie.len()), (reference(&entries, 0), entries.len() as u64));
        assert!(self.shape.is_stored(&state, &root).unwrap());
        for n in (0..=255).step_by(5) {
            let (siblings, hash, left) = reference_branch(&entries, &path(n), 256);
            let proof = self.trie.prove(&state, &path(n)).unwrap();
            assert_eq!(proof, TrieProof { siblings, leaf: left.first().copied() });
            assert_eq!(proof.verify(&root, &path(n)).unwrap(), self.entries.get(&path(n)).copied());
            assert_eq!(TrieProof::decode(&proof.encode(), &()).unwrap(), proof);
            assert_eq!(hash, left.first().map_or(EMPTY, |_| reference(&left, 0)));
            let bits = usize::from(n) % 12;
            let (siblings, hash, _) = reference_branch(&entries, &path(n), bits);
            let Branch { siblings: found, subtree, .. } = self.trie.branch(&state, &path(n), bits).unwrap();
            assert_eq!((found, subtree.hash()), (siblings, hash));
        }
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    (0..4_usize, 0..5_usize, 1..4_u64)
        .prop_map(|(stored, more, load)| Shape::new(stored, stored + more, load))
}

fn block() -> impl Strategy<Value = Vec<(u8, Option<u8>)>> {
    proptest::collection::vec((any::<u8>(), proptest::option::weighted(0.6, any::<u8>())), 0..40)
}

proptest! {
    #[test]
    fn hashes_and_proofs_match_the_definition_after_any_history(
        shape in shape(), blocks in proptest::collection::vec((block(), any::<bool>()), 1..8)
    ) {
        let mut model = Model::new(shape);
        for (block, restarts) in blocks {
            model.execute(&block);
            if restarts {
                model.restart();
            }
        }
        model.check();
        model.restart();
        model.check();
    }

    #[test]
    fn a_changed_proof_proves_nothing_else(
        keys in proptest::collection::btree_map(any::<u8>(), any::<u8>(), 1..40), asked: u8, at: usize, flip in 1..=255u8
    ) {
        let mut model = Model::new(Shape::new(2, 4, 2));
        model.execute(&keys.iter().map(|(k, v)| (*k, Some(*v))).collect::<Vec<_>>());
        let proof = model.trie.prove(&model.state(), &path(asked)).unwrap();
        let mut bytes = proof.encode();
        let at = at % bytes.len();
        bytes[at] ^= flip;
        if let Ok(changed) = TrieProof::decode(&bytes, &()) {
            prop_assert!(changed.verify(&model.trie.root(), &path(asked)).is_err());
        }
    }
}

#[test]
fn a_restart_reads_and_checks_only_changed_subtrees() {
    let mut model = Model::new(Shape::new(1, 6, 2));
    model.execute(&(0..60).map(|n| (4 * n, Some(1))).collect::<Vec<_>>());
    model.restart();
    let right = model.state.keys().find(|key| key[0] == b'l' && key[1] >= 0x80).unwrap().clone();
    model.state.remove(&right);
    model.execute(&[(4, Some(2)), (8, None)]);
    let mut change = Change { path: path(right[1]), key: b"k", value: None, existed: false };
    let damaged =
        model.trie.apply(&model.state(), std::slice::from_mut(&mut change), &mut Changes::default());
    assert!(damaged.unwrap_err().to_string().contains("do not add up"));
}

#[test]
fn a_crowded_bucket_is_divided() {
    let mut model = Model::new(Shape::new(1, 1, 1));
    model.execute(&(0..128).map(|n| (2 * n, Some(1))).collect::<Vec<_>>());
    model.check();
    // A change reads less than all entries: a far one may be missing.
    let far = model.state.keys().find(|key| key[0] == b'l' && key[1] == 0x70).unwrap().clone();
    let removed = model.state.remove(&far).unwrap();
    model.execute(&[(2, Some(2)), (4, None)]);
    model.state.insert(far, removed);
    model.check();
    let divided = model.trie.upper.below.len();
    model.execute(&(0..126).map(|n| (2 * n, None)).collect::<Vec<_>>());
    model.check();
    // The nodes above two entries, and no others.
    assert!(divided > 50 && model.trie.upper.below.len() < 16);
}
