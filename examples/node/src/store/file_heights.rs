//! Heights up to which the files of batches are needed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fjall::Keyspace;

use super::database::{decode_height, failure};
use crate::{NodeError, Result};

/// For each file, the height of the last executed block with a batch in it. A height is entered here before it is written, so
/// that no file that is about to become needed is deleted.
#[derive(Debug, Default)]
pub(super) struct FileHeights(Mutex<BTreeMap<u32, u64>>);

impl FileHeights {
    /// Reads a keyspace of numbers of files and heights, both big endian.
    pub(super) fn read(files: &Keyspace) -> Result<Self> {
        let decode = |entry: fjall::Guard| {
            let (key, height) = entry.into_inner().map_err(failure("reading records"))?;
            let file = key.as_ref().try_into().map(u32::from_be_bytes);
            Ok((file.map_err(|e| NodeError::corrupt("the number of a file", e))?, decode_height(&height)?))
        };
        Ok(Self(Mutex::new(files.iter().map(decode).collect::<Result<_>>()?)))
    }

    /// Raises the height of a file, and returns the new one.
    pub(super) fn raise(&self, file: u32, height: u64) -> u64 {
        let mut heights = self.lock();
        let last = heights.entry(file).or_default();
        *last = height.max(*last);
        *last
    }

    /// Returns true if a block from a height on needs the file.
    pub(super) fn is_needed(&self, file: u32, from: u64) -> bool {
        self.lock().get(&file).is_some_and(|last| *last >= from)
    }

    /// Removes a file.
    pub(super) fn remove(&self, file: u32) {
        self.lock().remove(&file);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
