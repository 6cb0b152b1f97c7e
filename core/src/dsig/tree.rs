//! The Merkle tree over a batch: the leaves are the batch's public keys, and node = H(left ‖ right) under
//! [`DSIG_NODE`](domain::DSIG_NODE). The number of leaves is a power of two, so the tree is full.
//!
//! A leaf is the public key itself, without a further hash: the last hash of its one-time scheme binds it to its
//! salt, and the Ed25519 signature covers suite and batch size.

use alloc::vec;
use alloc::vec::Vec;

use super::block::{Context, block};
use super::cell::{HashCell, HashShape};
use super::fast::{self, Walk};
use crate::wire::domain;

/// Maximum log2 of the batch size: a batch has at most 2⁷ keys.
pub(super) const MAX_LOG2: u8 = 7;

/// The siblings on the path from a leaf to the root, bottom first; zeros above the root of a smaller tree.
pub(super) type Siblings = [[u8; 32]; MAX_LOG2 as usize];

const NODE: Context = Context::new(domain::DSIG_NODE);

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    NODE.hash(&block(&[left, right]).0, 64)
}

fn hashed<'a>(
    context: &Context,
    cells: &'a mut [HashCell],
    input: usize,
) -> impl Iterator<Item = [u8; 32]> + 'a {
    fast::blake3(&context.key, cells, &Walk::once(HashShape { input, output: 32 }));
    cells.iter().map(|cell| *cell.0.first_chunk().unwrap_or(&[0; 32]))
}

/// A tree with some of its nodes verified: all of them, or those on the paths verified so far. If a node is known, so
/// are the siblings of all nodes on its path to the root.
pub(super) struct Tree {
    log2: u8,
    /// Nodes level by level: the leaves first, the root last.
    nodes: Vec<[u8; 32]>,
    known: [u64; 4],
}

impl Tree {
    /// Builds the whole tree. Returns `None` unless there are exactly 2^log2 leaves, and at most 128.
    pub(super) fn new(log2: u8, leaves: Vec<[u8; 32]>) -> Option<Self> {
        if log2 > MAX_LOG2 || leaves.len() != 1 << log2 {
            return None;
        }
        let mut nodes = leaves;
        let (mut below, mut cells) = (0, Vec::with_capacity(nodes.len() / 2));
        for _ in 0..log2 {
            let pairs = nodes.get(below..)?.as_chunks::<2>().0;
            cells.clear();
            cells.extend(pairs.iter().map(|[left, right]| HashCell(block(&[left, right]).0)));
            below = nodes.len();
            nodes.extend(hashed(&NODE, &mut cells, 64));
        }
        Some(Self { log2, nodes, known: [u64::MAX; 4] })
    }

    /// Creates a tree of which only the root is known.
    pub(super) fn from_root(log2: u8, root: &[u8; 32]) -> Self {
        let mut tree = Self { log2, nodes: vec![[0; 32]; (2 << log2) - 1], known: [0; 4] };
        tree.learn(tree.nodes.len() - 1, root);
        tree
    }

    pub(super) fn log2(&self) -> u8 {
        self.log2
    }

    pub(super) fn root(&self) -> [u8; 32] {
        self.nodes.last().copied().unwrap_or_default()
    }

    pub(super) fn leaves(&self) -> &[[u8; 32]] {
        self.nodes.get(..1 << self.log2).unwrap_or_default()
    }

    /// Writes the siblings of a leaf; levels above the root are left as they are.
    pub(super) fn write_siblings(&self, index: u16, siblings: &mut Siblings) {
        for (sibling, at) in siblings.iter_mut().zip(places(self.log2, index)) {
            if let Some(node) = self.nodes.get(at.sibling) {
                *sibling = *node;
            }
        }
    }

    /// Verifies that a leaf and its siblings lead to the root, **every sibling included**: a wrong sibling must fail
    /// even where the tree is known, because the signature would not convince a third party. Stores the verified
    /// path, so that the next one is hashed only up to their first common node.
    pub(super) fn admits(&mut self, leaf: [u8; 32], index: u16, siblings: &Siblings) -> bool {
        if self.knows(index.into()) {
            return self.agrees(0, &leaf, index, siblings);
        }
        let mut at = leaf;
        let mut path = [[0; 32]; MAX_LOG2 as usize];
        let mut hashed = 0;
        for ((place, sibling), slot) in places(self.log2, index).zip(siblings).zip(&mut path) {
            if self.knows(place.node) {
                break;
            }
            *slot = at;
            at = if place.left { node(&at, sibling) } else { node(sibling, &at) };
            hashed += 1;
        }
        if !self.agrees(hashed, &at, index, siblings) {
            return false;
        }
        for ((place, sibling), node) in places(self.log2, index).zip(siblings).zip(&path).take(hashed) {
            self.learn(place.node, node);
            self.learn(place.sibling, sibling);
        }
        true
    }

