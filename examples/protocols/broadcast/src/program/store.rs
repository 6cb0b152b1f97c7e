//! Store of a member's records: the last `tail` messages of each sender that it attested.

use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};
use quorate_broadcast::{Limits, Record};
use quorate_node::NodeError;
use quorate_node::store::files::{create_dir, sync_dir};

/// Key of the owner's identification. Keys of records are longer.
const BINDING: &[u8] = b"binding";

/// Durable records.
pub(crate) struct Store {
    database: Database,
    records: Keyspace,
    tail: u64,
    failed: bool,
}

impl Store {
    /// Opens or creates the store of a directory. `binding` identifies the owner: with the records of another member
    /// or group, this member's attestations would be lost.
    pub(crate) fn open(dir: &Path, binding: &str, tail: u64) -> Result<Self, NodeError> {
        create_dir(dir)?;
        let path = dir.join("records");
        // Minimum sizes of fjall: records are few and replace each other.
        let opened = Database::builder(&path)
            .worker_threads(1)
            .cache_size(8 << 20)
            .max_journaling_size(64 << 20)
            .open();
        let database = match opened {
            Ok(database) => database,
            Err(fjall::Error::Locked) => return Err(NodeError::DataInUse { path: dir.to_owned() }),
            Err(fjall::Error::Io(e)) => return Err(NodeError::file("opening the store", &path, e)),
            Err(e) => return Err(corrupt(e)),
        };
        let records = database
            .keyspace("vouched", || KeyspaceCreateOptions::default().max_memtable_size(4 << 20))
            .map_err(|e| failed("opening the store", e))?;
        let store = Self { database, records, tail, failed: false };
        match store.records.get(BINDING).map_err(|e| failed("reading records", e))? {
            Some(found) if *found == *binding.as_bytes() => {}
            Some(found) => {
                return Err(NodeError::DataMismatch {
                    path: dir.to_owned(),
                    what: "group and member",
                    found: String::from_utf8_lossy(&found).into_owned(),
                    expected: binding.to_owned(),
                });
            }
            None => {
                store.records.insert(BINDING, binding).map_err(|e| failed("writing records", e))?;
                store.database.persist(PersistMode::SyncAll).map_err(|e| failed("writing records", e))?;
                for dir in [Some(dir), dir.parent()].into_iter().flatten() {
                    sync_dir(dir)?;
                }
            }
        }
        Ok(store)
    }

    /// Returns all records, in any order.
    pub(crate) fn load<S: Decode>(&self, limits: &Limits) -> Result<Vec<Record<S>>, NodeError> {
        let mut loaded = Vec::new();
        for entry in self.records.iter() {
            let (key, value) = entry.into_inner().map_err(|e| failed("reading records", e))?;
            if *key != *BINDING {
                let record = Record::decode(&value, limits).map_err(corrupt)?;
                if *key != place(record.place(self.tail)) {
                    return Err(corrupt("a record is stored under a wrong key"));
                }
                loaded.push(record);
            }
        }
        Ok(loaded)
    }

    /// Persists records. After an error all writes are refused, because the content of the disk is unknown.
    pub(crate) fn append<S: Encode>(&mut self, records: &[Record<S>]) -> Result<(), NodeError> {
        if self.failed {
            return Err(failed("writing records", "an earlier write failed, so that signing has stopped"));
        }
        // A write must name each key once: of records with one key the last counts.
        let newest: std::collections::BTreeMap<_, _> =
            records.iter().map(|record| (record.place(self.tail), record)).collect();
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for (at, record) in newest {
            batch.insert(&self.records, place(at), record.encode());
        }
        let done = batch.commit();
        self.failed = done.is_err();
        done.map_err(|e| failed("writing records", e))
    }
}

fn place((sender, place): (MemberIndex, u64)) -> Vec<u8> {
    [&sender.to_be_bytes()[..], &place.to_be_bytes()].concat()
}

fn failed(during: &'static str, problem: impl std::fmt::Display) -> NodeError {
    NodeError::store(during, problem)
}

fn corrupt(problem: impl std::fmt::Display) -> NodeError {
    NodeError::corrupt("the store", problem)
}

#[cfg(test)]
mod tests {
    use quorate_broadcast::SignedMessage;
    use quorate_broadcast::authentication::Unsigned;

    use super::*;

    const LIMITS: Limits = Limits { members: 3, message: 100, announcement: 0 };

    fn record(sender: u16, sequence: u64, message: &[u8]) -> Record<Unsigned> {
        Record { sender, send: SignedMessage { sequence, message: message.into(), signature: Unsigned } }
    }

    fn slots(store: &Store) -> Vec<(u16, u64, usize)> {
        let loaded = store.load::<Unsigned>(&LIMITS).unwrap();
        let mut slots: Vec<_> =
            loaded.iter().map(|r| (r.sender, r.send.sequence, r.send.message.len())).collect();
        slots.sort_unstable();
        slots
    }

    #[test]
    fn the_last_records_of_each_sender_survive_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        let mut store = Store::open(&path, "me", 4).unwrap();
        for sequence in 1..=10 {
            store.append(&[record(0, sequence, b"x"), record(2, sequence * 4, b"yz")]).unwrap();
        }
        let expected = [(0, 7, 1), (0, 8, 1), (0, 9, 1), (0, 10, 1), (2, 40, 2)];
        assert_eq!(slots(&store), expected);
        drop(store);
        assert_eq!(slots(&Store::open(&path, "me", 4).unwrap()), expected);
    }

    #[test]
    fn a_store_belongs_to_one_member_and_one_process() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), "me", 4).unwrap();
        let code = |binding| Store::open(dir.path(), binding, 4).err().map(|e| e.code());
        assert_eq!(code("me"), Some("DATA_IN_USE"));
        drop(store);
        assert_eq!(code("you"), Some("DATA_MISMATCH"));
        assert_eq!(code("me"), None);
    }
}
