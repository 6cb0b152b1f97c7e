//! A sorted file of entries, `FIRST-LAST.LEVEL.run`. Its name contains the heights that it covers.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | `qrtindx1` |
//! | 8 | number of entries |
//! | 28 each | 16 bytes of the identifier, height (u48), batch (u16), position (u32), all big endian, ascending |

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::location::TransactionLocation;
use crate::store::files::replace;
use crate::{NodeError, Result};

const MAGIC: &[u8; 8] = b"qrtindx1";
const HEAD: u64 = 16;
const ENTRY: usize = 28;
/// Number of entries after which a long file is synchronized (7 MB). One synchronization of gigabytes would delay the
/// writes of votes on the same disk.
const SYNC_ENTRIES: usize = 1 << 18;
/// Level of files (134 million entries, 3.8 GB) that are not merged further, because it would take minutes.
pub(super) const TOP_LEVEL: u32 = 3;

/// An entry in its file encoding, which sorts by identifier and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry([u8; ENTRY]);

impl Entry {
    pub(super) fn new(id: &[u8; 32], at: TransactionLocation) -> Self {
        let mut bytes = [0; ENTRY];
        let low = (u128::from(at.height) << 48 | u128::from(at.batch) << 32 | u128::from(at.position)) << 32;
        bytes.split_at_mut(16).0.copy_from_slice(prefix(id));
        let tail = low.to_be_bytes();
        bytes.split_at_mut(16).1.copy_from_slice(tail.split_at(12).0);
        Self(bytes)
    }

    fn prefix(&self) -> &[u8] {
        self.0.split_at(16).0
    }

    fn location(&self) -> TransactionLocation {
        let mut low = [0; 16];
        low.split_at_mut(12).0.copy_from_slice(self.0.split_at(16).1);
        let low = u128::from_be_bytes(low) >> 32;
        TransactionLocation { height: (low >> 48) as u64, batch: (low >> 32) as u16, position: low as u32 }
    }
}

/// Finds the first entry of an identifier from a height on, in a sorted slice.
pub(super) fn find_in(entries: &[Entry], id: &[u8; 32], from: u64) -> Option<TransactionLocation> {
    let least = Entry::new(id, TransactionLocation { height: from, batch: 0, position: 0 });
    let at = entries.partition_point(|entry| *entry < least);
    entries.get(at).filter(|entry| entry.prefix() == prefix(id)).map(Entry::location)
}

/// One file of the index.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) first: u64,
    pub(super) last: u64,
    level: u32,
    count: u64,
    path: PathBuf,
    file: Mutex<File>,
}

impl Run {
    fn open(path: PathBuf, (first, last, level): (u64, u64, u32)) -> std::io::Result<Option<Self>> {
        let mut file = File::open(&path)?;
        let mut head = Vec::new();
        Read::take(&mut file, HEAD).read_to_end(&mut head)?;
        let Some((magic, count)) = head.split_first_chunk::<8>() else { return Ok(None) };
        let count = u64::from_le_bytes(count.try_into().unwrap_or_default());
        let expected = count.checked_mul(ENTRY as u64).and_then(|n| n.checked_add(HEAD));
        let whole = magic == MAGIC && expected == Some(file.metadata()?.len());
        Ok(whole.then(|| Self { first, last, level, count, path, file: Mutex::new(file) }))
    }

    pub(super) fn covers(&self, other: &Run) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Finds the first entry of an identifier from a height on.
    pub(super) fn find(&self, id: &[u8; 32], from: u64) -> Result<Option<TransactionLocation>> {
        let least = Entry::new(id, TransactionLocation { height: from, batch: 0, position: 0 });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = |at: u64| -> std::io::Result<Entry> {
            let mut entry = [0; ENTRY];
            file.seek(SeekFrom::Start(HEAD + at * ENTRY as u64))?;
            file.read_exact(&mut entry)?;
            Ok(Entry(entry))
        };
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if read(middle).map_err(|e| io(&self.path, e))? < least {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.count {
            return Ok(None);
        }
        let entry = read(low).map_err(|e| io(&self.path, e))?;
        Ok((entry.prefix() == prefix(id)).then(|| entry.location()))
    }

    pub(super) fn delete(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|e| io(&self.path, e))
    }

    /// All entries in order, read through a separate file handle.
    fn entries(&self) -> Result<impl Iterator<Item = std::io::Result<Entry>>> {
        let mut file = File::open(&self.path).map_err(|e| io(&self.path, e))?;
        file.seek(SeekFrom::Start(HEAD)).map_err(|e| io(&self.path, e))?;
        let mut file = BufReader::with_capacity(1 << 18, file);
        Ok((0..self.count).map(move |_| {
            let mut entry = [0; ENTRY];
            file.read_exact(&mut entry).map(|()| Entry(entry))
        }))
    }
}

