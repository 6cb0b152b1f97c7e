//! A journal on a disk: opened once, written in order, rewritten at each start.

use std::boxed::Box;
use std::format;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::vec::Vec;

use super::disk::{Disk, DiskFile, Lock};
use super::file::{self, JournalFile, MAX_LEN, shown};
use crate::guard::record::GuardRecord;
use crate::{Error, Result};

/// Name of the journal in its directory.
const JOURNAL: &str = "guard.journal";
/// Name of the file that becomes the journal once it is complete.
const NEW: &str = "guard.journal.new";
/// Name of the file that a process locks while it has the journal open. It is never removed.
const LOCK: &str = "guard.lock";
/// Number of records in a file from which it is rewritten once half of them are obsolete.
const MIN_REWRITE: u64 = if cfg!(test) { 4 } else { 1024 };

/// A locked directory, whose journal is not open yet.
pub(in crate::guard) struct JournalDirectory {
    disk: Box<dyn Disk>,
    directory: PathBuf,
    binding: [u8; 32],
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
        let failed = |operation| failure(directory, operation);
        if create {
            disk.create_directory(directory).map_err(failed("creating the directory"))?;
        } else if !disk.exists(directory).map_err(failed("reading the directory"))? {
            return Err(Error::JournalMissing { path: shown(&directory.join(JOURNAL)) });
        }
        let path = directory.join(LOCK);
        let lock = disk.lock(&path).map_err(failure(&path, "locking the journal"))?;
        let lock = lock.ok_or_else(|| Error::JournalInUse { path: shown(&directory.join(JOURNAL)) })?;
        Ok(Self { disk, directory: directory.to_owned(), binding, _lock: lock })
    }

    /// Reads the journal; `None` if there is none.
    pub(in crate::guard) fn load(&self) -> Result<Option<JournalFile>> {
        let Some(bytes) = self.read()? else { return Ok(None) };
        let path = self.path(JOURNAL);
        self.require_binding(JournalFile::decode_at(&shown(&path), &bytes)?).map(Some)
    }

    /// Reads the journal; [`Error::JournalMissing`] if there is none.
    pub(in crate::guard) fn load_existing(&self) -> Result<JournalFile> {
        self.load()?.ok_or_else(|| Error::JournalMissing { path: shown(&self.path(JOURNAL)) })
    }

    /// [`Error::JournalExists`] if there is a journal.
    pub(in crate::guard) fn require_none(&self) -> Result<()> {
        let path = self.path(JOURNAL);
        if self.disk.exists(&path).map_err(failure(&path, "reading the journal"))? {
            return Err(Error::JournalExists { path: shown(&path) });
        }
        Ok(())
    }

    /// Moves the journal away if there is one, and returns what is intact of it.
    pub(in crate::guard) fn set_aside(&self) -> Result<JournalFile> {
        let path = self.path(JOURNAL);
        let Some(bytes) = self.read()? else { return Ok(JournalFile::salvage(self.binding, &[])) };
        let intact = match JournalFile::decode_at(&shown(&path), &bytes) {
            Ok(file) => self.require_binding(file)?,
            Err(_) => JournalFile::salvage(self.binding, &bytes),
        };
        let failed = || failure(&path, "setting the journal aside");
        for number in 1u32.. {
            let aside = self.directory.join(format!("{JOURNAL}.aside-{number}"));
            if !self.disk.exists(&aside).map_err(failed())? {
                self.disk.rename(&path, &aside).map_err(failed())?;
                break;
            }
        }
        Ok(intact)
    }

    /// Writes the journal anew with these records, and opens it.
    pub(in crate::guard) fn start(self, floor: u64, records: Vec<GuardRecord>) -> Result<Journal> {
        let (file, written) = self.write(floor, records)?;
        let rewrite_at = rewrite_at(written);
        Ok(Journal { place: self, file, floor, written, rewrite_at, failed: false, process: process::id() })
    }

    /// Replaces the journal by one with these records. Once this has returned it is durable; until then the old one is.
    fn write(&self, floor: u64, records: Vec<GuardRecord>) -> Result<(Box<dyn DiskFile>, u64)> {
        let (new, path) = (self.path(NEW), self.path(JOURNAL));
        let written = records.len() as u64;
        let content = JournalFile { binding: self.binding, floor, records, torn: false }.encode();
        if content.len() as u64 > MAX_LEN {
            return Err(Error::TooLarge { what: "journal in bytes", limit: MAX_LEN });
        }
        let mut file = self.disk.create(&new).map_err(failure(&new, "creating the journal"))?;
        file.write(&content).map_err(failure(&new, "writing the journal"))?;
        file.sync().map_err(failure(&new, "making the journal durable"))?;
        self.disk.rename(&new, &path).map_err(failure(&path, "replacing the journal"))?;
        let durable = self.disk.sync_directory(&self.directory);
        durable.map_err(failure(&self.directory, "making the directory durable"))?;
        Ok((file, written))
    }

    fn read(&self) -> Result<Option<Vec<u8>>> {
        let path = self.path(JOURNAL);
        match self.disk.read(&path, MAX_LEN) {
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
        self.failed = true;
        (self.file, self.written) = self.place.write(self.floor, records)?;
        self.failed = false;
        self.rewrite_at = rewrite_at(self.written);
        Ok(())
    }

    /// Refuses every use after a failure, and in another process than the one that opened the journal.
    pub(in crate::guard) fn require_usable(&self) -> Result<()> {
        let path = self.place.path(JOURNAL);
        if self.process != process::id() {
            return Err(Error::JournalInUse { path: shown(&path) });
        }
        if self.failed {
            let reason = "an earlier write failed".into();
            return Err(Error::JournalFailed { path: shown(&path), operation: "writing a record", reason });
        }
        Ok(())
    }

    /// Refuses every further use, because the caller cannot complete what the last record permits.
    pub(in crate::guard) fn fail(&mut self) {
        self.failed = true;
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

fn rewrite_at(written: u64) -> u64 {
    written.saturating_mul(2).max(MIN_REWRITE)
}

/// Converts the error of a file operation.
fn failure(path: &Path, operation: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = shown(path);
    move |error| Error::JournalFailed { path, operation, reason: format!("{error}") }
}
