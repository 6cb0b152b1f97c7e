//! The node's data on disk: the replica's records, blocks and batches of the chain, the application's state, and the
//! transaction index.
//!
//! ```text
//! data/IDENTITY        chain and keys that the directory is bound to, format version
//!      LOCK            held by the process that uses it
//!      JOINED          filled from a snapshot (see `joining`), and no node has started with it
//!      records/        fjall: the replica's records, blocks, locations of batches
//!      state/          fjall: the application's entries, the roots of each height
//!      batches/        append-only files of batch bodies            (see `segments`)
//!      log/            append-only files of records of heights that are not committed (see `log`)
//!      transactions/   sorted runs: transaction → location          (see `index`)
//!      conflict-*.json two committed blocks of one height, with proofs (see `conflict`)
//! ```
//!
//! # Why fjall, and not for all data
//!
//! Measured with experimental programs on a machine with 2 cores (4 processes at once, each with the load of one node at
//! 60,000 transactions of 512 bytes a second: 100 votes a second with fdatasync, 60 batches of 500 kB a second,
//! fdatasync each, 60,000 index entries a second), against redb 4.4; processor time is per process:
//!
//! | | fjall 3.1 | redb 4.4 |
//! |---|---|---|
//! | vote without other load: median, p99 | 0.30 ms, 0.50 ms | 0.43 ms, 4.7 ms |
//! | vote, batches in segment files: median, p99 | **0.17 ms, 1.5 ms**, 6 % cpu | 0.95 ms, 8.5 ms, 7 % cpu |
//! | vote, batches in the store: median, p99 | 0.53 ms, 75 ms, 18 % cpu | 0.65 ms, 5.8 ms, 8 % cpu |
//! | a transaction index entry | 1.8 µs, and votes wait 25 to 40 ms (p99) | 4.0 µs |
//!
//! A log-structured store makes a small durable write with one append to its journal, so votes are in fjall. Bulk data in
//! the same journal would delay votes, so batch bodies are in separate files. Neither store inserts 60,000 random keys a
//! second for less than 1 µs each, so the index consists of sorted runs (less than 0.1 µs; see `index`). The application's
//! state is in a second database, whose journal never delays a vote.
//! `cargo bench -p quorate-node-jolteon --bench execution` measures the result. rocksdb was not considered, because it needs
//! a C++ toolchain and libclang to build and has the same design as fjall.
//!
//! # Durability
//!
//! * [`Store::append`]: all records are durable when it returns. Files are synchronized, and directories when a file is
//!   created. Batch bodies are written first, then all other records as one atomic write. A crash between the two leaves
//!   batches on which no record depends.
//! * [`Store::archive`]: the block's position in the chain is durable when it returns; once per block.
//! * The application's state and the transaction index do not wait for the disk. A crash of the process loses none of the
//!   state; a crash of the machine loses the last blocks, which are executed again.
//!
//! After a failed write (a full disk, an I/O error) the content of the disk is unknown. The store refuses all further writes,
//! so the node stops signing. The next start truncates incomplete data.
//!
//! # Growth
//!
//! Blocks, batches, roots and the transaction index are the archive of the chain. Memory use does not grow with them. They stay
//! until [`Store::prune`] removes those of old heights, which a node calls if its configuration says so. It removes, in this
//! order:
//!
//! 1. the blocks, their records and the locations of their batches, in one durable write with the new oldest height; a block on
//!    which an epoch begins is first copied with its proof, because clients verify changes of members from the genesis on;
//! 2. the state roots below the height before the oldest one;
//! 3. files of the transaction index without a newer entry, and files of batches without a needed body (see `pruning`).
//!
//! [`Store::freeze`] keeps the state of some heights readable for nodes that join. The blocks that these need are not removed until
//! the state is released.
//!
//! The state is durable before the blocks are removed, so that a crash never loses more of it than the archive can restore. A
//! crash between two of these leaves a store that opens; the next start removes the rest. Readers of a removed block see that it is
//! below [`Store::oldest_height`].

mod conflict;
pub mod counter;
mod database;
mod file_heights;
pub mod files;
mod identity;
mod index;
mod joining;
mod journal;
mod keys;
mod log;
mod pruning;
mod records;
mod scan;
mod sealed;
mod segments;
mod snapshots;
mod spent;
mod state;

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use quorate::merkle::Hash;
use quorate::wire::Encode;

pub use conflict::check as check_conflict;
pub(crate) use counter::SignatureCounters;
pub(crate) use database::with_cause;
pub(crate) use files::{create_dir, replace};
pub use identity::{Binding, DataState, FORMAT, inspect, is_empty};
pub(crate) use identity::{check_first_start, end_first_start, is_joined};
pub use index::TransactionLocation;
pub use joining::{JoinTarget, Joining};
pub use journal::Journal;
pub use pruning::Handover;
pub use snapshots::FrozenState;
pub(crate) use spent::SpentJournal;
pub use state::{Roots, StateStore};

