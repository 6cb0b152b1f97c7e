//! The file operations of a journal, behind a trait so that tests can make each of them fail.

use std::boxed::Box;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::vec::Vec;

/// Operations on files and directories.
pub(in crate::guard) trait Disk: Send {
    /// Creates a directory that only its owner can read, unless it exists, and makes its entry durable.
    fn create_directory(&self, directory: &Path) -> io::Result<()>;

    /// Locks a file, which is created if it is absent, until the result is dropped; `None` if it is locked already.
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// Returns true if there is a file.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// Reads a whole file of at most `limit` bytes; [`ErrorKind::FileTooLarge`] for a longer one.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// Creates an empty file, or empties an existing one.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Renames a file, and replaces the file of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes the entries of a directory durable.
    fn sync_directory(&self, directory: &Path) -> io::Result<()>;
}

/// A file that is written from its beginning to its end.
pub(in crate::guard) trait DiskFile: Send {
    /// Writes bytes behind those that were written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes everything that was written durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock, which is released when it is dropped.
pub(in crate::guard) type Lock = Box<dyn Send>;

/// The file system of the operating system.
#[derive(Clone, Copy, Debug)]
pub(in crate::guard) struct SystemDisk;

impl Disk for SystemDisk {
    fn create_directory(&self, directory: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(directory) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => {}
            done => done?,
        }
        directory.parent().map_or(Ok(()), |parent| self.sync_directory(parent))
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Box::new(options.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Needed and possible only on Unix.
    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
    }
}

impl DiskFile for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
