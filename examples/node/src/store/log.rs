//! The log: records of heights that are not committed, in append-only files that are deleted once all of their heights are
//! committed. In the database the same bytes would be written several times: to its journal, to tables, and when tables are
//! merged.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::segments::{FrameLocation, Segments};
use crate::{NodeError, Result};

/// Size at which a new file is started.
const FILE_SIZE: u64 = 32 << 20;

/// The log of one data directory.
#[derive(Debug)]
pub(super) struct Log {
    segments: Segments,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The records that are not pruned, in order.
    records: Vec<(u64, FrameLocation)>,
    /// The last record, pruned or not.
    last: Option<FrameLocation>,
}

impl Log {
    /// Opens the directory, or creates it. `durable` is a record that is known to be durable.
    ///
    /// # Errors
    /// `CORRUPT` if that record or an earlier one cannot be read: the key must not sign without them.
    pub(super) fn open(dir: PathBuf, durable: Option<FrameLocation>) -> Result<Self> {
        Self::open_with(dir, FILE_SIZE, durable)
    }

    fn open_with(dir: PathBuf, file_size: u64, durable: Option<FrameLocation>) -> Result<Self> {
        let mut records = Vec::new();
        let segments = Segments::open_oldest(dir, file_size, |key, at| records.push((height_of(&key), at)))?;
        let last = records.last().map(|(_, location)| *location);
        if durable > last {
            let problem = "its last records are missing or damaged".to_owned();
            return Err(NodeError::Corrupt { what: "the log", problem });
        }
        Ok(Self { segments, known: Mutex::new(Known { records, last }) })
    }

    /// Location of the last record.
    pub(super) fn last(&self) -> Option<FrameLocation> {
        self.lock().last
    }

    /// Appends records with their heights, durably.
    pub(super) fn append(&self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        let frames: Vec<_> =
            records.iter().map(|(height, record)| (key(*height), record.as_slice())).collect();
        let mut known = self.lock();
        let locations = self.segments.append(&frames)?;
        known.last = locations.last().copied().or(known.last);
        known.records.extend(records.iter().map(|(height, _)| *height).zip(locations));
        Ok(())
    }

    /// All records that are not pruned, in the order in which they were appended.
    pub(super) fn load(&self) -> Result<Vec<Vec<u8>>> {
        let records = self.lock().records.clone();
        records.into_iter().map(|(height, location)| self.segments.read(&key(height), location)).collect()
    }

    /// Forgets the records up to a height, and deletes the files that have no others.
    pub(super) fn prune(&self, up_to: u64) -> Result<()> {
        let mut known = self.lock();
        known.records.retain(|(height, _)| *height > up_to);
        // The last record stays, because the next start looks for it.
        let needed = known.records.iter().map(|(_, location)| location).chain(&known.last);
        self.segments.remove_before(needed.map(|location| location.segment).min().unwrap_or_default())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
        let log = Log::open_with(dir.path().into(), 400, None).unwrap();
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
        let log = Log::open_with(dir.path().into(), 400, None).unwrap();
        let loaded = log.load().unwrap();
        assert_eq!(loaded.iter().filter(|one| left.contains(one)).count(), 5);
        log.prune(9).unwrap();
        assert!(log.load().unwrap().is_empty());
        assert_eq!(files(dir.path()), 1, "the current file");
        log.append(&[(10, record(1)), (10, record(2))]).unwrap();
        drop(log);
        let log = Log::open_with(dir.path().into(), 400, None).unwrap();
        assert_eq!(log.load().unwrap()[..].last(), Some(&record(2)));
    }

    #[test]
    fn damage_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let log = Log::open_with(dir.path().into(), 250, None).unwrap();
        (0..5).for_each(|number| log.append(&[(1, record(number))]).unwrap());
        drop(log);
        let first = dir.path().join("00000001.segment");
        let whole = fs::read(&first).unwrap();
        fs::write(&first, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(Log::open_with(dir.path().into(), 250, None).unwrap_err().code(), "CORRUPT");
        fs::write(&first, &whole).unwrap();
        assert_eq!(Log::open_with(dir.path().into(), 250, None).unwrap().load().unwrap().len(), 5);
    }

    #[test]
    fn a_lost_end_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = || dir.path().join("log");
        let log = Log::open_with(path(), 250, None).unwrap();
        (0..4).for_each(|number| log.append(&[(1, record(number))]).unwrap());
        let (last, newest) = (log.last(), path().join("00000002.segment"));
        assert!(last.is_some());
        drop(log);
        // A record after the last one that is known to be durable may be incomplete.
        let whole = fs::read(&newest).unwrap();
        fs::write(&newest, [&whole[..], &whole[8..40]].concat()).unwrap();
        let log = Log::open_with(path(), 250, last).unwrap();
        assert_eq!((log.last(), log.load().unwrap().len()), (last, 4));
        // Records may be pruned.
        log.prune(1).unwrap();
        drop(log);
        assert_eq!(Log::open_with(path(), 250, last).unwrap().last(), last);
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        for bytes in [&whole[..whole.len() - 1], &damaged] {
            fs::write(&newest, bytes).unwrap();
            assert_eq!(Log::open_with(path(), 250, last).unwrap_err().code(), "CORRUPT");
        }
        // A crash may leave a new file before its first record.
        fs::write(&newest, &whole).unwrap();
        fs::write(path().join("00000003.segment"), &whole[..8]).unwrap();
        Log::open_with(path(), 250, last).unwrap().prune(9).unwrap();
        assert_eq!(Log::open_with(path(), 250, last).unwrap().last(), last);
        fs::remove_dir_all(path()).unwrap();
        assert_eq!(Log::open_with(path(), 250, last).unwrap_err().code(), "CORRUPT");
    }
}
