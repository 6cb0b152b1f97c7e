//! The application's part of the store: its entries, and the executed height.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fjall::{Database, Keyspace, OwnedWriteBatch, PersistMode};

use super::database::{
    DatabaseOptions, KeyspaceOptions, decode_height, failure, height_key, open_database, open_keyspace,
};
use super::files::sync_dir;
use super::scan::cut;
use crate::application::{ApplicationError, Changes, State, StateSource, Visitor};
use crate::descriptors::STATE_FILES;
use crate::{NodeError, Result};

/// State roots after a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roots {
    /// Root computed by the application.
    pub application: [u8; 32],
    /// Hash over these roots up to this height, which blocks contain. See [`execution`](crate::execution).
    pub execution: [u8; 32],
}

/// Key of the height up to which the entries are complete. Applications neither see nor use it.
const HEIGHT: &[u8] = b"\0quorate height";

/// Returns true for the keys of the store itself.
pub(super) fn is_reserved(key: &[u8]) -> bool {
    key == HEIGHT
}

/// The application's entries and the roots of each height. Writes are atomic and ordered, but not durable when they return:
/// after a crash of the machine, lost blocks are executed again. Where blocks are pruned, that is not possible, so writes are
/// durable.
///
/// The database writes entries and roots to tables at different times, and does not wait for its journal. If the journal
/// then loses its end, one of the two is ahead of the other. The height in the entries shows it at the next start, which
/// deletes the state: all blocks are executed again.
#[derive(Clone)]
pub struct StateStore {
    database: Database,
    entries: Keyspace,
    roots: Keyspace,
    /// Durability of a block's write.
    durability: PersistMode,
    /// The roots below this height, except those of the genesis, are removed.
    forgotten: Arc<AtomicU64>,
}

/// Size of the cache of blocks in bytes. A change of the ledger reads a range of keys, in one block of each level, and the
/// blocks of the index above it.
const CACHE: u64 = 128 << 20;
/// Maximum number of roots that are removed by one write.
const ROOTS_PER_WRITE: usize = 1024;

impl StateStore {
    /// Opens the state of an archive whose oldest block is at the height `oldest`. `prunes` is true if blocks will be pruned.
    ///
    /// # Errors
    /// If the store fails; `CORRUPT` if blocks are missing that must be executed again.
    pub fn open(path: &Path, oldest: u64, prunes: bool) -> Result<Self> {
        // In the buffers of the system, a block survives the end of the process.
        let durability = if prunes || oldest > 1 { PersistMode::SyncData } else { PersistMode::Buffer };
        let deleted = path.with_extension("deleted");
        remove_dir(&deleted)?;
        if cut(path)? {
            tracing::info!(
                "the last blocks of the state were not written completely: they are executed again"
            );
        }
        let store = Self::open_database(path, durability)?;
        let is_consistent = store.is_consistent()?;
        if oldest > 1 {
            let last = store.executed()?.map_or(0, |(height, _)| height);
            let is_complete = is_consistent && last + 1 >= oldest;
            return if is_complete { Ok(store) } else { Err(incomplete(oldest)) };
        }
        if is_consistent {
            return Ok(store);
        }
        tracing::info!(
            "entries and roots of the state differ in their heights: all blocks are executed again"
        );
        drop(store);
        // Renamed first: a part of it must not be taken for a state.
        fs::rename(path, &deleted).map_err(|e| NodeError::file("deleting", path, e))?;
        path.parent().map_or(Ok(()), sync_dir)?;
        remove_dir(&deleted)?;
        Self::open_database(path, durability)
    }

    fn open_database(path: &Path, durability: PersistMode) -> Result<Self> {
        let database = open_database(path, DatabaseOptions { cache: CACHE, files: STATE_FILES })?;
        let entries = open_keyspace(&database, "entries", KeyspaceOptions { memtable: 32 << 20 })?;
        let roots = open_keyspace(&database, "roots", KeyspaceOptions { memtable: 4 << 20 })?;
        Ok(Self { database, entries, roots, durability, forgotten: Arc::new(AtomicU64::new(1)) })
    }

    /// Returns true if entries and roots have the same height. States of earlier versions do not contain that of the entries.
    fn is_consistent(&self) -> Result<bool> {
        let complete = self.entries.get(HEIGHT).map_err(failure("reading the state"))?;
        let executed = self.executed()?.map(|(height, _)| height_key(height));
        Ok(complete.is_none_or(|height| executed.is_some_and(|executed| *height == executed)))
    }

    /// The newest executed height with its roots; `None` in a new store.
    ///
    /// # Errors
    /// If the store fails.
    pub fn executed(&self) -> Result<Option<(u64, Roots)>> {
        let Some(last) = self.roots.last_key_value() else { return Ok(None) };
        let (key, value) = last.into_inner().map_err(failure("reading the state"))?;
        Ok(Some((decode_height(&key)?, decode_roots(&value)?)))
    }

