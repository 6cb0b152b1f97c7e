use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Entry, FAR, HEADER, MAX_GROUP, Scan, Step, header};
use crate::config::Sync;
use crate::failure::{Doing, Exit, Failure};

/// The only writer of a log.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    sync: Sync,
    store: [u8; 32],
    last: u64,
    chain: [u8; 32],
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
    /// Microseconds of our clock.
    pub received: u64,
    /// The signer's public key.
    pub signer: [u8; 32],
    /// The signed command.
    pub body: &'a [u8],
}

impl LogWriter {
    /// Opens a log, or makes one; `visit` sees each entry. Cost: one reading of the file, one hash per entry.
    ///
    /// # Errors
    /// [`Failure`] if another process writes it, if it is no log, and if it is damaged where no crash damages it.
    pub fn open(
        path: &Path,
        sync: Sync,
        mut visit: impl FnMut(&Entry<'_>),
    ) -> Result<(Self, Recovered), Failure> {
        if !path.exists() {
            create(path).doing(format_args!("making the log {}", path.display()))?;
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path).reading(path.display())?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                Failure::input(format!("{}: another process writes this log; stop it first", path.display()))
            }
            TryLockError::Error(error) => Failure::failed(format!("locking {}: {error}", path.display())),
        })?;
        let scanned = file.try_clone().doing(path.display())?;
        let mut scan = Scan::of(scanned).map_err(|failure| failure.at(path.display()))?;
        let store = *scan.store();
        let (mut last, mut chain) = (0, scan.first_chain());
        let bad = loop {
            let len = match scan.step().doing(path.display())? {
                Step::Entry(raw) if raw.entry.number == last + 1 && raw.follows(&chain) => {
                    visit(&raw.entry);
                    (last, chain) = (last + 1, raw.chain);
                    raw.len()
                }
                Step::End => break None,
                _ => break Some(scan.offset()),
            };
            scan.skip(len);
        };
        let mut recovered = Recovered { entries: last, torn: None };
        if let Some(offset) = bad {
            refuse_if_damaged(scan, (last, chain), path, offset)?;
            recovered.torn = Some(move_aside(&mut file, path, offset).doing(path.display())?);
        }
        file.seek(SeekFrom::End(0)).doing(path.display())?;
        // What a killed front wrote last may still be on its way to the disk; the next entries will call it durable.
        if sync == Sync::Always {
            file.sync_data().doing(path.display())?;
        }
        Ok((Self { file, sync, store, last, chain, buffer: Vec::new() }, recovered))
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
            let entry = Entry { number: self.last + 1, durable, received, signer, body };
            self.chain = entry.encode_to(&self.chain, &mut self.buffer);
            self.last += 1;
        }
        self.file.write_all(&self.buffer)?;
        if self.sync == Sync::Always {
            self.file.sync_data()?;
        }
        Ok(first)
    }
}

/// A new log is whole or not there: it gets its name when its header is on disk.
fn create(path: &Path) -> io::Result<()> {
    let mut store = [0; 32];
    getrandom::fill(&mut store).map_err(|error| io::Error::other(error.to_string()))?;
    let unfinished = beside(path, ".new");
    let mut file = File::create(&unfinished)?;
    file.write_all(&header(&store))?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
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
            "{}: {what} at byte {offset}, entry {}: no crash does that; keep the file and run `audited-redis audit`",
            path.display(),
            last + 1
        );
        Failure::new(Exit::Tampered, "LOG_DAMAGED", message)
    };
    let len = fs::metadata(path).doing(path.display())?.len();
    if len - offset > MAX_GROUP as u64 {
        return Err(damaged("more than a group of entries is unreadable"));
    }
    // What the next entry is bound to, if only the hash of the bad one is wrong.
    let mut expected = None;
    if let Step::Entry(raw) = scan.step().doing(path.display())? {
        if raw.entry.durable > last {
            return Err(damaged("an entry is missing"));
        }
        let bytes = raw.len();
        expected = Some(raw.expected_chain(&chain));
        scan.skip(bytes);
    }
    if let (Step::Entry(raw), Some(expected)) = (scan.step().doing(path.display())?, expected)
        && raw.entry.durable > last
        && raw.follows(&expected)
    {
        return Err(damaged("the hash of an entry that was on disk is damaged"));
    }
    scan.go_to(offset).doing(path.display())?;
    while scan.resume(&(1..last + FAR)).doing(path.display())?.is_some() {
        if let Step::Entry(raw) = scan.step().doing(path.display())?
            && raw.entry.durable > last
        {
            return Err(damaged("an entry that was on disk is damaged"));
        }
    }
    Ok(())
}

/// Bytes are evidence: they get a file of their own before the log is shortened.
fn move_aside(file: &mut File, path: &Path, offset: u64) -> io::Result<(u64, u64, PathBuf)> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(MAX_GROUP as u64 + 1).read_to_end(&mut tail)?;
    let aside = (0..)
        .map(|attempt: u32| beside(path, &format!(".torn-{offset}-{attempt}")))
        .find(|aside| !aside.exists())
        .ok_or_else(|| io::Error::other("no name for the torn tail"))?;
    let mut copy = File::create_new(&aside)?;
    copy.write_all(&tail)?;
    copy.sync_all()?;
    sync_folder(path)?;
    file.set_len(offset.max(HEADER as u64))?;
    file.sync_all()?;
    Ok((offset, tail.len() as u64, aside))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
