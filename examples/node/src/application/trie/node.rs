//! Hashes of subtrees.

use std::sync::LazyLock;

use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use quorate::wire::domain;

/// A hash, a path or a root.
pub type Digest = [u8; 32];

/// The hash of a subtree without entries.
pub(super) const EMPTY: Digest = [0; 32];

/// A subtree as its parent sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::application) enum Subtree {
    /// No entry.
    Empty,
    /// One entry, and the hash of its leaf.
    Leaf(Digest),
    /// Two or more entries, and the hash of their node.
    Inner(Digest),
}

impl Subtree {
    pub(in crate::application) fn hash(&self) -> Digest {
        match self {
            Self::Empty => EMPTY,
            Self::Leaf(hash) | Self::Inner(hash) => *hash,
        }
    }

    /// The subtree with these halves.
    pub(super) fn join(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Empty, only @ (Self::Empty | Self::Leaf(_))) | (only @ Self::Leaf(_), Self::Empty) => only,
            _ => Self::Inner(node_hash(&left.hash(), &right.hash())),
        }
    }
}

/// Returns true if the path continues in the right half of a subtree at this depth.
pub(in crate::application) fn bit(path: &Digest, at: usize) -> bool {
    path.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0)
}

pub(in crate::application) fn leaf_hash(path: &Digest, value: &Digest) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_LEAF));
    hash_parts(&CONTEXT, &[path, value])
}

pub(in crate::application) fn node_hash(left: &Digest, right: &Digest) -> Digest {
    static CONTEXT: LazyLock<ContextKey> = LazyLock::new(|| hash_derive_key_context(domain::LEDGER_NODE));
    hash_parts(&CONTEXT, &[left, right])
}

/// Hash of the concatenation of `parts`, with a precomputed domain key.
pub(in crate::application) fn hash_parts(context: &ContextKey, parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new_from_context_key(context);
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
