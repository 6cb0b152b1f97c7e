//! A journal on a disk: opened once, written in order, rewritten at each start.

use std::boxed::Box;
use std::format;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::string::String;
use std::vec::Vec;

use super::disk::{Disk, DiskFile, Lock};
use super::file::{self, FRAME, JournalFile, MAX_RECORDS, path_text};
use crate::guard::record::GuardRecord;
use crate::{Error, Result};

/// Name of the journal in its directory.
const JOURNAL: &str = "guard.journal";
/// Name of the file that becomes the journal once it is complete.
const NEW: &str = "guard.journal.new";
/// Name of the file that a process locks while it has the journal open. It is never removed.
const LOCK: &str = "guard.lock";
/// Beginning of the names of journals that a recovery replaced.
const ASIDE: &str = "guard.journal.aside-";
/// Number of records in a file from which it is rewritten once half of them are obsolete.
const MIN_REWRITE: u64 = if cfg!(test) { 4 } else { 1024 };

/// A locked directory, whose journal is not open yet.
pub(in crate::guard) struct JournalDirectory {
    disk: Box<dyn Disk>,
    directory: PathBuf,
    binding: [u8; 32],
    /// Maximum number of records.
    capacity: u64,
    /// Declared last, so that it is released last.
    _lock: Lock,
}

/// An open journal.
///
/// Its file is one that this object has written and made durable, so everything that it was opened with is durable too,
/// also after an earlier object failed to make it so: the system may keep bytes in memory that it could not write.
pub(in crate::guard) struct Journal {
    file: Box<dyn DiskFile>,
    place: JournalDirectory,
    floor: u64,
    /// Number of records in the file.
    written: u64,
    /// Number of records from which the next one rewrites the file.
    rewrite_at: u64,
    /// True from the beginning of a write until it has succeeded.
    failed: bool,
    /// The process that opened the journal: a fork has a copy of this object and shares its lock.
    process: u32,
}

impl JournalDirectory {
    /// Locks a directory. It is created if it does not exist and `create` is true.
    pub(in crate::guard) fn lock(
        disk: Box<dyn Disk>,
        directory: &Path,
        binding: [u8; 32],
        create: bool,
    ) -> Result<Self> {
        let absolute =
            disk.absolute(directory).map_err(failure(directory, "reading the working directory"))?;
        let directory = absolute.as_path();
        let failed = |operation| failure(directory, operation);
        if create {
            disk.create_directory(directory).map_err(failed("creating the directory"))?;
        } else if !disk.exists(directory).map_err(failed("reading the directory"))? {
            return Err(Error::JournalMissing { path: path_text(&directory.join(JOURNAL)) });
        }
        let path = directory.join(LOCK);
        let lock = disk.lock(&path).map_err(failure(&path, "locking the journal"))?;
        let lock = lock.ok_or_else(|| Error::JournalInUse { path: path_text(&directory.join(JOURNAL)) })?;
        Ok(Self { disk, directory: absolute, binding, capacity: MAX_RECORDS, _lock: lock })
    }

    /// Reads the journal; `None` if there is none.
    pub(in crate::guard) fn load(&self) -> Result<Option<JournalFile>> {
        self.read()?.map(|bytes| self.decode(&bytes)).transpose()
    }

    /// Reads the journal; [`Error::JournalMissing`] if there is none.
    pub(in crate::guard) fn load_existing(&self) -> Result<JournalFile> {
        self.load()?.ok_or_else(|| Error::JournalMissing { path: path_text(&self.path(JOURNAL)) })
    }

    /// [`Error::JournalExists`] if there is a journal, or one that a recovery has set aside.
    pub(in crate::guard) fn require_none(&self) -> Result<()> {
        let path = self.path(JOURNAL);
        if self.disk.exists(&path).map_err(failure(&path, "reading the journal"))? {
            return Err(Error::JournalExists { path: path_text(&path) });
        }
        match self.names_aside()?.first() {
            Some(name) => Err(Error::JournalExists { path: path_text(&self.path(name)) }),
            None => Ok(()),
        }
    }

    /// Gives the journal a second name if there is one, and returns what is intact of it. The journal keeps its own name
    /// until a new one replaces it, so that an interrupted recovery can be repeated.
    pub(in crate::guard) fn set_aside(&self) -> Result<JournalFile> {
        let path = self.path(JOURNAL);
        let Some(bytes) = self.read()? else { return Ok(JournalFile::salvage(self.binding, &[])) };
        let intact = match self.decode(&bytes) {
            Ok(file) => file,
            Err(error @ Error::WrongContext { .. }) => return Err(error),
            Err(_) => self.require_binding(JournalFile::salvage(self.binding, &bytes))?,
        };
        let names = self.names_aside()?;
        let free = (1u32..).map(|number| format!("{ASIDE}{number}")).find(|name| !names.contains(name));
        let aside = self.path(&free.unwrap_or_default());
        self.disk.link(&path, &aside).map_err(failure(&path, "setting the journal aside"))?;
        self.sync()?;
        Ok(intact)
    }

    /// Returns the names of journals that recoveries have set aside.
    fn names_aside(&self) -> Result<Vec<String>> {
        let names = self.disk.names(&self.directory);
        let names = names.map_err(failure(&self.directory, "reading the directory"))?;
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        Ok(names.filter(|name| name.starts_with(ASIDE)).collect())
    }

    #[cfg(test)]
    pub(super) fn set_capacity(&mut self, capacity: u64) {
        self.capacity = capacity;
    }

