//! Reading a log to its end, and what its last writer left there.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use quorate_mapped::MAX_RESERVED;

use super::entry::{Entry, HASH, ParsedEntry, RawEntry, parse_unsealed, seal};
use super::reader::{Scan, ScanStep};
use crate::Application;
use crate::failure::{Exit, Failure, OrFail};

/// State of a log behind its last entry.
#[derive(Clone, Debug)]
pub(super) struct LogState {
    /// Number of the last entry, 0 if there is none.
    pub(super) last: u64,
    /// Its hash.
    pub(super) chain: [u8; 32],
    /// Its time of receipt.
    pub(super) received: u64,
    /// Offset of the last group: of the entries that mark the same entry as durable as the last one does.
    pub(super) group: u64,
    /// The entry that they mark.
    durable: u64,
}

/// What follows the entries that are whole.
pub(super) enum LogEnd {
    /// Nothing, or reserved space from this offset on.
    Whole(u64),
    /// The hash of the last entry, which was not stored at this offset, or in part.
    Unsealed(u64),
    /// Bytes from this offset on that are neither.
    Bad(u64),
}

/// Reads all entries and passes them to `visit`. A last entry that lacks its hash is one of them if `seals_later` is true;
/// space at the end is only reserved by such writers.
pub(super) fn read_to_end(
    scan: &mut Scan,
    seals_later: bool,
    path: &Path,
    visit: &mut impl FnMut(&Entry<'_>),
) -> Result<(LogState, LogEnd), Failure> {
    let (application, begin) = (scan.application(), scan.offset());
    let mut state = LogState { last: 0, chain: scan.first_chain(), received: 0, group: begin, durable: 0 };
    loop {
        let offset = scan.offset();
        let (length, unsealed) = match scan.step().or_fail(Exit::Failed, path.display())? {
            ScanStep::Entry(raw) if raw.entry.number == state.last + 1 => {
                let expected = raw.expected_chain(application, &state.chain);
                if raw.chain == expected {
                    visit(&raw.entry);
                    state.add(&raw.entry, expected, offset);
                    (raw.len(), None)
                } else if seals_later && raw.is_unsealed(&expected) {
                    (raw.len(), Some(raw.bytes().to_vec()))
                } else {
                    return Ok((state, LogEnd::Bad(offset)));
                }
            }
            ScanStep::End => {
                let is_whole = seals_later || scan.is_at_end_of_file();
                let end = if is_whole { LogEnd::Whole(offset) } else { LogEnd::Bad(offset) };
                return Ok((state, end));
            }
            ScanStep::Truncated(bytes) if seals_later => {
                let cut = scan.rest().get(..bytes as usize).unwrap_or_default();
                let Some((entry, hash, length)) = without_hash(application, cut, &state) else {
                    return Ok((state, LogEnd::Bad(offset)));
                };
                visit(&entry);
                state.add(&entry, hash, offset);
                return Ok((state, LogEnd::Unsealed(offset + length)));
            }
            _ => return Ok((state, LogEnd::Bad(offset))),
        };
        scan.skip(length);
        if let Some(bytes) = unsealed {
            // Only the last entry can lack its hash.
            let is_last = matches!(scan.step().or_fail(Exit::Failed, path.display())?, ScanStep::End);
            let ParsedEntry::Complete(raw) = RawEntry::parse(&bytes) else {
                return Ok((state, LogEnd::Bad(offset)));
            };
            if !is_last {
                scan.go_to(offset).or_fail(Exit::Failed, path.display())?;
                return Ok((state, LogEnd::Bad(offset)));
            }
            visit(&raw.entry);
            let hash = raw.expected_chain(application, &state.chain);
            state.add(&raw.entry, hash, offset);
            return Ok((state, LogEnd::Unsealed(offset + (bytes.len() - HASH) as u64)));
        }
    }
}

impl LogState {
    fn add(&mut self, entry: &Entry<'_>, hash: [u8; 32], offset: u64) {
        if entry.durable != self.durable {
            (self.durable, self.group) = (entry.durable, offset);
        }
        (self.last, self.chain, self.received) = (entry.number, hash, entry.received);
    }
}

/// Returns the next entry if its bytes end within its hash: the entry, its hash, and its length without it.
fn without_hash<'a>(
    application: &Application,
    bytes: &'a [u8],
    state: &LogState,
) -> Option<(Entry<'a>, [u8; 32], u64)> {
    let (entry, length) = parse_unsealed(bytes).filter(|(entry, _)| entry.number == state.last + 1)?;
    let (content, stored) = bytes.split_at_checked(length)?;
    let hash = seal(application, &state.chain, content);
    hash.starts_with(stored).then_some((entry, hash, length as u64))
}

/// Cuts off space that a writer reserved: zeros at the end of the file, behind `offset`.
pub(super) fn cut_reserved(file: &File, offset: u64) -> io::Result<()> {
    let length = file.metadata()?.len();
    let begin = offset.max(length.saturating_sub(MAX_RESERVED));
    let (mut at, mut end, mut bytes) = (begin, begin, vec![0; 1 << 16]);
    while at < length {
        let part = bytes.len().min(usize::try_from(length - at).unwrap_or(usize::MAX));
        let part = bytes.get_mut(..part).unwrap_or_default();
        file.read_exact_at(part, at)?;
        if let Some(last) = part.iter().rposition(|byte| *byte != 0) {
            end = at + last as u64 + 1;
        }
        at += part.len() as u64;
    }
    if end < length { file.set_len(end) } else { Ok(()) }
}