use crate::epochs::Epoch;
use crate::protocol::{Archive, Batch, Block, Protocol, Record};
use crate::{NodeError, Result};
use index::TransactionIndex;
use records::Records;
use snapshots::Snapshots;

/// Maximum number of heights that one call of [`Store::prune`] removes.
const HEIGHTS_PER_CALL: u64 = 64;

/// Settings of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Size in bytes at which a new file of batches is started.
    pub file_bytes: u64,
    /// True if [`Store::prune`] will be called: files of the transaction index stay small enough to be deleted soon.
    pub prunes: bool,
    /// Number of blocks between two [frozen states](Store::freeze), for nodes that join; 0 for none.
    pub snapshot_every: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { file_bytes: segments::SEGMENT_SIZE, prunes: false, snapshot_every: 0 }
    }
}

/// The data of a validator. Threads share it in an [`Arc`].
pub struct Store<P: Protocol> {
    records: Records<P>,
    state: StateStore,
    index: TransactionIndex,
    snapshots: Snapshots,
    snapshot_every: u64,
    first_sequence: u64,
    directory: PathBuf,
    /// Declared last, so that it is released last.
    _lock: File,
}

/// Returns the first number of a run: it rises by 65 per millisecond, which is more than the batches that a node seals. A
/// clock that was set back since the directory was created is not believed.
fn first_sequence(created: u64, now: SystemTime) -> u64 {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() * 65_536 / 1_000);
    u64::try_from(now).unwrap_or(u64::MAX).max(created << 16).max(1)
}

impl<P: Protocol> Store<P> {
    /// Opens the directory, or creates it.
    ///
    /// # Errors
    /// `DATA_IN_USE` if another process has it, `DATA_MISMATCH` if it belongs to another chain or validator,
    /// `CORRUPT` if durable data cannot be read, `CONFLICTING_COMMIT` if an earlier run found another history.
    pub fn open(dir: &Path, binding: &Binding, context: P::Context) -> Result<Self> {
        Self::open_with(dir, binding, context, StoreOptions::default())
    }