    /// Returns true if `node` is at this level of the leaf's path, and the siblings from there on are `siblings`.
    fn agrees(&self, level: usize, node: &[u8; 32], index: u16, siblings: &Siblings) -> bool {
        let met = places(self.log2, index).nth(level).map_or(self.nodes.len() - 1, |place| place.node);
        let mut above = places(self.log2, index).zip(siblings).skip(level);
        self.nodes.get(met) == Some(node)
            && above.all(|(place, sibling)| self.nodes.get(place.sibling) == Some(sibling))
    }

    fn knows(&self, at: usize) -> bool {
        self.known.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    fn learn(&mut self, at: usize, node: &[u8; 32]) {
        if let (Some(slot), Some(bits)) = (self.nodes.get_mut(at), self.known.get_mut(at / 64)) {
            *slot = *node;
            *bits |= 1 << (at % 64);
        }
    }
}

/// A node on the path from a leaf to the root, and its sibling, as positions in the list of all nodes.
struct PathNode {
    node: usize,
    sibling: usize,
    left: bool,
}

fn places(log2: u8, index: u16) -> impl Iterator<Item = PathNode> {
    let mut start = 0;
    (0..log2).map(move |level| {
        let place = usize::from(index) >> level;
        let here = PathNode { node: start + place, sibling: start + (place ^ 1), left: place % 2 == 0 };
        start += 1 << (log2 - level);
        here
    })
}

/// Computes the root from a leaf and its siblings.
pub(super) fn climb(leaf: [u8; 32], index: u16, log2: u8, siblings: &Siblings) -> [u8; 32] {
    let mut at = leaf;
    for (place, sibling) in places(log2, index).zip(siblings) {
        at = if place.left { node(&at, sibling) } else { node(sibling, &at) };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(log2: u8) -> Vec<[u8; 32]> {
        (0..1u32 << log2).map(|i| *blake3::hash(&i.to_le_bytes()).as_bytes()).collect()
    }

    fn siblings_of(tree: &Tree, index: u16) -> Siblings {
        let mut siblings = Siblings::default();
        tree.write_siblings(index, &mut siblings);
        siblings
    }

    #[test]
    fn each_path_verifies_only_for_its_own_leaf_and_index() {
        for log2 in 0..=MAX_LOG2 {
            let leaves = leaves(log2);
            let tree = Tree::new(log2, leaves.clone()).unwrap();
            for (i, leaf) in (0u16..).zip(&leaves) {
                let siblings = siblings_of(&tree, i);
                assert_eq!(climb(*leaf, i, log2, &siblings), tree.root());
                if log2 > 0 {
                    assert_ne!(climb(*leaf, i ^ 1, log2, &siblings), tree.root());
                    assert_ne!(climb(*leaf, i, log2 - 1, &siblings), tree.root());
                }
            }
            assert!(Tree::new(log2, [leaves, [[0; 32]].into()].concat()).is_none());
        }
        assert!(Tree::new(8, [[0; 32]; 256].to_vec()).is_none());
    }

    #[test]
    fn tree_admits_exactly_the_paths_to_its_root() {
        for log2 in 0..=MAX_LOG2 {
            let leaves = leaves(log2);
            let mut whole = Tree::new(log2, leaves.clone()).unwrap();
            let mut partial = Tree::from_root(log2, &whole.root());
            for step in 0..2u16 << log2 {
                let index = step.wrapping_mul(37) % (1 << log2);
                let (leaf, good) = (leaves[usize::from(index)], siblings_of(&whole, index));
                for tree in [&mut whole, &mut partial] {
                    for at in 0..usize::from(log2) {
                        let mut bad = good;
                        bad[at][31] ^= 1;
                        assert!(!tree.admits(leaf, index, &bad), "sibling {at}");
                    }
                    assert!(!tree.admits([7; 32], index, &good));
                    assert!(log2 == 0 || !tree.admits(leaf, index ^ 1, &good));
                    assert!(tree.admits(leaf, index, &good));
                }
            }
            assert_eq!(partial.nodes, whole.nodes);
        }
    }
}
