use std::sync::Arc;

use quorate::certificate::Vote;
use quorate::guard::GuardRecord;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::block::{BlockContext, CertifiedBlock};
use crate::acs;
use crate::epoch::{self, Batch};
use crate::signatures::ThresholdScheme;

/// Messages of the chain.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: ThresholdScheme, V: Scheme> {
    /// A message of the epoch that decides a block.
    Epoch {
        /// Height of the block.
        height: u64,
        /// The message.
        message: epoch::Message<S>,
    },
    /// The sender's signature on a block that its epoch decided.
    Vote(Vote<V>),
    /// A block for a member that is behind.
    Block(Arc<CertifiedBlock<V>>),
    /// The sender asks for what it lacks: blocks, or messages of the epochs from a height on.
    Status {
        /// Height of the first block that the sender lacks.
        height: u64,
    },
}

/// Records of the chain, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<S: ThresholdScheme, V: Scheme> {
    /// A message that an epoch handled. Needed until its block is certified.
    Input {
        /// Height of the block.
        height: u64,
        /// The sender.
        from: MemberIndex,
        /// The message.
        message: epoch::Message<S>,
    },
    /// This member's proposal for an epoch. Needed until its block is certified.
    Proposal {
        /// Height of the block.
        height: u64,
        /// The proposal.
        batch: Batch,
    },
    /// A vote was signed. The latest record replaces the earlier ones.
    Vote(GuardRecord),
    /// A block of the chain. The last ones are needed: [`RECENT`](super::RECENT).
    Block(Arc<CertifiedBlock<V>>),
}

/// Bounds for the decoders of messages and records.
#[derive(Clone)]
pub struct Limits<V: Scheme> {
    /// Bounds of the epochs.
    pub epoch: acs::Limits,
    /// Bounds of the blocks.
    pub block: BlockContext<V>,
}

/// Encoding: a tag, then tag 1: height u64 ‖ message; tag 2: vote in the form for links; tag 3: block with certificate;
/// tag 4: height u64.
impl<S: ThresholdScheme, V: Scheme> Encode for Message<S, V> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Epoch { height, message } => {
                w.u8(1);
                w.u64(*height);
                message.encode_to(w);
            }
            Message::Vote(vote) => {
                w.u8(2);
                vote.encode_link(w);
            }
            Message::Block(block) => {
                w.u8(3);
                block.encode_to(w);
            }
            Message::Status { height } => {
                w.u8(4);
                w.u64(*height);
            }
        }
    }
}

impl<S: ThresholdScheme, V: Scheme> Decode<Limits<V>> for Message<S, V> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits<V>) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Message::Epoch {
                height: r.u64()?,
                message: epoch::Message::decode_from(r, &limits.epoch)?,
            }),
            2 => Ok(Message::Vote(Vote::decode_link(r)?)),
            3 => Ok(Message::Block(Arc::new(CertifiedBlock::decode_from(r, &limits.block)?))),
            4 => Ok(Message::Status { height: r.u64()? }),
            _ => Err(Error::Malformed { what: "tag of a message of the chain" }),
        }
    }
}

/// Encoding: a tag, then tag 1: height u64 ‖ sender u16 ‖ message; tag 2: height u64 ‖ batch; tag 3: record of the guard;
/// tag 4: block with certificate.
impl<S: ThresholdScheme, V: Scheme> Encode for Record<S, V> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Record::Input { height, from, message } => {
                w.u8(1);
                w.u64(*height);
                w.u16(*from);
                message.encode_to(w);
            }
            Record::Proposal { height, batch } => {
                w.u8(2);
                w.u64(*height);
                batch.encode_to(w);
            }
            Record::Vote(record) => {
                w.u8(3);
                record.encode_to(w);
            }
            Record::Block(block) => {
                w.u8(4);
                block.encode_to(w);
            }
        }
    }
}

impl<S: ThresholdScheme, V: Scheme> Decode<Limits<V>> for Record<S, V> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits<V>) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Record::Input {
                height: r.u64()?,
                from: r.u16()?,
                message: epoch::Message::decode_from(r, &limits.epoch)?,
            }),
            2 => Ok(Record::Proposal { height: r.u64()?, batch: Batch::decode_from(r, &())? }),
            3 => Ok(Record::Vote(GuardRecord::decode_from(r, &())?)),
            4 => Ok(Record::Block(Arc::new(CertifiedBlock::decode_from(r, &limits.block)?))),
            _ => Err(Error::Malformed { what: "tag of a record of the chain" }),
        }
    }
}