    /// Roots after the block at `height`; `None` if it is not executed.
    ///
    /// # Errors
    /// If the store fails.
    pub fn roots(&self, height: u64) -> Result<Option<Roots>> {
        let value = self.roots.get(height_key(height)).map_err(failure("reading the state"))?;
        value.map(|bytes| decode_roots(&bytes)).transpose()
    }

    /// Applies the changes of the block at `height` and stores the roots after it, atomically.
    ///
    /// # Errors
    /// If the store fails; `APPLICATION` for a key that the store reserves. Then stop the node.
    pub fn commit(&self, height: u64, roots: &Roots, changes: &Changes) -> Result<()> {
        let mut batch = self.batch(changes)?;
        let value = [roots.application, roots.execution].concat();
        batch.insert(&self.roots, height_key(height), value);
        batch.insert(&self.entries, HEIGHT, height_key(height));
        batch.commit().map_err(failure("writing the state"))
    }

    /// Applies changes that do not change the executed height: those of an upgrade. They are atomic, and not durable before
    /// [`sync`](Self::sync).
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn write(&self, changes: &Changes) -> Result<()> {
        self.batch(changes)?.commit().map_err(failure("writing the state"))
    }

    fn batch(&self, changes: &Changes) -> Result<OwnedWriteBatch> {
        let mut batch = self.database.batch().durability(Some(self.durability));
        for (key, value) in changes.iter() {
            if is_reserved(key) {
                let problem = "the application changes a key that the store reserves".to_owned();
                return Err(NodeError::Application { problem });
            }
            match value {
                Some(value) => batch.insert(&self.entries, key, value),
                None => batch.remove(&self.entries, key),
            }
        }
        Ok(batch)
    }

    /// Removes the roots below a height, except those of the genesis. Does not wait for the disk.
    pub(super) fn forget_roots(&self, below: u64) -> Result<()> {
        let from = self.forgotten.load(Ordering::Acquire);
        if below <= from {
            return Ok(());
        }
        let mut heights = self.roots.range(height_key(from)..height_key(below)).peekable();
        while heights.peek().is_some() {
            let mut batch = self.database.batch();
            for entry in heights.by_ref().take(ROOTS_PER_WRITE) {
                batch.remove(&self.roots, entry.key().map_err(failure("reading the state"))?);
            }
            batch.commit().map_err(failure("writing the state"))?;
        }
        self.forgotten.fetch_max(below, Ordering::AcqRel);
        Ok(())
    }

    /// Writes the roots of a state whose entries follow, durably: see [`Joining`](super::Joining).
    pub(super) fn begin(&self, height: u64, roots: &[(u64, Roots)]) -> Result<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for (height, roots) in roots {
            batch.insert(&self.roots, height_key(*height), [roots.application, roots.execution].concat());
        }
        batch.insert(&self.entries, HEIGHT, height_key(height));
        batch.commit().map_err(failure("writing the state"))
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    pub(super) fn entries(&self) -> &Keyspace {
        &self.entries
    }

    /// Makes all writes durable.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sync(&self) -> Result<()> {
        self.database.persist(PersistMode::SyncAll).map_err(failure("writing the state"))
    }

    /// The entries as the application sees them.
    pub fn state(&self) -> State {
        State::new(Arc::new(self.clone()))
    }
}

impl StateSource for StateStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError> {
        if is_reserved(key) {
            return Ok(None);
        }
        Ok(self.entries.get(key).map_err(unreadable)?.map(|value| value.to_vec()))
    }

    fn visit(&self, prefix: &[u8], visit: &mut Visitor<'_>) -> Result<(), ApplicationError> {
        visit_entries(self.entries.prefix(prefix), visit)
    }

    fn visit_range(
        &self,
        first: &[u8],
        last: &[u8],
        visit: &mut Visitor<'_>,
    ) -> Result<(), ApplicationError> {
        visit_entries(self.entries.range(first..=last), visit)
    }
}

/// Calls `visit` with the entries of the application.
pub(super) fn visit_entries(found: fjall::Iter, visit: &mut Visitor<'_>) -> Result<(), ApplicationError> {
    for entry in found {
        let (key, value) = entry.into_inner().map_err(unreadable)?;
        if !is_reserved(&key) {
            visit(&key, &value)?;
        }
    }
    Ok(())
}

fn decode_roots(bytes: &[u8]) -> Result<Roots> {
    let (application, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    Ok(Roots { application: *application, execution: rest.try_into().map_err(|_| damaged())? })
}

fn remove_dir(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(NodeError::file("deleting", path, e)),
        _ => Ok(()),
    }
}

fn incomplete(oldest: u64) -> NodeError {
    NodeError::corrupt(
        "the state",
        format!(
            "it is lost or incomplete, and the blocks before {oldest}, from which it would be computed, are pruned"
        ),
    )
}

fn damaged() -> NodeError {
    NodeError::corrupt("the state", "a root is damaged")
}

