//! The trie's records in the state.

use super::bucket::Entry;
use super::node::{Digest, EMPTY, Subtree};
use super::positions::range;
use crate::application::{ApplicationError, Changes, State};

/// First bytes of the keys. The module's documentation has the table.
const ENTRY: u8 = b'l';
const NODE: u8 = b'b';
const ROOT: &[u8] = b"i";

/// Values of a node before its hash.
const LEAF: u8 = 1;
const INNER: u8 = 2;

pub(super) fn write_entry(changes: &mut Changes, path: &Digest, value: &Digest, key: &[u8]) {
    changes.put(&entry_key(path), &[value.as_slice(), key].concat());
}

pub(super) fn delete_entry(changes: &mut Changes, path: &Digest) {
    changes.delete(&entry_key(path));
}

/// Returns true if the state has an entry at `path`.
pub(super) fn has_entry(state: &State, path: &Digest) -> Result<bool, ApplicationError> {
    Ok(state.get(&entry_key(path))?.is_some())
}

/// Calls `visit` with each entry whose path has the first `bits` bits of `path`, and with its key, in ascending order of paths.
pub(in crate::application) fn visit_entries(
    state: &State,
    path: &Digest,
    bits: usize,
    mut visit: impl FnMut(Entry, &[u8]) -> Result<(), ApplicationError>,
) -> Result<(), ApplicationError> {
    let (first, last) = range(path, bits);
    state.visit_range(&entry_key(&first), &entry_key(&last), |key, value| {
        let path = key.get(1..).and_then(|path| path.try_into().ok()).ok_or_else(damaged)?;
        let (hash, key) = value.split_first_chunk().ok_or_else(damaged)?;
        visit(Entry { path, value: *hash }, key)
    })
}

/// Stores the hash of a subtree.
pub(super) fn write_node(changes: &mut Changes, index: u64, subtree: Subtree) {
    let key = node_key(index);
    match subtree {
        Subtree::Empty => changes.delete(&key),
        Subtree::Leaf(hash) => changes.put(&key, &[&[LEAF], hash.as_slice()].concat()),
        Subtree::Inner(hash) => changes.put(&key, &[&[INNER], hash.as_slice()].concat()),
    }
}

/// Calls `visit` with each stored hash in ascending order of indices.
pub(super) fn visit_nodes(
    state: &State,
    mut visit: impl FnMut(u64, Subtree),
) -> Result<(), ApplicationError> {
    state.visit(&[NODE], |key, value| {
        let index = key.get(1..).and_then(|index| index.try_into().ok()).ok_or_else(damaged)?;
        let (form, hash) = value.split_first().ok_or_else(damaged)?;
        let hash = hash.try_into().map_err(|_| damaged())?;
        let subtree = match *form {
            LEAF => Subtree::Leaf(hash),
            INNER => Subtree::Inner(hash),
            _ => return Err(damaged()),
        };
        visit(u64::from(u32::from_be_bytes(index)), subtree);
        Ok(())
    })
}

/// Stores the root to which the other records lead.
pub(super) fn write_root(changes: &mut Changes, root: &Digest, depth: usize) {
    changes.put(ROOT, &[root.as_slice(), &[depth as u8]].concat());
}

/// Replaces the stored root by none, while the other records are made again.
pub(super) fn remove_root(changes: &mut Changes) {
    changes.put(ROOT, &[]);
}

/// Returns true if the records lead to this root, and nodes are stored at this depth.
pub(super) fn is_current(state: &State, root: &Digest, depth: usize) -> Result<bool, ApplicationError> {
    let expected = [root.as_slice(), &[depth as u8]].concat();
    Ok(state.get(ROOT)?.map_or(*root == EMPTY, |stored| stored == expected))
}

/// Calls `visit` with the key of each record except that of the root.
pub(super) fn visit_keys(
    state: &State,
    mut visit: impl FnMut(&[u8]) -> Result<(), ApplicationError>,
) -> Result<(), ApplicationError> {
    for prefix in [NODE, ENTRY] {
        state.visit(&[prefix], |key, _| visit(key))?;
    }
    Ok(())
}

pub(in crate::application) fn damaged() -> ApplicationError {
    ApplicationError::new(
        "the ledger's entries do not add up to its state root: the folder `state` in the data directory is damaged; delete that \
         folder only, and the node executes the chain again, which takes all blocks",
    )
}

fn entry_key(path: &Digest) -> [u8; 33] {
    let mut key = [ENTRY; 33];
    key.split_at_mut(1).1.copy_from_slice(path);
    key
}

fn node_key(index: u64) -> [u8; 5] {
    let mut key = [NODE; 5];
    key.split_at_mut(1).1.copy_from_slice(&(index as u32).to_be_bytes());
    key
}
