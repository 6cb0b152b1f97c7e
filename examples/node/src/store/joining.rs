//! A store that is filled from a snapshot of another node.
//!
//! The directory is not that of a node before [`Joining::finish`]: its state claims a height whose entries are still arriving.
//! Each step is durable when it returns, so that an interrupted download continues where it was.
//!
//! ```text
//! begin     roots up to the height of the snapshot, then the oldest height
//! blocks    the newest ones up to that height, ascending, each with its batches and record
//! parts     the entries of each part, and in the same write that the part is complete
//! finish    the epochs; the notes of complete parts are removed
//! ```

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fjall::{Keyspace, PersistMode};
use quorate::wire::Encode;

use super::database::{KeyspaceOptions, failure, height_key, open_keyspace};
use super::pruning::Handover;
use super::records::{NOTED, OLDEST, writing};
use super::state::Roots;
use super::{Binding, Store, StoreOptions};
use crate::application::{Application, Entry};
use crate::epochs::Epoch;
use crate::execution::Executor;
use crate::protocol::{Archive, Protocol, Record};
use crate::{NodeError, Result};

/// Name of the keyspace with the notes, in the state's database.
const NOTES: &str = "joining";
/// Key of the identifier of the snapshot. The numbers of parts have four bytes.
const SNAPSHOT: &[u8] = b"snapshot";

/// A store that is filled from a snapshot.
pub struct Joining<P: Protocol> {
    store: Store<P>,
    notes: Keyspace,
    height: u64,
    first_block: u64,
}

/// The snapshot that a store is filled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinTarget {
    /// Identifies height and parts: a store that is filled from another snapshot cannot continue with this one.
    pub id: [u8; 32],
    /// Height of the state.
    pub height: u64,
    /// Height of the oldest block to fetch.
    pub first_block: u64,
    /// The roots of consecutive heights up to that of the state, and those of the genesis.
    pub roots: Vec<(u64, Roots)>,
    /// Entries of the state that are not in its parts.
    pub entries: Vec<Entry>,
}

impl<P: Protocol> Joining<P> {
    /// Opens a directory that is filled from this snapshot, or begins with an empty one. Returns `None` if the directory is
    /// filled from another snapshot, or is a node's.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open(
        dir: &Path,
        binding: &Binding,
        context: P::Context,
        target: &JoinTarget,
    ) -> Result<Option<Self>> {
        let store = Store::<P>::open_with(dir, binding, context, StoreOptions::default())?;
        let notes = open_keyspace(store.state.database(), NOTES, KeyspaceOptions { memtable: 1 << 20 })?;
        let found = notes.get(SNAPSHOT).map_err(failure("reading the state"))?;
        let is_new = found.is_none() && store.state.executed()?.is_none();
        if !is_new && found.is_none_or(|id| *id != target.id) {
            return Ok(None);
        }
        let joining = Self { store, notes, height: target.height, first_block: target.first_block };
        joining.begin(target)?;
        Ok(Some(joining))
    }

    /// Height of the next block to fetch; `None` if all are there.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn next_block(&self) -> Result<Option<u64>> {
        for height in self.first_block..=self.height {
            if self.store.block_at(height)?.is_none() {
                return Ok(Some(height));
            }
        }
        Ok(None)
    }

    /// A block that is there.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn block_at(&self, height: u64) -> Result<Option<Arc<P::Block>>> {
        self.store.block_at(height)
    }

    /// The record at a height whose block is there.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn record_at(&self, height: u64) -> Result<Option<Record<P>>> {
        self.store.record_at(height)
    }

    /// Adds the next block with all of its batches and its record.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn add_block(
        &self,
        block: &P::Block,
        batches: &[Arc<P::Batch>],
        finality: &P::Finality,
        record: Option<Record<P>>,
    ) -> Result<()> {
        // The record first: the block shows that it is complete.
        self.store.append(&Vec::from_iter(record))?;
        self.store.archive(block, batches, finality)
    }

    /// The parts that are there.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn parts(&self) -> Result<BTreeSet<u32>> {
        let mut parts = BTreeSet::new();
        for entry in self.notes.iter() {
            let key = entry.key().map_err(failure("reading the state"))?;
            parts.extend(<[u8; 4]>::try_from(&*key).ok().map(u32::from_be_bytes));
        }
        Ok(parts)
    }

    /// Adds a part.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn add_part(&self, part: u32, entries: Vec<Entry>) -> Result<()> {
        self.write(entries, &part.to_be_bytes(), &[])
    }

    /// Completes the store: adds the epochs up to that of the next block, each with the proof of the block on which it begins,
    /// restores the application as a start does, and removes the notes.
    ///
    /// # Errors
    /// `APPLICATION` if the application restores another state than the certified one; if the disk fails.
    pub fn finish(self, epochs: &[(Epoch, Handover)], application: Box<dyn Application>) -> Result<()> {
        let mut batch = self.store.records.database.batch();
        for (epoch, handover) in epochs {
            self.store.append_epoch(epoch)?;
            batch.insert(&self.store.records.handovers, epoch.number.to_be_bytes(), handover.encode());
        }
        self.store.records.database.commit_durably(batch).map_err(writing)?;
        let store = Arc::new(self.store);
        let executor = Executor::open(store.clone(), application)?;
        executor.flush()?;
        drop(executor);
        super::identity::mark_joined(&store.directory)?;
        store.state.database().delete_keyspace(self.notes).map_err(failure("writing the state"))?;
        store.flush()
    }

    fn begin(&self, target: &JoinTarget) -> Result<()> {
        if self.store.oldest_height() == target.first_block.max(1) && self.has_begun()? {
            return Ok(());
        }
        self.store.state.begin(target.height, &target.roots)?;
        let (records, first) = (&self.store.records, target.first_block);
        if first > 1 {
            let mut batch = records.database.batch();
            batch.insert(&records.tail, OLDEST, height_key(first));
            batch.insert(&records.tail, NOTED, height_key(first - 1));
            records.database.commit_durably(batch).map_err(writing)?;
            records.noted.store(first - 1, Ordering::Release);
            records.oldest.store(first, Ordering::Release);
            self.store.index.forget(first);
        }
        self.write(target.entries.clone(), SNAPSHOT, &target.id)
    }

    fn has_begun(&self) -> Result<bool> {
        self.notes.contains_key(SNAPSHOT).map_err(failure("reading the state"))
    }

    fn write(&self, entries: Vec<Entry>, note: &[u8], value: &[u8]) -> Result<()> {
        let state = &self.store.state;
        let mut batch = state.database().batch().durability(Some(PersistMode::SyncData));
        for (key, value) in entries {
            if super::state::is_reserved(&key) {
                return Err(NodeError::corrupt("a snapshot", "it has a key that the store reserves"));
            }
            batch.insert(state.entries(), key, value);
        }
        batch.insert(&self.notes, note, value);
        batch.commit().map_err(failure("writing the state"))
    }
}
