//! Binary Merkle trees over BLAKE3: one root commits to a list of items, and a short path proves one of them.
//!
//! * A leaf is the hash of an item under the tree's leaf domain. A node is the hash of its two children (64 bytes)
//!   under the tree's node domain. The different domains prevent a node from passing as a leaf.
//! * A level of odd length passes its last node up unchanged. No node is duplicated, so two different lists of leaves
//!   never have the same tree for that reason.
//! * The root of an empty list is the hash of the empty string under the node domain.
//!
//! **The root alone does not determine the number of leaves.** Sign the number of leaves together with the root,
//! because a path is checked against both. A path is `index u32 | count u32 | siblings 32·k`, bottom first, where k
//! follows from index and count: each path has one encoding and at most 32 siblings.
//!
//! ```
//! use quorate::merkle::Merkle;
//! use quorate::wire::domain;
//!
//! const TREE: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);
//! let leaves = TREE.leaves([b"a", b"b", b"c"]);
//! let path = TREE.path(&leaves, 2)?;
//! assert!(TREE.verify(&TREE.root(&leaves), &TREE.leaf(b"c"), &path).is_ok());
//! assert!(TREE.verify(&TREE.root(&leaves), &TREE.leaf(b"x"), &path).is_err());
//! # Ok::<(), quorate::Error>(())
//! ```

use alloc::vec::Vec;

use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

const NO_LEAF: &str = "Merkle path: expected an index below the number of leaves";

/// Hash of a leaf, a node or a root.
pub type Hash = [u8; 32];

/// A kind of Merkle tree, identified by the domains of its leaves and of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merkle<'d> {
    leaf: &'d str,
    node: &'d str,
}

/// The path from one leaf to the root: the proof that the leaf is in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    index: u32,
    count: u32,
    siblings: Vec<Hash>,
}

impl<'d> Merkle<'d> {
    /// Creates a kind of tree. The two domain strings must differ and have no other use.
    pub const fn new(leaf: &'d str, node: &'d str) -> Self {
        Self { leaf, node }
    }

    /// Hashes one item to its leaf. Cost: ⌈len/64⌉ + 1 compressions.
    pub fn leaf(&self, item: &[u8]) -> Hash {
        domain::hash(self.leaf, item)
    }

    /// Hashes many items to their leaves, as [`leaf`](Merkle::leaf) does, but hashes the domain only once.
    pub fn leaves<T: AsRef<[u8]>>(&self, items: impl IntoIterator<Item = T>) -> Vec<Hash> {
        let mut hasher = domain::hasher(self.leaf);
        let hash = |item: T| {
            hasher.reset();
            *hasher.update(item.as_ref()).finalize().as_bytes()
        };
        items.into_iter().map(hash).collect()
    }

    /// Returns the root over `leaves`. Cost: one compression per leaf.
    pub fn root(&self, leaves: &[Hash]) -> Hash {
        let mut level = leaves.to_vec();
        let mut hasher = domain::hasher(self.node);
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| parent(&mut hasher, pair)).collect();
        }
        level.first().copied().unwrap_or_else(|| domain::hash(self.node, &[]))
    }

    /// Returns the path of the leaf at `index`. Cost: as [`root`](Merkle::root).
    ///
    /// # Errors
    /// [`Error::Malformed`] if the tree has no leaf at `index`, or more than 2³² − 1 leaves.
    pub fn path(&self, leaves: &[Hash], index: usize) -> Result<Path> {
        let wrong = Error::Malformed { what: NO_LEAF };
        if index >= leaves.len() {
            return Err(wrong);
        }
        let (Ok(at), Ok(count)) = (u32::try_from(index), u32::try_from(leaves.len())) else {
            return Err(wrong);
        };
        let mut hasher = domain::hasher(self.node);
        let (mut level, mut place, mut siblings) = (leaves.to_vec(), index, Vec::new());
        while level.len() > 1 {
            siblings.extend(level.get(place ^ 1).copied());
            level = level.chunks(2).map(|pair| parent(&mut hasher, pair)).collect();
            place /= 2;
        }
        Ok(Path { index: at, count, siblings })
    }

    /// Returns the whole tree, from which many paths are cheap. Cost: as [`root`](Merkle::root).
    #[cfg(feature = "erasure")]
    pub(crate) fn levels(&self, leaves: Vec<Hash>) -> Levels {
        let mut hasher = domain::hasher(self.node);
        let (mut levels, mut level) = (Vec::new(), leaves);
        while level.len() > 1 {
            let above = level.chunks(2).map(|pair| parent(&mut hasher, pair)).collect();
            levels.push(core::mem::replace(&mut level, above));
        }
        if level.is_empty() {
            level.push(domain::hash(self.node, &[]));
        }
        Levels { levels, root: level }
    }

    /// Verifies that `leaf` is at the path's index in the tree under `root`. Compare [`Path::count`] with the signed
    /// number of leaves. Cost: one compression per level.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the path leads to another root.
    pub fn verify(&self, root: &Hash, leaf: &Hash, path: &Path) -> Result<()> {
        let mut hasher = domain::hasher(self.node);
        let (mut at, mut siblings) = (*leaf, path.siblings.iter());
        for side in sides(path.index, path.count) {
            let sibling =
                *siblings.next().ok_or(Error::Malformed { what: "Merkle path: too few siblings" })?;
            at = match side {
                Side::Left => parent(&mut hasher, &[sibling, at]),
                Side::Right => parent(&mut hasher, &[at, sibling]),
            };
        }
        if &at == root { Ok(()) } else { Err(Error::WrongContext { what: "root of the Merkle path" }) }
    }
}

