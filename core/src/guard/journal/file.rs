use std::borrow::ToOwned;
use std::string::String;
use std::vec::Vec;

use crate::guard::record::GuardRecord;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// Maximum length of a journal, in bytes.
pub(in crate::guard) const MAX_LEN: u64 = 1 << 30;
/// Maximum number of records in a journal.
pub(in crate::guard) const MAX_RECORDS: u64 = MAX_LEN / FRAME as u64 - 1;
/// Length of the header and of the frame of each record.
pub(in crate::guard) const FRAME: usize = 96;
const CHECKSUM: usize = FRAME - GuardRecord::LEN;
const MAGIC: &[u8; 16] = b"quorate-journal\x01";
/// Bytes of the header behind binding and floor, which are zero.
const RESERVED: usize = GuardRecord::LEN - MAGIC.len() - 32 - 8;
/// Number of bytes at the beginning or at the end of a frame that are zero if a sector of it was not written.
const SECTOR_PART: usize = 32;

/// The contents of a journal of guard records, decoded.
///
/// | bytes | contents |
/// |---|---|
/// | 96 | header: `quorate-journal` and a byte 1; binding 32; floor 8; 25 zero bytes; checksum 15 |
/// | 96 for each record | record 81, checksum 15 |
///
/// The checksum is the beginning of BLAKE3 under [`JOURNAL_FRAME`](crate::wire::domain::JOURNAL_FRAME) of the binding, the
/// number of the frame (8 bytes, the header's is 0), and the 81 bytes before the checksum. Frames cannot be exchanged, nor
/// moved from another journal.
///
/// Each record is durable before the next one is written, so only the last frame can be incomplete or lack a sector. Such a
/// frame is [torn](JournalFile::is_torn): its vote never left. Every other difference is damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFile {
    pub(in crate::guard) binding: [u8; 32],
    pub(in crate::guard) floor: u64,
    pub(in crate::guard) records: Vec<GuardRecord>,
    pub(in crate::guard) torn: bool,
}

impl JournalFile {
    /// Creates the contents of a journal, for tools; `JournaledGuard` needs no other.
    pub fn new(binding: [u8; 32], floor: u64, records: Vec<GuardRecord>) -> Self {
        Self { binding, floor, records, torn: false }
    }

    /// Decodes a journal.
    ///
    /// # Errors
    /// [`Error::JournalDamaged`] with the offset of the first damaged frame; [`Error::TooLarge`] for more than 2³⁰ bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        Self::decode_at("in memory", bytes)
    }

    /// Decodes the journal at a path, which errors name.
    pub(in crate::guard) fn decode_at(path: &str, bytes: &[u8]) -> Result<Self> {
        if bytes.len() as u64 > MAX_LEN {
            return Err(Error::TooLarge { what: "journal in bytes", limit: MAX_LEN });
        }
        let damaged = |number: usize| Error::JournalDamaged {
            path: path.to_owned(),
            offset: (number as u64).saturating_mul(FRAME as u64),
        };
        let (frames, rest) = bytes.as_chunks::<FRAME>();
        let (header, frames) = frames.split_first().ok_or_else(|| damaged(0))?;
        let (binding, floor) = header_fields(header).map_err(|_| damaged(0))?;
        let mut file = Self { binding, floor, records: Vec::new(), torn: !rest.is_empty() };
        for (number, frame) in (1..).zip(frames) {
            match body(&binding, number, frame) {
                Some(body) => file.records.push(GuardRecord::decode(body, &())?),
                None if number == frames.len() && rest.is_empty() && lacks_a_sector(frame) => {
                    file.torn = true
                }
                None => return Err(damaged(number)),
            }
        }
        Ok(file)
    }

    /// Reads the intact frames of a damaged journal, and its binding and floor if the header is intact.
    pub(in crate::guard) fn salvage(binding: [u8; 32], bytes: &[u8]) -> Self {
        let (frames, _) = bytes.as_chunks::<FRAME>();
        let header = frames.first().and_then(|header| header_fields(header).ok());
        let (binding, floor) = header.unwrap_or((binding, 0));
        let intact = frames.iter().enumerate().skip(1);
        let intact = intact.filter_map(|(number, frame)| body(&binding, number, frame));
        let records = intact.filter_map(|body| GuardRecord::decode(body, &()).ok()).collect();
        Self { binding, floor, records, torn: false }
    }

    /// Encodes the journal, without the torn frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FRAME.saturating_mul(self.records.len() + 1));
        bytes.extend(header(&self.binding, self.floor));
        for (number, record) in (1..).zip(&self.records) {
            bytes.extend(frame(&self.binding, number, record));
        }
        bytes
    }

    /// Returns the value that binds the journal to a key, chain and suite.
    pub fn binding(&self) -> [u8; 32] {
        self.binding
    }

    /// Returns the mark up to which nothing new is signed, whatever the records say; 0 unless the journal was recovered.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// Returns the records, in the order in which they were written.
    pub fn records(&self) -> &[GuardRecord] {
        &self.records
    }

    /// Returns true if the last frame was not written completely.
    pub fn is_torn(&self) -> bool {
        self.torn
    }
}

