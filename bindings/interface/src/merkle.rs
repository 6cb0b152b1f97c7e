//! Merkle trees over BLAKE3: one root for many items, and a short proof for each of them.

use quorate::Result;
use quorate::merkle;
use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode};

use crate::exactly;

class! {
    /// A kind of Merkle tree over BLAKE3: the domain strings of its leaves and of its nodes, which must differ and have
    /// no other use. The root does not bind the number of leaves: sign the count together with the root.
    value struct Merkle { leaf: String, node: String }: Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Merkle({:?}, {:?})", self.leaf, self.node);
    /// Creates a kind of tree.
    quick fn new(leaf_domain: String, node_domain: String) -> Self {
        Self { leaf: leaf_domain, node: node_domain }
    }
    /// Domain string of the leaves.
    getter fn leaf_domain(&self) -> String { self.leaf.clone() }
    /// Domain string of the nodes.
    getter fn node_domain(&self) -> String { self.node.clone() }
    /// Returns the leaf of one item: 32 bytes.
    fn leaf(&self, item: &[u8]) -> Hash { self.tree().leaf(item) }
    /// Returns the leaves of several items, as [`Merkle::leaf`] does for one.
    fn leaves(&self, items: &[&[u8]]) -> Vec<Hash> { self.tree().leaves(items) }
    /// Returns the root over leaves of 32 bytes each. It does not bind their number: sign the count with it.
    /// [`Error::Malformed`](quorate::Error) for a leaf of another length.
    fn root(&self, leaves: &[&[u8]]) -> Result<Hash> { Ok(self.tree().root(&hashes(leaves)?)) }
    /// Returns the path of the leaf at `index`.
    /// [`Error::Malformed`](quorate::Error) for an index out of range, or a leaf that does not have 32 bytes.
    fn path(&self, leaves: &[&[u8]], index: usize) -> Result<Path> {
        self.tree().path(&hashes(leaves)?, index).map(Path)
    }
    /// Verifies that `leaf` is at the path's position in the tree under `root`. Compare [`Path::count`] with the signed
    /// count.
    /// [`Error::WrongContext`](quorate::Error) if the path leads to another root.
    fn verify(&self, root: &[u8], leaf: &[u8], path: &Path) -> Result<()> {
        let (root, leaf) = (exactly(root, "Merkle root")?, exactly(leaf, LEAF)?);
        self.tree().verify(&root, &leaf, &path.0)
    }
}

impl Merkle {
    fn tree(&self) -> merkle::Merkle<'_> {
        merkle::Merkle::new(&self.leaf, &self.node)
    }
}

const LEAF: &str = "Merkle leaf";

fn hashes(leaves: &[&[u8]]) -> Result<Vec<Hash>> {
    leaves.iter().map(|leaf| exactly(leaf, LEAF)).collect()
}

class! {
    /// The path from one leaf to the root.
    #[cfg_attr(binding, within = "Merkle")]
    encoded struct Path(merkle::Path): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Path(leaf {} of {})", self.0.index(), self.0.count());
    /// Decodes a path.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a path.
    quick fn decode(bytes: &[u8]) -> Result<Self> { merkle::Path::decode(bytes, &()).map(Self) }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Index of the leaf.
    getter fn index(&self) -> u32 { self.0.index() }
    /// Number of leaves of the tree, as this path claims. Compare it with the signed count.
    getter fn count(&self) -> u32 { self.0.count() }
    /// The siblings along the path, bottom first.
    getter fn siblings(&self) -> Vec<Hash> { self.0.siblings().to_vec() }
}
