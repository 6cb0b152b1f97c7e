//! Durable operations on files and directories.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use crate::{NodeError, Result};

/// Creates a directory that only its owner can read, durably.
///
/// # Errors
/// [`NodeError::Io`].
pub fn create_dir(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|e| NodeError::file("creating the directory", dir, e))?;
    dir.parent().map_or(Ok(()), sync_dir)
}

/// Makes the entries of a directory durable. Needed and possible only on Unix.
///
/// # Errors
/// [`NodeError::Io`].
pub fn sync_dir(dir: &Path) -> Result<()> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    if cfg!(unix) {
        File::open(dir)
            .and_then(|d| d.sync_all())
            .map_err(|e| NodeError::file("synchronising the directory", dir, e))?;
    }
    Ok(())
}

/// Replaces a file atomically: after a crash it has the old content or the new one. The new content is first written to a
/// file with the extension `new`, which may remain after an error.
///
/// # Errors
/// [`NodeError::Io`].
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
    let error = |e| NodeError::file("writing", path, e);
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary).map_err(error)?;
    write(&mut file).and_then(|()| file.flush()).and_then(|()| file.sync_all()).map_err(error)?;
    fs::rename(&temporary, path).map_err(error)?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Overwrites a file and removes it, if it exists. It is removed even if it cannot be overwritten. Copies may remain in the file
/// system.
///
/// # Errors
/// [`NodeError::Io`] if the file cannot be removed.
pub fn wipe(path: &Path) -> Result<()> {
    // A failure leaves the content on the disk, as it may be in any case.
    let _ = overwrite(path);
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(NodeError::file("deleting", path, error)),
        _ => Ok(()),
    }
}

/// Size in bytes of the files in a directory and below it. Skips files that are deleted meanwhile.
///
/// # Errors
/// [`NodeError::Io`].
pub fn disk_bytes(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir).map_err(|e| NodeError::file("reading", dir, e))? {
        let entry = entry.map_err(|e| NodeError::file("reading", dir, e))?;
        bytes += match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path())?,
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            Err(error) => return Err(NodeError::file("reading", &entry.path(), error)),
        };
    }
    Ok(bytes)
}

fn overwrite(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let length = file.metadata()?.len();
    io::copy(&mut io::repeat(0).take(length), &mut file)?;
    file.sync_data()
}
