//! The hashes of the upper levels, in memory.

use std::collections::HashMap;

use super::node::{Digest, Subtree};
use super::positions::Position;

/// The subtrees at the depths from 0 to [`depth`](Self::depth).
///
/// Those of the first levels are always known. A subtree of a lower level is known once it was set, and then its sibling is
/// known as well.
#[derive(Debug)]
pub(super) struct UpperLevels {
    levels: Vec<Level>,
    /// Subtrees below the levels, of buckets with too many entries.
    pub(super) below: HashMap<Position, Subtree>,
}

/// One byte and one hash per subtree. Both begin as zeros, so that the system provides a page only when it is written.
#[derive(Debug)]
struct Level {
    forms: Vec<u8>,
    hashes: Vec<Digest>,
    /// The subtrees that were never set.
    unset: Option<Subtree>,
}

/// Forms of subtrees; zero if it was never set.
const EMPTY: u8 = 1;
const LEAF: u8 = 2;
const INNER: u8 = 3;

impl UpperLevels {
    /// Creates the levels down to `depth`, all of whose subtrees are empty.
    pub(super) fn new(depth: usize) -> Self {
        let levels = (0..=depth).map(|depth| Level::new(depth, Some(Subtree::Empty))).collect();
        Self { levels, below: HashMap::new() }
    }

    /// The lowest depth.
    pub(super) fn depth(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Adds a level, of which no subtree is known, and forgets the subtrees below the levels.
    pub(super) fn grow(&mut self) {
        self.below.clear();
        self.levels.push(Level::new(self.levels.len(), None));
    }

    /// The subtree at a position; `None` if it is not known.
    pub(super) fn get(&self, at: Position) -> Option<Subtree> {
        let Some(level) = self.levels.get(at.depth) else { return self.below.get(&at).copied() };
        let hash = *level.hashes.get(at.index as usize)?;
        match *level.forms.get(at.index as usize)? {
            EMPTY => Some(Subtree::Empty),
            LEAF => Some(Subtree::Leaf(hash)),
            INNER => Some(Subtree::Inner(hash)),
            _ => level.unset,
        }
    }

    /// The two halves of a subtree; `None` if they are not known.
    pub(super) fn halves(&self, at: Position) -> Option<(Subtree, Subtree)> {
        Some((self.get(at.child(false))?, self.get(at.child(true))?))
    }

    /// Forgets the halves of a subtree with less than two entries, if they are below the levels.
    pub(super) fn forget_halves(&mut self, at: Position) {
        if !self.below.is_empty() {
            self.below.remove(&at.child(false));
            self.below.remove(&at.child(true));
        }
    }

    pub(super) fn set(&mut self, at: Position, subtree: Subtree) {
        let Some(level) = self.levels.get_mut(at.depth) else {
            self.below.insert(at, subtree);
            return;
        };
        let index = at.index as usize;
        if let (Some(form), Some(hash)) = (level.forms.get_mut(index), level.hashes.get_mut(index)) {
            (*form, *hash) = match subtree {
                Subtree::Empty => (EMPTY, [0; 32]),
                Subtree::Leaf(hash) => (LEAF, hash),
                Subtree::Inner(hash) => (INNER, hash),
            };
        }
    }
}

impl Level {
    fn new(depth: usize, unset: Option<Subtree>) -> Self {
        Self { forms: vec![0; 1 << depth], hashes: vec![[0; 32]; 1 << depth], unset }
    }
}
