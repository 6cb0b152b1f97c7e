//! Durable records: the state that must survive a crash.

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

/// A record. It must be durable before any message that depends on it leaves.
///
/// A store may keep all records in order, or only the last of each [`RecordKey`]; a replica can be restored from either. It
/// needs the tip, the lock, and the blocks that were committed but not executed durably, each with its payload. The archive
/// keeps older blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<S: Vrf> {
    /// Transactions that were submitted here, or those of a block.
    Payload(Arc<Payload>),
    /// A locked or committed block.
    Block(Arc<Block<S>>),
    /// Guard record of a vote.
    VoteGuard(GuardRecord),
    /// Guard record of a proposal.
    ProposalGuard(GuardRecord),
    /// The lock (the paper's s), or none.
    Lock(Option<Box<Lock<S>>>),
    /// The commit of a block.
    Committed(Box<Committed<S>>),
}

/// The lock of a member: a tentatively committed block. Its round (the paper's r_tc) is that of the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock<S: Vrf> {
    /// Digest of the block (the paper's B_tc).
    pub block: BlockDigest,
    /// Height of the block.
    pub height: u64,
    /// PREPARE certificate of the block (the paper's c_tc).
    pub certificate: Certificate<S>,
}

/// The commit of a block, with the state of the chain after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed<S: Vrf> {
    /// Height of the block.
    pub height: u64,
    /// Digest of the block.
    pub digest: BlockDigest,
    /// Commitment certificate of the block.
    pub finality: Finality<S>,
    /// The seed after the block.
    pub seed: Seed,
    /// Height of the last block with transactions, up to this one; 0 if there is none.
    pub payload_height: u64,
}

/// Key of a record. A record replaces the earlier ones with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKey {
    /// One record per payload.
    Payload(PayloadDigest),
    /// One record per block.
    Block(BlockDigest),
    /// One record per kind of statement.
    VoteGuard(u8),
    /// One record per kind of statement.
    ProposalGuard(u8),
    /// One record.
    Lock,
    /// One record per height. Only the highest one, and those above the durably executed height, are needed.
    Committed(u64),
}

impl<S: Vrf> Lock<S> {
    /// Returns the round in which a quorum prepared the block (the paper's r_tc).
    pub fn round(&self) -> u64 {
        self.certificate.statement().view
    }
}

impl<S: Vrf> Record<S> {
    /// Returns the key of the record.
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
            return Err(Error::Malformed { what: "lock: the certificate names another block" });
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
