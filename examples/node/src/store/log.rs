//! The log: records of heights that are not committed, in append-only files that are deleted once all of their heights are
//! committed. In the database the same bytes would be written several times: to its journal, to tables, and when tables are
//! merged.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::segments::{FrameLocation, Segments};
use crate::Result;

/// Size at which a new file is started.
const FILE_SIZE: u64 = 32 << 20;

/// The log of one data directory.
#[derive(Debug)]
pub(super) struct Log {
    segments: Segments,
    /// The records that are not pruned, in order.
    records: Mutex<Vec<(u64, FrameLocation)>>,
}

impl Log {
    /// Opens the directory, or creates it.
    pub(super) fn open(dir: PathBuf) -> Result<Self> {
        Self::open_with(dir, FILE_SIZE)
    }

    fn open_with(dir: PathBuf, file_size: u64) -> Result<Self> {
        let mut records = Vec::new();
        let segments = Segments::open_oldest(dir, file_size, |key, at| records.push((height_of(&key), at)))?;
        Ok(Self { segments, records: Mutex::new(records) })
    }

    /// Appends records with their heights, durably.
    pub(super) fn append(&self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        let frames: Vec<_> =
            records.iter().map(|(height, record)| (key(*height), record.as_slice())).collect();
        let mut known = self.lock();
        let locations = self.segments.append(&frames)?;
        known.extend(records.iter().map(|(height, _)| *height).zip(locations));
        Ok(())
    }

    /// All records that are not pruned, in the order in which they were appended.
    pub(super) fn load(&self) -> Result<Vec<Vec<u8>>> {
        let records = self.lock().clone();
        records.into_iter().map(|(height, location)| self.segments.read(&key(height), location)).collect()
    }

    /// Forgets the records up to a height, and deletes the files that have no others.
    pub(super) fn prune(&self, up_to: u64) -> Result<()> {
        let mut records = self.lock();
        records.retain(|(height, _)| *height > up_to);
        let oldest = records.iter().map(|(_, location)| location.segment).min();
        self.segments.remove_before(oldest.unwrap_or(u32::MAX))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, FrameLocation)>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Key of a frame: the height, little-endian, and zeros.
fn key(height: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key.split_at_mut(8).0.copy_from_slice(&height.to_le_bytes());
    key
}

fn height_of(key: &[u8; 32]) -> u64 {
    key.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn record(number: u8) -> Vec<u8> {
        vec![number; 100]
    }

    fn files(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn records_come_back_in_their_order_until_they_are_pruned() {
        let dir = tempfile::tempdir().unwrap();
        let log = Log::open_with(dir.path().into(), 400).unwrap();
        // Epochs overlap, so heights are not in order.
        let heights = [1, 2, 1, 2, 3, 2, 4, 3, 5, 5];
        for (number, height) in (0..).zip(heights) {
            log.append(&[(height, record(number))]).unwrap();
        }
        let before = files(dir.path());
        assert!(before > 3, "{before} files");
        log.prune(2).unwrap();
        let left: Vec<_> = [4, 6, 7, 8, 9].map(record).into();
        assert_eq!(log.load().unwrap(), left);
        assert!(files(dir.path()) < before);
        drop(log);
        // After a restart, records of pruned heights may be left in files with others.
        let log = Log::open_with(dir.path().into(), 400).unwrap();
        let loaded = log.load().unwrap();
        assert_eq!(loaded.iter().filter(|one| left.contains(one)).count(), 5);
        log.prune(9).unwrap();
        assert!(log.load().unwrap().is_empty());
        assert_eq!(files(dir.path()), 1, "the current file");
        log.append(&[(10, record(1)), (10, record(2))]).unwrap();
        drop(log);
        let log = Log::open_with(dir.path().into(), 400).unwrap();
        assert_eq!(log.load().unwrap()[..].last(), Some(&record(2)));
    }

    #[test]
    fn damage_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let log = Log::open_with(dir.path().into(), 250).unwrap();
        (0..5).for_each(|number| log.append(&[(1, record(number))]).unwrap());
        drop(log);
        let first = dir.path().join("00000001.segment");
        let whole = fs::read(&first).unwrap();
        fs::write(&first, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(Log::open_with(dir.path().into(), 250).unwrap_err().code(), "CORRUPT");
        fs::write(&first, &whole).unwrap();
        assert_eq!(Log::open_with(dir.path().into(), 250).unwrap().load().unwrap().len(), 5);
    }
}
