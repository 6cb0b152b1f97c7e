use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use quorate_mapped::MAX_RESERVED;

use super::entry::{Entry, HEADER, MAX_ENTRY, ParsedEntry, RawEntry, first_chain};
use crate::Application;
use crate::failure::{Exit, Failure, OrFail};
use crate::signed::BadFrame;

/// Reads a log from front to back, in memory for the largest entry.
pub struct Scan {
    application: &'static Application,
    file: File,
    store: [u8; 32],
    buffer: Vec<u8>,
    /// Current offset in the buffer.
    at: usize,
    /// Offset of the buffer in the file.
    begin: u64,
    at_end: bool,
    /// Remaining number of bytes that searches may read again.
    budget: u64,
}

/// Content at the current position.
pub enum ScanStep<'a> {
    /// An entry of valid form.
    Entry(RawEntry<'a>),
    /// Bytes that are not an entry.
    Malformed,
    /// The given number of bytes of an incomplete entry.
    Truncated(u64),
    /// The end of the log: that of the file, or reserved space from here to the end of the file.
    End,
}

/// The file behind a position with zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnbufferedRest {
    /// Only zeros, no more than a writer reserves.
    Reserved,
    /// The given number of bytes, then only zeros: a writer was killed while it stored an entry, or is storing it.
    Unfinished(u64),
    Other,
}

/// An entry found after bytes that are not an entry.
#[derive(Clone, Copy, Debug)]
pub struct FoundEntry {
    /// Number of the entry.
    pub number: u64,
    /// Hash of the previous entry, if it is still stored before this one.
    pub previous: Option<[u8; 32]>,
}

/// Number of times that zeros are read again, while a writer stores entries there.
const STALE: u32 = 4;
/// Number of bytes read at once.
const CHUNK: usize = 1 << 20;
/// Maximum number of bytes that all searches of a scan may hash or read again. Bounds the cost of a hostile file in
/// which an entry seems to begin at every byte.
const BUDGET: u64 = 1 << 30;

impl Scan {
    /// Opens a log and positions the scan after its header.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read or is not a log.
    pub fn open(application: &'static Application, path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).or_fail(Exit::Input, path.display())?;
        Self::from_file(application, file).map_err(|failure| failure.at(path.display()))
    }

    pub(super) fn from_file(application: &'static Application, file: File) -> Result<Self, Failure> {
        let (store, buffer) = ([0; 32], Vec::new());
        let mut scan =
            Self { application, file, store, buffer, at: 0, begin: 0, at_end: false, budget: BUDGET };
        scan.fill(HEADER).or_fail(Exit::Input, "reading the header")?;
        let header = scan.buffer.split_first_chunk::<8>();
        let store = header.filter(|(magic, _)| **magic == application.log_magic);
        let store = store.and_then(|(_, rest)| rest.first_chunk());
        let other = || Failure::input(format!("not a log of {}; check the path", application.name));
        scan.store = *store.ok_or_else(other)?;
        scan.at = HEADER;
        Ok(scan)
    }

