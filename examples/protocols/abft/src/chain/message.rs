use std::fmt;
use std::sync::Arc;

use quorate::certificate::Vote;
use quorate::committee::Committee;
use quorate::guard::GuardRecord;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_protocol::batch::Batch;
use zeroize::Zeroizing;

use super::block::{Block, CertifiedBlock, Finality};
use crate::acs;
use crate::epoch;
use crate::signatures::ThresholdScheme;

/// Maximum length of a recorded message in bytes.
const MAX_INPUT: usize = 64 << 20;

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
    Block(CertifiedBlock<V>),
    /// A batch of such a block.
    Batch(Arc<Batch>),
    /// The sender asks for what it lacks: blocks, or messages of the epochs from a height on.
    Status {
        /// Height of the first block that the sender lacks.
        height: u64,
    },
    /// The end of an answer to a status.
    End {
        /// Height after that of the last block in the answer.
        next: u64,
        /// Height of the sender's last block.
        tip: u64,
    },
    /// The answer to a status if the sender no longer has the first block that the receiver lacks.
    Pruned {
        /// Height of the sender's oldest block.
        oldest: u64,
        /// Height of the sender's last block.
        tip: u64,
    },
}

/// Records of the chain. They contain secrets: `Debug` shows none.
#[derive(Clone, PartialEq)]
pub enum Record<V: Scheme> {
    /// The secret seed of this member's random numbers, once.
    Seed(Zeroizing<[u8; 32]>),
    /// A message that an epoch handled. Needed until its block is certified, in the order of all such records.
    Input {
        /// Height of the block.
        height: u64,
        /// The sender.
        from: MemberIndex,
        /// The encoded message.
        message: Vec<u8>,
    },
    /// This member's proposal for an epoch. Needed as an input is.
    Proposal {
        /// Height of the block.
        height: u64,
        /// The proposal.
        batch: epoch::Batch,
    },
    /// A vote was signed. The latest record replaces the earlier ones.
    Vote(GuardRecord),
    /// A batch of this member's clients, or of a block.
    Batch(Arc<Batch>),
    /// A block of the chain.
    Block(Arc<Block>),
    /// The certificate of the block at a height.
    Certificate(Arc<Finality<V>>),
    /// An epoch is signed with presignatures. Needed as an input is.
    Presigned {
        /// Height of the block.
        height: u64,
    },
    /// An epoch that made no progress is also signed without presignatures from here on. Needed as an input is.
    FallBack {
        /// Height of the block.
        height: u64,
    },
    /// A presignature was used, or those of all epochs up to one are destroyed. All such records are needed until the second
    /// replaces the first: keep them where a copy of older records cannot replace them.
    Spent(GuardRecord),
}

impl<V: Scheme> fmt::Debug for Record<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Record::Seed(_) => f.write_str("Seed"),
            Record::Input { height, from, .. } => write!(f, "Input(height {height}, from {from})"),
            Record::Proposal { height, .. } => write!(f, "Proposal(height {height})"),
            Record::Vote(record) => write!(f, "Vote({record:?})"),
            Record::Batch(batch) => write!(f, "Batch({:?})", batch.digest()),
            Record::Block(block) => write!(f, "Block(height {})", block.height),
            Record::Certificate(finality) => write!(f, "Certificate({:?})", finality.0.statement()),
            Record::Presigned { height } => write!(f, "Presigned(height {height})"),
            Record::FallBack { height } => write!(f, "FallBack(height {height})"),
            Record::Spent(record) => write!(f, "Spent({record:?})"),
        }
    }
}

/// Bounds for the decoder of messages.
#[derive(Clone)]
pub struct Limits<V: Scheme> {
    /// Bounds of the epochs.
    pub epoch: acs::Limits,
    /// The members that sign blocks.
    pub voters: Arc<Committee<V>>,
}

/// Encoding: a tag, then tag 1: height u64 ‖ message; tag 2: vote in the form for links; tag 3: block ‖ certificate;
/// tag 4: height u64; tag 5: batch; tag 6: next height u64 ‖ height of the last block u64; tag 7: height of the oldest block
/// u64 ‖ height of the last block u64.
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
            Message::Block(certified) => {
                w.u8(3);
                certified.encode_to(w);
            }
            Message::Status { height } => {
                w.u8(4);
                w.u64(*height);
            }
            Message::Batch(batch) => {
                w.u8(5);
                batch.encode_to(w);
            }
            Message::End { next, tip } => {
                w.u8(6);
                w.u64(*next);
                w.u64(*tip);
            }
            Message::Pruned { oldest, tip } => {
                w.u8(7);
                w.u64(*oldest);
                w.u64(*tip);
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
            3 => Ok(Message::Block(CertifiedBlock::decode_from(r, &limits.voters)?)),
            4 => Ok(Message::Status { height: r.u64()? }),
            5 => Ok(Message::Batch(Arc::new(Batch::decode_from(r, &())?))),
            6 => Ok(Message::End { next: r.u64()?, tip: r.u64()? }),
            7 => Ok(Message::Pruned { oldest: r.u64()?, tip: r.u64()? }),
            _ => Err(Error::Malformed { what: "tag of a message of the chain" }),
        }
    }
}

/// Encoding: a tag, then tag 1: height u64 ‖ sender u16 ‖ message with its length as u32; tag 2: height u64 ‖ proposal;
/// tag 3: record of the guard; tag 4: block; tag 5: certificate; tag 6: batch; tag 7: seed 32; tags 8 and 9: height u64;
/// tag 10: record of the guard.
impl<V: Scheme> Encode for Record<V> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Record::Input { height, from, message } => {
                w.u8(1);
                w.u64(*height);
                w.u16(*from);
                w.bytes(message);
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
            Record::Certificate(finality) => {
                w.u8(5);
                finality.encode_to(w);
            }
            Record::Batch(batch) => {
                w.u8(6);
                batch.encode_to(w);
            }
            Record::Presigned { height } => {
                w.u8(8);
                w.u64(*height);
            }
            Record::FallBack { height } => {
                w.u8(9);
                w.u64(*height);
            }
            Record::Spent(record) => {
                w.u8(10);
                record.encode_to(w);
            }
            Record::Seed(seed) => {
                w.u8(7);
                w.raw(&**seed);
            }
        }
    }
}

impl<V: Scheme> Decode<Arc<Committee<V>>> for Record<V> {
    fn decode_from(r: &mut Reader<'_>, voters: &Arc<Committee<V>>) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Record::Input {
                height: r.u64()?,
                from: r.u16()?,
                message: r.bytes("recorded message", MAX_INPUT)?.to_vec(),
            }),
            2 => Ok(Record::Proposal { height: r.u64()?, batch: epoch::Batch::decode_from(r, &())? }),
            3 => Ok(Record::Vote(GuardRecord::decode_from(r, &())?)),
            4 => Ok(Record::Block(Arc::new(Block::decode_from(r, voters)?))),
            5 => Ok(Record::Certificate(Arc::new(Finality::decode_from(r, voters)?))),
            6 => Ok(Record::Batch(Arc::new(Batch::decode_from(r, &())?))),
            7 => Ok(Record::Seed(Zeroizing::new(r.array()?))),
            8 => Ok(Record::Presigned { height: r.u64()? }),
            9 => Ok(Record::FallBack { height: r.u64()? }),
            10 => Ok(Record::Spent(GuardRecord::decode_from(r, &())?)),
            _ => Err(Error::Malformed { what: "tag of a record of the chain" }),
        }
    }
}
