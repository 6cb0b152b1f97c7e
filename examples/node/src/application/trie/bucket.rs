//! The entries of a subtree, in ascending order of their paths.

use super::node::{Digest, Subtree, bit, leaf_hash};

/// An entry as the hashes see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::application) struct Entry {
    pub(in crate::application) path: Digest,
    /// Hash of the value.
    pub(in crate::application) value: Digest,
}

/// Hashes the subtree at this depth that has these entries. The recursion depth is at most 256, because paths differ.
pub(super) fn subtree(entries: &[Entry], depth: usize) -> Subtree {
    match entries {
        [] => Subtree::Empty,
        [only] => Subtree::Leaf(leaf_hash(&only.path, &only.value)),
        _ => {
            let (left, right) = split(entries, depth);
            Subtree::join(subtree(left, depth + 1), subtree(right, depth + 1))
        }
    }
}

/// The entries of the two halves of a subtree at this depth.
pub(in crate::application) fn split(entries: &[Entry], depth: usize) -> (&[Entry], &[Entry]) {
    entries.split_at(entries.partition_point(|entry| !bit(&entry.path, depth)))
}