/// Opens the files of a directory that cover the heights from `oldest` on without a gap, in ascending order. Deletes all
/// others, which a crash left, which are damaged, or whose blocks are pruned; other blocks are entered again.
pub(super) fn open_all(dir: &Path, oldest: u64) -> Result<Vec<Arc<Run>>> {
    let (mut runs, mut useless) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(dir).map_err(|e| io(dir, e))? {
        let path = entry.map_err(|e| io(dir, e))?.path();
        let run = match parse_file_name(&path) {
            Some(range) => Run::open(path.clone(), range).map_err(|e| io(&path, e))?,
            None => None,
        };
        match run {
            Some(run) => runs.push(run),
            None => useless.push(path),
        }
    }
    // Of the files that start at a height, the longest comes first; the others are covered by it and deleted.
    runs.sort_by_key(|run| (run.first, Reverse(run.last)));
    let mut contiguous: Vec<Arc<Run>> = Vec::new();
    for run in runs {
        let is_next = match contiguous.last() {
            Some(previous) => run.first == previous.last + 1,
            None => run.first <= oldest && oldest <= run.last,
        };
        if is_next { contiguous.push(Arc::new(run)) } else { useless.push(run.path) }
    }
    for path in useless {
        fs::remove_file(&path).map_err(|e| io(&path, e))?;
    }
    Ok(contiguous)
}

/// Writes a file of `count` ascending entries.
pub(super) fn write(
    dir: &Path,
    (first, last, level): (u64, u64, u32),
    count: u64,
    entries: impl Iterator<Item = std::io::Result<Entry>>,
) -> Result<Run> {
    let path = dir.join(format!("{first}-{last}.{level}.run"));
    replace(&path, |file| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        out.write_all(MAGIC)?;
        out.write_all(&count.to_le_bytes())?;
        for (i, entry) in entries.enumerate() {
            out.write_all(&entry?.0)?;
            if i % SYNC_ENTRIES == SYNC_ENTRIES - 1 {
                out.flush()?;
                out.get_ref().sync_data()?;
            }
        }
        out.flush()
    })?;
    let opened = Run::open(path.clone(), (first, last, level)).map_err(|e| io(&path, e))?;
    opened.ok_or_else(|| {
        NodeError::corrupt("the transaction index", format!("{} is truncated", path.display()))
    })
}

/// Selects files to merge: `fan_in` neighbours of one level below `top_level`.
pub(super) fn mergeable(runs: &[Arc<Run>], fan_in: usize, top_level: u32) -> Option<Vec<Arc<Run>>> {
    let same = |w: &&[Arc<Run>]| {
        w.first().is_some_and(|a| a.level < top_level && w.iter().all(|b| a.level == b.level))
    };
    runs.windows(fan_in).find(same).map(<[_]>::to_vec)
}

/// Merges neighbouring files into one file of the next level. Does not delete the inputs.
pub(super) fn merge(dir: &Path, inputs: &[Arc<Run>]) -> Result<Run> {
    let (Some(head), Some(tail)) = (inputs.first(), inputs.last()) else {
        return Err(NodeError::store("merging the transaction index", "no files to merge"));
    };
    let mut sources = inputs.iter().map(|run| run.entries()).collect::<Result<Vec<_>>>()?;
    let count = inputs.iter().map(|run| run.count).sum();
    let mut heap = BinaryHeap::with_capacity(sources.len());
    for (i, source) in sources.iter_mut().enumerate() {
        if let Some(entry) = source.next() {
            heap.push(Reverse((entry.map_err(|e| io(dir, e))?, i)));
        }
    }
    let merged = std::iter::from_fn(|| {
        let Reverse((entry, i)) = heap.pop()?;
        match sources.get_mut(i).and_then(Iterator::next) {
            Some(Ok(next)) => heap.push(Reverse((next, i))),
            Some(Err(e)) => return Some(Err(e)),
            None => {}
        }
        Some(Ok(entry))
    });
    write(dir, (head.first, tail.last, head.level + 1), count, merged)
}

fn prefix(id: &[u8; 32]) -> &[u8] {
    id.split_at(16).0
}

fn parse_file_name(path: &Path) -> Option<(u64, u64, u32)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".run")?;
    let (heights, level) = name.split_once('.')?;
    let (first, last) = heights.split_once('-')?;
    let range = (first.parse().ok()?, last.parse().ok()?, level.parse().ok()?);
    (range.0 <= range.1).then_some(range)
}

fn io(path: &Path, source: std::io::Error) -> NodeError {
    NodeError::file("using the transaction index", path, source)
}
