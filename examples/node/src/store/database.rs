//! Opening fjall databases and keyspaces.

use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions};

use super::files::{create_dir, sync_dir};
use crate::{NodeError, Result};

/// Directory of the records' database inside a data directory.
pub(super) const RECORDS_DIRECTORY: &str = "records";

/// Options that differ between keyspaces.
pub(super) struct KeyspaceOptions {
    /// Size of the table in memory, in bytes, above which it is written to disk.
    pub(super) memtable: u64,
}

pub(super) fn open_database(path: &Path) -> Result<Database> {
    if let Some(parent) = path.parent() {
        create_dir(parent)?;
    }
    let opened = Database::builder(path)
        .worker_threads(1)
        .cache_size(32 << 20)
        // Limits the journal that a restart replays. This is the smallest size that fjall accepts.
        .max_journaling_size(64 << 20)
        .open();
    let database = match opened {
        Ok(database) => database,
        Err(fjall::Error::Locked) => return Err(NodeError::DataInUse { path: path.to_owned() }),
        Err(fjall::Error::Io(e)) => return Err(NodeError::file("opening the store", path, e)),
        Err(e) => return Err(NodeError::corrupt("the store", e)),
    };
    path.parent().map_or(Ok(()), sync_dir)?;
    Ok(database)
}

pub(super) fn open_keyspace(database: &Database, name: &str, options: KeyspaceOptions) -> Result<Keyspace> {
    database
        .keyspace(name, || KeyspaceCreateOptions::default().max_memtable_size(options.memtable))
        .map_err(|e| NodeError::store("opening the store", e))
}

/// Encodes a height so that keys sort by height.
pub(super) fn height_key(height: u64) -> [u8; 8] {
    height.to_be_bytes()
}
