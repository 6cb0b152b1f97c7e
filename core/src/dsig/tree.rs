//! The tree over a batch: leaf = H(0x00 ‖ suite ‖ key_salt ‖ key), node = H(0x01 ‖ left ‖ right), under
//! [`DSIG_TREE`](domain::DSIG_TREE). A batch is a power of two, so the tree is full.

use alloc::vec::Vec;

use super::chain::KeySalt;
use crate::wire::domain;

/// A batch has at most 2⁷ keys.
pub(super) const MAX_LOG2: u8 = 7;

/// The siblings from a leaf to the root, bottom first; zeros above a smaller tree's root.
pub(super) type Siblings = [[u8; 32]; MAX_LOG2 as usize];

/// All nodes, level by level: the leaves first, the root last.
pub(super) struct Tree {
    log2: u8,
    nodes: Vec<[u8; 32]>,
}

pub(super) fn leaf(suite: u8, salt: &KeySalt, key: &[u8; 32]) -> [u8; 32] {
    let mut hasher = domain::hasher(domain::DSIG_TREE);
    hasher.update(&[0, suite]).update(salt).update(key);
    *hasher.finalize().as_bytes()
}

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    let mut hasher = domain::hasher(domain::DSIG_TREE);
    hasher.update(&[1]).update(left).update(right);
    *hasher.finalize().as_bytes()
}

impl Tree {
    /// `None` unless there are exactly 2^log2 leaves, and at most 128.
    pub(super) fn new(log2: u8, leaves: Vec<[u8; 32]>) -> Option<Self> {
        if log2 > MAX_LOG2 || leaves.len() != 1 << log2 {
            return None;
        }
        let mut nodes = leaves.clone();
        let mut level = leaves;
        while level.len() > 1 {
            level = level.chunks(2).filter_map(|pair| Some(node(pair.first()?, pair.get(1)?))).collect();
            nodes.extend_from_slice(&level);
        }
        Some(Self { log2, nodes })
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

    pub(super) fn siblings(&self, index: u16) -> Siblings {
        let mut siblings = Siblings::default();
        let (mut place, mut start, mut width) = (usize::from(index), 0, 1 << self.log2);
        for sibling in siblings.iter_mut().take(usize::from(self.log2)) {
            *sibling = self.nodes.get(start + (place ^ 1)).copied().unwrap_or_default();
            (place, start, width) = (place / 2, start + width, width / 2);
        }
        siblings
    }
}

/// The root that a leaf and its siblings lead to.
pub(super) fn climb(leaf: [u8; 32], index: u16, log2: u8, siblings: &Siblings) -> [u8; 32] {
    let (mut at, mut place) = (leaf, index);
    for sibling in siblings.iter().take(usize::from(log2)) {
        at = if place % 2 == 0 { node(&at, sibling) } else { node(sibling, &at) };
        place /= 2;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_climbs_to_the_root_from_its_own_place_only() {
        for log2 in 0..=MAX_LOG2 {
            let leaves: Vec<_> =
                (0..1u32 << log2).map(|i| *blake3::hash(&i.to_le_bytes()).as_bytes()).collect();
            let tree = Tree::new(log2, leaves.clone()).unwrap();
            for (i, leaf) in (0u16..).zip(&leaves) {
                let siblings = tree.siblings(i);
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
}
