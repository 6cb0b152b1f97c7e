//! A compact Merkle trie: the authenticated map of the [`Ledger`](super::Ledger).
//!
//! The position of a key is its 256-bit *path*: the hash of the key, most significant bit first. The trie is binary:
//!
//! ```text
//! empty subtree            32 zero bytes
//! subtree with one entry   H(ledger-leaf;  path ‖ hash of the value)
//! larger subtree           H(ledger-node;  left ‖ right)
//! ```
//!
//! A subtree with a single entry is that entry's leaf at any depth, so a trie of `n` entries is about `log2 n` deep. The set
//! of entries determines the shape: histories that end with the same entries have the same root. Nodes cache their hash
//! until an entry below them changes, so [`Trie::root`] hashes each changed path once. Cost of a change: about `log2 n`
//! pointers, and as many hashes (0.15 µs each), shared with the other changes of the same block.
//!
//! A [`TrieProof`] lists the siblings from the root down, and the leaf that ends the path, if any. It proves presence (the
//! leaf belongs to the key) or absence (the path ends empty, or at the leaf of another key that shares the path so far).

use std::sync::LazyLock;

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

/// A hash, a path or a root.
pub type Digest = [u8; 32];

const EMPTY: Digest = [0; 32];
const MAX_DEPTH: usize = 256;

/// A map from paths to value hashes with a root. See the module's documentation.
#[derive(Debug, Default)]
pub struct Trie {
    root: Node,
    len: u64,
}

impl Trie {
    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if `path` has an entry.
    pub fn contains(&self, path: &Digest) -> bool {
        let (mut node, mut depth) = (&self.root, 0);
        loop {
            match node {
                Node::Empty => return false,
                Node::Leaf(leaf) => return leaf.path == *path,
                Node::Inner(inner) => node = if bit(path, depth) { &inner.right } else { &inner.left },
            }
            depth += 1;
        }
    }

    /// Sets the value hash at `path`. Returns true if the path had none.
    pub fn insert(&mut self, path: Digest, value: Digest) -> bool {
        let leaf = Box::new(Leaf { path, value, hash: None });
        let added = insert(&mut self.root, leaf, 0);
        self.len += u64::from(added);
        added
    }

    /// Removes the entry at `path`. Returns true if there was one.
    pub fn remove(&mut self, path: &Digest) -> bool {
        let removed = remove(&mut self.root, path, 0);
        self.len -= u64::from(removed);
        removed
    }

    /// The root. Hashes the paths that changed since the last call.
    pub fn root(&mut self) -> Digest {
        rehash(&mut self.root)
    }

    /// Proof for `path` against the root of the last call of [`root`](Trie::root); `None` after later changes.
    pub fn prove(&self, path: &Digest) -> Option<TrieProof> {
        let (mut node, mut siblings) = (&self.root, Vec::new());
        loop {
            match node {
                Node::Empty => return Some(TrieProof { siblings, leaf: None }),
                Node::Leaf(leaf) => {
                    leaf.hash?;
                    return Some(TrieProof { siblings, leaf: Some((leaf.path, leaf.value)) });
                }
                Node::Inner(inner) => {
                    inner.hash?;
                    let (next, other) = match bit(path, siblings.len()) {
                        true => (&inner.right, &inner.left),
                        false => (&inner.left, &inner.right),
                    };
                    siblings.push(known_hash(other)?);
                    node = next;
                }
            }
        }
    }
}

/// Proof of the value hash at a path, or of its absence, against a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrieProof {
    siblings: Vec<Digest>,
    leaf: Option<(Digest, Digest)>,
}

