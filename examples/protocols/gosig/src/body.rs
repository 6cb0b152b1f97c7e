//! Bodies: the names of a block's transactions, for members that have most of them already.
//!
//! A body is the ordered list of a block's transactions, each named by 6 bytes, cut into a few segments so that members
//! forward the first before the last has arrived. The proposer signs every segment: otherwise any member could flood
//! the network with garbage that looks like parts of the block.
//!
//! **Short identifiers** are the first 6 bytes of a hash over the block's digest and the transaction's identifier. The
//! digest salts them, so two transactions that collide in a future block cannot be made in advance. If two transactions that
//! the proposer knows (in the block or not) collide, those of the block are sent with their full identifiers as well. A
//! member that knows two transactions with one short identifier uses neither and requests the place. In the end the Merkle
//! root in the block decides.

use core::fmt;
use core::ops::Deref;

use quorate::certificate::Vote;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::{Scheme, Vrf};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::block::Committees;
use crate::digests::BlockDigest;
use crate::payload::{MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Transaction};

/// Maximum number of segments of a body.
pub const MAX_SEGMENTS: usize = 256;
/// Maximum bytes of a segment's raw transactions, each with its length. One transaction always fits.
pub const MAX_SEGMENT_BYTES: usize = 2 << 20;

/// Short identifier of a transaction in a block: the first 6 bytes of a hash over the block's digest and the transaction's
/// identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortId(pub [u8; 6]);

impl ShortId {
    /// Computes the short identifier of a transaction in a block. Cost: two compressions.
    pub fn new(block: &BlockDigest, id: &Hash) -> Self {
        let mut hasher = domain::hasher(domain::GOSIG_SHORT);
        hasher.update(&block.0).update(id);
        let [a, b, c, d, e, f, ..] = *hasher.finalize().as_bytes();
        Self([a, b, c, d, e, f])
    }
}

/// The names of a segment's transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entries {
    /// Form 0: short identifiers.
    Short {
        /// One short identifier per transaction.
        ids: Vec<ShortId>,
        /// Full identifiers of the transactions whose short one is not unique, by their index in `ids`, ascending.
        full: Vec<(u32, Hash)>,
    },
    /// Form 1: full identifiers.
    Full(Vec<Hash>),
    /// Form 2: the transactions themselves.
    Raw(Vec<Transaction>),
}

impl Entries {
    /// Returns the number of transactions.
    pub fn len(&self) -> usize {
        match self {
            Entries::Short { ids, .. } => ids.len(),
            Entries::Full(ids) => ids.len(),
            Entries::Raw(transactions) => transactions.len(),
        }
    }

    /// Returns true if there are no transactions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A segment of a block's body before the proposer signs it.
///
/// | bytes | field |
/// |---|---|
/// | 32 | digest of the block |
/// | 8 | round of the proposal |
/// | 2 | signer: the proposer |
/// | 2 | index of the segment |
/// | 2 | number of segments of the body |
/// | 4 | place of the first transaction |
/// | | form, entries |
#[derive(Clone, PartialEq, Eq)]
pub struct UnsignedSegment {
    /// Digest of the block.
    pub block: BlockDigest,
    /// Round of the proposal.
    pub round: u64,
    /// Proposer of the block.
    pub signer: MemberIndex,
    /// Index of the segment.
    pub index: u16,
    /// Number of segments of the body.
    pub count: u16,
    /// Place in the block of the segment's first transaction.
    pub first: u32,
    /// Names of the transactions.
    pub entries: Entries,
}

/// A signed segment: an [`UnsignedSegment`], to which it derefs, with the proposer's signature of kind
/// [`SEGMENT`](crate::SEGMENT) over its hash.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    content: UnsignedSegment,
    signature: <Ed25519 as Scheme>::Signature,
}

impl UnsignedSegment {
    /// Computes the digest that the proposer signs.
    pub fn digest(&self) -> [u8; 32] {
        domain::hash(domain::GOSIG_SEGMENT, &self.encode())
    }

    /// Signs the segment. Segments cannot contradict each other, so the signature needs no guard.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key does not belong to a member.
    pub fn sign<S: Vrf>(
        self,
        committees: &Committees<S>,
        key: &<Ed25519 as Scheme>::SecretKey,
    ) -> Result<Segment> {
        let statement = committees.segment(self.round, self.digest());
        let vote = Vote::<Ed25519>::sign_unguarded(key, &committees.identities, statement)?;
        Ok(Segment::new(self, vote.signature().clone()))
    }
}

