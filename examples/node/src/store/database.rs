//! Opening fjall databases and keyspaces.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use fjall::config::PartitioningPolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions};

use super::files::{create_dir, sync_dir};
use crate::{NodeError, Result};

/// Directory of the records' database inside a data directory.
pub(super) const RECORDS_DIRECTORY: &str = "records";

/// Options that differ between databases.
pub(super) struct DatabaseOptions {
    /// Size of the cache of blocks in bytes.
    pub(super) cache: u64,
    /// Maximum number of files that are kept open.
    pub(super) files: usize,
}

/// Options that differ between keyspaces.
pub(super) struct KeyspaceOptions {
    /// Size of the table in memory, in bytes, above which it is written to disk.
    pub(super) memtable: u64,
}

pub(super) fn open_database(path: &Path, options: DatabaseOptions) -> Result<Database> {
    if let Some(parent) = path.parent() {
        create_dir(parent)?;
    }
    let opened = Database::builder(path)
        .worker_threads(1)
        .cache_size(options.cache)
        .max_cached_files(Some(options.files))
        // Limits the journal that a restart replays. This is the smallest size that fjall accepts.
        .max_journaling_size(64 << 20)
        .open();
    let database = match opened {
        Ok(database) => database,
        Err(fjall::Error::Locked) => return Err(NodeError::DataInUse { path: path.to_owned() }),
        Err(fjall::Error::Io(e)) => return Err(NodeError::file("opening the store", path, e)),
        Err(e) => return Err(NodeError::corrupt("the store", in_words(&e))),
    };
    path.parent().map_or(Ok(()), sync_dir)?;
    Ok(database)
}

pub(super) fn open_keyspace(database: &Database, name: &str, options: KeyspaceOptions) -> Result<Keyspace> {
    // Levels 2 and above can be large. The indices and filters of their files are divided into blocks, which the cache
    // bounds; a whole one has about a megabyte, and reading it for one key would displace the other blocks.
    let divided = || PartitioningPolicy::new([false, false, true]);
    let options = || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(options.memtable)
            .index_block_partitioning_policy(divided())
            .filter_block_partitioning_policy(divided())
    };
    database.keyspace(name, options).map_err(failure("opening the store"))
}

/// Converts an error of fjall during an operation.
pub(super) fn failure(during: &'static str) -> impl Fn(fjall::Error) -> NodeError {
    move |error| match &error {
        fjall::Error::Storage(inner) if !matches!(inner, fjall::LsmError::Io(_)) => {
            NodeError::corrupt("the store", in_words(&error))
        }
        _ => NodeError::store(during, in_words(&error)),
    }
}

/// An error of fjall for an operator.
fn in_words(error: &fjall::Error) -> String {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(io) = current.downcast_ref::<io::Error>() {
            return io.to_string();
        }
        cause = current.source();
    }
    match error {
        fjall::Error::Poisoned => "an earlier write failed, and no more are accepted".to_owned(),
        fjall::Error::Storage(inner) => format!("{inner:?}"),
        other => format!("{other:?}"),
    }
}

/// Adds to an error of the store what keeps a write to its directory from succeeding now. After a failed write the
/// database only says that one failed.
pub(crate) fn with_cause(error: NodeError, directory: &Path) -> NodeError {
    match (error, trial(directory)) {
        (NodeError::Store { during, problem }, Err(cause)) => {
            NodeError::Store { during, problem: format!("{problem} ({cause})") }
        }
        (error, _) => error,
    }
}

/// Writes a file and removes it.
fn trial(directory: &Path) -> io::Result<()> {
    let path = directory.join("trial");
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&[0; 64 << 10])?;
        file.sync_all()
    });
    let _ = fs::remove_file(&path);
    written
}

/// Encodes a height so that keys sort by height.
pub(super) fn height_key(height: u64) -> [u8; 8] {
    height.to_be_bytes()
}

/// Decodes a height that [`height_key`] encoded.
pub(super) fn decode_height(bytes: &[u8]) -> Result<u64> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|e| NodeError::corrupt("a height", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_store_is_told_in_words() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let text = full.to_string();
        assert_eq!(in_words(&fjall::Error::Io(full)), text);
        let error = failure("writing records")(fjall::Error::Poisoned).to_string();
        assert!(error.contains("an earlier write failed") && !error.contains("Fjall"), "{error}");
    }

    #[test]
    fn the_cause_of_a_failure_is_looked_for() {
        let error = || failure("writing records")(fjall::Error::Poisoned);
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(with_cause(error(), directory.path()).to_string(), error().to_string());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        let missing = directory.path().join("removed");
        let cause = File::create(missing.join("x")).unwrap_err().to_string();
        assert!(with_cause(error(), &missing).to_string().contains(&cause));
    }
}