impl TrieProof {
    /// Verifies the proof. Returns the value hash at `path` in the trie with this `root`; `None` for absence.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the proof is for another path or another root.
    pub fn verify(&self, root: &Digest, path: &Digest) -> Result<Option<Digest>> {
        let depth = self.siblings.len();
        if depth > MAX_DEPTH {
            return Err(Error::TooLarge { what: "trie proof", limit: MAX_DEPTH as u64 });
        }
        let (mut hash, value) = match &self.leaf {
            None => (EMPTY, None),
            Some((found, value)) if found == path => (leaf_hash(found, value), Some(*value)),
            Some((found, value)) if (0..depth).all(|at| bit(found, at) == bit(path, at)) => {
                (leaf_hash(found, value), None)
            }
            Some(_) => return Err(Error::WrongContext { what: "path of the leaf" }),
        };
        for (at, sibling) in self.siblings.iter().enumerate().rev() {
            hash = if bit(path, at) { node_hash(sibling, &hash) } else { node_hash(&hash, sibling) };
        }
        if hash != *root {
            return Err(Error::WrongContext { what: "state root" });
        }
        Ok(value)
    }
}

impl Encode for TrieProof {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.siblings.len());
        self.siblings.iter().for_each(|sibling| w.raw(sibling));
        w.u8(u8::from(self.leaf.is_some()));
        if let Some((path, value)) = &self.leaf {
            w.raw(path);
            w.raw(value);
        }
    }
}

impl Decode for TrieProof {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self> {
        let n = r.count("trie proof", MAX_DEPTH)?;
        let siblings = (0..n).map(|_| r.array()).collect::<Result<_>>()?;
        let leaf = match r.u8()? {
            0 => None,
            1 => Some((r.array()?, r.array()?)),
            _ => return Err(Error::Malformed { what: "trie proof" }),
        };
        Ok(Self { siblings, leaf })
    }
}

/// Hash of the concatenation of `parts`, with a precomputed domain key.
pub(super) fn hash_parts(context: &ContextKey, parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new_from_context_key(context);
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

#[derive(Debug, Default)]
enum Node {
    #[default]
    Empty,
    Leaf(Box<Leaf>),
    Inner(Box<Inner>),
}

#[derive(Debug)]
struct Leaf {
    path: Digest,
    value: Digest,
    hash: Option<Digest>,
}

#[derive(Debug, Default)]
struct Inner {
    left: Node,
    right: Node,
    hash: Option<Digest>,
}

impl Inner {
    fn child_mut(&mut self, right: bool) -> &mut Node {
        if right { &mut self.right } else { &mut self.left }
    }
}

/// The recursion depth is at most 256, because equal paths are the same entry.
fn insert(node: &mut Node, leaf: Box<Leaf>, depth: usize) -> bool {
    match node {
        Node::Empty => {
            *node = Node::Leaf(leaf);
            true
        }
        Node::Leaf(old) if old.path == leaf.path => {
            *old = leaf;
            false
        }
        Node::Leaf(_) => {
            let Node::Leaf(old) = std::mem::take(node) else { return false };
            let mut inner = Box::<Inner>::default();
            let right = bit(&old.path, depth);
            *inner.child_mut(right) = Node::Leaf(old);
            insert(inner.child_mut(bit(&leaf.path, depth)), leaf, depth + 1);
            *node = Node::Inner(inner);
            true
        }
        Node::Inner(inner) => {
            inner.hash = None;
            insert(inner.child_mut(bit(&leaf.path, depth)), leaf, depth + 1)
        }
    }
}

fn remove(node: &mut Node, path: &Digest, depth: usize) -> bool {
    match node {
        Node::Leaf(leaf) if leaf.path == *path => {
            *node = Node::Empty;
            true
        }
        Node::Empty | Node::Leaf(_) => false,
        Node::Inner(inner) => {
            let removed = remove(inner.child_mut(bit(path, depth)), path, depth + 1);
            if removed {
                inner.hash = None;
                let alone = match (&mut inner.left, &mut inner.right) {
                    (only @ Node::Leaf(_), Node::Empty) | (Node::Empty, only @ Node::Leaf(_)) => {
                        Some(std::mem::take(only))
                    }
                    _ => None,
                };
                if let Some(only) = alone {
                    *node = only;
                }
            }
            removed
        }
    }
}

fn rehash(node: &mut Node) -> Digest {
    match node {
        Node::Empty => EMPTY,
        Node::Leaf(leaf) => *leaf.hash.get_or_insert_with(|| leaf_hash(&leaf.path, &leaf.value)),
        Node::Inner(inner) => match inner.hash {
            Some(hash) => hash,
            None => {
                let hash = node_hash(&rehash(&mut inner.left), &rehash(&mut inner.right));
                inner.hash = Some(hash);
                hash
            }
        },
    }
}

fn known_hash(node: &Node) -> Option<Digest> {
    match node {
        Node::Empty => Some(EMPTY),
        Node::Leaf(leaf) => leaf.hash,
        Node::Inner(inner) => inner.hash,
    }
}

fn bit(path: &Digest, at: usize) -> bool {
    path.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0)
}

