//! What survives a crash.

use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::guard::GuardRecord;
use quorate::scheme::Vrf;
use quorate::sortition::Seed;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::block::{Block, Committees};
use crate::digests::{BlockDigest, PayloadDigest};
use crate::finality::Finality;
use crate::kinds::PREPARE;
use crate::payload::Payload;

/// A record that is durable before what depends on it leaves.
///
/// A store may keep all of them in order, or only the last of each [`RecordKey`]; the replica can be made again from
/// either. It needs the tip, the lock, and what was committed but not executed durably, each with its block and its
/// payload; what is older is for the archive to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<S: Vrf> {
    /// Transactions: submitted here, or those of a block.
    Payload(Arc<Payload>),
    /// A block, locked or committed.
    Block(Arc<Block<S>>),
    /// What the voting key signed.
    VoteGuard(GuardRecord),
    /// What the identity key signed: proposals.
    ProposalGuard(GuardRecord),
    /// The tentatively committed block (the paper's s), or none.
    Lock(Option<Box<Lock<S>>>),
    /// A block is committed.
    Committed(Box<Committed<S>>),
}

/// A tentatively committed block. Its round (the paper's r_tc) is that of the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock<S: Vrf> {
    /// The block (the paper's B_tc).
    pub block: BlockDigest,
    /// Its height.
    pub height: u64,
    /// A quorum prepared it (the paper's c_tc).
    pub certificate: Certificate<S>,
}

/// A committed block, and what the chain up to it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed<S: Vrf> {
    /// Its height.
    pub height: u64,
    /// Its digest.
    pub digest: BlockDigest,
    /// Why it is committed.
    pub finality: Finality<S>,
    /// The seed after it.
    pub seed: Seed,
    /// The height of the last block up to it that has transactions; 0 if there is none.
    pub payload_height: u64,
}

/// Records of the same key replace each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKey {
    /// One per payload.
    Payload(PayloadDigest),
    /// One per block.
    Block(BlockDigest),
    /// One per kind of statement.
    VoteGuard(u8),
    /// One per kind of statement.
    ProposalGuard(u8),
    /// One.
    Lock,
    /// One per height. Only the highest, and those above what was executed durably, are needed.
    Committed(u64),
}

impl<S: Vrf> Lock<S> {
    /// The round in which a quorum prepared it (the paper's r_tc).
    pub fn round(&self) -> u64 {
        self.certificate.statement().view
    }
}

impl<S: Vrf> Record<S> {
    /// What a later record replaces.
    pub fn key(&self) -> RecordKey {
        match self {
            Record::Payload(payload) => RecordKey::Payload(payload.digest()),
            Record::Block(block) => RecordKey::Block(block.digest()),
            Record::VoteGuard(record) => RecordKey::VoteGuard(record.kind().number()),
            Record::ProposalGuard(record) => RecordKey::ProposalGuard(record.kind().number()),
            Record::Lock(_) => RecordKey::Lock,
            Record::Committed(committed) => RecordKey::Committed(committed.height),
        }
    }
}

impl<S: Vrf> Encode for Record<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Record::Payload(payload) => {
                w.u8(1);
                payload.encode_to(w);
            }
            Record::Block(block) => {
                w.u8(2);
                block.encode_to(w);
            }
            Record::VoteGuard(record) => {
                w.u8(3);
                record.encode_to(w);
            }
            Record::ProposalGuard(record) => {
                w.u8(4);
                record.encode_to(w);
            }
            Record::Lock(lock) => {
                w.u8(5);
                w.option(lock.as_deref());
            }
            Record::Committed(committed) => {
                w.u8(6);
                committed.encode_to(w);
            }
        }
    }
}

impl<S: Vrf> Decode<Committees<S>> for Record<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Record::Payload(Arc::new(Payload::decode_from(r, &())?)),
            2 => Record::Block(Arc::new(Block::decode_from(r, committees)?)),
            3 => Record::VoteGuard(GuardRecord::decode_from(r, &())?),
            4 => Record::ProposalGuard(GuardRecord::decode_from(r, &())?),
            5 => Record::Lock(r.option::<_, Lock<S>>(committees)?.map(Box::new)),
            6 => Record::Committed(Box::new(Committed::decode_from(r, committees)?)),
            _ => return Err(Error::Malformed { what: "record tag" }),
        })
    }
}

impl<S: Vrf> Encode for Lock<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.block.encode_to(w);
        w.u64(self.height);
        self.certificate.encode_to(w);
    }
}

impl<S: Vrf> Decode<Committees<S>> for Lock<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let (block, height) = (BlockDigest::decode_from(r, &())?, r.u64()?);
        let certificate = Certificate::decode_from(r, &*committees.voters)?;
        let statement = certificate.statement();
        if statement.kind != PREPARE || statement.digest != committees.ballot(height, block) {
            return Err(Error::Malformed { what: "lock whose certificate is another block's" });
        }
        Ok(Self { block, height, certificate })
    }
}

impl<S: Vrf> Encode for Committed<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        self.digest.encode_to(w);
        self.finality.encode_to(w);
        self.seed.encode_to(w);
        w.u64(self.payload_height);
    }
}

impl<S: Vrf> Decode<Committees<S>> for Committed<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(Self {
            height: r.u64()?,
            digest: BlockDigest::decode_from(r, &())?,
            finality: Finality::decode_from(r, committees)?,
            seed: Seed::decode_from(r, &())?,
            payload_height: r.u64()?,
        })
    }
}
