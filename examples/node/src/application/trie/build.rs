//! Makes the records of a trie from all of its entries.

use super::bucket::{Entry, subtree};
use super::node::{Digest, Subtree};
use super::records::{damaged, remove_root, visit_entries, visit_keys, write_entry, write_node, write_root};
use super::stored::{Shape, StoredTrie};
use crate::application::{ApplicationError, Changes, State, StateWriter};

/// Number of changes in a write.
const WRITE: usize = 10_000;

/// Makes the records of a trie, in memory that does not depend on the number of entries.
pub(in crate::application) struct RecordBuilder<'a, 'w> {
    state: &'a State,
    shape: Shape,
    write: &'a mut StateWriter<'w>,
    changes: Changes,
    pending: usize,
    entries: u64,
}

impl<'a, 'w> RecordBuilder<'a, 'w> {
    pub(in crate::application) fn new(
        state: &'a State,
        shape: Shape,
        write: &'a mut StateWriter<'w>,
    ) -> Self {
        Self { state, shape, write, changes: Changes::default(), pending: 0, entries: 0 }
    }

    /// Deletes all records.
    pub(in crate::application) fn clear(&mut self) -> Result<(), ApplicationError> {
        remove_root(&mut self.changes);
        visit_keys(self.state, |key| {
            self.changes.delete(key);
            self.write_full()
        })
    }

    /// Adds an entry.
    pub(in crate::application) fn add(
        &mut self,
        path: &Digest,
        value: &Digest,
        key: &[u8],
    ) -> Result<(), ApplicationError> {
        write_entry(&mut self.changes, path, value, key);
        self.entries += 1;
        self.write_full()
    }

    /// Adds the hashes, and compares their root and the number of entries.
    pub(in crate::application) fn finish(
        mut self,
        root: &Digest,
        entries: u64,
    ) -> Result<(), ApplicationError> {
        (self.write)(&std::mem::take(&mut self.changes))?;
        let (depth, mut index, mut bucket) = (self.shape.stored, 0, Vec::new());
        visit_entries(self.state, &[0; 32], 0, |entry, _| {
            let next = index_at(&entry.path, depth);
            if next != index {
                self.add_node(index, &bucket)?;
                (index, bucket) = (next, Vec::new());
            }
            bucket.push(entry);
            Ok(())
        })?;
        self.add_node(index, &bucket)?;
        (self.write)(&std::mem::take(&mut self.changes))?;
        if (StoredTrie::restore(self.state, self.shape, entries)?.root(), self.entries) != (*root, entries) {
            return Err(damaged());
        }
        write_root(&mut self.changes, root, depth);
        (self.write)(&self.changes)
    }

    fn add_node(&mut self, index: u64, bucket: &[Entry]) -> Result<(), ApplicationError> {
        match subtree(bucket, self.shape.stored) {
            Subtree::Empty => Ok(()),
            subtree => {
                write_node(&mut self.changes, index, subtree);
                self.write_full()
            }
        }
    }

    fn write_full(&mut self) -> Result<(), ApplicationError> {
        self.pending += 1;
        if self.pending < WRITE {
            return Ok(());
        }
        self.pending = 0;
        (self.write)(&std::mem::take(&mut self.changes))
    }
}

/// The first `depth` bits of a path as a number.
fn index_at(path: &Digest, depth: usize) -> u64 {
    let first = path.first_chunk().map_or(0, |first| u32::from_be_bytes(*first));
    u64::from(first.checked_shr(32 - depth as u32).unwrap_or(0))
}
