use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{Entry, FAR, HEADER, MAX_GROUP, Scan, Step, header};
use crate::config::Sync;
use crate::failure::{Exit, Failure, OrFail};

/// The only writer of a log.
#[derive(Debug)]
pub struct LogWriter {
    disk: Box<dyn Disk>,
    sync: Sync,
    store: [u8; 32],
    last: u64,
    chain: [u8; 32],
    /// The last entry's time.
    received: u64,
    buffer: Vec<u8>,
}

/// What was found when a log was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Entries.
    pub entries: u64,
    /// An unfinished tail: where it began, how long it was, where it is now.
    pub torn: Option<(u64, u64, PathBuf)>,
}

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Microseconds of our clock. In the log it is never below that of the entry before.
    pub received: u64,
    /// The signer's public key.
    pub signer: [u8; 32],
    /// The signed command.
    pub body: &'a [u8],
}

/// What a writer needs of a file, so that a test can see the order of what it does.
trait Disk: Write + Send + std::fmt::Debug {
    /// Returns when what was written is on disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Disk for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl LogWriter {
    /// Opens a log, or makes one; `visit` sees each entry. Cost: one reading of the file, one hash per entry.
    ///
    /// # Errors
    /// [`Failure`] if another process writes it, if it cannot be looked for, if it is no log, and if it is damaged
    /// where no crash damages it.
    pub fn open(
        path: &Path,
        sync: Sync,
        visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovered), Failure> {
        Self::open_putting_aside(path, sync, None, visit)
    }

    /// The same, for an operator who knows better: what looks damaged from this place on is put aside like a torn tail.
    /// No byte is thrown away, but what was executed of it is no longer in the log.
    ///
    /// # Errors
    /// As for [`open`](Self::open); and if nothing is wrong at this place, with a log as it was.
    pub fn open_putting_aside(
        path: &Path,
        sync: Sync,
        put_aside: Option<u64>,
        mut visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovered), Failure> {
        // A folder that may not be searched is no reason for a new store.
        if !path.try_exists().or_fail(Exit::Input, path.display())? {
            create(path).or_fail(Exit::Failed, format_args!("making the log {}", path.display()))?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).open(path).or_fail(Exit::Input, path.display())?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                Failure::input(format!("{}: another process writes this log; stop it first", path.display()))
            }
            TryLockError::Error(error) => Failure::failed(format!("locking {}: {error}", path.display())),
        })?;
        let scanned = file.try_clone().or_fail(Exit::Failed, path.display())?;
        let mut scan = Scan::of(scanned).map_err(|failure| failure.at(path.display()))?;
        let store = *scan.store();
        let (mut last, mut chain, mut received) = (0, scan.first_chain(), 0);
        // What the last group says was on disk before it, and where it begins.
        let mut group = (0, scan.offset());
        let bad = loop {
            let offset = scan.offset();
            let len = match scan.step().or_fail(Exit::Failed, path.display())? {
                Step::Entry(raw) if raw.entry.number == last + 1 && raw.follows(&chain) => {
                    visit(&raw.entry);
                    if raw.entry.durable != group.0 {
                        group = (raw.entry.durable, offset);
                    }
                    (last, chain, received) = (last + 1, raw.chain, raw.entry.received);
                    raw.len()
                }
                Step::End => break None,
                _ => break Some(scan.offset()),
            };
            scan.skip(len);
        };
        let mut recovered = Recovered { entries: last, torn: None };
        if put_aside.is_some() && put_aside != bad {
            let what =
                bad.map_or("all of it is whole".to_owned(), |offset| format!("it is whole to byte {offset}"));
            let message = format!("{}: {what}; nothing was put aside", path.display());
            return Err(Failure::input(message));
        }
        if let Some(offset) = bad {
            if put_aside.is_none() {
                refuse_if_damaged(scan, (last, chain), path, offset)?;
            }
            let doing = format_args!("putting aside {} from byte {offset} on", path.display());
            recovered.torn = Some(move_aside(&mut file, path, offset).or_fail(Exit::Failed, doing)?);
        }
        let end = file.seek(SeekFrom::End(0)).or_fail(Exit::Failed, path.display())?;
        if sync == Sync::Always {
            let reading = file.try_clone().or_fail(Exit::Failed, path.display())?;
            file.seek(SeekFrom::Start(group.1)).or_fail(Exit::Failed, path.display())?;
            write_again(&reading, &mut file, group.1..end).or_fail(Exit::Failed, path.display())?;
        }
        Ok((Self { received, ..Self::of(Box::new(file), sync, store, (last, chain)) }, recovered))
    }

    fn of(disk: Box<dyn Disk>, sync: Sync, store: [u8; 32], (last, chain): (u64, [u8; 32])) -> Self {
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

    /// Appends a group of at most [`MAX_GROUP`] bytes; returns when it is durable, with the first one's number.
    ///
    /// # Errors
    /// Those of the disk. What is on it then is unknown: stop, and open the log anew.
    pub fn append<'a>(&mut self, group: impl IntoIterator<Item = Written<'a>>) -> io::Result<u64> {
        let (first, durable) = (self.last + 1, self.last);
        self.buffer.clear();
        for Written { received, signer, body } in group {
            // Connections are not heard in the order of the log, and clocks are set back.
            self.received = self.received.max(received);
            let entry = Entry { number: self.last + 1, durable, received: self.received, signer, body };
            self.chain = entry.encode_to(&self.chain, &mut self.buffer);
            self.last += 1;
        }
        self.disk.write_all(&self.buffer)?;
        if self.sync == Sync::Always {
            self.disk.sync()?;
        }
        Ok(first)
    }
}

