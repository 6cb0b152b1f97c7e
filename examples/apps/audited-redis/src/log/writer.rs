use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::entry::{Entry, HEADER, MAX_GROUP, MAX_NUMBER_JUMP, header};
use super::reader::{Scan, ScanStep};
use crate::config::SyncPolicy;
use crate::failure::{Exit, Failure, OrFail};

/// The only writer of a log.
#[derive(Debug)]
pub struct LogWriter {
    disk: Box<dyn Disk>,
    sync: SyncPolicy,
    store: [u8; 32],
    last: u64,
    chain: [u8; 32],
    /// Time of receipt of the last entry.
    received: u64,
    buffer: Vec<u8>,
}

/// Result of opening a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Number of entries.
    pub entries: u64,
    /// Torn tail that was moved aside: its offset, its length, and its new file.
    pub torn: Option<(u64, u64, PathBuf)>,
}

/// An entry to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewEntry<'a> {
    /// Time of receipt in microseconds. The log never stores a time below that of the previous entry.
    pub received: u64,
    /// The signer's public key.
    pub signer: [u8; 32],
    /// The signed command.
    pub body: &'a [u8],
}

/// Operations of a file that the writer needs, as a trait for tests.
trait Disk: Write + Send + std::fmt::Debug {
    /// Returns when all written data is on disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Disk for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl LogWriter {
    /// Opens or creates a log; `visit` is called with each entry. Cost: reads the file once, one hash per entry.
    ///
    /// # Errors
    /// [`Failure`] if another process has it open, if the file is not accessible or not a log, or if it is damaged
    /// in a way that a crash does not cause.
    pub fn open(
        path: &Path,
        sync: SyncPolicy,
        visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovery), Failure> {
        Self::open_putting_aside(path, sync, None, visit)
    }

    /// Opens a log and moves its damaged end, from the offset `put_aside` on, into a separate file, as the operator
    /// requested. No byte is discarded, but executed commands of that part are no longer in the log.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if the damage does not begin at this offset; the log is then unchanged.
    pub fn open_putting_aside(
        path: &Path,
        sync: SyncPolicy,
        put_aside: Option<u64>,
        mut visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovery), Failure> {
        // An inaccessible folder must not lead to a new store.
        if !path.try_exists().or_fail(Exit::Input, path.display())? {
            create(path).or_fail(Exit::Failed, format_args!("making the log {}", path.display()))?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).open(path).or_fail(Exit::Input, path.display())?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Failure::input(format!(
                "{}: another process has this log open; stop it first",
                path.display()
            )),
            TryLockError::Error(error) => Failure::failed(format!("locking {}: {error}", path.display())),
        })?;
        let scanned = file.try_clone().or_fail(Exit::Failed, path.display())?;
        let mut scan = Scan::from_file(scanned).map_err(|failure| failure.at(path.display()))?;
        let store = *scan.store();
        let (mut last, mut chain, mut received) = (0, scan.first_chain(), 0);
        // The last durable entry according to the last group, and the group's offset.
        let mut group = (0, scan.offset());
        let bad = loop {
            let offset = scan.offset();
            let len = match scan.step().or_fail(Exit::Failed, path.display())? {
                ScanStep::Entry(raw) if raw.entry.number == last + 1 && raw.follows(&chain) => {
                    visit(&raw.entry);
                    if raw.entry.durable != group.0 {
                        group = (raw.entry.durable, offset);
                    }
                    (last, chain, received) = (last + 1, raw.chain, raw.entry.received);
                    raw.len()
                }
                ScanStep::End => break None,
                _ => break Some(scan.offset()),
            };
            scan.skip(len);
        };
        let mut recovered = Recovery { entries: last, torn: None };
        if put_aside.is_some() && put_aside != bad {
            let what = bad.map_or("the log is intact".to_owned(), |offset| {
                format!("the log is intact up to byte {offset}")
            });
            let message = format!("{}: {what}; nothing was put aside", path.display());
            return Err(Failure::input(message));
        }
        if let Some(offset) = bad {
            if put_aside.is_none() {
                check_torn_tail(scan, (last, chain), path, offset)?;
            }
            let doing = format_args!("putting aside {} from byte {offset} on", path.display());
            recovered.torn = Some(move_aside(&mut file, path, offset).or_fail(Exit::Failed, doing)?);
        }
        let end = file.seek(SeekFrom::End(0)).or_fail(Exit::Failed, path.display())?;
        if sync == SyncPolicy::Always {
            let reading = file.try_clone().or_fail(Exit::Failed, path.display())?;
            file.seek(SeekFrom::Start(group.1)).or_fail(Exit::Failed, path.display())?;
            write_again(&reading, &mut file, group.1..end).or_fail(Exit::Failed, path.display())?;
        }
        Ok((Self { received, ..Self::new(Box::new(file), sync, store, (last, chain)) }, recovered))
    }

    fn new(disk: Box<dyn Disk>, sync: SyncPolicy, store: [u8; 32], (last, chain): (u64, [u8; 32])) -> Self {
        Self { disk, sync, store, last, chain, received: 0, buffer: Vec::new() }
    }

    /// The store that the log is of.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// The last entry's number, 0 if there is none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Appends a group of at most [`MAX_GROUP`] bytes. Returns the number of its first entry when the group is durable.
    ///
    /// # Errors
    /// I/O errors. The content of the disk is then unknown: the caller must stop and open the log again.
    pub fn append<'a>(&mut self, group: impl IntoIterator<Item = NewEntry<'a>>) -> io::Result<u64> {
        let (first, durable) = (self.last + 1, self.last);
        self.buffer.clear();
        for NewEntry { received, signer, body } in group {
            // Connections are not served in the order of the log, and clocks can be set back.
            self.received = self.received.max(received);
            let entry = Entry { number: self.last + 1, durable, received: self.received, signer, body };
            self.chain = entry.encode_to(&self.chain, &mut self.buffer);
            self.last += 1;
        }
        self.disk.write_all(&self.buffer)?;
        if self.sync == SyncPolicy::Always {
            self.disk.sync()?;
        }
        Ok(first)
    }
}

