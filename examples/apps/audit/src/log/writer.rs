use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use quorate_mapped::AppendFile;
use serde::Deserialize;

use super::entry::{Entry, HASH, seal, unsealed_mark};
use super::opening::{LogEnd, cut_reserved, read_to_end};
use super::reader::Scan;
use super::recovery::{check_torn_tail, create, move_aside};
use crate::Application;
use crate::failure::{Exit, Failure, OrFail};

/// The only writer of a log.
#[derive(Debug)]
pub struct LogWriter {
    application: &'static Application,
    output: Output,
    sync: SyncPolicy,
    store: [u8; 32],
    last: u64,
    chain: [u8; 32],
    /// Time of receipt of the last entry.
    received: u64,
    /// Bytes of the last write.
    buffer: Vec<u8>,
    /// The last entry, if it is not sealed.
    unsealed: Option<Unsealed>,
    /// Hash of the last entry, if it is not in the file.
    unwritten: Option<[u8; 32]>,
}

#[derive(Debug)]
enum Output {
    Disk(Box<dyn Disk>),
    /// Reserved space in memory.
    Mapped(AppendFile),
}

/// An entry without its hash.
#[derive(Clone, Copy, Debug)]
struct Unsealed {
    /// Where it begins in the buffer, and where it ends.
    begin: usize,
    end: usize,
    /// Where its hash will be in a mapped file.
    hash_at: u64,
}

/// When an entry counts as durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncPolicy {
    /// When it is on disk: no failure of the machine loses the entry of an executed command.
    #[default]
    Always,
    /// When the operating system has it: no kill of the process loses it. For measurements, and for storage that is
    /// durable by itself.
    Kill,
}

/// How a log is opened.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// When an entry counts as durable.
    pub sync: SyncPolicy,
    /// Offset from which on the operator moves the damaged end of the log into a separate file. No byte is discarded,
    /// but executed commands of that part are no longer in the log.
    pub put_aside: Option<u64>,
    /// For writers that use [`LogWriter::append_unsealed`]: completes a last entry that lacks only its hash, and with
    /// [`SyncPolicy::Kill`] writes through memory where the file system can reserve space.
    pub seals_later: bool,
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

impl LogOptions {
    /// Creates options that change no damaged log.
    pub fn new(sync: SyncPolicy) -> Self {
        Self { sync, put_aside: None, seals_later: false }
    }
}

impl LogWriter {
    /// Opens or creates a log; `visit` is called with each entry. Cost: reads the file once, one hash per entry.
    ///
    /// # Errors
    /// [`Failure`] if another process has it open, if the file is not accessible or not a log, or if it is damaged
    /// in a way that a crash does not cause.
    pub fn open(
        application: &'static Application,
        path: &Path,
        sync: SyncPolicy,
        visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovery), Failure> {
        Self::open_with(application, path, &LogOptions::new(sync), visit)
    }

    /// Opens or creates a log with options.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if the damage does not begin at the offset that the options name; the log is
    /// then unchanged.
    pub fn open_with(
        application: &'static Application,
        path: &Path,
        options: &LogOptions,
        mut visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovery), Failure> {
        let &LogOptions { sync, put_aside, seals_later } = options;
        let mut file = open_locked(application, path)?;
        let scanned = file.try_clone().or_fail(Exit::Failed, path.display())?;
        let mut scan = Scan::from_file(application, scanned).map_err(|failure| failure.at(path.display()))?;
        let store = *scan.store();
        let (state, end) = read_to_end(&mut scan, seals_later, path, &mut visit)?;
        let mut recovered = Recovery { entries: state.last, torn: None };
        let bad = if let LogEnd::Bad(offset) = end { Some(offset) } else { None };
        if put_aside.is_some() && put_aside != bad {
            let what = bad.map_or("the log is intact".to_owned(), |offset| {
                format!("the log is intact up to byte {offset}")
            });
            let message = format!("{}: {what}; nothing was put aside", path.display());
            return Err(Failure::input(message));
        }
        match end {
            LogEnd::Whole(end) => file.set_len(end).or_fail(Exit::Failed, path.display())?,
            LogEnd::Unsealed(hash_at) => {
                file.set_len(hash_at).or_fail(Exit::Failed, path.display())?;
                file.write_all_at(&state.chain, hash_at).or_fail(Exit::Failed, path.display())?;
            }
            LogEnd::Bad(offset) => {
                if put_aside.is_none() {
                    check_torn_tail(scan, (state.last, state.chain), path, offset)?;
                }
                let doing = format_args!("putting aside {} from byte {offset} on", path.display());
                if seals_later {
                    cut_reserved(&file, offset).or_fail(Exit::Failed, doing)?;
                }
                recovered.torn = Some(move_aside(&mut file, path, offset).or_fail(Exit::Failed, doing)?);
            }
        }
        let end = file.seek(SeekFrom::End(0)).or_fail(Exit::Failed, path.display())?;
        if sync == SyncPolicy::Always {
            let reading = file.try_clone().or_fail(Exit::Failed, path.display())?;
            file.seek(SeekFrom::Start(state.group)).or_fail(Exit::Failed, path.display())?;
            write_again(&reading, &mut file, state.group..end).or_fail(Exit::Failed, path.display())?;
        }
        let output = match seals_later && sync == SyncPolicy::Kill {
            true => mapped(file, end).or_fail(Exit::Failed, path.display())?,
            false => Output::Disk(Box::new(file)),
        };
        let log = Self::new(application, output, sync, store, (state.last, state.chain));
        Ok((Self { received: state.received, ..log }, recovered))
    }