    /// Returns the application of the log.
    pub fn application(&self) -> &'static Application {
        self.application
    }

    /// Returns the log's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// Returns the hash that precedes the first entry.
    pub fn first_chain(&self) -> [u8; 32] {
        first_chain(self.application, &self.store)
    }

    /// Returns the current offset in the file.
    pub fn offset(&self) -> u64 {
        self.begin + self.at as u64
    }

    /// Parses the content at the current position.
    ///
    /// # Errors
    /// I/O errors of the file.
    pub fn step(&mut self) -> io::Result<ScanStep<'_>> {
        if !self.fill(4)? && self.rest().is_empty() {
            return Ok(ScanStep::End);
        }
        for _ in 0..STALE {
            if self.rest().iter().take(4).any(|byte| *byte != 0) {
                break;
            }
            let rest = self.unbuffered_rest()?;
            if rest == UnbufferedRest::Reserved {
                return Ok(ScanStep::End);
            }
            // A writer may have stored entries since these zeros were read.
            self.reload()?;
            if let UnbufferedRest::Unfinished(bytes) = rest
                && self.rest().iter().take(4).all(|byte| *byte == 0)
            {
                return Ok(ScanStep::Truncated(bytes));
            }
        }
        if matches!(RawEntry::parse(self.rest()), ParsedEntry::Incomplete) {
            let len = self.rest().first_chunk().map_or(0, |len| u32::from_le_bytes(*len) as usize);
            self.fill(4 + len)?;
        }
        Ok(match RawEntry::parse(self.rest()) {
            ParsedEntry::Complete(raw) => ScanStep::Entry(raw),
            ParsedEntry::Malformed => ScanStep::Malformed,
            ParsedEntry::Incomplete => ScanStep::Truncated(self.rest().len() as u64),
        })
    }

    /// Classifies the file from the current position on, where there are zeros.
    fn unbuffered_rest(&self) -> io::Result<UnbufferedRest> {
        let begin = self.offset();
        if self.file_length()?.saturating_sub(begin) > MAX_RESERVED {
            return Ok(UnbufferedRest::Other);
        }
        let (mut at, mut bytes, mut rest) = (begin, [0; 1 << 12], UnbufferedRest::Reserved);
        loop {
            let read = match self.file.read_at(&mut bytes, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if let Some(place) = bytes.iter().take(read).rposition(|byte| *byte != 0) {
                rest = UnbufferedRest::Unfinished(at + place as u64 + 1 - begin);
            }
            match rest {
                UnbufferedRest::Unfinished(length) if length > MAX_ENTRY as u64 => {
                    return Ok(UnbufferedRest::Other);
                }
                _ if read == 0 => return Ok(rest),
                _ => at += read as u64,
            }
        }
    }

    /// Reads the bytes from the current position on again.
    fn reload(&mut self) -> io::Result<()> {
        let offset = self.offset();
        self.charge(self.rest().len());
        self.file.seek(SeekFrom::Start(offset))?;
        self.buffer.truncate(self.at);
        self.at_end = false;
        self.fill(4).map(drop)
    }

    /// Returns the length of the file.
    ///
    /// # Errors
    /// I/O errors of the file.
    pub fn file_length(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    /// Returns true if the file ends at the current position.
    pub(super) fn is_at_end_of_file(&self) -> bool {
        self.rest().is_empty()
    }

    /// Reads the stored hash of an entry again: a writer may have stored it since.
    ///
    /// # Errors
    /// I/O errors of the file.
    pub fn stored_hash(&self, offset: u64) -> io::Result<[u8; 32]> {
        let mut hash = [0; 32];
        self.file.read_exact_at(&mut hash, offset)?;
        Ok(hash)
    }

    /// Passes each further entry to `visit`, in order. Neither hashes nor signatures are checked. `path` is for messages.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read, and with the code `LOG_DAMAGED` at bytes that are no entry and at an entry
    /// that `visit` refuses.
    pub fn each(
        mut self,
        path: &Path,
        mut visit: impl FnMut(&Entry<'_>) -> Result<(), BadFrame>,
    ) -> Result<(), Failure> {
        loop {
            let visited = match self.step().or_fail(Exit::Input, path.display())? {
                ScanStep::End => return Ok(()),
                ScanStep::Malformed | ScanStep::Truncated(_) => None,
                ScanStep::Entry(raw) => visit(&raw.entry).ok().map(|()| raw.len()),
            };
            let len = visited.ok_or_else(|| self.damaged(path))?;
            self.skip(len);
        }
    }

    /// The failure of a log that is not intact at the current position.
    pub(crate) fn damaged(&self, path: &Path) -> Failure {
        let message = format!(
            "{}: byte {}: the log is damaged; run `{} audit`",
            path.display(),
            self.offset(),
            self.application.program
        );
        Failure::with_code(Exit::Tampered, "LOG_DAMAGED", message)
    }

    /// Advances by `bytes` bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.buffer.len());
    }

    /// Moves to an offset after the header.
    ///
    /// # Errors
    /// I/O errors of the file.
    pub fn go_to(&mut self, offset: u64) -> io::Result<()> {
        if let Some(at) = offset.checked_sub(self.begin).and_then(|at| usize::try_from(at).ok())
            && (at >= 32 || self.begin == 0)
            && at <= self.buffer.len()
        {
            self.at = at;
            return Ok(());
        }
        self.charge(CHUNK);
        self.begin = offset.saturating_sub(32);
        self.file.seek(SeekFrom::Start(self.begin))?;
        self.buffer.clear();
        (self.at, self.at_end) = ((offset - self.begin) as usize, false);
        self.fill(1).map(drop)
    }

    /// Returns the 32 bytes before the current position: the hash of the previous entry, if one ends here.
    pub fn before(&self) -> [u8; 32] {
        self.buffer.get(..self.at).and_then(<[u8]>::last_chunk).copied().unwrap_or_default()
    }

    /// Searches for the next entry whose number is in `numbers` and whose hash is confirmed by the 32 bytes before
    /// it or by the entry after it, so that a match by chance is impossible. Without a match, moves to the end or
    /// gives up earlier: see [`gave_up`](Self::gave_up).
    ///
    /// # Errors
    /// I/O errors of the file.
    pub fn resume(&mut self, numbers: &Range<u64>) -> io::Result<Option<FoundEntry>> {
        loop {
            self.skip(1);
            if self.gave_up() {
                return Ok(None);
            }
            if !self.fill(12)? {
                self.at = self.buffer.len();
                return Ok(None);
            }
            if !self.is_plausible(numbers) {
                continue;
            }
            let (application, previous) = (self.application, self.before());
            let ScanStep::Entry(raw) = self.step()? else { continue };
            let (number, chain, len) = (raw.entry.number, raw.chain, raw.len());
            let follows = raw.follows(application, &previous);
            self.charge(len);
            if follows {
                return Ok(Some(FoundEntry { number, previous: Some(previous) }));
            }
            if self.leads_on(number, &chain, len)? {
                return Ok(Some(FoundEntry { number, previous: None }));
            }
        }
    }

    /// Returns true if a search ended because too many bytes look like entries. The rest of the file is unknown.
    pub fn gave_up(&self) -> bool {
        self.budget == 0
    }

    fn charge(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes as u64);
    }

    /// Returns true if an entry that follows this number and hash begins `ahead` bytes from here.
    fn leads_on(&mut self, number: u64, chain: &[u8; 32], ahead: usize) -> io::Result<bool> {
        if !self.fill(ahead + 4)? {
            return Ok(false);
        }
        let len = self.rest().get(ahead..).and_then(<[u8]>::first_chunk);
        let len = len.map_or(0, |len| u32::from_le_bytes(*len) as usize);
        if len > MAX_ENTRY || !self.fill(ahead + 4 + len)? {
            return Ok(false);
        }
        self.charge(len);
        Ok(match RawEntry::parse(self.rest().get(ahead..).unwrap_or_default()) {
            ParsedEntry::Complete(next) => {
                next.entry.number == number + 1 && next.follows(self.application, chain)
            }
            ParsedEntry::Incomplete | ParsedEntry::Malformed => false,
        })
    }

    fn is_plausible(&self, numbers: &Range<u64>) -> bool {
        let Some((len, rest)) = self.rest().split_first_chunk() else { return false };
        let number = rest.first_chunk().map(|number| u64::from_le_bytes(*number));
        number.is_some_and(|number| numbers.contains(&number))
            && (1..=MAX_ENTRY).contains(&(u32::from_le_bytes(*len) as usize))
    }

    /// Returns the buffered bytes from the current position on.
    pub(super) fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// Buffers at least `bytes` bytes; returns false if the file has fewer. The 32 bytes before them stay buffered.
    fn fill(&mut self, bytes: usize) -> io::Result<bool> {
        while self.rest().len() < bytes && !self.at_end {
            let old = self.at.saturating_sub(32);
            if old >= CHUNK {
                self.buffer.drain(..old);
                (self.at, self.begin) = (self.at - old, self.begin + old as u64);
            }
            let read = (&mut self.file).take(CHUNK as u64).read_to_end(&mut self.buffer)?;
            self.at_end = read == 0;
        }
        Ok(self.rest().len() >= bytes)
    }
}
