//! The file operations of a journal, behind a trait so that tests can make each of them fail.

use std::boxed::Box;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{self, Path, PathBuf};
use std::vec::Vec;

/// Operations on files and directories.
pub(in crate::guard) trait Disk: Send {
    /// Returns a path that a change of the working directory does not affect.
    fn absolute(&self, path: &Path) -> io::Result<PathBuf>;

    /// Creates a directory that only its owner can read, unless it exists, and makes its entry durable.
    fn create_directory(&self, directory: &Path) -> io::Result<()>;

    /// Locks a file, which is created if it is absent, until the result is dropped; `None` if it is locked already.
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>>;

    /// Returns true if there is a file.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// Returns the names in a directory.
    fn names(&self, directory: &Path) -> io::Result<Vec<OsString>>;

    /// Reads a file, and not more than its first `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// Creates an empty file, or empties an existing one.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Renames a file, and replaces the file of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a durable file a second name, which must be free, and keeps the first one. The entry is not durable yet.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

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
    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        path::absolute(path)
    }

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

    fn names(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
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

    /// Copies the file if the file system has no second names.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                fs::copy(from, to)?;
                OpenOptions::new().write(true).open(to)?.sync_all()
            }
            done => done,
        }
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