pub(super) fn unreadable(e: fjall::Error) -> ApplicationError {
    ApplicationError::new(format!("cannot read the state: {e}; check the disk"))
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    /// Bytes that no compression makes smaller.
    fn value(height: u64) -> Vec<u8> {
        (0..400_u64)
            .flat_map(|word| xxh3_64(&[height, word].map(u64::to_le_bytes).concat()).to_le_bytes())
            .collect()
    }

    fn open(path: &Path) -> Result<StateStore> {
        StateStore::open(path, 1, false)
    }

    fn commit(store: &StateStore, height: u64) {
        let roots = Roots { application: [height as u8; 32], execution: [0; 32] };
        let mut changes = Changes::default();
        changes.put(&height_key(height), &value(height));
        store.commit(height, &roots, &changes).unwrap();
    }

    #[test]
    fn a_state_of_two_heights_is_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let height = |store: &StateStore| store.executed().unwrap().map(|(height, _)| height);
        // Only one of the two was written to a table before the journal lost its end.
        let ahead: [fn(&StateStore); 2] = [
            |store| store.entries.insert(HEIGHT, height_key(4)).unwrap(),
            |store| store.roots.insert(height_key(4), [0; 64]).unwrap(),
        ];
        for ahead in ahead {
            let store = open(&path).unwrap();
            assert_eq!(height(&store), None);
            (1..=3).for_each(|height| commit(&store, height));
            drop(store);
            let store = open(&path).unwrap();
            assert_eq!(height(&store), Some(3));
            ahead(&store);
        }
        let store = open(&path).unwrap();
        assert_eq!((height(&store), store.get(&height_key(1)).unwrap()), (None, None));
        // A state of an earlier version.
        commit(&store, 1);
        store.entries.remove(HEIGHT).unwrap();
        drop(store);
        assert_eq!(height(&open(&path).unwrap()), Some(1));
    }

    #[test]
    fn a_state_is_kept_where_blocks_are_pruned() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let store = StateStore::open(&path, 1, true).unwrap();
        (1..=5).for_each(|height| commit(&store, height));
        drop(store);
        let store = StateStore::open(&path, 6, true).unwrap();
        store.roots.insert(height_key(6), [0; 64]).unwrap();
        drop(store);
        // Parts of different heights, and no block to compute the state from.
        assert_eq!(StateStore::open(&path, 4, true).err().unwrap().code(), "CORRUPT");
        let store = StateStore::open_database(&path, PersistMode::Buffer).unwrap();
        store.roots.remove(height_key(6)).unwrap();
        drop(store);
        assert_eq!(StateStore::open(&path, 7, false).err().unwrap().code(), "CORRUPT");
        assert_eq!(StateStore::open(&path, 6, false).unwrap().executed().unwrap().unwrap().0, 5);
    }

    #[test]
    fn an_interrupted_deletion_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let store = open(&path).unwrap();
        commit(&store, 1);
        drop(store);
        fs::rename(&path, path.with_extension("deleted")).unwrap();
        assert!(open(&path).unwrap().executed().unwrap().is_none());
        assert!(!path.with_extension("deleted").exists());
    }

    #[test]
    fn a_block_survives_the_end_of_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("state"), dir.path().join("copy"));
        let store = open(&path).unwrap();
        commit(&store, 1);
        // The files as they are when the process ends without a destructor.
        assert!(std::process::Command::new("cp").arg("-a").args([&path, &copy]).status().unwrap().success());
        assert_eq!(open(&copy).unwrap().executed().unwrap().map(|(height, _)| height), Some(1));
    }

    #[test]
    fn applications_see_only_their_entries() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir.path().join("state")).unwrap();
        commit(&store, 1);
        let mut keys = Vec::new();
        store
            .visit(&[], &mut |key, _| {
                keys.push(key.to_vec());
                Ok(())
            })
            .unwrap();
        store
            .visit_range(&[], &[1], &mut |key, _| {
                keys.push(key.to_vec());
                Ok(())
            })
            .unwrap();
        let entry = height_key(1).to_vec();
        assert_eq!((keys, store.get(HEIGHT).unwrap()), (vec![entry.clone(), entry], None));
        let mut changes = Changes::default();
        changes.put(HEIGHT, b"value");
        let roots = store.roots(1).unwrap().unwrap();
        assert_eq!(store.commit(2, &roots, &changes).unwrap_err().code(), "APPLICATION");
        assert_eq!(store.executed().unwrap().unwrap().0, 1);
    }

    #[test]
    fn blocks_after_an_unwritten_sector_are_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let store = open(&path).unwrap();
        (1..=9).for_each(|height| commit(&store, height));
        drop(store);
        let journal = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
        let journal = journal.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "jnl"));
        let journal = journal.unwrap();
        let mut bytes = fs::read(&journal).unwrap();
        // In the middle of a value, so that all entries are complete.
        let start = bytes.windows(100).position(|window| *window == value(5)[..100]).unwrap();
        bytes[(start + 1000).next_multiple_of(512)..][..512].fill(0);
        fs::write(&journal, bytes).unwrap();
        let store = open(&path).unwrap();
        assert_eq!(store.executed().unwrap().unwrap().0, 4);
        commit(&store, 5);
        drop(store);
        assert_eq!(open(&path).unwrap().executed().unwrap().unwrap().0, 5);
    }
}
