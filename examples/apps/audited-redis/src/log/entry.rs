//! Format of the header and the entries.

use quorate::wire::domain;

use crate::frame::MAX_FRAME;

/// The file's first bytes.
pub const MAGIC: [u8; 8] = *b"QARLOG01";
/// Bytes of the header.
pub const HEADER: usize = 40;
/// Bytes of an entry without its signed command.
pub const OVERHEAD: usize = 4 + FIXED + 32;
/// The largest entry.
pub const MAX_ENTRY: usize = OVERHEAD + MAX_FRAME;
/// The most that is written at once, and so the most that a crash can leave unfinished.
pub const MAX_GROUP: usize = 16 << 20;

/// No search for entries goes further ahead in their numbers.
pub(crate) const MAX_NUMBER_JUMP: u64 = 1 << 24;
/// Number, durable, received, signer.
const FIXED: usize = 8 + 8 + 8 + 32;

/// An entry without its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// From 1.
    pub number: u64,
    /// The last entry that was on disk when this one was written.
    pub durable: u64,
    /// Microseconds of the front's clock, never below that of the entry before.
    pub received: u64,
    /// The signer's public key.
    pub signer: [u8; 32],
    /// The signed command.
    pub body: &'a [u8],
}

impl Entry<'_> {
    /// Appends the encoding, hash included, and answers with the hash. The body is no larger than [`MAX_FRAME`].
    pub fn encode_to(&self, previous: &[u8; 32], out: &mut Vec<u8>) -> [u8; 32] {
        let begin = out.len();
        let len = u32::try_from(FIXED + self.body.len() + 32).unwrap_or(u32::MAX);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.durable.to_le_bytes());
        out.extend_from_slice(&self.received.to_le_bytes());
        out.extend_from_slice(&self.signer);
        out.extend_from_slice(self.body);
        let chain = hash(&[previous, out.get(begin..).unwrap_or_default()]);
        out.extend_from_slice(&chain);
        chain
    }
}

/// An entry as it stands in the file. Nothing is checked but its form.
#[derive(Clone, Copy, Debug)]
pub struct RawEntry<'a> {
    /// What it says.
    pub entry: Entry<'a>,
    /// The hash that it states.
    pub chain: [u8; 32],
    /// All of its bytes.
    bytes: &'a [u8],
}

impl<'a> RawEntry<'a> {
    /// Reads the entry at the beginning of `bytes`.
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

    /// Bytes in the file.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether its hash is right, if `previous` is that of the entry before it.
    pub fn follows(&self, previous: &[u8; 32]) -> bool {
        self.expected_chain(previous) == self.chain
    }

    /// The hash that it should have, if `previous` is that of the entry before it.
    pub fn expected_chain(&self, previous: &[u8; 32]) -> [u8; 32] {
        let hashed = self.bytes.split_last_chunk::<32>().map_or(&[][..], |(hashed, _)| hashed);
        hash(&[previous, hashed])
    }

    /// Whether its hash would be right with another number.
    pub fn would_follow(&self, previous: &[u8; 32], number: u64) -> bool {
        let mut bytes = Vec::with_capacity(self.len());
        Entry { number, ..self.entry }.encode_to(previous, &mut bytes) == self.chain
    }
}

/// What bytes look like.
pub(crate) enum ParsedEntry<'a> {
    Complete(RawEntry<'a>),
    /// More bytes would be needed.
    Incomplete,
    Malformed,
}

/// The header of a store's log.
pub(crate) fn header(store: &[u8; 32]) -> Vec<u8> {
    [&MAGIC[..], store].concat()
}

/// The hash that the first entry is bound to.
pub(crate) fn first_chain(store: &[u8; 32]) -> [u8; 32] {
    hash(&[&header(store)])
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = domain::hasher(domain::AUDITED_REDIS_LOG);
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    *hasher.finalize().as_bytes()
}