/// Rewrites the last group in place. It may be only in the page cache, and the next entries will mark it as
/// durable: the front may have been killed before the sync, or the sync may have failed. After a failed sync the
/// kernel treats the pages as clean and does not write them again by itself.
fn write_again(file: &File, disk: &mut impl Disk, tail: Range<u64>) -> io::Result<()> {
    let (mut chunk, mut at) = (vec![0; 1 << 20], tail.start);
    while at < tail.end {
        let len = chunk.len().min(usize::try_from(tail.end - at).unwrap_or(usize::MAX));
        let part = chunk.get_mut(..len).unwrap_or_default();
        file.read_exact_at(part, at)?;
        disk.write_all(part)?;
        at += len as u64;
    }
    disk.sync()
}

/// Creates a log atomically: it gets its name when its header is on disk. If two processes create it at the same
/// time, one file gets the name, and both use it.
fn create(path: &Path) -> io::Result<()> {
    let mut store = [0; 32];
    getrandom::fill(&mut store).map_err(|error| io::Error::other(error.to_string()))?;
    let mut unfinished = new_file(path)?;
    unfinished.write_all(&header(&store))?;
    unfinished.as_file().sync_all()?;
    match unfinished.persist_noclobber(path) {
        Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists => return Err(failed.error),
        _ => {}
    }
    sync_folder(path)
}

/// Fails unless the bad entry can be the result of a crash: at most one group follows, and no complete entry marks
/// it as durable.
fn check_torn_tail(
    mut scan: Scan,
    (last, chain): (u64, [u8; 32]),
    path: &Path,
    offset: u64,
) -> Result<(), Failure> {
    let damaged = |what: &str| {
        let message = format!(
            "{}: damaged from byte {offset} on, entry {}: {what}. Keep the file and run `audited-redis audit`. When \
             the cause is known, start once with `--put-aside {offset}`, which moves the bytes to another file",
            path.display(),
            last + 1
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
        expected = Some(raw.expected_chain(&chain));
        scan.skip(bytes);
    }
    if let (ScanStep::Entry(raw), Some(expected)) =
        (scan.step().or_fail(Exit::Failed, path.display())?, expected)
        && raw.entry.durable > last
        && raw.follows(&expected)
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
fn move_aside(file: &mut File, path: &Path, offset: u64) -> io::Result<(u64, u64, PathBuf)> {
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

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::lock;

    /// A fake disk that keeps only synced data and can fail.
    #[derive(Clone, Debug, Default)]
    struct Seen(Arc<Mutex<State>>);

    #[derive(Debug, Default)]
    struct State {
        written: Vec<u8>,
        kept: Vec<u8>,
        fails: bool,
    }

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).written.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Disk for Seen {
        fn sync(&mut self) -> io::Result<()> {
            let mut state = lock(&self.0);
            let State { written, kept, fails } = &mut *state;
            if *fails {
                // As on Linux, unwritten pages count as clean after the error.
                written.clear();
                return Err(io::Error::other("the disk failed"));
            }
            kept.append(written);
            Ok(())
        }
    }

    #[test]
    fn appended_entries_are_on_disk() {
        let seen = Seen::default();
        let one = NewEntry { received: 1, signer: [0; 32], body: b"a" };
        let mut log = LogWriter::new(Box::new(seen.clone()), SyncPolicy::Always, [0; 32], (0, [0; 32]));
        assert_eq!(log.append([one]).unwrap(), 1);
        assert_eq!(lock(&seen.0).kept.len(), crate::log::OVERHEAD + 1);
        lock(&seen.0).fails = true;
        assert!(log.append([one]).is_err());
    }

    #[test]
    fn possibly_unsynced_data_is_rewritten_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut log, _) = LogWriter::open(&path, SyncPolicy::Always, |_| ()).unwrap();
        for body in [&b"a"[..], b"bc"] {
            log.append([NewEntry { received: 1, signer: [0; 32], body }]).unwrap();
        }
        drop(log);
        let (file, bytes) =
            (OpenOptions::new().write(true).read(true).open(&path).unwrap(), fs::read(&path).unwrap());
        let seen = Seen::default();
        write_again(&file, &mut seen.clone(), 100..bytes.len() as u64).unwrap();
        assert_eq!(lock(&seen.0).kept, bytes[100..]);
        // The modification time shows that the data was rewritten.
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        drop(LogWriter::open(&path, SyncPolicy::Always, |_| ()).unwrap());
        assert!(file.metadata().unwrap().modified().unwrap() > std::time::UNIX_EPOCH);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn concurrent_creation_yields_one_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        create(&path).unwrap();
        let first = fs::read(&path).unwrap();
        create(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file remains");
    }
}
