//! Durable records: the state that must survive a crash.

use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::guard::GuardRecord;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::batch::Batch;
use crate::block::{Block, Committees};
use crate::chain_state::ChainState;
use crate::ids::{BatchDigest, BlockDigest};
use crate::message::Timeout;

/// A record that must be durable before the messages that depend on it leave.
///
/// A store may keep all records in order or only the last of each [`RecordKey`]; the replica can be restored from
/// either. Restoring needs the committed tip, its child, the blocks above, and everything committed but not executed
/// durably. Older blocks and batches belong into the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<S: Scheme> {
    /// A batch of this member, or one that it acknowledged or fetched.
    Batch(Arc<Batch>),
    /// A block that this member voted for or committed.
    Block(Arc<Block<S>>),
    /// State of the voting key's guard: votes and timeouts.
    VoteGuard(GuardRecord),
    /// State of the identity key's guard: proposals.
    ProposalGuard(GuardRecord),
    /// The timeout of the current view with its certificates.
    Timeout(Box<Timeout<S>>),
    /// The committed tip.
    Committed(Box<Committed<S>>),
}

/// The tip of the committed chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed<S: Scheme> {
    /// Height of the tip.
    pub height: u64,
    /// View of the tip.
    pub view: u64,
    /// Digest of the tip.
    pub digest: BlockDigest,
    /// Digest of its child in the next view.
    pub child: BlockDigest,
    /// Certificate of that child, which committed the tip.
    pub certificate: Certificate<S>,
    /// Chain state at the tip.
    pub state: ChainState,
}

/// Key of a record. A record replaces earlier records with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKey {
    /// One key per batch.
    Batch(BatchDigest),
    /// One key per block.
    Block(BlockDigest),
    /// One key per statement kind.
    VoteGuard(u8),
    /// One key per statement kind.
    ProposalGuard(u8),
    /// A single key.
    Timeout,
    /// A single key.
    Committed,
}

impl<S: Scheme> Record<S> {
    /// Returns the key of the record.
    pub fn key(&self) -> RecordKey {
        match self {
            Record::Batch(batch) => RecordKey::Batch(batch.digest()),
            Record::Block(block) => RecordKey::Block(block.digest()),
            Record::VoteGuard(record) => RecordKey::VoteGuard(record.kind().number()),
            Record::ProposalGuard(record) => RecordKey::ProposalGuard(record.kind().number()),
            Record::Timeout(_) => RecordKey::Timeout,
            Record::Committed(_) => RecordKey::Committed,
        }
    }
}

impl<S: Scheme> Encode for Record<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Record::Batch(batch) => {
                w.u8(1);
                batch.encode_to(w);
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
            Record::Timeout(timeout) => {
                w.u8(5);
                timeout.encode_to(w);
            }
            Record::Committed(committed) => {
                w.u8(6);
                committed.encode_to(w);
            }
        }
    }
}

impl<S: Scheme> Decode<Committees<S>> for Record<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Record::Batch(Arc::new(Batch::decode_from(r, &())?)),
            2 => Record::Block(Arc::new(Block::decode_from(r, committees)?)),
            3 => Record::VoteGuard(GuardRecord::decode_from(r, &())?),
            4 => Record::ProposalGuard(GuardRecord::decode_from(r, &())?),
            5 => Record::Timeout(Box::new(Timeout::decode_from(r, committees)?)),
            6 => Record::Committed(Box::new(Committed::decode_from(r, committees)?)),
            _ => return Err(Error::Malformed { what: "record tag" }),
        })
    }
}

impl<S: Scheme> Encode for Committed<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        w.u64(self.view);
        self.digest.encode_to(w);
        self.child.encode_to(w);
        self.certificate.encode_to(w);
        self.state.encode_to(w);
    }
}

impl<S: Scheme> Decode<Committees<S>> for Committed<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(Self {
            height: r.u64()?,
            view: r.u64()?,
            digest: BlockDigest::decode_from(r, &())?,
            child: BlockDigest::decode_from(r, &())?,
            certificate: Certificate::decode_from(r, &committees.voters)?,
            state: ChainState::decode_from(r, &())?,
        })
    }
}