    fn new(
        application: &'static Application,
        output: Output,
        sync: SyncPolicy,
        store: [u8; 32],
        (last, chain): (u64, [u8; 32]),
    ) -> Self {
        let (received, buffer, unsealed, unwritten) = (0, Vec::new(), None, None);
        Self { application, output, sync, store, last, chain, received, buffer, unsealed, unwritten }
    }

    /// The store that the log is of.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// The last entry's number, 0 if there is none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Appends a group of at most [`MAX_GROUP`](super::MAX_GROUP) bytes. Returns the number of its first entry when the
    /// group is durable.
    ///
    /// # Errors
    /// I/O errors. The content of the disk is then unknown: the caller must stop and open the log again.
    pub fn append<'a>(&mut self, group: impl IntoIterator<Item = NewEntry<'a>>) -> io::Result<u64> {
        self.begin_write()?;
        let (first, durable) = (self.last + 1, self.last);
        for NewEntry { received, signer, body } in group {
            // Connections are not served in the order of the log, and clocks can be set back.
            self.received = self.received.max(received);
            let entry = Entry { number: self.last + 1, durable, received: self.received, signer, body };
            let begin = self.buffer.len();
            self.chain = entry.encode_to(self.application, &self.chain, &mut self.buffer);
            self.last += 1;
            if let Output::Mapped(file) = &mut self.output {
                file.append(self.buffer.get(begin..).unwrap_or_default())?;
            }
        }
        if let Output::Disk(disk) = &mut self.output {
            disk.write_all(&self.buffer)?;
            if self.sync == SyncPolicy::Always {
                disk.sync()?;
            }
        }
        Ok(first)
    }

    /// Writes an entry without its hash. Returns its number when the operating system has it; with [`SyncPolicy::Always`] this is
    /// [`append`](Self::append). Cost: two copies with [`LogOptions::seals_later`], otherwise one call of the operating system,
    /// with the hash of the entry before it. [`seal`](Self::seal) computes the hash later.
    ///
    /// # Errors
    /// Those of [`append`](Self::append).
    pub fn append_unsealed(&mut self, new: NewEntry<'_>) -> io::Result<u64> {
        if self.sync == SyncPolicy::Always {
            return self.append([new]);
        }
        self.begin_write()?;
        let (durable, begin) = (self.last, self.buffer.len());
        self.received = self.received.max(new.received);
        let entry = Entry {
            number: durable + 1,
            durable,
            received: self.received,
            signer: new.signer,
            body: new.body,
        };
        entry.encode_unsealed_to(&mut self.buffer);
        let end = self.buffer.len();
        let hash_at = match &mut self.output {
            Output::Disk(disk) => disk.write_all(&self.buffer).map(|()| 0)?,
            Output::Mapped(file) => {
                // Nothing else is in the buffer: a mapped file has the hash of the entry before.
                self.buffer.extend(unsealed_mark(durable + 1, end + HASH));
                file.append(&self.buffer)? + end as u64
            }
        };
        (self.last, self.unsealed) = (durable + 1, Some(Unsealed { begin, end, hash_at }));
        Ok(self.last)
    }

    /// Computes the hash of the last entry, if it has none, in about 2 µs for a DSig signature. It is in the file at once if that
    /// is written through memory, and otherwise with the next write.
    ///
    /// # Errors
    /// Those of [`append`](Self::append).
    pub fn seal(&mut self) -> io::Result<()> {
        let Some(Unsealed { begin, end, hash_at }) = self.unsealed.take() else { return Ok(()) };
        let unsealed = self.buffer.get(begin..end).unwrap_or_default();
        self.chain = seal(self.application, &self.chain, unsealed);
        match &mut self.output {
            Output::Disk(_) => self.unwritten = Some(self.chain),
            Output::Mapped(file) => {
                file.overwrite(hash_at, &self.chain)?;
                file.fetch_next(self.buffer.len() as u64);
            }
        }
        Ok(())
    }

    /// Makes a part of the room for `bytes` bytes of entries to come, in at most 20 µs, and returns true if there is more to
    /// do. To be called when no command waits.
    pub fn make_room(&mut self, bytes: u64) -> bool {
        match &mut self.output {
            Output::Disk(_) => false,
            Output::Mapped(file) => file.make_room(bytes),
        }
    }

    /// Writes the hash of the last entry, if it is not in the file.
    ///
    /// # Errors
    /// Those of [`append`](Self::append).
    pub fn flush(&mut self) -> io::Result<()> {
        self.begin_write()?;
        match &mut self.output {
            Output::Disk(disk) if !self.buffer.is_empty() => disk.write_all(&self.buffer),
            _ => Ok(()),
        }
    }

    /// Begins a write with the hash that is not in the file yet.
    fn begin_write(&mut self) -> io::Result<()> {
        self.seal()?;
        self.buffer.clear();
        self.buffer.extend(self.unwritten.take().into_iter().flatten());
        Ok(())
    }
}

