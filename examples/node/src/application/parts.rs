//! Division of an application's state into parts, which a joining node fetches from several servers and checks one by one.
//!
//! A server describes the division in an *outline*. A joining node [opens](StateParts::open) it against a state root that the
//! committee certified, and then [checks](Outline::check) each part against the outline. The [`Ledger`](super::Ledger) proves
//! each part. [`WholeState`], the default of other applications, cannot: there the restored state is compared with the
//! certified root once all parts have arrived, and only then is a lie known.

use std::sync::{Mutex, PoisonError};

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::{ApplicationError, State};

/// Maximum length of an encoded part in bytes.
pub const MAX_PART_BYTES: usize = 2 << 20;
/// Maximum length of an encoded outline in bytes.
pub const MAX_OUTLINE_BYTES: usize = 16 << 20;
/// Maximum number of parts of a state.
pub const MAX_PARTS: usize = 1 << 17;
/// Number of parts that one pass over the state collects in memory.
pub(super) const PARTS_PER_PASS: usize = 32;
/// Length of an encoded part from which the next entry begins another one. A part has at least one entry.
const PART_BYTES: usize = 1 << 20;
const CONTEXT: &str = "quorate-v1-state-part";

/// A key of the state and its value.
pub type Entry = (Vec<u8>, Vec<u8>);

/// Divides a state into parts, and opens the outlines of servers.
pub trait StateParts: Send + Sync {
    /// Describes the parts of a state. The same state has the same outline at every server. Cost: a pass over the state.
    ///
    /// # Errors
    /// If the state cannot be read, or is too large.
    fn outline(&self, state: &State) -> Result<Vec<u8>, ApplicationError>;

    /// Decodes an outline, and checks as much of it as the application can prove under a state root.
    ///
    /// # Errors
    /// A decoding error, or [`Error::WrongContext`] for another state root.
    fn open(&self, outline: &[u8], root: &[u8; 32]) -> Result<Box<dyn Outline>>;
}

/// An opened outline.
pub trait Outline: Send + Sync {
    /// Number of parts.
    fn parts(&self) -> u32;

    /// Entries of the state that the outline itself contains.
    fn entries(&self) -> Vec<Entry>;

    /// Encodes a part of the state that the outline describes, at most [`MAX_PART_BYTES`]. Cost: a pass over the state for the
    /// first of 32 consecutive parts, unless the application finds a part without one.
    ///
    /// # Errors
    /// If the state cannot be read, or there is no such part.
    fn export(&self, state: &State, part: u32) -> Result<Vec<u8>, ApplicationError>;

    /// Checks a part from a server, and returns its entries.
    ///
    /// # Errors
    /// A decoding error, or [`Error::WrongContext`] if the outline describes another part.
    fn check(&self, part: u32, bytes: &[u8]) -> Result<Vec<Entry>>;
}

/// The parts of an application that cannot prove them: ranges of keys of the state.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeState;

/// | bytes | field |
/// |---|---|
/// | list | of each part: first key: byte string, digest 32 |
struct Ranges {
    parts: Vec<(Vec<u8>, [u8; 32])>,
    collected: Collected,
}

/// Parts that the last pass over a state collected.
#[derive(Debug, Default)]
pub(super) struct Collected {
    parts: Mutex<Option<(usize, Vec<Vec<u8>>)>>,
}

impl Collected {
    /// Returns a part. `collect` encodes the parts of a range, in one pass over the state.
    pub(super) fn part(
        &self,
        part: usize,
        of: usize,
        collect: impl FnOnce(std::ops::Range<usize>) -> Result<Vec<Vec<u8>>, ApplicationError>,
    ) -> Result<Vec<u8>, ApplicationError> {
        let none = || ApplicationError::new(format!("there is no part {part} of the state"));
        // Held during the pass: another request for the same parts waits for it.
        let mut collected = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let first = part - part % PARTS_PER_PASS;
        if collected.as_ref().is_none_or(|(at, _)| *at != first) {
            *collected = Some((first, collect(first..(first + PARTS_PER_PASS).min(of))?));
        }
        let parts = collected.as_ref().map(|(_, parts)| parts);
        parts.and_then(|parts| parts.get(part - first)).cloned().ok_or_else(none)
    }
}

impl StateParts for WholeState {
    fn outline(&self, state: &State) -> Result<Vec<u8>, ApplicationError> {
        let (mut parts, mut open) = (Vec::new(), OpenPart::default());
        state.visit(&[], |key, value| {
            if open.is_full() {
                parts.push(std::mem::take(&mut open).finish());
            }
            open.add(key, value)
        })?;
        if !open.entries.is_empty() {
            parts.push(open.finish());
        }
        if parts.len() > MAX_PARTS {
            return Err(ApplicationError::new(format!("the state has more than {MAX_PARTS} parts")));
        }
        let mut w = Writer::new();
        w.count(parts.len());
        for (first, bytes) in parts {
            w.bytes(&first);
            w.raw(&blake3::derive_key(CONTEXT, &bytes));
        }
        Ok(w.into_bytes())
    }

