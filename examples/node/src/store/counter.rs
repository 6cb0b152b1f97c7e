//! Counters of signatures in files outside the data directory, which show that the data directory was rolled back.
//!
//! ```text
//! a line of text: the format, the name of the counter, and the chain and validator that it belongs to
//! 16 bytes: the value as u64, big-endian; then the same with all bits inverted
//! 16 bytes: the same, written in turn
//! ```
//!
//! Writes alternate between the two slots, so that a torn write leaves the value before it.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use quorate::guard::{Floor, MonotonicCounter};
use quorate_protocol::signing_history::SigningHistory;

use super::files::replace;
use super::identity::Binding;
use crate::protocol::Signed;
use crate::{NodeError, Result};

const FORMAT: &str = "quorate-counter 1";
const SLOT: usize = 16;
/// Maximum length of a file, in bytes.
const MAX_LEN: u64 = 1 << 16;

/// A counter in a file of its own, best on another disk: a rollback of the data directory must not reach it.
#[derive(Debug)]
pub struct FileCounter {
    file: File,
    path: PathBuf,
    /// Length of the first line.
    head: usize,
    value: u64,
    slot: usize,
}

impl FileCounter {
    /// Opens a counter; `None` if the file does not exist.
    ///
    /// # Errors
    /// [`NodeError::Io`]; [`NodeError::Config`] if the file is no counter, or that of another validator.
    pub fn open(path: &Path, binding: &str) -> Result<Option<Self>> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(NodeError::file("opening the counter", path, e)),
        };
        let mut bytes = Vec::new();
        (&file)
            .take(MAX_LEN)
            .read_to_end(&mut bytes)
            .map_err(|e| NodeError::file("reading the counter", path, e))?;
        let problem = |problem: &str| NodeError::Config {
            path: Some(path.to_owned()),
            problem: format!("node.counter: {problem}"),
        };
        if !bytes.starts_with(FORMAT.as_bytes()) {
            return Err(problem("the file is not a counter of signatures; choose another path"));
        }
        let head = head(binding);
        let slots = bytes.strip_prefix(head.as_bytes()).filter(|slots| slots.len() == 2 * SLOT);
        let Some(slots) = slots else {
            return Err(problem(
                "the counter belongs to another validator or chain; each needs its own file",
            ));
        };
        let valid = slots.chunks_exact(SLOT).zip(0..).filter_map(|(slot, at)| Some((decode_slot(slot)?, at)));
        let Some((value, slot)) = valid.max() else {
            return Err(problem(
                "no value in the file is intact; move the file away to start without a counter",
            ));
        };
        Ok(Some(Self { file, path: path.to_owned(), head: head.len(), value, slot }))
    }

    /// Creates a counter with the value 0, durably.
    ///
    /// # Errors
    /// [`NodeError::Io`].
    pub fn create(path: &Path, binding: &str) -> Result<Self> {
        replace(path, |file| {
            file.write_all(head(binding).as_bytes())?;
            (0..2).try_for_each(|_| file.write_all(&encode_slot(0)))
        })?;
        let created = Self::open(path, binding)?;
        created.ok_or_else(|| NodeError::file("creating the counter", path, ErrorKind::NotFound.into()))
    }
}

fn head(binding: &str) -> String {
    format!("{FORMAT} {binding}\n")
}

fn encode_slot(value: u64) -> [u8; SLOT] {
    ((u128::from(value) << 64) | u128::from(!value)).to_be_bytes()
}

fn decode_slot(bytes: &[u8]) -> Option<u64> {
    let both = u128::from_be_bytes(bytes.try_into().ok()?);
    let value = (both >> 64) as u64;
    (both as u64 == !value).then_some(value)
}

impl MonotonicCounter for FileCounter {
    type Error = NodeError;

    fn read(&mut self) -> Result<u64> {
        Ok(self.value)
    }

    fn advance(&mut self, value: u64) -> Result<()> {
        if value <= self.value {
            return Ok(());
        }
        let slot = 1 - self.slot;
        let at = SeekFrom::Start((self.head + slot * SLOT) as u64);
        self.file
            .seek(at)
            .and_then(|_| self.file.write_all(&encode_slot(value)))
            .and_then(|()| self.file.sync_data())
            .map_err(|e| NodeError::file("writing the counter", &self.path, e))?;
        (self.value, self.slot) = (value, slot);
        Ok(())
    }
}

