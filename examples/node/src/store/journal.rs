use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use fjall::Keyspace;
use quorate::guard::GuardRecord;
use quorate::wire::{Decode, Encode};

use super::database::{RECORDS_DIRECTORY, failure};
use super::identity::{Binding, claim};
use super::sealed::SealedDatabase;
use crate::{NodeError, Result};

const ID: &[u8] = b"id";

/// Durable records of a [guard](quorate::guard::Guard), for a program that stores nothing else.
///
/// ```text
/// data/IDENTITY   chain and keys that the directory is bound to, format version
///      LOCK       held by the process that uses it
///      records/   fjall: each record is a key without a value, so no record replaces another
/// ```
///
/// After a failed write the journal accepts no more records, because the content of the disk is unknown: end the process.
/// Do not send messages that depend on records whose [`append`](Journal::append) failed.
pub struct Journal {
    database: SealedDatabase,
    records: Keyspace,
    id: [u8; 16],
    failed: bool,
    /// Declared last, so that it is released last.
    _lock: File,
}

impl Journal {
    /// Opens the directory, or creates it.
    ///
    /// # Errors
    /// `DATA_IN_USE` if another process has it, `DATA_MISMATCH` if it belongs to other keys, `CORRUPT` if a durable
    /// record cannot be read.
    pub fn open(dir: &Path, binding: &Binding) -> Result<Self> {
        let (lock, _) = claim(dir, binding)?;
        let database = SealedDatabase::open(&dir.join(RECORDS_DIRECTORY))?;
        let keyspace = |name| database.keyspace(name, 4 << 20);
        let (records, meta) = (keyspace("guard")?, keyspace("journal")?);
        let id = match meta.get(ID).map_err(reading)? {
            Some(id) => <[u8; 16]>::try_from(&*id)
                .map_err(|e| NodeError::corrupt("the identifier of the journal", e))?,
            None => {
                let mut id = [0; 16];
                getrandom::fill(&mut id).map_err(|_| quorate::Error::Rng)?;
                let mut batch = database.batch();
                batch.insert(&meta, ID, id);
                database.commit(batch).map_err(writing)?;
                database.sync().map_err(writing)?;
                id
            }
        };
        Ok(Self { database, records, id, failed: false, _lock: lock })
    }

    /// A random number that identifies this journal, so that other data can be bound to it.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// All records, in any order.
    ///
    /// # Errors
    /// `CORRUPT` if a record cannot be read.
    pub fn load(&self) -> Result<Vec<GuardRecord>> {
        let record = |entry: fjall::Guard| {
            GuardRecord::decode(&entry.key().map_err(reading)?, &())
                .map_err(|e| NodeError::corrupt("a record of the guard", e))
        };
        self.records.iter().map(record).collect()
    }

    /// Makes all records durable before it returns.
    ///
    /// # Errors
    /// If the disk fails, now or in an earlier call. Discard messages that depend on the records.
    pub fn append(&mut self, records: &[GuardRecord]) -> Result<()> {
        self.write(|batch, keyspace| {
            for record in records.iter().map(Encode::encode).collect::<BTreeSet<_>>() {
                batch.insert(keyspace, record, []);
            }
        })
    }

    /// Deletes all records except these, the [records](quorate::guard::Guard::records) of a restored guard.
    ///
    /// # Errors
    /// As [`append`](Journal::append).
    pub fn keep_only(&mut self, records: impl IntoIterator<Item = GuardRecord>) -> Result<()> {
        let retained: BTreeSet<Vec<u8>> = records.into_iter().map(|record| record.encode()).collect();
        let obsolete: Vec<_> =
            self.load()?.into_iter().filter(|record| !retained.contains(&record.encode())).collect();
        self.write(|batch, keyspace| {
            obsolete.iter().for_each(|record| batch.remove(keyspace, record.encode()))
        })
    }

    fn write(&mut self, fill: impl FnOnce(&mut fjall::OwnedWriteBatch, &Keyspace)) -> Result<()> {
        if self.failed {
            return Err(NodeError::store(
                "writing records",
                "an earlier write failed, so signing has stopped; restart the program once the disk works",
            ));
        }
        let mut batch = self.database.batch();
        fill(&mut batch, &self.records);
        let done = self.database.commit_durably(batch);
        self.failed = done.is_err();
        done.map_err(writing)
    }
}

fn reading(e: fjall::Error) -> NodeError {
    failure("reading records")(e)
}

fn writing(e: fjall::Error) -> NodeError {
    failure("writing records")(e)
}

#[cfg(test)]
mod tests {
    use quorate::committee::ChainId;
    use quorate::ed25519::Ed25519;
    use quorate::guard::{Guard, Spend};
    use quorate::scheme::Scheme;

    use super::*;

    fn guard() -> Guard<Ed25519> {
        Guard::new(Ed25519::secret_from_bytes(&[7; 32]).unwrap(), ChainId([1; 32]))
    }

    fn binding(key: u8) -> Binding {
        let key = Ed25519::public_key(&Ed25519::secret_from_bytes(&[key; 32]).unwrap());
        Binding::new::<Ed25519>([1; 32], &key, &key)
    }

    fn spend(guard: &mut Guard<Ed25519>, epoch: u64, index: u32) -> GuardRecord {
        guard.spend(&Spend { key: [3; 32], epoch, index, digest: [9; 32] }).unwrap().unwrap()
    }

    #[test]
    fn records_survive_restarts_until_their_epoch_closes() {
        let dir = tempfile::tempdir().unwrap();
        let mut guard = guard();
        let mut journal = Journal::open(dir.path(), &binding(7)).unwrap();
        let (id, old, new) = (journal.id(), spend(&mut guard, 1, 4), spend(&mut guard, 2, 5));
        journal.append(&[old, new, old]).unwrap();
        journal.append(&[]).unwrap();
        drop(journal);

        let mut journal = Journal::open(dir.path(), &binding(7)).unwrap();
        assert_eq!((journal.id(), journal.load().unwrap().len()), (id, 2));
        let closed = guard.close_epoch(&[3; 32], 1);
        journal.append(&[closed]).unwrap();
        journal.keep_only(guard.records()).unwrap();
        drop(journal);
        let mut left = Journal::open(dir.path(), &binding(7)).unwrap().load().unwrap();
        left.sort_by_key(GuardRecord::epoch);
        assert_eq!(left, [closed, new]);
    }

    #[test]
    fn contradicting_records_are_kept_for_the_guard() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path(), &binding(7)).unwrap();
        let records = [8, 9].map(|digest| {
            let spend = Spend { key: [3; 32], epoch: 1, index: 1, digest: [digest; 32] };
            guard().spend(&spend).unwrap().unwrap()
        });
        records.iter().for_each(|record| journal.append(&[*record]).unwrap());
        let secret = Ed25519::secret_from_bytes(&[7; 32]).unwrap();
        let refused = Guard::<Ed25519>::restore(secret, ChainId([1; 32]), journal.load().unwrap());
        assert_eq!(refused.map(drop).unwrap_err().code(), "CONTRADICTION");
    }

    #[test]
    fn a_journal_belongs_to_one_key_and_one_process() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path(), &binding(7)).unwrap();
        let code = |key| Journal::open(dir.path(), &binding(key)).err().map(|e| e.code());
        assert_eq!(code(7), Some("DATA_IN_USE"));
        drop(journal);
        assert_eq!(code(8), Some("DATA_MISMATCH"));
        assert_eq!(code(7), None);
    }
}