    fn open(&self, outline: &[u8], _root: &[u8; 32]) -> Result<Box<dyn Outline>> {
        let mut r = Reader::new(outline);
        let n = r.count("parts of a state", MAX_PARTS)?;
        let mut parts: Vec<(Vec<u8>, _)> = Vec::with_capacity(n.min(r.remaining() / 36));
        for _ in 0..n {
            let first = r.bytes("key", MAX_PART_BYTES)?.to_vec();
            if parts.last().is_some_and(|(last, _)| *last >= first) {
                return Err(Error::NonCanonical { what: "parts of a state" });
            }
            parts.push((first, r.array()?));
        }
        r.finish()?;
        Ok(Box::new(Ranges { parts, collected: Collected::default() }))
    }
}

impl Outline for Ranges {
    fn parts(&self) -> u32 {
        self.parts.len() as u32
    }

    fn entries(&self) -> Vec<Entry> {
        Vec::new()
    }

    fn export(&self, state: &State, part: u32) -> Result<Vec<u8>, ApplicationError> {
        self.collected.part(part as usize, self.parts.len(), |range| {
            let mut open: Vec<OpenPart> = range.clone().map(|_| OpenPart::default()).collect();
            state.visit(&[], |key, value| {
                let part = self.parts.partition_point(|(first, _)| first.as_slice() <= key);
                let at = part.checked_sub(range.start + 1);
                at.and_then(|at| open.get_mut(at)).map_or(Ok(()), |open| open.add(key, value))
            })?;
            Ok(open.into_iter().map(|open| open.finish().1).collect())
        })
    }

    fn check(&self, part: u32, bytes: &[u8]) -> Result<Vec<Entry>> {
        let named =
            self.parts.get(part as usize).ok_or(Error::WrongContext { what: "number of the part" })?;
        if bytes.len() > MAX_PART_BYTES {
            return Err(Error::TooLarge { what: "part of a state", limit: MAX_PART_BYTES as u64 });
        }
        if blake3::derive_key(CONTEXT, bytes) != named.1 {
            return Err(Error::WrongContext { what: "part of the state" });
        }
        Ok(Entries::decode(bytes, &())?.0)
    }
}

/// A part that a pass over a state fills.
#[derive(Default)]
struct OpenPart {
    entries: Vec<Entry>,
    bytes: usize,
}

impl OpenPart {
    fn is_full(&self) -> bool {
        self.bytes >= PART_BYTES
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), ApplicationError> {
        self.bytes += entry_bytes(key, value);
        if self.bytes > MAX_PART_BYTES {
            return Err(ApplicationError::new("an entry of the state is too large for a snapshot"));
        }
        self.entries.push((key.to_vec(), value.to_vec()));
        Ok(())
    }

    /// The first key, and the encoded part.
    fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let first = self.entries.first().map(|(key, _)| key.clone()).unwrap_or_default();
        (first, Entries(self.entries).encode())
    }
}

/// The entries of a part.
///
/// | bytes | field |
/// |---|---|
/// | list | of each entry: key: byte string, value: byte string |
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entries(pub(super) Vec<Entry>);

/// Length of an entry in an encoded part.
pub(super) fn entry_bytes(key: &[u8], value: &[u8]) -> usize {
    8 + key.len() + value.len()
}

impl Encode for Entries {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.0.len());
        for (key, value) in &self.0 {
            w.bytes(key);
            w.bytes(value);
        }
    }
}

impl Decode for Entries {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> Result<Self> {
        let n = r.count("entries of a part", MAX_PART_BYTES / 8)?;
        let mut entries = Vec::with_capacity(n.min(r.remaining() / 8));
        for _ in 0..n {
            let key = r.bytes("key", MAX_PART_BYTES)?.to_vec();
            entries.push((key, r.bytes("value", MAX_PART_BYTES)?.to_vec()));
        }
        Ok(Self(entries))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;

    fn state(entries: u32) -> BTreeMap<Vec<u8>, Vec<u8>> {
        (0..entries).map(|n| (n.to_be_bytes().to_vec(), vec![n as u8; 100_000])).collect()
    }

    #[test]
    fn a_whole_state_is_put_together_from_its_parts() {
        for n in [0, 1, 60, 500] {
            let map = state(n);
            let source = State::new(Arc::new(map.clone()));
            let outline = WholeState.outline(&source).unwrap();
            let opened = WholeState.open(&outline, &[0; 32]).unwrap();
            assert_eq!(opened.parts(), n.div_ceil(11));
            let mut joined = BTreeMap::from_iter(opened.entries());
            for part in 0..opened.parts() {
                let bytes = opened.export(&source, part).unwrap();
                joined.extend(opened.check(part, &bytes).unwrap());
            }
            assert_eq!(joined, map);
            assert!(opened.export(&source, opened.parts()).is_err());
        }
    }

    #[test]
    fn a_part_that_the_outline_does_not_name_is_refused() {
        let source = State::new(Arc::new(state(30)));
        let outline = WholeState.outline(&source).unwrap();
        let opened = WholeState.open(&outline, &[0; 32]).unwrap();
        let bytes = opened.export(&source, 1).unwrap();
        assert!(opened.check(0, &bytes).is_err() && opened.check(99, &bytes).is_err());
        assert!(opened.check(1, &bytes[..bytes.len() - 1]).is_err());
        assert!(WholeState.open(&[&outline[..], &[0]].concat(), &[0; 32]).is_err());
    }
}
