//! Index of committed transactions: identifier → height, batch, position.
//!
//! Identifiers are hashes, so each insertion into a tree touches a random page (measured: 1.8 µs of processor time in an LSM
//! tree, 4.0 µs in a B-tree). Blocks arrive in order and never change, so sorted *runs* suffice:
//!
//! 1. The execution of a block sorts its identifiers: a run in memory.
//! 2. When memory holds [`FLUSH_ENTRIES`] entries (or [`FLUSH_BLOCKS`] blocks), a thread merges the runs into one
//!    file for these heights, synchronizes it, and renames it.
//! 3. When [`FAN_IN`] files of a level follow each other, the thread merges them into one of the next level.
//!
//! So an entry is written at most four times, in long sequential writes. A lookup is a binary search (28 bytes read per
//! probe) in at most 7 files of each of the three lower levels, and in one file per 134 million entries of the top level,
//! which is not merged further. The name of a file contains its range of heights, so the set of files defines the extent of
//! the index without a separate list. A crash loses the runs in memory: the start enters the blocks after
//! [`TransactionIndex::tip`] again from the store.
//!
//! When blocks are pruned, a file is deleted once all of its blocks are. So that this happens soon, files of a node that prunes
//! are merged to 17 million entries at most.
//!
//! An entry has 16 bytes of the identifier. Finding two transactions that share them takes 2⁶⁴ hashes, and a lookup compares
//! the whole identifier with the batch.

mod location;
mod run;

pub use location::TransactionLocation;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::files::create_dir;
use crate::{NodeError, Result};
use run::{Entry, Run};

/// Number of entries in memory that triggers a flush: 7 MB, four seconds at 60,000 transactions a second.
const FLUSH_ENTRIES: usize = 1 << 18;
/// Number of blocks in memory that triggers a flush. It bounds the blocks that a restart reads again.
const FLUSH_BLOCKS: usize = 1 << 12;
/// Number of files of one level that are merged into one file of the next level.
const FAN_IN: usize = 8;
/// Level of the largest files of a node that prunes: 17 million entries, 470 MB.
const PRUNED_TOP_LEVEL: u32 = 2;
/// Maximum backlog in memory during a flush, in multiples of the flush limits. Execution waits above it.
const MAX_BACKLOG: usize = 4;

/// The index of one directory.
#[derive(Debug)]
pub(super) struct TransactionIndex {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    dir: PathBuf,
    inner: Mutex<Inner>,
    /// Notified when the thread has work, or has completed work.
    changed: Condvar,
    flush_entries: usize,
    flush_blocks: usize,
    top_level: u32,
}

#[derive(Debug, Default)]
struct Inner {
    /// Sorted entries of the blocks that are not in a file yet, by height.
    blocks: BTreeMap<u64, Arc<[Entry]>>,
    entries: usize,
    /// Files in ascending order of heights.
    runs: Vec<Arc<Run>>,
    /// The entries of lower heights are not needed.
    oldest: u64,
    flush_all: bool,
    stop: bool,
    failed: Option<String>,
}

impl TransactionIndex {
    /// Opens the directory and drops files that another one covers, or whose blocks are below `oldest`. `prunes` is true if
    /// blocks will be pruned.
    pub(super) fn open(dir: PathBuf, oldest: u64, prunes: bool) -> Result<Self> {
        let top_level = if prunes { PRUNED_TOP_LEVEL } else { run::TOP_LEVEL };
        Self::open_with(dir, oldest, top_level, (FLUSH_ENTRIES, FLUSH_BLOCKS))
    }

