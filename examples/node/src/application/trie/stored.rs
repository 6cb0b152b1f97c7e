//! The trie over a state.

use super::bucket::{Entry, split, subtree};
use super::node::{Digest, Subtree, bit};
use super::positions::Position;
use super::proof::TrieProof;
use super::records::{
    self, damaged, delete_entry, visit_entries, visit_nodes, write_entry, write_node, write_root,
};
use super::upper::UpperLevels;
use crate::application::{ApplicationError, Changes, State};

/// Depths of the levels in memory. The root does not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::application) struct Shape {
    /// Depth whose hashes are stored; the levels up to it are always known.
    pub(super) stored: usize,
    /// Maximum depth in memory.
    pub(super) max: usize,
    /// Average number of entries of a bucket above which there is another level.
    pub(super) load: u64,
    /// Maximum number of entries of a bucket. Random paths stay far below it at the maximum depth; for paths that were searched
    /// for, more nodes are in memory.
    pub(super) bucket: usize,
}

impl Shape {
    /// The shape of the ledger.
    pub(in crate::application) const LEDGER: Self = Self { stored: 17, max: 22, load: 4, bucket: 256 };

    /// Creates a shape for tests.
    #[cfg(test)]
    pub(in crate::application) fn new(stored: usize, max: usize, load: u64) -> Self {
        Self { stored, max, load, bucket: 4 }
    }

    /// Returns true if the state has the records of a trie with this root.
    pub(in crate::application) fn is_stored(
        self,
        state: &State,
        root: &Digest,
    ) -> Result<bool, ApplicationError> {
        records::is_current(state, root, self.stored)
    }
}

/// A map from paths to value hashes with a root. The module's documentation describes it.
///
/// The methods take the state after the last executed block.
#[derive(Debug)]
pub(in crate::application) struct StoredTrie {
    shape: Shape,
    pub(super) upper: UpperLevels,
    len: u64,
}

/// A change of one entry.
#[derive(Debug)]
pub(in crate::application) struct Change<'a> {
    pub(in crate::application) path: Digest,
    pub(in crate::application) key: &'a [u8],
    /// Hash of the new value; `None` if the entry is removed.
    pub(in crate::application) value: Option<Digest>,
    /// Whether there was an entry before; a result.
    pub(in crate::application) existed: bool,
}

/// A path from the root to a subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::application) struct Branch {
    /// Hashes of the siblings from the root down.
    pub(in crate::application) siblings: Vec<Digest>,
    /// The subtree that ends the path.
    pub(in crate::application) subtree: Subtree,
    /// Its entry, if it is the only one and the path was longer.
    pub(super) leaf: Option<Entry>,
}

impl StoredTrie {
    /// Creates a trie without entries.
    pub(in crate::application) fn new(shape: Shape) -> Self {
        Self { shape, upper: UpperLevels::new(shape.stored), len: 0 }
    }

    /// Reads the stored hashes of a trie with `len` entries. Compare the [`root`](Self::root).
    pub(in crate::application) fn restore(
        state: &State,
        shape: Shape,
        len: u64,
    ) -> Result<Self, ApplicationError> {
        let mut trie = Self { len, ..Self::new(shape) };
        let mut changed = Vec::new();
        visit_nodes(state, |index, subtree| {
            trie.upper.set(Position { depth: shape.stored, index }, subtree);
            changed.push(index);
        })?;
        for depth in (0..shape.stored).rev() {
            changed.iter_mut().for_each(|index| *index /= 2);
            changed.dedup();
            for &index in &changed {
                let at = Position { depth, index };
                let (left, right) = trie.upper.halves(at).ok_or_else(damaged)?;
                trie.upper.set(at, Subtree::join(left, right));
            }
        }
        trie.grow();
        Ok(trie)
    }

    /// Number of entries.
    pub(in crate::application) fn len(&self) -> u64 {
        self.len
    }

    pub(in crate::application) fn root(&self) -> Digest {
        self.upper.get(Position::ROOT).unwrap_or(Subtree::Empty).hash()
    }

    /// Returns true if the state has an entry at `path`.
    pub(in crate::application) fn contains(state: &State, path: &Digest) -> Result<bool, ApplicationError> {
        records::has_entry(state, path)
    }