/// Encodes the frame of a record; `number` counts frames from 1.
pub(in crate::guard) fn frame(binding: &[u8; 32], number: u64, record: &GuardRecord) -> Vec<u8> {
    checked(binding, number, record.encode())
}

fn header(binding: &[u8; 32], floor: u64) -> Vec<u8> {
    let mut w = Writer::new();
    w.raw(MAGIC);
    w.raw(binding);
    w.u64(floor);
    w.raw(&[0; RESERVED]);
    checked(binding, 0, w.into_bytes())
}

fn checked(binding: &[u8; 32], number: u64, mut body: Vec<u8>) -> Vec<u8> {
    let checksum = checksum(binding, number, &body);
    body.extend(checksum);
    body
}

fn checksum(binding: &[u8; 32], number: u64, body: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = domain::hasher(domain::JOURNAL_FRAME);
    hasher.update(binding).update(&number.to_le_bytes()).update(body);
    let mut checksum = [0; CHECKSUM];
    hasher.finalize_xof().fill(&mut checksum);
    checksum
}

/// Returns the bytes that the checksum of a frame covers, if it is right.
fn body<'a>(binding: &[u8; 32], number: usize, frame: &'a [u8; FRAME]) -> Option<&'a [u8]> {
    let (body, check) = frame.split_at_checked(GuardRecord::LEN)?;
    (checksum(binding, number as u64, body) == check).then_some(body)
}

fn header_fields(header: &[u8; FRAME]) -> Result<([u8; 32], u64)> {
    let malformed = Error::Malformed { what: "header of a journal" };
    let mut r = Reader::new(header);
    if r.raw(MAGIC.len())? != MAGIC {
        return Err(malformed);
    }
    let (binding, floor) = (r.array()?, r.u64()?);
    let is_reserved_zero = r.raw(RESERVED)?.iter().all(|byte| *byte == 0);
    if body(&binding, 0, header).is_some() && is_reserved_zero {
        Ok((binding, floor))
    } else {
        Err(malformed)
    }
}

/// Returns true if a frame with a wrong checksum can come from an interrupted write. Sectors start at multiples of 512
/// bytes, so a sector that was not written leaves at least 32 zero bytes at one end of the frame; a complete record has none.
fn lacks_a_sector(frame: &[u8; FRAME]) -> bool {
    let is_zero = |part: &[u8; SECTOR_PART]| part.iter().all(|byte| *byte == 0);
    frame.first_chunk().is_some_and(is_zero) || frame.last_chunk().is_some_and(is_zero)
}

/// Returns the text of a path, for errors.
pub(in crate::guard) fn path_text(path: &std::path::Path) -> String {
    path.display().to_string()
}
