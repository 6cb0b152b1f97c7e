use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::{Form, HEADER, MAGIC, MAX_ENTRY, Raw, first_chain};
use crate::failure::{Exit, Failure, OrFail};

/// Goes through a log from front to back, in memory for the largest entry.
pub struct Scan {
    file: File,
    store: [u8; 32],
    buffer: Vec<u8>,
    /// Where in the buffer we are.
    at: usize,
    /// Where in the file the buffer begins.
    begin: u64,
    at_end: bool,
    /// How many bytes may still be looked at twice.
    budget: u64,
}

/// What stands at the present place.
pub enum Step<'a> {
    /// An entry, by its form.
    Entry(Raw<'a>),
    /// Bytes that are no entry.
    NoEntry,
    /// So many bytes, of an entry that would be longer.
    Cut(u64),
    /// The end of the file.
    End,
}

/// An entry behind bytes that are none.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// The hash that it is bound to, where that still stands before it.
    pub previous: Option<[u8; 32]>,
}

/// How far one fill reads.
const CHUNK: usize = 1 << 20;
/// How many bytes all searches of a scan may hash or read again: a bound on what a hostile file can cost, in which an
/// entry seems to begin at every byte.
const BUDGET: u64 = 1 << 30;

impl Scan {
    /// Opens a log behind its header.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read or is no log.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).or_fail(Exit::Input, path.display())?;
        Self::of(file).map_err(|failure| failure.at(path.display()))
    }

    pub(super) fn of(file: File) -> Result<Self, Failure> {
        let (store, buffer) = ([0; 32], Vec::new());
        let mut scan = Self { file, store, buffer, at: 0, begin: 0, at_end: false, budget: BUDGET };
        scan.fill(HEADER).or_fail(Exit::Input, "reading it")?;
        let header = scan.buffer.split_first_chunk::<8>();
        let store = header.filter(|(magic, _)| **magic == MAGIC).and_then(|(_, rest)| rest.first_chunk());
        scan.store = *store.ok_or_else(|| Failure::input("not a log of an audited Redis; check the path"))?;
        scan.at = HEADER;
        Ok(scan)
    }

    /// The store that the log is of.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// The hash that the first entry is bound to.
    pub fn first_chain(&self) -> [u8; 32] {
        first_chain(&self.store)
    }

    /// Where in the file we are.
    pub fn offset(&self) -> u64 {
        self.begin + self.at as u64
    }

    /// Looks at what stands here.
    ///
    /// # Errors
    /// Those of the file.
    pub fn step(&mut self) -> io::Result<Step<'_>> {
        if !self.fill(4)? {
            return Ok(if self.rest().is_empty() { Step::End } else { Step::Cut(self.rest().len() as u64) });
        }
        if matches!(Raw::parse(self.rest()), Form::Short) {
            let len = self.rest().first_chunk().map_or(0, |len| u32::from_le_bytes(*len) as usize);
            self.fill(4 + len)?;
        }
        Ok(match Raw::parse(self.rest()) {
            Form::Whole(raw) => Step::Entry(raw),
            Form::Malformed => Step::NoEntry,
            Form::Short => Step::Cut(self.rest().len() as u64),
        })
    }

    /// Goes on by so many bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.buffer.len());
    }

    /// Goes to a place behind the header.
    ///
    /// # Errors
    /// Those of the file.
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

    /// The 32 bytes before this place: the hash of the entry before, if one ends here.
    pub fn before(&self) -> [u8; 32] {
        self.buffer.get(..self.at).and_then(<[u8]>::last_chunk).copied().unwrap_or_default()
    }

    /// Looks for the next place where an entry stands whose number is in a range, and whose hash is right with the 32
    /// bytes before it, or leads to the entry behind it. Such a place is not found by chance. If there is none, goes
    /// to the end, or gives up before: see [`gave_up`](Self::gave_up).
    ///
    /// # Errors
    /// Those of the file.
    pub fn resume(&mut self, numbers: &Range<u64>) -> io::Result<Option<Found>> {
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
            let previous = self.before();
            let Step::Entry(raw) = self.step()? else { continue };
            let (number, chain, len) = (raw.entry.number, raw.chain, raw.len());
            let follows = raw.follows(&previous);
            self.charge(len);
            if follows {
                return Ok(Some(Found { number, previous: Some(previous) }));
            }
            if self.leads_on(number, &chain, len)? {
                return Ok(Some(Found { number, previous: None }));
            }
        }
    }

    /// Whether a search was ended because too much looks like entries: nothing is known of what stands from here on.
    pub fn gave_up(&self) -> bool {
        self.budget == 0
    }

    fn charge(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes as u64);
    }

    /// Whether so many bytes ahead an entry stands that is bound to this number and hash.
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
        Ok(match Raw::parse(self.rest().get(ahead..).unwrap_or_default()) {
            Form::Whole(next) => next.entry.number == number + 1 && next.follows(chain),
            Form::Short | Form::Malformed => false,
        })
    }

    fn is_plausible(&self, numbers: &Range<u64>) -> bool {
        let Some((len, rest)) = self.rest().split_first_chunk() else { return false };
        let number = rest.first_chunk().map(|number| u64::from_le_bytes(*number));
        number.is_some_and(|number| numbers.contains(&number))
            && u32::from_le_bytes(*len) as usize <= MAX_ENTRY
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// Sees to it that so many bytes are ahead; `false` if the file has fewer. The 32 before them stay.
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