/// The last group may be in the system's memory alone, and the next entries will call it durable: the front was killed
/// before the disk had it, or the disk reported that it does not. After that report the system takes these pages for
/// clean and would not write them again by itself; so they are written again, the same bytes to the same place.
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

/// A new log is whole or not there: it gets its name when its header is on disk. Of two that are made at once one
/// gets it, and is the log of both.
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

/// A bad entry is the work of a crash only if it was of the last group: if not more than a group follows, and no
/// whole entry that calls it durable.
fn refuse_if_damaged(
    mut scan: Scan,
    (last, chain): (u64, [u8; 32]),
    path: &Path,
    offset: u64,
) -> Result<(), Failure> {
    let damaged = |what: &str| {
        let message = format!(
            "{}: damaged from byte {offset} on, entry {}: {what}. Keep the file, run `audited-redis audit`, and when \
             you know what happened start once with `--put-aside {offset}`: it keeps the bytes in another file",
            path.display(),
            last + 1
        );
        Failure::with_code(Exit::Tampered, "LOG_DAMAGED", message)
    };
    let len = fs::metadata(path).or_fail(Exit::Failed, path.display())?.len();
    if len - offset > MAX_GROUP as u64 {
        return Err(damaged("more bytes are unreadable than a crash leaves"));
    }
    // What the next entry is bound to, if only the hash of the bad one is wrong.
    let (mut expected, mut stated) = (None, 0);
    if let Step::Entry(raw) = scan.step().or_fail(Exit::Failed, path.display())? {
        if raw.entry.durable > last {
            return Err(damaged("an entry is missing"));
        }
        let bytes = raw.len();
        stated = bytes as u64;
        expected = Some(raw.expected_chain(&chain));
        scan.skip(bytes);
    }
    if let (Step::Entry(raw), Some(expected)) = (scan.step().or_fail(Exit::Failed, path.display())?, expected)
        && raw.entry.durable > last
        && raw.follows(&expected)
    {
        return Err(damaged("its hash is wrong, but it was on disk"));
    }
    scan.go_to(offset).or_fail(Exit::Failed, path.display())?;
    if let Step::Cut(_) = scan.step().or_fail(Exit::Failed, path.display())? {
        stated = len - offset;
    }
    while scan.resume(&(1..last + FAR)).or_fail(Exit::Failed, path.display())?.is_some() {
        if let Step::Entry(raw) = scan.step().or_fail(Exit::Failed, path.display())?
            && raw.entry.durable > last
        {
            let at = scan.offset();
            return Err(damaged(&if at < offset + stated {
                format!(
                    "what stands within its own bytes, at byte {at}, looks like an entry that says that it was on disk; \
                     a client's value may be made to look so, and then it may be of a crash"
                )
            } else {
                format!("the entry at byte {at} says that it was on disk")
            }));
        }
    }
    if scan.gave_up() {
        return Err(damaged("too much of it looks like entries, and was not looked at"));
    }
    Ok(())
}

/// Bytes are evidence: they get a file of their own before the log is shortened.
fn move_aside(file: &mut File, path: &Path, offset: u64) -> io::Result<(u64, u64, PathBuf)> {
    file.seek(SeekFrom::Start(offset))?;
    // Of a copy that fails, as on a full disk, nothing is left: the next start tries again.
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

/// A file in the log's folder that goes away if it does not get its name. As readable as any new file, unlike other
/// temporary ones.
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

    /// A disk that keeps only what it was told to sync, and can fail to.
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
                // As Linux does it: what was not written counts as clean.
                written.clear();
                return Err(io::Error::other("the disk failed"));
            }
            kept.append(written);
            Ok(())
        }
    }

    #[test]
    fn what_append_answers_for_is_on_disk() {
        let seen = Seen::default();
        let one = Written { received: 1, signer: [0; 32], body: b"a" };
        let mut log = LogWriter::of(Box::new(seen.clone()), Sync::Always, [0; 32], (0, [0; 32]));
        assert_eq!(log.append([one]).unwrap(), 1);
        assert_eq!(lock(&seen.0).kept.len(), super::super::OVERHEAD + 1);
        lock(&seen.0).fails = true;
        assert!(log.append([one]).is_err());
    }

    #[test]
    fn what_the_disk_may_not_have_is_written_again_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut log, _) = LogWriter::open(&path, Sync::Always, |_| ()).unwrap();
        for body in [&b"a"[..], b"bc"] {
            log.append([Written { received: 1, signer: [0; 32], body }]).unwrap();
        }
        drop(log);
        let (file, bytes) =
            (OpenOptions::new().write(true).read(true).open(&path).unwrap(), fs::read(&path).unwrap());
        let seen = Seen::default();
        write_again(&file, &mut seen.clone(), 100..bytes.len() as u64).unwrap();
        assert_eq!(lock(&seen.0).kept, bytes[100..]);
        // Nothing shows it in a file but that it was written.
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        drop(LogWriter::open(&path, Sync::Always, |_| ()).unwrap());
        assert!(file.metadata().unwrap().modified().unwrap() > std::time::UNIX_EPOCH);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn of_two_new_logs_at_once_one_is_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        create(&path).unwrap();
        let first = fs::read(&path).unwrap();
        create(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left over");
    }
}
