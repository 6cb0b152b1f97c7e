//! Reads files with a size limit, and writes files durably.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::der::MAX_SIGNATURE;
use crate::failure::{Exit, Failure, OrFail};
use crate::protocol::MAX_MESSAGE;

/// Reads a message to be signed or verified.
///
/// # Errors
/// [`Failure::setup`].
pub fn read_message(path: &Path) -> Result<Vec<u8>, Failure> {
    let most = MAX_MESSAGE as u64;
    read(path, most).or_fail(
        Exit::Setup,
        format!("message {} (at most {most} bytes; sign the hash of a longer message)", path.display()),
    )
}

/// Reads a signature file.
///
/// # Errors
/// [`Failure::setup`].
pub fn read_signature(path: &Path) -> Result<Vec<u8>, Failure> {
    read(path, 4 * MAX_SIGNATURE as u64).or_fail(Exit::Setup, format!("signature {}", path.display()))
}

/// Creates a file and makes it durable. A private file is readable by its owner only.
///
/// # Errors
/// [`Failure::setup`], also if the file exists.
pub fn write_new(path: &Path, private: bool, bytes: &[u8]) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(if private { 0o600 } else { 0o644 });
    let mut file = options.open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::setup(format!("{} exists and is not overwritten", path.display()))
        }
        _ => Failure::setup(format!("cannot write {}: {e}", path.display())),
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| sync_parent(path));
    written.or_fail(Exit::Failed, format!("writing {}", path.display()))
}

/// Reads a file of at most `most` bytes, so that no path makes the program read without end.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most {
        Err(format!("larger than {most} bytes; check the path"))
    } else {
        Ok(bytes)
    }
}

/// Makes the directory entry of a file durable.
pub(crate) fn sync_parent(path: &Path) -> std::io::Result<()> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent)?.sync_all()
}
