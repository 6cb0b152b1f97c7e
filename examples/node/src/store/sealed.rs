//! A database of records that a key must not sign without.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fjall::{Database, Keyspace, OwnedWriteBatch, PersistMode};

use super::database::{DatabaseOptions, KeyspaceOptions, failure, open_database, open_keyspace};
use super::scan::{DURABLE, SEAL, Seal, scan};
use crate::descriptors::RECORD_FILES;
use crate::{NodeError, Result};

/// A fjall database in which every batch has a seal: its number and a bound on its sequence number. The seals of all
/// batches are checked when the database is opened, so a damaged, lost or reordered batch is refused. A batch also has the
/// number of batches that were durable before it, which tells one that the disk lost from one that it had not written.
pub(super) struct SealedDatabase {
    database: Database,
    seals: Keyspace,
    /// Number of sealed batches. Held while a batch is written, so that the seals are in the order of the batches.
    count: Mutex<u64>,
    /// Number of batches that are known to be durable.
    durable: AtomicU64,
}

impl SealedDatabase {
    /// Opens the database, or creates it.
    ///
    /// # Errors
    /// `CORRUPT` if a durable batch is damaged or missing.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let newest = scan(path)?;
        let database = open_database(path, DatabaseOptions { cache: 32 << 20, files: RECORD_FILES })?;
        let seals = open_keyspace(&database, "seals", KeyspaceOptions { memtable: 1 << 20 })?;
        let stored = seals.get(SEAL).map_err(failure("reading records"))?;
        let stored = stored.map(|bytes| Seal::decode(&bytes).ok_or("malformed seal")).transpose();
        let stored =
            stored.map_err(|problem| NodeError::corrupt("the records of this validator", problem))?;
        if newest.is_some() && newest != stored {
            let count = |seal: Option<Seal>| seal.map_or(0, |seal| seal.count);
            let problem = format!("expected {} batches of records, got {}", count(newest), count(stored));
            return Err(NodeError::corrupt("the records of this validator", problem));
        }
        let count = Mutex::new(stored.map_or(0, |seal| seal.count));
        Ok(Self { database, seals, count, durable: AtomicU64::new(0) })
    }

    pub(super) fn keyspace(&self, name: &str, memtable: u64) -> Result<Keyspace> {
        open_keyspace(&self.database, name, KeyspaceOptions { memtable })
    }

    /// Creates an empty batch. [`commit`](Self::commit) writes it.
    pub(super) fn batch(&self) -> OwnedWriteBatch {
        self.database.batch()
    }

    /// Writes a batch with its seal.
    pub(super) fn commit(&self, batch: OwnedWriteBatch) -> fjall::Result<()> {
        self.write(batch).map(drop)
    }

    /// Writes a batch with its seal, and makes it and all earlier ones durable.
    pub(super) fn commit_durably(&self, batch: OwnedWriteBatch) -> fjall::Result<()> {
        let written = self.write(batch.durability(Some(PersistMode::SyncData)))?;
        self.durable.fetch_max(written, Ordering::AcqRel);
        Ok(())
    }

    /// Returns the number of the batch; 0 for an empty one, which is not written.
    fn write(&self, mut batch: OwnedWriteBatch) -> fjall::Result<u64> {
        if batch.is_empty() {
            return Ok(0);
        }
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        let seal = Seal { count: *count, sequence: self.database.visible_seqno() };
        batch.insert(&self.seals, SEAL, seal.encode());
        batch.insert(&self.seals, DURABLE, self.durable.load(Ordering::Acquire).to_be_bytes());
        batch.commit().map(|()| *count)
    }

    /// Makes all batches durable.
    pub(super) fn sync(&self) -> fjall::Result<()> {
        let written = *self.count.lock().unwrap_or_else(PoisonError::into_inner);
        self.database.persist(PersistMode::SyncAll)?;
        self.durable.fetch_max(written, Ordering::AcqRel);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// Values of the key `k`, each written by one batch.
    const SMALL: [&[u8]; 4] = [b"1", b"22", b"333", b"4444"];

    /// The only journal of the database.
    fn journal_file(path: &Path) -> PathBuf {
        let mut journals = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        journals.find(|path| path.extension().is_some_and(|kind| kind == "jnl")).unwrap()
    }

    /// Writes one durable batch for each value, and returns the journal's size after each.
    fn write(path: &Path, values: &[&[u8]]) -> Vec<usize> {
        drop(SealedDatabase::open(path).unwrap());
        // The second opening removes the zeros at the end of the journal.
        drop(SealedDatabase::open(path).unwrap());
        let database = SealedDatabase::open(path).unwrap();
        let keyspace = database.keyspace("values", 1 << 20).unwrap();
        let append = |value: &&[u8]| {
            let mut batch = database.batch();
            batch.insert(&keyspace, "k", *value);
            batch.insert(&keyspace, *value, []);
            database.commit_durably(batch).unwrap();
            fs::metadata(journal_file(path)).unwrap().len() as usize
        };
        values.iter().map(append).collect()
    }

    /// The value of the key `k`.
    fn read(path: &Path) -> Result<Option<Vec<u8>>> {
        let keyspace = SealedDatabase::open(path)?.keyspace("values", 1 << 20)?;
        Ok(keyspace.get("k").unwrap().map(|value| value.to_vec()))
    }

    /// Reads the value with another journal.
    fn read_with(path: &Path, journal: &[u8]) -> Result<Option<Vec<u8>>> {
        fs::write(journal_file(path), journal).unwrap();
        read(path)
    }

    #[test]
    fn an_interrupted_write_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let large = [7; 3000];
        let ends = write(&path, &[b"1", b"22", &large]);
        let journal = fs::read(journal_file(&path)).unwrap();
        let [.., start, end] = ends[..] else { panic!("{ends:?}") };
        assert_eq!(read_with(&path, &journal).unwrap().unwrap(), large);
        // The file ends inside the batch.
        for cut in (start..start + 120).chain((start..end).step_by(97)).chain(end - 40..end) {
            assert_eq!(read_with(&path, &journal[..cut]).unwrap().unwrap(), b"22", "{cut}");
        }
        // A sector was not written.
        for sector in (start.next_multiple_of(512)..end - 512).step_by(512) {
            let mut torn = journal[..end].to_vec();
            torn[sector..sector + 512].fill(0);
            // Also if the hole is inside a value, so that the entries are complete.
            assert_eq!(read_with(&path, &torn).unwrap().unwrap(), b"22", "{sector}");
        }
        // The same, with zeros after the journal and another batch that was not durable either.
        let mut torn = [&journal[..end], &journal[start..end], &[0; 4096]].concat();
        let sector = start.next_multiple_of(512) + 512;
        torn[sector..sector + 512].fill(0);
        assert_eq!(read_with(&path, &torn).unwrap().unwrap(), b"22");
        let mut torn = journal[..end].to_vec();
        torn[start..start.next_multiple_of(512)].fill(0);
        assert_eq!(read_with(&path, &torn).unwrap().unwrap(), b"22");
    }

    #[test]
    fn a_durable_batch_that_the_disk_lost_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let ends = write(&path, &[b"1", &[7; 3000], b"333"]);
        let mut journal = fs::read(journal_file(&path)).unwrap();
        let sector = ends[0].next_multiple_of(512);
        journal[sector..sector + 512].fill(0);
        // The third batch says that the second was durable.
        assert_eq!(read_with(&path, &journal).unwrap_err().code(), "CORRUPT");
        assert_eq!(read_with(&path, &journal[..ends[1]]).unwrap().unwrap(), b"1");
    }

    #[test]
    fn the_first_batch_of_a_journal_may_be_interrupted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let ends = write(&path, &[b"1", b"22", &[7; 3000], b"4444"]);
        // As if the batches before it were in tables: it and the one after it have high numbers of durable batches.
        let mut journal = fs::read(journal_file(&path)).unwrap()[ends[1]..].to_vec();
        journal[1024..1536].fill(0);
        assert_eq!(read_with(&path, &journal).unwrap(), None);
    }

    #[test]
    fn the_beginning_of_a_batch_may_be_in_a_lost_sector() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let filler = |length| vec![9; length];
        // The last batch begins a few bytes before the end of a sector. The batch before it has the filler twice.
        let (mut length, mut start) = (1, 0);
        while !(506..=510).contains(&(start % 512)) {
            length += (510_usize.saturating_sub(start % 512) / 2).max(1);
            let _ = fs::remove_dir_all(&path);
            start = write(&path, &[&filler(length), &[7; 700]])[0];
        }
        let mut journal = fs::read(journal_file(&path)).unwrap();
        journal[start..start.next_multiple_of(512)].fill(0);
        assert_eq!(read_with(&path, &journal).unwrap().unwrap(), filler(length));
    }

    #[test]
    fn damage_of_a_value_is_refused_before_unwritten_space() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let end = write(&path, &[b"1", &[7; 3000]])[1];
        let mut journal = [&fs::read(journal_file(&path)).unwrap()[..end], &[0; 4096]].concat();
        assert_eq!(read_with(&path, &journal).unwrap().unwrap(), [7; 3000]);
        journal[end - 1000] ^= 1;
        assert_eq!(read_with(&path, &journal).unwrap_err().code(), "CORRUPT");
    }

    #[test]
    fn a_lost_or_reordered_batch_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        let ends = write(&path, &SMALL);
        let journal = fs::read(journal_file(&path)).unwrap();
        let (first, second, third) =
            (&journal[..ends[0]], &journal[ends[0]..ends[1]], &journal[ends[1]..ends[2]]);
        let last = &journal[ends[2]..];
        let code = |parts: &[&[u8]]| read_with(&path, &parts.concat()).err().map(|e| e.code());
        assert_eq!(code(&[first, third, last]), Some("CORRUPT"));
        assert_eq!(code(&[first, third, second, last]), Some("CORRUPT"));
        assert_eq!(code(&[first, second, second, third, last]), Some("CORRUPT"));
        assert_eq!(code(&[first, second, third, last]), None);
    }

    #[test]
    fn damaged_bytes_are_refused_or_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        write(&path, &SMALL);
        let journal = fs::read(journal_file(&path)).unwrap();
        let mut unchanged = Vec::new();
        for at in 0..journal.len() {
            for value in [journal[at] ^ 1, !journal[at], 0] {
                if value == journal[at] {
                    continue;
                }
                let mut damaged = journal.clone();
                damaged[at] = value;
                match read_with(&path, &damaged) {
                    Ok(read) => {
                        assert_eq!(read.unwrap(), b"4444", "byte {at}: {value}");
                        unchanged.push((at, value));
                    }
                    Err(error) => assert_eq!(error.code(), "CORRUPT", "byte {at}: {value}: {error}"),
                }
            }
        }
        // No other batch follows the last one, so its sequence number may be a little higher.
        assert!(unchanged.len() <= 4, "{unchanged:?}");
    }
}