fn leaf_hash(path: &Digest, value: &Digest) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_LEAF));
    hash_parts(&CONTEXT, &[path, value])
}

fn node_hash(left: &Digest, right: &Digest) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_NODE));
    hash_parts(&CONTEXT, &[left, right])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The root by the definition in the module's documentation, computed without a tree.
    fn reference(entries: &[(Digest, Digest)], depth: usize) -> Digest {
        match entries {
            [] => EMPTY,
            [(path, value)] => {
                domain::hash(domain::LEDGER_LEAF, &[path.as_slice(), value.as_slice()].concat())
            }
            _ => {
                let (right, left): (Vec<_>, Vec<_>) = entries.iter().copied().partition(|e| bit(&e.0, depth));
                let children = [reference(&left, depth + 1), reference(&right, depth + 1)].concat();
                domain::hash(domain::LEDGER_NODE, &children)
            }
        }
    }

    /// Paths with long common prefixes, as an attacker would search for.
    fn path(n: u8) -> Digest {
        let mut path = [0; 32];
        path[usize::from(n) % 3 * 15] = n;
        path[31] = n / 16;
        path
    }

    fn build_trie(map: &BTreeMap<Digest, Digest>) -> Trie {
        let mut trie = Trie::default();
        for (path, value) in map {
            trie.insert(*path, *value);
        }
        trie
    }

    proptest! {
        #[test]
        fn the_root_matches_the_definition_after_any_history(
            history in proptest::collection::vec((any::<u8>(), proptest::option::of(any::<u8>()), any::<bool>()), 0..80)
        ) {
            let (mut trie, mut map) = (Trie::default(), BTreeMap::new());
            for (key, value, look) in history {
                match value {
                    Some(v) => prop_assert_eq!(trie.insert(path(key), [v; 32]), map.insert(path(key), [v; 32]).is_none()),
                    None => prop_assert_eq!(trie.remove(&path(key)), map.remove(&path(key)).is_some()),
                }
                if look {
                    let _ = trie.root();
                }
            }
            let entries: Vec<_> = map.iter().map(|(k, v)| (*k, *v)).collect();
            prop_assert_eq!(trie.root(), reference(&entries, 0));
            prop_assert_eq!(trie.len(), map.len() as u64);
            let root = trie.root();
            for key in 0..=255 {
                let proof = trie.prove(&path(key)).unwrap();
                prop_assert_eq!(proof.verify(&root, &path(key)).unwrap(), map.get(&path(key)).copied());
                prop_assert_eq!(TrieProof::decode(&proof.encode(), &()).unwrap(), proof);
            }
        }

        #[test]
        fn a_changed_proof_proves_nothing_else(
            keys in proptest::collection::btree_map(any::<u8>(), any::<u8>(), 1..40), asked: u8, at: usize, flip in 1..=255u8
        ) {
            let map: BTreeMap<_, _> = keys.iter().map(|(k, v)| (path(*k), [*v; 32])).collect();
            let mut trie = build_trie(&map);
            let root = trie.root();
            let proof = trie.prove(&path(asked)).unwrap();
            let mut bytes = proof.encode();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            if let Ok(changed) = TrieProof::decode(&bytes, &()) {
                prop_assert!(changed.verify(&root, &path(asked)).is_err());
            }
        }
    }

    #[test]
    fn proofs_need_a_root_without_pending_changes() {
        let mut trie = Trie::default();
        trie.insert([1; 32], [1; 32]);
        assert_eq!(trie.prove(&[1; 32]), None);
        let root = trie.root();
        assert!(trie.prove(&[1; 32]).is_some_and(|p| p.verify(&root, &[1; 32]) == Ok(Some([1; 32]))));
    }
}