    /// Applies the changes of a block, which are in ascending order of different paths, and adds those of the records to
    /// `records`.
    pub(in crate::application) fn apply(
        &mut self,
        state: &State,
        changes: &mut [Change<'_>],
        records: &mut Changes,
    ) -> Result<(), ApplicationError> {
        self.update(Position::ROOT, state, changes, records)?;
        write_root(records, &self.root(), self.shape.stored);
        self.grow();
        Ok(())
    }

    /// The proof of the value hash at `path`, or of its absence.
    pub(in crate::application) fn prove(
        &self,
        state: &State,
        path: &Digest,
    ) -> Result<TrieProof, ApplicationError> {
        let Branch { siblings, leaf, .. } = self.branch(state, path, 256)?;
        Ok(TrieProof { siblings, leaf: leaf.map(|entry| (entry.path, entry.value)) })
    }

    /// The path to the subtree whose paths begin with the first `bits` bits of `prefix`. It ends earlier at a subtree with
    /// less than two entries.
    pub(in crate::application) fn branch(
        &self,
        state: &State,
        prefix: &Digest,
        bits: usize,
    ) -> Result<Branch, ApplicationError> {
        let (mut at, mut siblings) = (Position::ROOT, Vec::new());
        loop {
            let known = self.upper.get(at).ok_or_else(damaged)?;
            if at.depth == bits || known == Subtree::Empty {
                return Ok(Branch { siblings, subtree: known, leaf: None });
            }
            let Some((left, right)) = self.upper.halves(at).filter(|_| matches!(known, Subtree::Inner(_)))
            else {
                break;
            };
            let right_half = bit(prefix, at.depth);
            siblings.push(if right_half { left.hash() } else { right.hash() });
            at = at.child(right_half);
        }
        let entries = read_bucket(state, at)?;
        let (mut below, mut depth) = (entries.as_slice(), at.depth);
        while depth < bits && below.len() > 1 {
            let (left, right) = split(below, depth);
            let (mine, other) = if bit(prefix, depth) { (right, left) } else { (left, right) };
            depth += 1;
            siblings.push(subtree(other, depth).hash());
            below = mine;
        }
        let leaf = below.first().filter(|_| below.len() == 1).copied();
        Ok(Branch { siblings, subtree: subtree(below, depth), leaf })
    }

    /// Applies changes below a position, and returns the subtree that results.
    fn update(
        &mut self,
        at: Position,
        state: &State,
        changes: &mut [Change<'_>],
        records: &mut Changes,
    ) -> Result<Subtree, ApplicationError> {
        let known = self.upper.get(at).ok_or_else(damaged)?;
        if changes.is_empty() {
            return Ok(known);
        }
        if self.upper.halves(at).is_none() {
            let mut entries = if known == Subtree::Empty { Vec::new() } else { read_bucket(state, at)? };
            // The levels below are made from the entries: after a restart these are read for the first time.
            if at.depth < self.upper.depth() && subtree(&entries, at.depth) != known {
                return Err(damaged());
            }
            for change in changes {
                self.change_entry(&mut entries, change, records);
            }
            return Ok(self.fill(at, &entries, records));
        }
        let middle = changes.partition_point(|change| !bit(&change.path, at.depth));
        let (left, right) = changes.split_at_mut(middle);
        let left = self.update(at.child(false), state, left, records)?;
        let right = self.update(at.child(true), state, right, records)?;
        let joined = Subtree::join(left, right);
        if !matches!(joined, Subtree::Inner(_)) {
            self.upper.forget_halves(at);
        }
        Ok(self.set(at, joined, records))
    }

    fn change_entry(&mut self, entries: &mut Vec<Entry>, change: &mut Change<'_>, records: &mut Changes) {
        let found = entries.binary_search_by(|entry| entry.path.cmp(&change.path));
        change.existed = found.is_ok();
        match (found, change.value) {
            (Ok(at), Some(value)) => entries.get_mut(at).into_iter().for_each(|entry| entry.value = value),
            (Ok(at), None) => {
                entries.remove(at);
                self.len = self.len.saturating_sub(1);
                return delete_entry(records, &change.path);
            }
            (Err(at), Some(value)) => {
                entries.insert(at, Entry { path: change.path, value });
                self.len += 1;
            }
            (Err(_), None) => return,
        }
        if let Some(value) = change.value {
            write_entry(records, &change.path, &value, change.key);
        }
    }

    /// Sets a subtree that has these entries, and all below it.
    fn fill(&mut self, at: Position, entries: &[Entry], records: &mut Changes) -> Subtree {
        let is_large = entries.len() > self.shape.bucket && at.depth < Position::MAX_DEPTH;
        let filled = if at.depth < self.upper.depth() || is_large {
            let (left, right) = split(entries, at.depth);
            let left = self.fill(at.child(false), left, records);
            Subtree::join(left, self.fill(at.child(true), right, records))
        } else {
            subtree(entries, at.depth)
        };
        self.set(at, filled, records)
    }

    fn set(&mut self, at: Position, subtree: Subtree, records: &mut Changes) -> Subtree {
        self.upper.set(at, subtree);
        if at.depth == self.shape.stored {
            write_node(records, at.index, subtree);
        }
        subtree
    }

    /// Adds the levels that the number of entries asks for.
    fn grow(&mut self) {
        while self.upper.depth() < self.shape.max && self.len >> self.upper.depth() >= self.shape.load {
            self.upper.grow();
        }
    }
}

fn read_bucket(state: &State, at: Position) -> Result<Vec<Entry>, ApplicationError> {
    let mut entries = Vec::new();
    visit_entries(state, &at.first_path(), at.depth, |entry, _| {
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}
