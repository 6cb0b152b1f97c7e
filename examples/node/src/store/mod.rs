//! What the node has on disk: records that keep its key honest, the chain's blocks and batches, the application's
//! state, and where each transaction is.
//!
//! ```text
//! data/IDENTITY        chain and keys that the directory is bound to, format version
//!      LOCK            held by the process that uses it
//!      records/        fjall: what must be durable before messages leave; blocks; where batches are
//!      state/          fjall: the application's entries, the roots of each height
//!      batches/        append-only files of batch bodies            (see `segments`)
//!      transactions/   sorted runs: transaction → height, place     (see `index`)
//! ```
//!
//! # Why fjall, and why not for everything
//!
//! Measured with throwaway programs on a machine with 2 cores (4 processes at once, each with the load of one node at
//! 60,000 transactions of 512 bytes a second: 100 votes a second with fdatasync, 60 batches of 500 kB a second,
//! fdatasync each, 60,000 index entries a second), against redb 4.4; processor time is per process:
//!
//! | | fjall 3.1 | redb 4.4 |
//! |---|---|---|
//! | vote, nothing else going on: median, p99 | 0.30 ms, 0.50 ms | 0.43 ms, 4.7 ms |
//! | vote, batches in segment files: median, p99 | **0.17 ms, 1.5 ms**, 6 % cpu | 0.95 ms, 8.5 ms, 7 % cpu |
//! | vote, batches in the store: median, p99 | 0.53 ms, 75 ms, 18 % cpu | 0.65 ms, 5.8 ms, 8 % cpu |
//! | a transaction index entry | 1.8 µs, and votes wait 25 to 40 ms (p99) | 4.0 µs |
//!
//! A log-structured store makes a small durable write with one append to its journal, so votes are in fjall. Bulk in
//! the same journal makes votes wait for it, so batch bodies are in files of their own. Neither store takes 60,000
//! random keys a second for less than 1 µs each, so the index is sorted runs (less than 0.1 µs; see `index`). The
//! application's state is in a second database, whose journal never delays a vote.
//! `cargo bench -p quorate-node --bench execution` measures what came of it. rocksdb was not considered
//! further: it needs a C++ toolchain and libclang to build, for the same design as fjall.
//!
//! # What is durable when
//!
//! * [`Store::append`]: everything, when it returns. Files are synchronised, and directories when a file is made.
//!   Batch bodies come first, then all other records as one atomic write; a crash between the two leaves batches
//!   that nothing depends on.
//! * [`Store::archive`]: the block's place in the chain, when it returns; once per block.
//! * The application's state and the transaction index do not wait for the disk. A crash of the process takes none of
//!   the state; a crash of the machine takes the end of it, and those blocks are executed once more.
//!
//! After any failed write (a full disk, an I/O error) the store accepts nothing more, so the node stops signing;
//! nobody knows what the disk holds then. On the next start what was cut short is cut off.
//!
//! # What grows
//!
//! Blocks, batches, roots and the transaction index are the archive of the chain and are kept. Memory does not grow
//! with them.

mod database;
pub mod files;
mod identity;
mod index;
mod journal;
mod keys;
mod records;
mod segments;
mod state;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use quorate::merkle::Hash;

pub use identity::Binding;
pub use index::TransactionLocation;
pub use journal::Journal;
pub use state::{Roots, StateStore};

use crate::Result;
use crate::epochs::Epoch;
use crate::protocol::{Archive, Batch, Protocol, Record};
use index::TransactionIndex;
use records::Records;

/// A validator's data. Shared between threads behind an [`Arc`].
pub struct Store<P: Protocol> {
    records: Records<P>,
    state: StateStore,
    index: TransactionIndex,
    created: u64,
    /// Last, so that it is given up last.
    _lock: File,
}

