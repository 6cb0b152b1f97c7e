//! The journal of spent presignatures.

use std::path::Path;

use quorate::guard::GuardRecord;

use super::Journal;
use super::identity::Binding;
use crate::Result;

/// Name of the journal in the directory of presignatures.
const DIRECTORY: &str = "journal";
/// Kind of the record that closes an epoch and all earlier ones, see [`quorate::guard`].
const CLOSED: u8 = 2;

/// Spent presignatures, beside the presignatures and outside the data directory: an older copy of the data directory does not
/// make them usable again.
pub(crate) struct SpentJournal(Journal);

impl SpentJournal {
    /// Opens the journal in a directory of presignatures, or creates it. Returns also whether it is new.
    pub(crate) fn open(directory: &Path, binding: &Binding) -> Result<(Self, bool)> {
        let path = directory.join(DIRECTORY);
        let is_new = !path.exists();
        Ok((Self(Journal::open(&path, binding)?), is_new))
    }

    /// Returns all records, in any order.
    pub(crate) fn load(&self) -> Result<Vec<GuardRecord>> {
        self.0.load()
    }

    /// Makes records durable before it returns, and deletes those of epochs that they close.
    pub(crate) fn append(&mut self, records: &[GuardRecord]) -> Result<()> {
        self.0.append(records)?;
        let is_end = |record: &&GuardRecord| record.kind().number() == CLOSED;
        let Some(closed) = records.iter().filter(is_end).map(GuardRecord::epoch).max() else { return Ok(()) };
        let mut retained = self.0.load()?;
        retained.retain(|record| record.epoch() > closed || is_end(&record) && record.epoch() == closed);
        self.0.keep_only(retained)
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
        let (mut journal, is_new) = SpentJournal::open(dir.path(), &binding).unwrap();
        assert!(is_new);
        for epoch in 1..=3 {
            let records: Vec<_> =
                (0..4).filter_map(|index| guard.spend(&spend(epoch, index)).unwrap()).collect();
            journal.append(&records).unwrap();
        }
        assert_eq!(journal.load().unwrap().len(), 12);
        journal.append(&[guard.close_epoch(&[9; 32], 1)]).unwrap();
        journal.append(&[guard.close_epoch(&[9; 32], 2)]).unwrap();
        drop(journal);
        let (journal, is_new) = SpentJournal::open(dir.path(), &binding).unwrap();
        assert!(!is_new);
        let records = journal.load().unwrap();
        assert_eq!(records.len(), 5);
        let mut guard = Guard::<Ed25519>::restore(secret(), ChainId([1; 32]), records).unwrap();
        assert_eq!(guard.spend(&spend(2, 0)).unwrap_err().code(), "EXHAUSTED");
        assert!(guard.spend(&spend(3, 0)).is_ok());
        let other = Spend { digest: [9; 32], ..spend(3, 0) };
        assert_eq!(guard.spend(&other).unwrap_err().code(), "CONTRADICTION");
    }
}
