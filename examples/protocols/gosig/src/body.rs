//! Bodies: how a block's transactions are named to those who have most of them already.
//!
//! A body is the ordered list of a block's transactions, each by 6 bytes, cut into a few segments so that the first can
//! travel on before the last has come. The proposer signs every segment: without that anybody could flood the network
//! with garbage that looks like parts of the block.
//!
//! **Short identifiers** are the first 6 bytes of a hash over the block's digest and the transaction's identifier. The
//! digest salts them, so nobody can make two transactions in advance that collide in a block to come. Where two
//! transactions that the proposer knows (in the block or not) do collide, each of the block's comes with its full
//! identifier as well. Whoever knows two transactions under one short identifier takes neither and asks for the one
//! that is meant, by its index. In the end the Merkle root in the block decides.

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

/// The most segments of a body.
pub const MAX_SEGMENTS: usize = 256;
/// The most bytes of a segment's raw transactions, each with its length; one transaction always fits.
pub const MAX_SEGMENT_BYTES: usize = 2 << 20;

/// The first bytes of a hash over a block's digest and a transaction's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortId(pub [u8; 6]);

impl ShortId {
    /// The short identifier of a transaction in a block. Cost: two compressions.
    pub fn new(block: &BlockDigest, id: &Hash) -> Self {
        let mut hasher = domain::hasher(domain::GOSIG_SHORT);
        hasher.update(&block.0).update(id);
        let [a, b, c, d, e, f, ..] = *hasher.finalize().as_bytes();
        Self([a, b, c, d, e, f])
    }
}

/// How a segment names its transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entries {
    /// Form 0: by short identifiers.
    Short {
        /// One for each transaction.
        ids: Vec<ShortId>,
        /// The full identifiers of those whose short one is not unique, by their place in `ids`, ascending.
        full: Vec<(u32, Hash)>,
    },
    /// Form 1: by their identifiers.
    Full(Vec<Hash>),
    /// Form 2: as they are.
    Raw(Vec<Transaction>),
}

impl Entries {
    /// How many transactions there are.
    pub fn len(&self) -> usize {
        match self {
            Entries::Short { ids, .. } => ids.len(),
            Entries::Full(ids) => ids.len(),
            Entries::Raw(transactions) => transactions.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a proposer says of a part of its block's body.
///
/// | bytes | field |
/// |---|---|
/// | 32 | the block |
/// | 8 | the round of the proposal |
/// | 2 | signer: the proposer |
/// | 2 | index: which segment |
/// | 2 | how many segments the body has |
/// | 4 | the place of the first transaction |
/// | | form, entries |
#[derive(Clone, PartialEq, Eq)]
pub struct UnsignedSegment {
    /// The block.
    pub block: BlockDigest,
    /// The round in which it is proposed.
    pub round: u64,
    /// Who proposes it.
    pub signer: MemberIndex,
    /// Which segment this is.
    pub index: u16,
    /// Of how many.
    pub count: u16,
    /// The place in the block of its first transaction.
    pub first: u32,
    /// The transactions.
    pub entries: Entries,
}

/// A [`UnsignedSegment`], to which it derefs, with the proposer's signature, kind [`SEGMENT`](crate::SEGMENT), over a hash of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    part: UnsignedSegment,
    signature: <Ed25519 as Scheme>::Signature,
}

impl UnsignedSegment {
    /// What the proposer signs.
    pub fn digest(&self) -> [u8; 32] {
        domain::hash(domain::GOSIG_SEGMENT, &self.encode())
    }

    /// The segment, signed. Segments contradict nothing, so nothing is to be remembered.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key is no member's.
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
    /// Puts a segment together from its parts. Nothing is checked.
    pub fn new(part: UnsignedSegment, signature: <Ed25519 as Scheme>::Signature) -> Self {
        Self { part, signature }
    }

    /// The signature as a vote.
    pub fn vote<S: Vrf>(&self, committees: &Committees<S>) -> Vote<Ed25519> {
        let statement = committees.segment(self.round, self.digest());
        Vote::new(statement, self.signer, self.signature.clone())
    }
}

impl Deref for Segment {
    type Target = UnsignedSegment;

    fn deref(&self) -> &UnsignedSegment {
        &self.part
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
        self.part.encode_to(w);
        self.signature.encode_to(w);
    }
}

impl Decode for Segment {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { part: UnsignedSegment::decode_from(r, &())?, signature: Decode::decode_from(r, &())? })
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
        self.part.fmt(f)
    }
}
