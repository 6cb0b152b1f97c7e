//! Check of fjall's journal files before the database opens them.
//!
//! A crash leaves an incomplete last batch, so a database opens its journal up to the first entry that it cannot read, and
//! refuses a batch of which only a part of a value is missing. A validator must not open with fewer records than it signed
//! with. [`scan`] tells an interrupted write from damage to durable batches, and removes the former. The application's state
//! may lose its last batches: [`cut`] removes them from the first on that cannot be read.
//!
//! ```text
//! batch    start | item … | end
//! start    1 u8 | items u32 | sequence number u64
//! item     2 u8 | value type u8 | compression u8 | keyspace u64 | key length u16 | value length u32 | stored length u32
//!          | key | value as stored
//! end      3 u8 | checksum u64 | "FJL" 3                                                       integers are little endian
//! ```
//!
//! [`scan`] accepts a directory only if
//! * every journal is a sequence of complete batches with ascending sequence numbers, whose [seals](super::sealed) count
//!   up by one and confirm the sequence numbers, and
//! * the bytes after the last batch are those of an interrupted write: its end is missing, or a part that the disk had
//!   not written yet is zero. Only the newest journal may have such bytes, and no later batch among them may say that
//!   the missing one was durable: then the disk lost it afterwards. This is not seen for the first batch of the oldest
//!   journal, whose number is not known.
//!
//! The checksum is that of the items, XXH3 with 64 bits. A damaged byte is refused, or changes nothing.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::files::sync_dir;
use crate::{NodeError, Result};

/// Key of the seal in each batch. No other key of the store has this length.
pub(super) const SEAL: &[u8] = b"journal seal";
/// Key of the number of batches that were durable before a batch was written.
pub(super) const DURABLE: &[u8] = b"journal durable";
/// Size of a start entry.
const START: usize = 13;
/// Size of an item without key and value.
const ITEM: usize = 21;
/// Size of an end entry.
const END: usize = 13;
const TRAILER: &[u8] = b"FJL\x03";
/// Smallest part of a file that a disk writes as a whole.
const SECTOR: usize = 512;
/// Maximum difference between the sequence number in a seal and that of its batch. fjall uses numbers for other purposes
/// in between.
const MAX_GAP: u64 = 1 << 16;

/// Contents of the seal of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seal {
    /// Number of sealed batches up to this one.
    pub(super) count: u64,
    /// Lowest sequence number that the batch can have.
    pub(super) sequence: u64,
}