    fn open_with(
        dir: PathBuf,
        oldest: u64,
        top_level: u32,
        (flush_entries, flush_blocks): (usize, usize),
    ) -> Result<Self> {
        create_dir(&dir)?;
        let inner = Inner { runs: run::open_all(&dir, oldest)?, oldest, ..Inner::default() };
        let shared = Arc::new(Shared {
            dir,
            inner: Mutex::new(inner),
            changed: Condvar::new(),
            flush_entries,
            flush_blocks,
            top_level,
        });
        let worker = shared.clone();
        let thread = std::thread::Builder::new()
            .name("transaction-index".into())
            .spawn(move || worker.work())
            .map_err(|e| NodeError::store("starting the index thread", e))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Height up to which the index is complete.
    pub(super) fn tip(&self) -> u64 {
        self.shared.lock().tip()
    }

    /// Enters the block after [`tip`](Self::tip): for each of its batches the identifiers of the transactions, in order. Waits
    /// while the backlog is full.
    pub(super) fn insert<'a>(
        &self,
        height: u64,
        batches: impl IntoIterator<Item = &'a [[u8; 32]]>,
    ) -> Result<()> {
        let mut entries = Vec::new();
        for (batch, ids) in (0..=u16::MAX).zip(batches) {
            let located = (0..)
                .zip(ids)
                .map(|(position, id)| Entry::new(id, TransactionLocation { height, batch, position }));
            entries.extend(located);
        }
        entries.sort_unstable();
        let mut inner = self.shared.lock();
        while inner.failed.is_none() && self.shared.is_due(&inner, MAX_BACKLOG) {
            inner = self.shared.wait(inner);
        }
        inner.check()?;
        if height != inner.tip() + 1 {
            let problem = format!("block {height} does not follow block {}", inner.tip());
            return Err(NodeError::store("indexing transactions", problem));
        }
        inner.entries += entries.len();
        inner.blocks.insert(height, entries.into());
        if self.shared.is_due(&inner, 1) {
            self.shared.changed.notify_all();
        }
        Ok(())
    }

