//! Files of a log: their creation, the check of a torn end, and its removal.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::entry::{HEADER, MAX_GROUP, MAX_NUMBER_JUMP, header};
use super::reader::{Scan, ScanStep};
use crate::Application;
use crate::failure::{Exit, Failure, OrFail};

/// Creates a log atomically: it gets its name when its header is on disk. If two processes create it at the same
/// time, one file gets the name, and both use it.
pub(super) fn create(application: &Application, path: &Path) -> io::Result<()> {
    let mut store = [0; 32];
    getrandom::fill(&mut store).map_err(|error| io::Error::other(error.to_string()))?;
    let mut unfinished = new_file(path)?;
    unfinished.write_all(&header(application, &store))?;
    unfinished.as_file().sync_all()?;
    match unfinished.persist_noclobber(path) {
        Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists => return Err(failed.error),
        _ => {}
    }
    sync_folder(path)
}

/// Fails unless the bad entry can be the result of a crash: at most one group follows, and no complete entry marks
/// it as durable.
pub(super) fn check_torn_tail(
    mut scan: Scan,
    (last, chain): (u64, [u8; 32]),
    path: &Path,
    offset: u64,
) -> Result<(), Failure> {
    let application = scan.application();
    let damaged = |what: &str| {
        let message = format!(
            "{}: damaged from byte {offset} on, entry {}: {what}. Keep the file and run `{} audit`. When \
             the cause is known, start once with `--put-aside {offset}`, which moves the bytes to another file",
            path.display(),
            last + 1,
            application.program
        );
        Failure::with_code(Exit::Tampered, "LOG_DAMAGED", message)
    };
    let len = fs::metadata(path).or_fail(Exit::Failed, path.display())?.len();
    if len - offset > MAX_GROUP as u64 {
        return Err(damaged("more bytes are damaged than a crash can cause"));
    }
    // The hash that the next entry follows, if only the stored hash of the bad entry is wrong.
    let (mut expected, mut stated) = (None, 0);
    if let ScanStep::Entry(raw) = scan.step().or_fail(Exit::Failed, path.display())? {
        if raw.entry.durable > last {
            return Err(damaged("an entry is missing"));
        }
        let bytes = raw.len();
        stated = bytes as u64;
        expected = Some(raw.expected_chain(application, &chain));
        scan.skip(bytes);
    }
    if let (ScanStep::Entry(raw), Some(expected)) =
        (scan.step().or_fail(Exit::Failed, path.display())?, expected)
        && raw.entry.durable > last
        && raw.follows(application, &expected)
    {
        return Err(damaged("its hash is wrong, although it was on disk"));
    }
    scan.go_to(offset).or_fail(Exit::Failed, path.display())?;
    if let ScanStep::Truncated(_) = scan.step().or_fail(Exit::Failed, path.display())? {
        stated = len - offset;
    }
    while scan.resume(&(1..last + MAX_NUMBER_JUMP)).or_fail(Exit::Failed, path.display())?.is_some() {
        if let ScanStep::Entry(raw) = scan.step().or_fail(Exit::Failed, path.display())?
            && raw.entry.durable > last
        {
            let at = scan.offset();
            return Err(damaged(&if at < offset + stated {
                format!(
                    "byte {at}, within the entry itself, looks like an entry that marks it as on disk; \
                     a client can craft such a value, and then a crash can be the cause"
                )
            } else {
                format!("the entry at byte {at} marks it as on disk")
            }));
        }
    }
    if scan.gave_up() {
        return Err(damaged("too much of the file looks like entries, so the rest was not read"));
    }
    Ok(())
}

/// Copies the bytes, which are evidence, to a separate file before the log is truncated.
pub(super) fn move_aside(file: &mut File, path: &Path, offset: u64) -> io::Result<(u64, u64, PathBuf)> {
    file.seek(SeekFrom::Start(offset))?;
    // A failed copy, for example on a full disk, leaves no file; the next start tries again.
    let mut copy = new_file(path)?;
    let bytes = io::copy(file, copy.as_file_mut())?;
    copy.as_file().sync_all()?;
    let mut attempt = 0u32;
    let aside = loop {
        let aside = beside(path, &format!(".torn-{offset}-{attempt}"));
        match copy.persist_noclobber(&aside) {
            Ok(_) => break aside,
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => copy = taken.file,
            Err(failed) => return Err(failed.error),
        }
        attempt += 1;
    };
    sync_folder(path)?;
    file.set_len(offset.max(HEADER as u64))?;
    file.sync_all()?;
    Ok((offset, bytes, aside))
}

/// Creates a file in the log's folder that is removed unless it gets a name, with the permissions of a regular new
/// file.
fn new_file(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o666)).tempfile_in(folder(path))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the name of a new file durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}