impl Segment {
    /// Returns a segment with this signature, without any check.
    pub fn new(content: UnsignedSegment, signature: <Ed25519 as Scheme>::Signature) -> Self {
        Self { content, signature }
    }

    /// Returns the signature as a vote.
    pub fn vote<S: Vrf>(&self, committees: &Committees<S>) -> Vote<Ed25519> {
        let statement = committees.segment(self.round, self.digest());
        Vote::new(statement, self.signer, self.signature.clone())
    }
}

impl Deref for Segment {
    type Target = UnsignedSegment;

    fn deref(&self) -> &UnsignedSegment {
        &self.content
    }
}

impl Encode for ShortId {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.0);
    }
}

impl Decode for ShortId {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.array().map(Self)
    }
}

impl Encode for Entries {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Entries::Short { ids, full } => {
                w.u8(0);
                w.list(ids);
                w.count(full.len());
                for (place, id) in full {
                    w.u32(*place);
                    w.raw(id);
                }
            }
            Entries::Full(ids) => {
                w.u8(1);
                w.count(ids.len());
                ids.iter().for_each(|id| w.raw(id));
            }
            Entries::Raw(transactions) => {
                w.u8(2);
                w.list(transactions);
            }
        }
    }
}

impl Decode for Entries {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        const WHAT: &str = "entries of a segment";
        Ok(match r.u8()? {
            0 => {
                let ids: Vec<ShortId> = r.list(WHAT, MAX_TRANSACTIONS, &())?;
                let n = r.count("full identifiers of a segment", ids.len())?;
                let mut full: Vec<(u32, Hash)> = Vec::new();
                for _ in 0..n {
                    let (place, id) = (r.u32()?, r.array()?);
                    let ascends = full.last().is_none_or(|(last, _)| *last < place);
                    if !ascends || place as usize >= ids.len() {
                        return Err(Error::NonCanonical { what: "full identifiers of a segment" });
                    }
                    full.push((place, id));
                }
                Entries::Short { ids, full }
            }
            1 => {
                let n = r.count(WHAT, MAX_TRANSACTIONS)?;
                Entries::Full((0..n).map(|_| r.array()).collect::<Result<_>>()?)
            }
            2 => {
                let transactions: Vec<Transaction> = r.list(WHAT, MAX_TRANSACTIONS, &())?;
                let bytes: usize = transactions.iter().map(Transaction::encoded_len).sum();
                if bytes > MAX_SEGMENT_BYTES.max(MAX_TRANSACTION_BYTES + 4) {
                    return Err(Error::TooLarge { what: "segment", limit: MAX_SEGMENT_BYTES as u64 });
                }
                Entries::Raw(transactions)
            }
            _ => return Err(Error::Malformed { what: "form of a segment" }),
        })
    }
}

impl Encode for UnsignedSegment {
    fn encode_to(&self, w: &mut Writer) {
        self.block.encode_to(w);
        w.u64(self.round);
        w.u16(self.signer);
        w.u16(self.index);
        w.u16(self.count);
        w.u32(self.first);
        self.entries.encode_to(w);
    }
}

impl Decode for UnsignedSegment {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let part = Self {
            block: BlockDigest::decode_from(r, &())?,
            round: r.u64()?,
            signer: r.u16()?,
            index: r.u16()?,
            count: r.u16()?,
            first: r.u32()?,
            entries: Entries::decode_from(r, &())?,
        };
        let end = (part.first as usize).saturating_add(part.entries.len());
        let placed = part.index < part.count && usize::from(part.count) <= MAX_SEGMENTS;
        if !placed || part.entries.is_empty() || end > MAX_TRANSACTIONS {
            return Err(Error::Malformed { what: "place of a segment" });
        }
        Ok(part)
    }
}

impl Encode for Segment {
    fn encode_to(&self, w: &mut Writer) {
        self.content.encode_to(w);
        self.signature.encode_to(w);
    }
}

impl Decode for Segment {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { content: UnsignedSegment::decode_from(r, &())?, signature: Decode::decode_from(r, &())? })
    }
}

impl fmt::Debug for UnsignedSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, round, signer, index, count, entries, .. } = self;
        let n = entries.len();
        write!(f, "Segment({index} of {count} of {block:?}, round {round}, by {signer}, {n} transactions)")
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.content.fmt(f)
    }
}