/// All levels of a tree with at least one leaf.
#[cfg(feature = "erasure")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// The levels from the leaves upwards, without the root.
    levels: Vec<Vec<Hash>>,
    /// The root, as a level of one hash.
    root: Vec<Hash>,
}

#[cfg(feature = "erasure")]
impl Levels {
    pub(crate) fn root(&self) -> Hash {
        self.root.first().copied().unwrap_or_default()
    }

    /// Returns the path of the leaf at `index`, and the leaf.
    pub(crate) fn path(&self, index: usize) -> Result<(Path, Hash)> {
        let leaves = self.levels.first().unwrap_or(&self.root);
        let (Some(leaf), Ok(at), Ok(count)) =
            (leaves.get(index), u32::try_from(index), u32::try_from(leaves.len()))
        else {
            return Err(Error::Malformed { what: NO_LEAF });
        };
        let siblings = self.levels.iter().enumerate();
        let siblings =
            siblings.filter_map(|(height, level)| level.get(index >> height ^ 1).copied()).collect();
        Ok((Path { index: at, count, siblings }, *leaf))
    }
}

impl Path {
    /// Returns the index of the leaf.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns the number of leaves that the path claims for the tree.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the siblings along the path, bottom first.
    pub fn siblings(&self) -> &[Hash] {
        &self.siblings
    }
}

impl Encode for Path {
    fn encode_to(&self, w: &mut Writer) {
        w.u32(self.index);
        w.u32(self.count);
        for sibling in &self.siblings {
            w.raw(sibling);
        }
    }
}

impl Decode for Path {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (index, count) = (r.u32()?, r.u32()?);
        if index >= count {
            return Err(Error::Malformed { what: NO_LEAF });
        }
        let siblings = sides(index, count).map(|_| r.array()).collect::<Result<_>>()?;
        Ok(Self { index, count, siblings })
    }
}

/// The side of the path on which a sibling is.
enum Side {
    Left,
    Right,
}

/// Returns the sides of the siblings of the leaf at `index` of `count`, bottom first. Levels that pass the node up have
/// no sibling.
fn sides(index: u32, count: u32) -> impl Iterator<Item = Side> {
    let mut level = (index, count);
    core::iter::from_fn(move || {
        while level.1 > 1 {
            let (place, len) = level;
            level = (place / 2, len.div_ceil(2));
            match place {
                odd if odd % 2 == 1 => return Some(Side::Left),
                even if even + 1 < len => return Some(Side::Right),
                _passed_up => {}
            }
        }
        None
    })
}

fn parent(hasher: &mut blake3::Hasher, pair: &[Hash]) -> Hash {
    match pair {
        [left, right] => {
            hasher.reset();
            *hasher.update(left).update(right).finalize().as_bytes()
        }
        [alone] => *alone,
        _never => [0; 32],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TREE: Merkle = Merkle::new(domain::BATCH_LEAF, domain::BATCH_NODE);

    /// An independent definition: the left subtree is the largest full one.
    fn reference(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => domain::hash(domain::BATCH_NODE, &[]),
            [one] => *one,
            many => {
                let split = many.len().next_power_of_two() / 2;
                let (left, right) = many.split_at(split);
                domain::hash(domain::BATCH_NODE, &[reference(left), reference(right)].concat())
            }
        }
    }

    proptest! {
        #[test]
        fn roots_and_paths_agree_with_the_definition(n in 0usize..70, other: [u8; 32], at in any::<prop::sample::Index>()) {
            let leaves = TREE.leaves((0..n).map(|i| i.to_le_bytes()));
            let root = TREE.root(&leaves);
            prop_assert_eq!(root, reference(&leaves));
            prop_assert!(TREE.path(&leaves, n).is_err());
            if n > 0 {
                let i = at.index(n);
                let path = TREE.path(&leaves, i)?;
                prop_assert_eq!(&Path::decode(&path.encode(), &())?, &path);
                #[cfg(feature = "erasure")]
                prop_assert_eq!(TREE.levels(leaves.clone()).path(i)?, (path.clone(), leaves[i]));
                #[cfg(feature = "erasure")]
                prop_assert_eq!(TREE.levels(leaves.clone()).root(), root);
                prop_assert!(TREE.verify(&root, &TREE.leaf(&i.to_le_bytes()), &path).is_ok());
                prop_assert!(TREE.verify(&root, &other, &path).is_err());
                for (j, leaf) in leaves.iter().enumerate() {
                    prop_assert_eq!(TREE.verify(&root, leaf, &path).is_ok(), i == j);
                }
            }
        }

        #[test]
        fn a_decoded_path_encodes_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            if let Ok(path) = Path::decode(&bytes, &()) {
                prop_assert!(path.siblings.len() <= 32);
                prop_assert_eq!(path.encode(), bytes);
            }
        }
    }

    #[test]
    fn rejects_a_node_as_leaf_and_paths_of_other_lengths() {
        let leaves = TREE.leaves([b"a", b"b", b"c", b"d"]);
        let root = TREE.root(&leaves);
        let path = TREE.path(&leaves, 0).unwrap();
        let inner = domain::hash(domain::BATCH_NODE, &[leaves[0], leaves[1]].concat());
        let short = Path { index: 0, count: 2, siblings: path.siblings[1..].to_vec() };
        assert!(TREE.verify(&root, &TREE.leaf(&[leaves[0], leaves[1]].concat()), &short).is_err());
        assert!(
            TREE.verify(&root, &inner, &short).is_ok(),
            "a path of another count leads to the root, so the count is signed with it"
        );
        let mut bytes = path.encode();
        bytes.push(0);
        assert!(Path::decode(&bytes, &()).is_err());
        bytes.truncate(bytes.len() - 2);
        assert!(Path::decode(&bytes, &()).is_err());
    }
}