/// The counters of a validator's two keys.
#[derive(Debug)]
pub(crate) struct SignatureCounters {
    votes: FileCounter,
    proposals: FileCounter,
}

impl SignatureCounters {
    /// Opens the counters at `path` and at `path` with the suffix `.proposals`, or creates them. Returns also whether they
    /// show anything about earlier signatures: both existed, and a vote was counted. Counters that were created at an earlier
    /// start, with records that may have been old already, show nothing before that vote.
    pub(crate) fn open(path: &Path, binding: &Binding) -> Result<(Self, bool)> {
        let one = |path: &Path, name: &str| {
            let bound = format!("{name} {binding}");
            Ok::<_, NodeError>(match FileCounter::open(path, &bound)? {
                Some(counter) => (counter, true),
                None => (FileCounter::create(path, &bound)?, false),
            })
        };
        let mut other = path.as_os_str().to_owned();
        other.push(".proposals");
        let (votes, had_votes) = one(path, "votes")?;
        let (proposals, had_proposals) = one(Path::new(&other), "proposals")?;
        let has_counted = had_votes && had_proposals && votes.value > 0;
        Ok((Self { votes, proposals }, has_counted))
    }

    /// Returns the values, for the guards of a starting replica.
    pub(crate) fn history(&mut self) -> Result<SigningHistory> {
        Ok(SigningHistory::Counted {
            votes: Floor::read(&mut self.votes)?,
            proposals: Floor::read(&mut self.proposals)?,
        })
    }

    /// Raises the counters to the marks of signatures whose records are durable. Returns once that is durable, too.
    pub(crate) fn advance(&mut self, signed: impl IntoIterator<Item = Signed>) -> Result<()> {
        let (mut votes, mut proposals) = (0, 0);
        for one in signed {
            match one {
                Signed::Vote(mark) => votes = mark.max(votes),
                Signed::Proposal(mark) => proposals = mark.max(proposals),
            }
        }
        self.votes.advance(votes)?;
        self.proposals.advance(proposals)
    }
}

#[cfg(test)]
mod tests {
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;

    use super::*;

    #[test]
    fn a_counter_survives_restarts_and_torn_writes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counter");
        assert!(FileCounter::open(&path, "alice").unwrap().is_none());
        let mut counter = FileCounter::create(&path, "alice").unwrap();
        for value in [5, 9, 7, 12] {
            counter.advance(value).unwrap();
        }
        let reopen = || FileCounter::open(&path, "alice").map(|counter| counter.unwrap().value);
        assert_eq!(reopen().unwrap(), 12);
        let whole = std::fs::read(&path).unwrap();
        for slot in 1..=2 {
            let mut torn = whole.clone();
            let at = whole.len() - slot * SLOT + 7;
            torn[at] ^= 1;
            std::fs::write(&path, torn).unwrap();
            assert!([9, 12].contains(&reopen().unwrap()));
        }
        for broken in [&whole[..whole.len() - 1], b"something else"] {
            std::fs::write(&path, broken).unwrap();
            assert_eq!(reopen().unwrap_err().code(), "CONFIG");
        }
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(FileCounter::open(&path, "bob").unwrap_err().code(), "CONFIG");
    }

    #[test]
    fn the_counters_of_both_keys_rise_together() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counter");
        let key = |byte| Ed25519::public_key(&Ed25519::secret_from_bytes(&[byte; 32]).unwrap());
        let binding = |byte| Binding::new::<Ed25519>([1; 32], &key(byte), &key(byte));
        assert!(!SignatureCounters::open(&path, &binding(1)).unwrap().1, "it is new");
        let (mut counters, has_counted) = SignatureCounters::open(&path, &binding(1)).unwrap();
        assert!(!has_counted, "no vote is counted yet");
        counters.advance([Signed::Vote(700), Signed::Proposal(300), Signed::Vote(600)]).unwrap();
        let (mut counters, has_counted) = SignatureCounters::open(&path, &binding(1)).unwrap();
        assert!(has_counted);
        let history = counters.history().unwrap();
        assert_eq!(history.votes().map(Floor::mark), Some(700));
        assert_eq!(history.proposals().map(Floor::mark), Some(300));
        assert!(SignatureCounters::open(&path, &binding(2)).is_err());
    }
}
