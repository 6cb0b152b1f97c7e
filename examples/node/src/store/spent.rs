//! The journal of spent presignatures, and their destruction if it is lost.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use quorate::guard::GuardRecord;

use super::Journal;
use super::files::{replace, sync_dir, wipe};
use super::identity::Binding;
use crate::protocol::presignature_epoch;
use crate::{NodeError, Result};

/// Name of the journal in the directory of presignatures.
const DIRECTORY: &str = "journal";
/// Name of the file with the last destroyed epoch, in the directory of presignatures.
const DESTROYED: &str = "destroyed";
/// Number of epochs above the executed height that may have been signed with presignatures. ABFT runs at most four.
const RUNNING: u64 = 16;

/// Spent presignatures, beside the presignatures and outside the data directory: an older copy of the data directory does not
/// make them usable again.
pub(crate) struct SpentJournal {
    directory: PathBuf,
    journal: Journal,
}

impl SpentJournal {
    /// Opens the journal in a directory of presignatures, or creates it.
    pub(crate) fn open(directory: &Path, binding: &Binding) -> Result<Self> {
        let journal = Journal::open(&directory.join(DIRECTORY), binding)?;
        Ok(Self { directory: directory.to_owned(), journal })
    }

    /// Returns all records, in any order.
    pub(crate) fn load(&self) -> Result<Vec<GuardRecord>> {
        self.journal.load()
    }

    /// Makes records durable before it returns, and deletes those of epochs that they close.
    pub(crate) fn append(&mut self, records: &[GuardRecord]) -> Result<()> {
        self.journal.append(records)?;
        let is_end = |record: &&GuardRecord| record.kind() == GuardRecord::CLOSED_EPOCH;
        let Some(closed) = records.iter().filter(is_end).map(GuardRecord::epoch).max() else { return Ok(()) };
        let mut retained = self.journal.load()?;
        retained.retain(|record| record.epoch() > closed || is_end(&record) && record.epoch() == closed);
        self.journal.keep_only(retained)
    }

    /// Destroys the presignatures, because the journal was lost at a height, with those of all epochs that may run. Their files are
    /// not used again, even if they are copied here later.
    pub(crate) fn destroy_all(&self, height: u64) -> Result<()> {
        let directory = self.directory.as_path();
        let reading = |e| NodeError::file("reading", directory, e);
        let mut files = Vec::new();
        for entry in fs::read_dir(directory).map_err(reading)? {
            let name = entry.map_err(reading)?.file_name();
            files.extend(presignature_epoch(&name).map(|epoch| (epoch, directory.join(name))));
        }
        let last = files.iter().map(|(epoch, _)| *epoch).max().unwrap_or(0);
        let last = last.max(height.saturating_add(RUNNING)).max(self.destroyed()?);
        replace(&directory.join(DESTROYED), |file| writeln!(file, "{last}"))?;
        files.iter().try_for_each(|(_, path)| wipe(path))?;
        sync_dir(directory)
    }

    /// Returns the last epoch whose presignatures were [destroyed](Self::destroy_all); 0 if none were.
    pub(crate) fn destroyed(&self) -> Result<u64> {
        let path = self.directory.join(DESTROYED);
        match fs::read_to_string(&path) {
            Ok(text) => text
                .trim()
                .parse()
                .map_err(|e| NodeError::corrupt("the last epoch of destroyed presignatures", e)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(NodeError::file("reading", &path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate::committee::ChainId;
    use quorate::ed25519::Ed25519;
    use quorate::guard::{Guard, Spend};
    use quorate::scheme::Scheme;

    use super::*;

    #[test]
    fn closed_epochs_leave_one_record() {
        let dir = tempfile::tempdir().unwrap();
        let secret = || Ed25519::secret_from_bytes(&[7; 32]).unwrap();
        let public = Ed25519::public_key(&secret());
        let binding = Binding::new::<Ed25519>([1; 32], &public, &public);
        let mut guard = Guard::<Ed25519>::new(secret(), ChainId([1; 32]));
        let spend = |epoch, index| Spend { key: [9; 32], epoch, index, digest: [index as u8; 32] };
        let mut journal = SpentJournal::open(dir.path(), &binding).unwrap();
        for epoch in 1..=3 {
            let records: Vec<_> =
                (0..4).filter_map(|index| guard.spend(&spend(epoch, index)).unwrap()).collect();
            journal.append(&records).unwrap();
        }
        assert_eq!(journal.load().unwrap().len(), 12);
        journal.append(&[guard.close_epoch(&[9; 32], 1)]).unwrap();
        journal.append(&[guard.close_epoch(&[9; 32], 2)]).unwrap();
        drop(journal);
        let journal = SpentJournal::open(dir.path(), &binding).unwrap();
        let records = journal.load().unwrap();
        assert_eq!(records.len(), 5);
        let mut guard = Guard::<Ed25519>::restore(secret(), ChainId([1; 32]), records).unwrap();
        assert_eq!(guard.spend(&spend(2, 0)).unwrap_err().code(), "EXHAUSTED");
        assert!(guard.spend(&spend(3, 0)).is_ok());
        let other = Spend { digest: [9; 32], ..spend(3, 0) };
        assert_eq!(guard.spend(&other).unwrap_err().code(), "CONTRADICTION");
    }
    #[test]
    fn destroyed_epochs_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let public = Ed25519::public_key(&Ed25519::secret_from_bytes(&[7; 32]).unwrap());
        let binding = Binding::new::<Ed25519>([1; 32], &public, &public);
        let journal = SpentJournal::open(dir.path(), &binding).unwrap();
        let at = |name: &str| dir.path().join(name);
        assert_eq!(journal.destroyed().unwrap(), 0);
        for name in ["2.sealed", "40.sealed", "02.sealed", "other"] {
            fs::write(at(name), b"secret").unwrap();
        }
        journal.destroy_all(3).unwrap();
        assert_eq!(journal.destroyed().unwrap(), 40);
        assert!(!at("2.sealed").exists() && !at("40.sealed").exists());
        assert!(at("02.sealed").exists() && at("other").exists());
        journal.destroy_all(3).unwrap();
        assert_eq!(journal.destroyed().unwrap(), 40);
        journal.destroy_all(100).unwrap();
        assert_eq!(journal.destroyed().unwrap(), 100 + RUNNING);
        // A file that cannot be deleted.
        fs::create_dir(at("200.sealed")).unwrap();
        assert_eq!(journal.destroy_all(3).unwrap_err().code(), "IO");
        assert_eq!(journal.destroyed().unwrap(), 200);
        fs::write(at(DESTROYED), "x").unwrap();
        assert_eq!(journal.destroyed().unwrap_err().code(), "CORRUPT");
    }
}