    /// Location of the first occurrence of a transaction that is not pruned, or else of a pruned one whose entry is left;
    /// `None` if there is no entry.
    pub(super) fn find(&self, id: &[u8; 32]) -> Result<Option<TransactionLocation>> {
        let (blocks, runs, oldest) = {
            let inner = self.shared.lock();
            (inner.blocks.values().cloned().collect::<Vec<_>>(), inner.runs.clone(), inner.oldest)
        };
        let starts: &[u64] = if oldest > 1 { &[oldest, 0] } else { &[0] };
        for from in starts.iter().copied() {
            for run in &runs {
                if let Some(found) = run.find(id, from)? {
                    return Ok(Some(found));
                }
            }
            if let Some(found) = blocks.iter().find_map(|block| run::find_in(block, id, from)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Forgets the entries below a height: the thread deletes the files that have no others.
    pub(super) fn forget(&self, below: u64) {
        let mut inner = self.shared.lock();
        inner.oldest = inner.oldest.max(below);
        if inner.has_pruned_run() {
            self.shared.changed.notify_all();
        }
    }

    /// Writes all entries to files, and waits for it.
    pub(super) fn flush(&self) -> Result<()> {
        let mut inner = self.shared.lock();
        inner.flush_all = true;
        self.shared.changed.notify_all();
        while inner.failed.is_none() && !inner.blocks.is_empty() {
            inner = self.shared.wait(inner);
        }
        inner.check()
    }
}

impl Drop for TransactionIndex {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A panic of the thread needs no handling: the files are consistent.
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn tip(&self) -> u64 {
        let in_memory = self.blocks.last_key_value().map(|(height, _)| *height);
        let known = in_memory.or(self.runs.last().map(|run| run.last)).unwrap_or(0);
        known.max(self.oldest.saturating_sub(1))
    }

    fn has_pruned_run(&self) -> bool {
        self.runs.first().is_some_and(|run| run.last < self.oldest)
    }

    fn check(&self) -> Result<()> {
        match &self.failed {
            Some(problem) => Err(NodeError::store("indexing transactions", problem)),
            None => Ok(()),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_due(&self, inner: &Inner, times: usize) -> bool {
        inner.entries >= times * self.flush_entries || inner.blocks.len() >= times * self.flush_blocks
    }

    /// Flushes and merges until a stop is requested. Runs on the index thread.
    fn work(&self) {
        let mut inner = self.lock();
        while !inner.stop {
            let oldest = inner.oldest;
            let pruned: Vec<_> = inner.runs.extract_if(.., |run| run.last < oldest).collect();
            if !self.is_due(&inner, 1) && !inner.flush_all && pruned.is_empty() {
                inner = self.wait(inner);
                continue;
            }
            let blocks: Vec<_> =
                inner.blocks.iter().map(|(height, block)| (*height, block.clone())).collect();
            let is_due = inner.flush_all || self.is_due(&inner, 1);
            inner.flush_all = false;
            drop(inner);
            // Lookups that still hold a run keep its open file.
            let done = pruned.iter().try_for_each(|run| run.delete());
            let done = if is_due { done.and_then(|()| self.flush_blocks(&blocks)) } else { done };
            let done = done.and_then(|()| self.merge_levels());
            inner = self.lock();
            if let Err(e) = done {
                inner.failed = Some(e.to_string());
                inner.stop = true;
            }
            self.changed.notify_all();
        }
    }

    fn flush_blocks(&self, blocks: &[(u64, Arc<[Entry]>)]) -> Result<()> {
        let (Some((first, _)), Some((last, _))) = (blocks.first(), blocks.last()) else { return Ok(()) };
        let mut entries: Vec<Entry> = blocks.iter().flat_map(|(_, block)| block.iter().copied()).collect();
        entries.sort_unstable();
        let run =
            run::write(&self.dir, (*first, *last, 0), entries.len() as u64, entries.iter().map(|e| Ok(*e)))?;
        let mut inner = self.lock();
        for (height, block) in blocks {
            inner.blocks.remove(height);
            inner.entries -= block.len();
        }
        inner.runs.push(Arc::new(run));
        self.changed.notify_all();
        Ok(())
    }

    fn merge_levels(&self) -> Result<()> {
        loop {
            let inputs = {
                let inner = self.lock();
                match run::mergeable(&inner.runs, FAN_IN, self.top_level) {
                    Some(inputs) if !inner.stop => inputs,
                    _ => return Ok(()),
                }
            };
            let merged = Arc::new(run::merge(&self.dir, &inputs)?);
            let mut inner = self.lock();
            inner.runs.retain(|run| !merged.covers(run));
            let at = inner.runs.partition_point(|run| run.last < merged.first);
            inner.runs.insert(at, merged);
            drop(inner);
            // Lookups that still hold an input keep its open file.
            inputs.iter().try_for_each(|run| run.delete())?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::wire::domain;

    fn ids(height: u64, batch: u64, count: u64) -> Vec<[u8; 32]> {
        let id = |n: u64| domain::hash(domain::BATCH_LEAF, &(height << 32 | batch << 16 | n).to_le_bytes());
        (0..count).map(id).collect()
    }

    fn fill(index: &TransactionIndex, heights: std::ops::RangeInclusive<u64>) {
        for height in heights {
            let batches = [ids(height, 0, height % 4), ids(height, 1, 3)];
            index.insert(height, batches.iter().map(Vec::as_slice)).unwrap();
        }
    }

    fn assert_complete(index: &TransactionIndex, tip: u64) {
        assert_eq!(index.tip(), tip);
        for height in 1..=tip {
            for (batch, count) in [(0, height % 4), (1, 3)] {
                for (position, id) in (0..).zip(ids(height, batch.into(), count)) {
                    let expected = TransactionLocation { height, batch, position };
                    assert_eq!(index.find(&id).unwrap(), Some(expected));
                }
            }
        }
        assert_eq!(index.find(&[7; 32]).unwrap(), None);
    }

    #[test]
    fn entries_survive_flushes_merges_and_restarts() {
        let dir = tempfile::tempdir().unwrap();
        let open = || TransactionIndex::open_with(dir.path().to_owned(), 1, 3, (10, 100)).unwrap();
        let index = open();
        fill(&index, 1..=200);
        assert_complete(&index, 200);
        index.flush().unwrap();
        drop(index);
        let index = open();
        assert_complete(&index, 200);
        fill(&index, 201..=230);
        index.flush().unwrap();
        assert_complete(&index, 230);
        drop(index);
        let files = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(files < 24, "{files} files");
    }

    #[test]
    fn leftovers_of_a_crash_are_cleaned_up() {
        let dir = tempfile::tempdir().unwrap();
        let open = || TransactionIndex::open_with(dir.path().to_owned(), 1, 3, (1, 1)).unwrap();
        let index = TransactionIndex::open_with(dir.path().to_owned(), 1, 3, (100_000, 100_000)).unwrap();
        for heights in [1..=4, 5..=6, 7..=9] {
            fill(&index, heights);
            index.flush().unwrap();
        }
        drop(index);
        let path = |name: &str| dir.path().join(name);
        // A partly written merge; a merge whose inputs were not deleted; a gap; a truncated file.
        std::fs::write(path("1-9.1.new"), b"half").unwrap();
        let run = run::open_all(dir.path(), 1).unwrap();
        run::merge(dir.path(), &run[..2]).unwrap();
        std::fs::write(path("12-13.0.run"), std::fs::read(path("7-9.0.run")).unwrap()).unwrap();
        let index = open();
        assert_complete(&index, 9);
        drop(index);
        let cut = std::fs::read(path("7-9.0.run")).unwrap();
        std::fs::write(path("7-9.0.run"), &cut[..cut.len() - 1]).unwrap();
        let index = open();
        assert_complete(&index, 6);
        fill(&index, 7..=8);
        index.flush().unwrap();
        assert_complete(&index, 8);
    }

    #[test]
    fn pruned_heights_free_their_files() {
        let dir = tempfile::tempdir().unwrap();
        let open = |oldest| {
            TransactionIndex::open_with(dir.path().to_owned(), oldest, 2, (100_000, 100_000)).unwrap()
        };
        let files = || std::fs::read_dir(dir.path()).unwrap().count();
        let index = open(1);
        for heights in [1..=50, 51..=89, 90..=100] {
            fill(&index, heights);
            index.flush().unwrap();
        }
        index.insert(101, [&ids(3, 1, 1)[..]]).unwrap();
        index.insert(102, [&[][..]]).unwrap();
        index.flush().unwrap();
        assert_eq!(files(), 4);
        index.forget(90);
        // The thread deletes two files before it writes the next one.
        index.insert(103, [&[][..]]).unwrap();
        index.flush().unwrap();
        assert_eq!(files(), 3);
        assert_eq!(index.find(&ids(95, 1, 1)[0]).unwrap().unwrap().height, 95);
        // Of two occurrences, the one that is not pruned.
        assert_eq!(index.find(&ids(3, 1, 1)[0]).unwrap().unwrap().height, 101);
        drop(index);
        // A start deletes the files that a crash left.
        let index = open(102);
        assert!(index.find(&ids(95, 1, 1)[0]).unwrap().is_none_or(|found| found.height == 95));
        assert_eq!(index.tip(), 103);
        drop(index);
        // The entries in memory are lost: the index begins with the oldest block.
        let index = open(200);
        assert_eq!((index.tip(), files()), (199, 0));
        index.insert(200, [&ids(200, 1, 1)[..]]).unwrap();
        assert_eq!(index.find(&ids(200, 1, 1)[0]).unwrap().unwrap().height, 200);
        assert_eq!(index.find(&ids(95, 1, 1)[0]).unwrap(), None);
    }

    #[test]
    fn the_first_occurrence_is_found_and_gaps_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let index = TransactionIndex::open_with(dir.path().to_owned(), 1, 3, (4, 100)).unwrap();
        let twice = [[9; 32], [9; 32]];
        for height in 1..=20 {
            index.insert(height, [&twice[..]]).unwrap();
        }
        assert_eq!(
            index.find(&[9; 32]).unwrap(),
            Some(TransactionLocation { height: 1, batch: 0, position: 0 })
        );
        assert_eq!(index.insert(22, []).unwrap_err().code(), "STORE");
    }
}