    /// Opens the directory, or creates it, with other settings than the default.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(
        dir: &Path,
        binding: &Binding,
        context: P::Context,
        options: StoreOptions,
    ) -> Result<Self> {
        let (lock, created) = identity::claim(dir, binding)?;
        let first_sequence = first_sequence(created, SystemTime::now());
        conflict::check(dir)?;
        let records = Records::open(dir, context, options.file_bytes)?;
        let state = StateStore::open(&dir.join("state"), records.oldest(), options.prunes)?;
        let index = TransactionIndex::open(dir.join("transactions"), records.oldest(), options.prunes)?;
        // A protocol whose replica cannot start from a snapshot needs none.
        let snapshot_every = if P::SNAPSHOT_BLOCKS.is_some() { options.snapshot_every } else { 0 };
        let snapshots = Snapshots::default();
        let directory = dir.to_owned();
        let store =
            Self { records, state, index, snapshots, snapshot_every, first_sequence, directory, _lock: lock };
        if store.oldest_height() > 1 {
            // A crash may have left some of it.
            store.finish_pruning()?;
        }
        Ok(store)
    }

    /// A number above every batch number that this validator used before this start, also in another data directory or in
    /// one that was rolled back.
    pub fn first_sequence(&self) -> u64 {
        self.first_sequence
    }

    /// Makes all records durable before it returns. May be called from several threads, so that batches do not delay votes.
    /// Records of the same slot (see [`RecordKind::Latest`](crate::protocol::RecordKind)) must come from one thread.
    ///
    /// # Errors
    /// If the disk fails. Discard messages that depend on the records, and stop: every later call fails as well.
    pub fn append(&self, records: &[Record<P>]) -> Result<()> {
        self.records.append(records)
    }

    /// Deletes the records of batches that can never be committed. Does not wait for the disk.
    ///
    /// # Errors
    /// If the store fails.
    pub fn prune_batches(&self, digests: &[Hash]) -> Result<()> {
        self.records.prune_batches(digests)
    }

    /// Deletes the records of blocks that can never be committed. Does not wait for the disk.
    ///
    /// # Errors
    /// If the store fails.
    pub fn prune_blocks(&self, digests: &[Hash]) -> Result<()> {
        self.records.prune_blocks(digests)
    }

    /// Deletes the records of the log up to a height. Does not wait for the disk.
    ///
    /// # Errors
    /// If the store fails.
    pub fn prune_log(&self, up_to: u64) -> Result<()> {
        self.records.prune_log(up_to)
    }

    /// Enters a committed block into the archive, durably. Called before its state is committed, because the state must never
    /// be ahead of the archive.
    ///
    /// # Errors
    /// If the store fails.
    pub fn archive(&self, block: &P::Block, batches: &[Arc<P::Batch>], finality: &P::Finality) -> Result<()> {
        self.records.archive(block, batches, finality)
    }

    /// Height of the oldest block whose data is complete; 1 if none is pruned.
    pub fn oldest_height(&self) -> u64 {
        self.records.oldest()
    }

    /// Checks that a height is not pruned; height 0, the state before block 1, is with that block. Call it after a block was not found, too: it may have been pruned meanwhile.
    ///
    /// # Errors
    /// `PRUNED` below the [oldest height](Self::oldest_height).
    pub fn check_height(&self, height: u64) -> Result<()> {
        let oldest = self.oldest_height();
        if height.max(1) < oldest { Err(NodeError::Pruned { height, oldest }) } else { Ok(()) }
    }

    /// Removes blocks below the newest `keep` executed ones, at most 64 in one call, and the files that are no longer needed. The
    /// first calls on a store of an earlier version remove nothing: each notes which files 64 of its blocks need.
    /// Returns true if there is more to do. Waits for the disk, and does not delay writes for longer than one of them.
    /// Call it from one thread.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn prune(&self, keep: u64) -> Result<bool> {
        let executed = self.state.executed()?.map_or(0, |(height, _)| height);
        let (oldest, end) = (self.oldest_height(), (executed + 1).saturating_sub(keep));
        let end = self.snapshots.oldest().map_or(end, |height| end.min(first_block::<P>(height)));
        let step = HEIGHTS_PER_CALL.min(keep / 4 + 1);
        if end < oldest.saturating_add(step) {
            return Ok(false);
        }
        if self.records.note_uses()? {
            return Ok(true);
        }
        self.state.sync()?;
        let below = oldest + step;
        self.records.forget(below, &self.handovers(oldest..below)?)?;
        self.finish_pruning()?;
        Ok(end >= below + step)
    }

    /// Deletes what the pruned blocks alone need.
    fn finish_pruning(&self) -> Result<()> {
        let oldest = self.oldest_height();
        let files = self.records.obsolete_files()?;
        self.records.sync()?;
        // A proof of the state after the oldest block needs the root before it.
        self.state.forget_roots(oldest - 1)?;
        self.index.forget(oldest);
        if !files.is_empty() {
            self.state.sync()?;
            self.records.delete_files(&files)?;
        }
        Ok(())
    }

    /// The epochs that begin on blocks of these heights, with the proofs of these blocks.
    fn handovers(&self, heights: Range<u64>) -> Result<Vec<(u64, Handover)>> {
        let mut found = Vec::new();
        for epoch in self.epochs()? {
            let height = epoch.anchor.map(|anchor| anchor.height).filter(|height| heights.contains(height));
            if let Some(height) = height {
                found.push((epoch.number, self.handover_at(height)?));
            }
        }
        Ok(found)
    }

    /// The block on which an epoch begins, with its proof. `height` is that of the block.
    ///
    /// # Errors
    /// `CORRUPT` if the block is not in the archive.
    pub fn handover(&self, epoch: u64, height: u64) -> Result<Handover> {
        match self.records.handover(epoch)? {
            Some(stored) => Ok(stored),
            None => match self.handover_at(height) {
                // It was pruned meanwhile.
                Err(error) => self.records.handover(epoch)?.ok_or(error),
                found => found,
            },
        }
    }

    fn handover_at(&self, height: u64) -> Result<Handover> {
        let missing = || NodeError::corrupt("the archive", format!("height {height} is incomplete"));
        let block = self.block_at(height)?.ok_or_else(missing)?;
        let finality = self.finality(&block)?.ok_or_else(missing)?;
        let named = block.payload().first().ok_or_else(missing)?.digest;
        let batch = self.batch(&named)?.ok_or_else(missing)?;
        Ok(Handover { block: block.encode(), finality: finality.encode(), batch: batch.encode() })
    }

    /// Size of all files in the data directory, in bytes.
    ///
    /// # Errors
    /// [`NodeError::Io`].
    pub fn disk_bytes(&self) -> Result<u64> {
        files::disk_bytes(&self.directory)
    }

    /// Finality of an executed block; `None` if the archive does not contain it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn finality(&self, block: &P::Block) -> Result<Option<P::Finality>> {
        let _held = self.records.hold_archive();
        P::finality(self, block)
    }

    /// Location of the first occurrence of a committed transaction. Compares only the first 16 bytes of the identifier:
    /// compare the rest with the batch.
    ///
    /// # Errors
    /// If the store fails.
    pub fn transaction_location(&self, id: &[u8; 32]) -> Result<Option<TransactionLocation>> {
        self.index.find(id)
    }

    /// Height up to which [`transaction_location`](Self::transaction_location) finds all transactions.
    pub fn indexed_height(&self) -> u64 {
        self.index.tip()
    }

    /// Enters the transactions of the block after [`indexed_height`](Self::indexed_height).
    ///
    /// # Errors
    /// If the disk fails, or if `height` is another one.
    pub fn index(&self, height: u64, batches: &[Arc<P::Batch>]) -> Result<()> {
        self.index.insert(height, batches.iter().map(|batch| batch.ids()))
    }

    /// The application's state.
    pub fn state(&self) -> &StateStore {
        &self.state
    }

    /// Freezes the state after a block, if the options say so for this height. `stated` is the height of the state in the block.
    /// Call it from the thread that commits states. The blocks that a node needs to join from the state stay until it is
    /// released, which is when the third one after it is frozen.
    pub fn freeze(&self, height: u64, stated: u64) {
        if self.snapshot_every > 0 && height.is_multiple_of(self.snapshot_every) {
            let (entries, snapshot) = (self.state.entries().clone(), self.state.database().snapshot());
            self.snapshots.add(FrozenState::new(height, entries, snapshot), stated);
        }
    }

    /// True if the node freezes states.
    pub fn has_snapshots(&self) -> bool {
        self.snapshot_every > 0
    }

    /// The frozen states, ascending by height.
    pub fn snapshots(&self) -> Vec<Arc<FrozenState>> {
        self.snapshots.all()
    }

    /// Makes an epoch durable. The node enters an epoch only after that.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn append_epoch(&self, epoch: &Epoch) -> Result<()> {
        self.records.append_epoch(epoch)
    }

    /// The epochs after the genesis, in order.
    ///
    /// # Errors
    /// `CORRUPT` if an epoch cannot be decoded; `STORE`.
    pub fn epochs(&self) -> Result<Vec<Epoch>> {
        self.records.epochs()
    }

    /// The decoders' context.
    pub fn context(&self) -> &P::Context {
        self.records.context()
    }

    /// Writes all data in memory to disk, so that the next start is quick. Not needed for safety.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn flush(&self) -> Result<()> {
        self.index.flush()?;
        self.state.sync()?;
        self.records.sync()
    }
}