impl Seal {
    pub(super) fn encode(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (count, sequence) = bytes.split_at_mut(8);
        count.copy_from_slice(&self.count.to_be_bytes());
        sequence.copy_from_slice(&self.sequence.to_be_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (count, sequence) = bytes.split_first_chunk()?;
        let sequence = sequence.try_into().ok()?;
        Some(Self { count: u64::from_be_bytes(*count), sequence: u64::from_be_bytes(sequence) })
    }
}

/// Checks the journals in a database's directory, and removes an interrupted write. Returns the newest seal; `None` if the
/// journals have none.
///
/// # Errors
/// `CORRUPT` if a durable byte is damaged.
pub(super) fn scan(directory: &Path) -> Result<Option<Seal>> {
    let mut order = Order::default();
    let journals = journals(directory)?;
    for (at, path) in (1..).zip(&journals) {
        let damaged = |offset: usize, problem: &str| {
            let problem = format!("{} is damaged at byte {offset}: {problem}", path.display());
            NodeError::corrupt("the records of this validator", problem)
        };
        let bytes = written(path).map_err(|e| NodeError::file("reading", path, e))?;
        let mut start = 0;
        while let Ok(batch) = Batch::read(&bytes, start) {
            order.next(&batch).map_err(|problem| damaged(start, problem))?;
            start = batch.end;
        }
        check_tail(&bytes, start, at == journals.len()).map_err(|problem| damaged(start, problem))?;
        // The number of the first batch in the journals is not known.
        let missing = order.seal.map(|seal| seal.count.saturating_add(1));
        let tail = bytes.get(start..).unwrap_or_default();
        if missing.is_some_and(|missing| is_durable(missing, tail)) {
            return Err(damaged(start, "a durable batch is lost"));
        }
        truncate(path, start)?;
    }
    Ok(order.seal)
}

/// Removes the batches from the first on that cannot be read. Returns true if there was one.
///
/// # Errors
/// `IO`.
pub(super) fn cut(directory: &Path) -> Result<bool> {
    let mut journals = journals(directory)?.into_iter();
    for path in journals.by_ref() {
        let bytes = written(&path).map_err(|e| NodeError::file("reading", &path, e))?;
        let mut start = 0;
        while let Ok(batch) = Batch::read(&bytes, start) {
            start = batch.end;
        }
        if bytes.get(start..).is_some_and(|rest| rest.iter().any(|byte| *byte != 0)) {
            // The newest first: after a crash in between, this journal is cut again.
            for later in journals.rev() {
                fs::remove_file(&later).map_err(|e| NodeError::file("deleting", &later, e))?;
            }
            sync_dir(directory)?;
            truncate(&path, start)?;
            return Ok(true);
        }
    }
    Ok(false)
}

fn truncate(path: &Path, length: usize) -> Result<()> {
    let file = File::options().write(true).open(path);
    let cut = file.and_then(|file| {
        if file.metadata()?.len() > length as u64 {
            file.set_len(length as u64)?;
            file.sync_all()?;
        }
        Ok(())
    });
    cut.map_err(|e| NodeError::file("writing", path, e))
}

/// The journal files of a directory, oldest first.
fn journals(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| NodeError::file("reading", directory, e);
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let number =
            path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl")?.parse::<u64>().ok());
        found.extend(number.map(|number| (number, path)));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Reads a file up to the end of the last sector that contains a byte other than zero. fjall creates journals with 64 MB of
/// zeros.
fn written(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let (mut chunk, mut position, mut end) = (vec![0; 1 << 16], 0_usize, 0);
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        let last = chunk.iter().take(read).rposition(|byte| *byte != 0);
        end = last.map_or(end, |last| (position + last + 1).next_multiple_of(SECTOR));
        position += read;
    }
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::with_capacity(end.min(position));
    file.take(end as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Requirements on consecutive batches.
#[derive(Default)]
struct Order {
    sequence: Option<u64>,
    seal: Option<Seal>,
}

impl Order {
    fn next(&mut self, batch: &Batch) -> Result<(), &'static str> {
        if self.sequence.is_some_and(|previous| batch.sequence <= previous) {
            return Err("the sequence number of a batch does not exceed the previous one");
        }
        match (self.seal, batch.seal) {
            (Some(_), None) => return Err("a batch has no seal"),
            (Some(last), Some(seal)) if seal.count != last.count.wrapping_add(1) => {
                return Err("a batch is missing or repeated");
            }
            _ => {}
        }
        if let Some(seal) = batch.seal {
            let gap = batch.sequence.checked_sub(seal.sequence);
            let ordered = self.sequence.is_none_or(|previous| previous < seal.sequence);
            if !ordered || gap.is_none_or(|gap| gap >= MAX_GAP) {
                return Err("the sequence number of a batch differs from its seal");
            }
        }
        (self.sequence, self.seal) = (Some(batch.sequence), batch.seal);
        Ok(())
    }
}

/// A complete batch.
struct Batch {
    sequence: u64,
    seal: Option<Seal>,
    /// Position after the batch.
    end: usize,
}

/// Reason why the bytes at a position are no complete batch.
enum Unread {
    /// The file ends inside the batch.
    Short,
    /// The entry at this position has a wrong field.
    Wrong(usize),
    /// All entries up to this position are there, but not the checksum of the items.
    Checksum(usize),
}

impl Batch {
    fn read(bytes: &[u8], start: usize) -> Result<Self, Unread> {
        let mut at = start;
        let [1, entry @ ..] = take::<START>(bytes, &mut at)? else { return Err(Unread::Wrong(start)) };
        let items = u32::from_le_bytes(field(&entry, 0));
        let sequence = u64::from_le_bytes(field(&entry, 4));
        if items == 0 {
            return Err(Unread::Wrong(start));
        }
        let mut seal = None;
        for _ in 0..items {
            let begin = at;
            // Zeros show the end of a write even if the file ends inside the entry.
            if bytes.get(at).is_some_and(|tag| *tag != 2) {
                return Err(Unread::Wrong(begin));
            }
            let entry: [u8; ITEM] = take(bytes, &mut at)?;
            let [kind, compression] = field(&entry, 1);
            let key_length = u16::from_le_bytes(field(&entry, 11));
            let length = u32::from_le_bytes(field(&entry, 13));
            let stored = u32::from_le_bytes(field(&entry, 17));
            if kind > 2 || compression > 1 || (compression == 0 && length != stored) {
                return Err(Unread::Wrong(begin));
            }
            let key = take_slice(bytes, &mut at, usize::from(key_length))?;
            let value = take_slice(bytes, &mut at, stored as usize)?;
            if key == SEAL {
                seal = Some(Seal::decode(value).ok_or(Unread::Wrong(begin))?);
            }
        }
        let begin = at;
        if bytes.get(at).is_some_and(|tag| *tag != 3) {
            return Err(Unread::Wrong(begin));
        }
        let entry: [u8; END] = take(bytes, &mut at)?;
        if !entry.ends_with(TRAILER) {
            return Err(Unread::Wrong(begin));
        }
        let items = bytes.get(start + START..begin).unwrap_or_default();
        if xxh3_64(items) != u64::from_le_bytes(field(&entry, 1)) {
            return Err(Unread::Checksum(at));
        }
        Ok(Self { sequence, seal, end: at })
    }
}

/// Checks that the bytes from `start` on, which are no complete batch, are those of an interrupted write.
fn check_tail(bytes: &[u8], start: usize, is_newest: bool) -> Result<(), &'static str> {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if end <= start {
        return Ok(());
    }
    if !is_newest {
        return Err("a batch cannot be read");
    }
    let is_zero =
        |from: usize, to: usize| bytes.get(from..to).is_some_and(|part| part.iter().all(|b| *b == 0));
    let has_zero_sector = |to: usize| {
        let mut sectors = (start.next_multiple_of(SECTOR)..to).step_by(SECTOR);
        sectors.any(|sector| is_zero(sector, sector + SECTOR))
    };
    let is_interrupted = match Batch::read(bytes, start).err() {
        // The write ended between two entries, or a sector was not written but later ones were. Fewer zeros than an entry has
        // bytes are such a sector only if they are the beginning of the batch.
        Some(Unread::Wrong(stop)) => {
            let rest = stop.next_multiple_of(SECTOR);
            let is_hole = rest - stop > START || (stop == start && rest - stop > 1);
            stop >= end || (is_hole && is_zero(stop, rest)) || has_zero_sector(end)
        }
        // If the end of the last batch is there, a length or a number of items is wrong.
        Some(Unread::Short) => {
            has_zero_sector(end) || !bytes.get(..end).is_some_and(|written| written.ends_with(TRAILER))
        }
        // Damage inside a batch, unless a sector of it was not written.
        Some(Unread::Checksum(stop)) => has_zero_sector(stop),
        None => false,
    };
    if is_interrupted { Ok(()) } else { Err("a batch cannot be read") }
}

/// Returns true if a batch in these bytes says that the batch with a number was durable.
fn is_durable(number: u64, bytes: &[u8]) -> bool {
    let mut places = bytes.windows(DURABLE.len()).zip(DURABLE.len()..).filter(|(part, _)| *part == DURABLE);
    places.any(|(_, value)| {
        let durable = bytes.get(value..).and_then(|rest| rest.first_chunk());
        durable.is_some_and(|durable| u64::from_be_bytes(*durable) >= number)
    })
}

fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> Result<[u8; N], Unread> {
    take_slice(bytes, at, N)?.try_into().map_err(|_| Unread::Short)
}

fn take_slice<'a>(bytes: &'a [u8], at: &mut usize, length: usize) -> Result<&'a [u8], Unread> {
    let end = at.checked_add(length).ok_or(Unread::Short)?;
    let slice = bytes.get(*at..end).ok_or(Unread::Short)?;
    *at = end;
    Ok(slice)
}

/// The `N` bytes at an offset of an entry. The offset is a constant inside the entry.
fn field<const N: usize>(entry: &[u8], offset: usize) -> [u8; N] {
    entry.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}
