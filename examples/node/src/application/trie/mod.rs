//! A Merkle trie on disk: the authenticated map of the [`Ledger`](super::Ledger).
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
//! of entries determines the hashes: histories that end with the same entries have the same root.
//!
//! # On disk and in memory
//!
//! The entries are in the [`State`](super::State), ordered by path, so that a subtree is a range of keys. Only the hashes of
//! the upper levels are in memory. A subtree at the lowest of these levels is a *bucket*: a change reads the entries of its
//! bucket, changes them, and hashes the bucket and the nodes above it. A proof takes its upper siblings from memory, and
//! hashes the lower ones from the entries of the bucket.
//!
//! | record in the state | value |
//! |---|---|
//! | `l` ‖ path 32 | hash of the value 32 ‖ KEY |
//! | `b` ‖ index u32 (big endian) | 1 for a single entry, otherwise 2 ‖ hash 32 |
//! | `i` | root 32 ‖ depth u8 of the `b` records |
//!
//! The `b` records are the hashes of the subtrees that are not empty at one fixed depth (17). A restart reads only these, at
//! most 131,072, and compares the root that follows from them. The levels below are computed when a change first reads such
//! a subtree, from its entries, which must lead to its hash. `i` is the root to which `l` and `b` lead; if it differs from the
//! root of the ledger, as after a run of a version that does not write them, they are made again from the entries.
//!
//! **Growth.** The lowest level in memory becomes one level deeper when the buckets would hold four entries or more on
//! average, down to depth 22. Its nodes are computed when a change next reads their bucket, so no block pays for all of them.
//!
//! **Searched keys.** Keys whose paths begin with the same 22 bits can be found by trial. A bucket with more than 256 entries is
//! divided: the nodes above buckets of at most that many are in memory, too.
//!
//! **Cost.** 33 bytes of memory per node: at most 277 MB with the 2²³ nodes down to depth 22, where a bucket has 12 entries at
//! 50 million entries and 16 at 2²⁶. A change costs one range read of its bucket (in each block once), about `8 + log2 n`
//! hashes (0.15 µs each), and two records. The changes of a block share buckets and nodes.

mod bucket;
mod build;
mod node;
mod positions;
mod proof;
mod records;
mod stored;
#[cfg(test)]
mod tests;
mod upper;

pub(super) use bucket::{Entry, split};
pub(super) use build::RecordBuilder;
pub use node::Digest;
pub(super) use node::{bit, hash_parts, leaf_hash, node_hash};
pub use proof::TrieProof;
pub(super) use records::{damaged, visit_entries};
pub(super) use stored::{Change, Shape, StoredTrie};