/// Writes through memory, if space can be reserved. If not, a write reports what is wrong.
fn mapped(file: File, end: u64) -> io::Result<Output> {
    let mapped = AppendFile::new(file.try_clone()?, end);
    Ok(mapped.map_or_else(|_| Output::Disk(Box::new(file)), Output::Mapped))
}

/// Opens or creates the file, and locks it.
fn open_locked(application: &Application, path: &Path) -> Result<File, Failure> {
    // An inaccessible folder must not lead to a new store.
    if !path.try_exists().or_fail(Exit::Input, path.display())? {
        create(application, path).or_fail(Exit::Failed, format_args!("making the log {}", path.display()))?;
    }
    let file = OpenOptions::new().read(true).write(true).open(path).or_fail(Exit::Input, path.display())?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            Failure::input(format!("{}: another process has this log open; stop it first", path.display()))
        }
        TryLockError::Error(error) => Failure::failed(format!("locking {}: {error}", path.display())),
    })?;
    Ok(file)
}

/// Rewrites the last group in place. It may be only in the page cache, and the next entries will mark it as
/// durable: the server may have been killed before the sync, or the sync may have failed. After a failed sync the
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use super::*;
    use crate::application::TEST;

    /// A fake disk that keeps only synced data and can fail.
    #[derive(Clone, Debug, Default)]
    struct Seen(Arc<Mutex<State>>);

    #[derive(Debug, Default)]
    struct State {
        written: Vec<u8>,
        kept: Vec<u8>,
        fails: bool,
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut log = LogWriter::new(
            &TEST,
            Output::Disk(Box::new(seen.clone())),
            SyncPolicy::Always,
            [0; 32],
            (0, [0; 32]),
        );
        assert_eq!(log.append([one]).unwrap(), 1);
        assert_eq!(lock(&seen.0).kept.len(), crate::log::OVERHEAD + 1);
        lock(&seen.0).fails = true;
        assert!(log.append([one]).is_err());
    }

    #[test]
    fn possibly_unsynced_data_is_rewritten_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut log, _) = LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ()).unwrap();
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
        drop(LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ()).unwrap());
        assert!(file.metadata().unwrap().modified().unwrap() > std::time::UNIX_EPOCH);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn concurrent_creation_yields_one_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        create(&TEST, &path).unwrap();
        let first = fs::read(&path).unwrap();
        create(&TEST, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file remains");
    }
}
