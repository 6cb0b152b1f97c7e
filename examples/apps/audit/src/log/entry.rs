//! Format of the header and the entries.

use quorate::wire::domain;

use crate::Application;
use crate::signed::MAX_SIGNED;

/// Length of the header.
pub const HEADER: usize = 40;
/// Length of an entry's hash.
pub(super) const HASH: usize = 32;
/// Length of an entry without its signed command.
pub const OVERHEAD: usize = 4 + FIXED + HASH;
/// Maximum length of an entry.
pub const MAX_ENTRY: usize = OVERHEAD + MAX_SIGNED;
/// Maximum size of a group, which is also the maximum that a crash can leave incomplete.
pub const MAX_GROUP: usize = 16 << 20;

/// Maximum distance between entry numbers when searching for entries.
pub(crate) const MAX_NUMBER_JUMP: u64 = 1 << 24;
/// Length of number, durable, received and signer.
const FIXED: usize = 8 + 8 + 8 + 32;

/// An entry without its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Number, from 1.
    pub number: u64,
    /// Number of the last entry that was on disk when this one was written.
    pub durable: u64,
    /// Time of receipt in microseconds by the server's clock, never below that of the previous entry.
    pub received: u64,
    /// The signer's public key.
    pub signer: [u8; 32],
    /// The signed command.
    pub body: &'a [u8],
}

impl Entry<'_> {
    /// Appends the encoding, including the chain hash, and returns the hash. The body must not exceed [`MAX_SIGNED`].
    pub fn encode_to(&self, application: &Application, previous: &[u8; 32], out: &mut Vec<u8>) -> [u8; 32] {
        let begin = out.len();
        self.encode_unsealed_to(out);
        let chain = hash(application, &[previous, out.get(begin..).unwrap_or_default()]);
        out.extend_from_slice(&chain);
        chain
    }

    /// Appends the encoding without the chain hash.
    pub(super) fn encode_unsealed_to(&self, out: &mut Vec<u8>) {
        let len = u32::try_from(FIXED + self.body.len() + 32).unwrap_or(u32::MAX);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.durable.to_le_bytes());
        out.extend_from_slice(&self.received.to_le_bytes());
        out.extend_from_slice(&self.signer);
        out.extend_from_slice(self.body);
    }
}

/// An entry as stored in the file. Only its form is checked.
#[derive(Clone, Copy, Debug)]
pub struct RawEntry<'a> {
    /// Decoded fields.
    pub entry: Entry<'a>,
    /// Stored chain hash.
    pub chain: [u8; 32],
    /// All bytes of the entry.
    bytes: &'a [u8],
}

/// Returns the bytes in the place of the hash of an entry that is not sealed: its number, its length in the file, and a text.
pub(super) fn unsealed_mark(number: u64, length: usize) -> [u8; HASH] {
    let mut mark = *b"............the hash comes later";
    let fields = number.to_le_bytes().into_iter().chain((length as u32).to_le_bytes());
    mark.iter_mut().zip(fields).for_each(|(to, from)| *to = from);
    mark
}

/// Returns the chain hash of an entry without it.
pub(super) fn seal(application: &Application, previous: &[u8; 32], unsealed: &[u8]) -> [u8; 32] {
    hash(application, &[previous, unsealed])
}

/// Parses the entry that `bytes` contain up to a part of its chain hash, which is the end of the log of a writer that
/// was killed before it sealed the entry. Returns the entry and the length without the hash.
pub(super) fn parse_unsealed(bytes: &[u8]) -> Option<(Entry<'_>, usize)> {
    let (len, rest) = bytes.split_first_chunk()?;
    let unsealed = (u32::from_le_bytes(*len) as usize).checked_sub(32)?;
    if !(FIXED..=MAX_ENTRY - 36).contains(&unsealed) || !(unsealed..unsealed + 32).contains(&rest.len()) {
        return None;
    }
    let (number, rest) = rest.get(..unsealed)?.split_first_chunk()?;
    let (durable, rest) = rest.split_first_chunk()?;
    let (received, rest) = rest.split_first_chunk()?;
    let (signer, body) = rest.split_first_chunk()?;
    let [number, durable, received] = [number, durable, received].map(|field| u64::from_le_bytes(*field));
    Some((Entry { number, durable, received, signer: *signer, body }, 4 + unsealed))
}