    /// Writes the journal anew with these records, and opens it.
    pub(in crate::guard) fn start(self, floor: u64, records: Vec<GuardRecord>) -> Result<Journal> {
        let (file, written) = self.write(floor, records)?;
        let rewrite_at = rewrite_at(written, self.capacity);
        Ok(Journal { place: self, file, floor, written, rewrite_at, failed: false, process: process::id() })
    }

    /// Replaces the journal by one with these records. Once this has returned it is durable; until then the old one is.
    fn write(&self, floor: u64, records: Vec<GuardRecord>) -> Result<(Box<dyn DiskFile>, u64)> {
        let (new, path) = (self.path(NEW), self.path(JOURNAL));
        let written = records.len() as u64;
        self.require_capacity(written)?;
        let content = JournalFile { binding: self.binding, floor, records, torn: false }.encode();
        let mut file = self.disk.create(&new).map_err(failure(&new, "creating the journal"))?;
        file.write(&content).map_err(failure(&new, "writing the journal"))?;
        file.sync().map_err(failure(&new, "making the journal durable"))?;
        self.disk.rename(&new, &path).map_err(failure(&path, "replacing the journal"))?;
        self.sync()?;
        Ok((file, written))
    }

    /// Makes the entries of the directory durable.
    fn sync(&self) -> Result<()> {
        let durable = self.disk.sync_directory(&self.directory);
        durable.map_err(failure(&self.directory, "making the directory durable"))
    }

    fn require_capacity(&self, records: u64) -> Result<()> {
        if records <= self.capacity {
            return Ok(());
        }
        Err(Error::TooLarge { what: "number of records in a journal", limit: self.capacity })
    }

    /// Decodes the journal.
    fn decode(&self, bytes: &[u8]) -> Result<JournalFile> {
        self.require_capacity((bytes.len() / FRAME).saturating_sub(1) as u64)?;
        self.require_binding(JournalFile::decode_at(&path_text(&self.path(JOURNAL)), bytes)?)
    }

    fn read(&self) -> Result<Option<Vec<u8>>> {
        let path = self.path(JOURNAL);
        // A longer file has more records than permitted.
        let limit = self.capacity.saturating_add(2).saturating_mul(FRAME as u64);
        match self.disk.read(&path, limit) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failure(&path, "reading the journal")(error)),
        }
    }

    fn require_binding(&self, file: JournalFile) -> Result<JournalFile> {
        if file.binding == self.binding {
            Ok(file)
        } else {
            Err(Error::WrongContext { what: "key, chain or suite of the journal" })
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl Journal {
    /// Makes a record durable. If the file is rewritten instead, `current` are the records that it needs, with the new one.
    pub(in crate::guard) fn append(
        &mut self,
        record: &GuardRecord,
        current: impl FnOnce() -> Vec<GuardRecord>,
    ) -> Result<()> {
        self.require_usable()?;
        if self.written >= self.rewrite_at {
            return self.rewrite(current());
        }
        let frame = file::frame(&self.place.binding, self.written + 1, record);
        let path = self.place.path(JOURNAL);
        self.failed = true;
        self.file.write(&frame).map_err(failure(&path, "writing a record"))?;
        self.file.sync().map_err(failure(&path, "making a record durable"))?;
        self.failed = false;
        self.written += 1;
        Ok(())
    }

    /// Replaces all records, durably.
    pub(in crate::guard) fn rewrite(&mut self, records: Vec<GuardRecord>) -> Result<()> {
        self.require_usable()?;
        self.place.require_capacity(records.len() as u64)?;
        self.failed = true;
        (self.file, self.written) = self.place.write(self.floor, records)?;
        self.failed = false;
        self.rewrite_at = rewrite_at(self.written, self.place.capacity);
        Ok(())
    }

    /// Refuses records that would be more than a journal can have, after the next one; call it before a change in memory.
    pub(in crate::guard) fn require_room(&self, after: impl FnOnce() -> usize) -> Result<()> {
        if self.written < self.rewrite_at {
            return Ok(());
        }
        self.place.require_capacity(after() as u64)
    }

    /// Refuses every use after a failure, and in another process than the one that opened the journal.
    pub(in crate::guard) fn require_usable(&self) -> Result<()> {
        let path = self.place.path(JOURNAL);
        if self.process != process::id() {
            return Err(Error::JournalInUse { path: path_text(&path) });
        }
        if self.failed {
            let reason = "an earlier write failed".into();
            return Err(Error::JournalFailed {
                path: path_text(&path),
                operation: "writing a record",
                reason,
            });
        }
        Ok(())
    }

    /// Refuses every further use, because the caller cannot complete what the last record permits.
    pub(in crate::guard) fn fail(&mut self) {
        self.failed = true;
    }

    /// Changes the maximum number of records, and the number from which the next one rewrites the file.
    #[cfg(test)]
    pub(in crate::guard) fn set_capacity(&mut self, capacity: u64) {
        self.place.capacity = capacity;
        self.rewrite_at = rewrite_at(self.written, capacity);
    }

    #[cfg(test)]
    pub(super) fn pretend_fork(&mut self) {
        self.process = self.process.wrapping_add(1);
    }

    /// The directory.
    pub(in crate::guard) fn directory(&self) -> &Path {
        &self.place.directory
    }
}

fn rewrite_at(written: u64, capacity: u64) -> u64 {
    written.saturating_mul(2).max(MIN_REWRITE).min(capacity)
}

/// Converts the error of a file operation.
fn failure(path: &Path, operation: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path_text(path);
    move |error| Error::JournalFailed { path, operation, reason: format!("{error}") }
}