impl<P: Protocol> Store<P> {
    /// Opens the directory or makes it.
    ///
    /// # Errors
    /// `DATA_IN_USE` if another process has it, `DATA_MISMATCH` if it belongs to another chain or validator,
    /// `CORRUPT` if what was durable does not read back.
    pub fn open(dir: &Path, binding: &Binding, context: P::Context) -> Result<Self> {
        let (lock, created) = identity::claim(dir, binding)?;
        let records = Records::open(dir, context)?;
        let state = StateStore::open(&dir.join("state"))?;
        let index = TransactionIndex::open(dir.join("transactions"))?;
        Ok(Self { records, state, index, created, _lock: lock })
    }

    /// A number above every batch number that this validator used in an earlier data directory.
    pub fn first_sequence(&self) -> u64 {
        (self.created << 16).max(1)
    }

    /// Makes records durable, all of them, before it returns. May be called from several threads: batches then do
    /// not delay votes. Records that replace each other (see [`RecordKind::Newest`](crate::protocol::RecordKind)) must come from one thread.
    ///
    /// # Errors
    /// If the disk fails. Drop what depends on the records, and stop: every later call fails too.
    pub fn append(&self, records: &[Record<P>]) -> Result<()> {
        self.records.append(records)
    }

    /// Drops the records of batches that can never be committed. Waits for no disk.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_batches(&self, digests: &[Hash]) -> Result<()> {
        self.records.forget_batches(digests)
    }

    /// Drops the records of blocks that can never be committed. Waits for no disk.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_blocks(&self, digests: &[Hash]) -> Result<()> {
        self.records.forget_blocks(digests)
    }

    /// Enters a committed block into the archive, before its state is committed. Durable when it returns: the
    /// state must never be ahead of the archive.
    ///
    /// # Errors
    /// If the store fails.
    pub fn archive(&self, block: &P::Block, batches: &[Arc<P::Batch>], finality: &P::Finality) -> Result<()> {
        self.records.archive(block, batches, finality)
    }

    /// Why the executed block `block` is committed; `None` if it is not in the archive.
    ///
    /// # Errors
    /// If the store fails.
    pub fn finality(&self, block: &P::Block) -> Result<Option<P::Finality>> {
        P::finality(self, block)
    }

    /// Where a committed transaction is first. The identity is compared in its first 16 bytes only: compare the
    /// rest with the batch.
    ///
    /// # Errors
    /// If the store fails.
    pub fn transaction_location(&self, id: &[u8; 32]) -> Result<Option<TransactionLocation>> {
        self.index.find(id)
    }

    /// The height up to which [`transaction_location`](Self::transaction_location) knows all transactions.
    pub fn indexed_height(&self) -> u64 {
        self.index.tip()
    }

    /// Enters the transactions of the block after [`indexed_height`](Self::indexed_height).
    ///
    /// # Errors
    /// If the disk fails, or it is not that block.
    pub fn index(&self, height: u64, batches: &[Arc<P::Batch>]) -> Result<()> {
        self.index.insert(height, batches.iter().map(|batch| batch.ids()))
    }

    /// The application's part.
    pub fn state(&self) -> &StateStore {
        &self.state
    }

    /// Makes an epoch durable: after that the node may begin it.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn append_epoch(&self, epoch: &Epoch) -> Result<()> {
        self.records.append_epoch(epoch)
    }

    /// The epochs after the genesis, in order.
    ///
    /// # Errors
    /// `CORRUPT` if one does not read back; `STORE`.
    pub fn epochs(&self) -> Result<Vec<Epoch>> {
        self.records.epochs()
    }

    /// What decoders of the chain's types need to know.
    pub fn context(&self) -> &P::Context {
        self.records.context()
    }

    /// Writes out what is in memory, so that the next start is quick. Not needed for safety.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn flush(&self) -> Result<()> {
        self.index.flush()?;
        self.state.sync()?;
        self.records.sync()
    }
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

    fn history(&self, from: u64, max_blocks: usize, max_bytes: usize) -> Result<Vec<Arc<P::Block>>> {
        self.records.history(from, max_blocks, max_bytes)
    }

    fn record_at(&self, height: u64) -> Result<Option<Record<P>>> {
        self.records.record_at(height)
    }

    fn newest_finality(&self) -> Result<Option<P::Finality>> {
        self.records.newest_finality()
    }
}