impl<'a> RawEntry<'a> {
    /// Parses the entry at the beginning of `bytes`.
    pub(crate) fn parse(bytes: &'a [u8]) -> ParsedEntry<'a> {
        let Some((len, rest)) = bytes.split_first_chunk() else { return ParsedEntry::Incomplete };
        let len = u32::from_le_bytes(*len) as usize;
        if !(FIXED + 32..=MAX_ENTRY - 4).contains(&len) {
            return ParsedEntry::Malformed;
        }
        let Some(content) = rest.get(..len) else { return ParsedEntry::Incomplete };
        match Self::decode(content, bytes.get(..len + 4).unwrap_or_default()) {
            Some(raw) => ParsedEntry::Complete(raw),
            None => ParsedEntry::Malformed,
        }
    }

    fn decode(content: &'a [u8], bytes: &'a [u8]) -> Option<Self> {
        let (number, rest) = content.split_first_chunk()?;
        let (durable, rest) = rest.split_first_chunk()?;
        let (received, rest) = rest.split_first_chunk()?;
        let (signer, rest) = rest.split_first_chunk()?;
        let (body, chain) = rest.split_last_chunk()?;
        let [number, durable, received] = [number, durable, received].map(|field| u64::from_le_bytes(*field));
        Some(Self { entry: Entry { number, durable, received, signer: *signer, body }, chain: *chain, bytes })
    }

    /// Returns all bytes in the file.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the length in the file.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns false: an entry is never empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns true if its hash is right when `previous` is the hash of the previous entry.
    pub fn follows(&self, application: &Application, previous: &[u8; 32]) -> bool {
        self.expected_chain(application, previous) == self.chain
    }

    /// Computes its hash when `previous` is the hash of the previous entry.
    pub fn expected_chain(&self, application: &Application, previous: &[u8; 32]) -> [u8; 32] {
        let hashed = self.bytes.split_last_chunk::<32>().map_or(&[][..], |(hashed, _)| hashed);
        hash(application, &[previous, hashed])
    }

    /// Returns true if its hash is not stored, or stored in part, when `expected` is the right one: its writer has not sealed
    /// it. The mark of an unsealed entry shows that number and length are those that were written.
    pub fn is_unsealed(&self, expected: &[u8; 32]) -> bool {
        let mark = unsealed_mark(self.entry.number, self.bytes.len());
        let words = |bytes: &'_ [u8; HASH]| bytes.as_chunks::<8>().0.to_vec();
        let stored = words(&self.chain).into_iter().zip(words(expected)).zip(words(&mark));
        self.chain != *expected && stored.into_iter().all(|((word, hash), mark)| word == hash || word == mark)
    }

    /// Returns true if its hash would be right with another number.
    pub fn would_follow(&self, application: &Application, previous: &[u8; 32], number: u64) -> bool {
        let mut bytes = Vec::with_capacity(self.len());
        Entry { number, ..self.entry }.encode_to(application, previous, &mut bytes) == self.chain
    }
}

/// Result of parsing an entry.
pub(crate) enum ParsedEntry<'a> {
    Complete(RawEntry<'a>),
    /// More bytes are needed.
    Incomplete,
    Malformed,
}

/// Returns the header of a store's log.
pub(crate) fn header(application: &Application, store: &[u8; 32]) -> Vec<u8> {
    [&application.log_magic[..], store].concat()
}

/// Returns the hash that precedes the first entry.
pub(crate) fn first_chain(application: &Application, store: &[u8; 32]) -> [u8; 32] {
    hash(application, &[&header(application, store)])
}

fn hash(application: &Application, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = domain::hasher(application.log_domain);
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    *hasher.finalize().as_bytes()
}