/// Height of the oldest block that a node needs to join from the state after a height.
pub fn first_block<P: Protocol>(height: u64) -> u64 {
    (height + 1).saturating_sub(P::SNAPSHOT_BLOCKS.unwrap_or(0)).max(1)
}

impl<P: Protocol> Archive<P> for Store<P> {
    fn load(&self) -> Result<Vec<Record<P>>> {
        let executed = self.state.executed()?.map_or(0, |(height, _)| height);
        self.records.load(executed)
    }

    fn block_at(&self, height: u64) -> Result<Option<Arc<P::Block>>> {
        self.records.block_at(height)
    }

    fn block(&self, digest: &Hash) -> Result<Option<Arc<P::Block>>> {
        self.records.block(digest)
    }

    fn batch(&self, digest: &Hash) -> Result<Option<Arc<P::Batch>>> {
        self.records.batch(digest)
    }

    fn is_indexed(&self, id: &Hash) -> Result<bool> {
        Ok(self.index.find(id)?.is_some())
    }

    fn history(&self, from: u64, max_blocks: usize, max_bytes: usize) -> Result<Vec<Arc<P::Block>>> {
        self.records.history(from, max_blocks, max_bytes)
    }

    fn record_at(&self, height: u64) -> Result<Option<Record<P>>> {
        self.records.record_at(height)
    }

    fn oldest_height(&self) -> u64 {
        self.records.oldest()
    }

    fn newest_finality(&self) -> Result<Option<P::Finality>> {
        self.records.newest_finality()
    }

    fn compare(&self, block: &P::Block, finality: &P::Finality) -> Result<()> {
        let parent = block.height().saturating_sub(1);
        let own = match self.block_at(block.height())? {
            Some(own) => Some(own).filter(|own| own.digest() != block.digest()),
            None => self.block_at(parent)?.filter(|own| own.digest() != block.parent()),
        };
        match own {
            Some(own) if P::check_committed(block, finality, self.context()).is_ok() => {
                let proof = self.finality(&own)?;
                Err(conflict::write::<P>(&self.directory, (&own, proof.as_ref()), (block, finality)))
            }
            _ => Ok(()),
        }
    }
}
