//! Messages exchanged between members. `encoding` has their encodings.

mod encoding;

use core::ops::Deref;
use std::sync::Arc;

use quorate::Error;
use quorate::gossip::Aggregate;
use quorate::scheme::Vrf;

use crate::block::{Block, GosigScheme};
use crate::body::{Entries, Segment};
use crate::digests::BlockDigest;
use crate::finality::FinalizedBlock;
use crate::payload::{Payload, Transaction};
use crate::proposal::Proposal;

/// Maximum number of blocks in an answer.
pub const MAX_RANGE_BLOCKS: usize = 64;
/// Maximum number of transactions in a request.
pub const MAX_REQUEST: usize = 1 << 14;
/// Size in bytes at which an answer of transactions is cut. It always has at least one transaction.
pub const MAX_REPLY_BYTES: usize = 1 << 20;
/// Maximum number of aggregates in a message: those of a few rounds, of both kinds.
pub const MAX_AGGREGATES: usize = 8;
/// Tags of the messages that members of any epoch can read.
const EPOCH_INDEPENDENT_TAGS: [u8; 5] = [6, 10, 11, 12, 14];

/// The error of decoding a message of another epoch, unless members of any epoch can read it. The sender is not at fault: one
/// of the two members is behind. Report it with [`Command::EpochMismatch`](crate::Command::EpochMismatch).
pub const EPOCH_MISMATCH: Error = Error::WrongContext { what: "epoch of a message" };

/// A message as it travels on a link that authenticates its sender: the epoch (8 bytes), then the message, to which it
/// derefs.
///
/// The epoch is the sender's. In [`Blocks`](Message::Blocks) and [`TransactionReply`](Message::TransactionReply) it is that of
/// the requested block, so that a member that is behind can read the answer. Of another epoch than its own, a member can read
/// only messages that name nothing of a committee: [`Message::is_epoch_independent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<S: GosigScheme> {
    /// Epoch of the message.
    pub epoch: u64,
    /// The message.
    pub message: Message<S>,
}

/// A message between members.
///
/// | tag | message | sender, recipient, time |
/// |---|---|---|
/// | 1 | `Proposal` | its proposer, and each member for which it is the best one known, to a few others |
/// | 2 | `Segment` | likewise |
/// | 3 | `Signatures` | each member to random others, as long as there are new signatures |
/// | 4 | `Heard` | the answer to 3, without content: its sender is available |
/// | 5 | `Transactions` | each member that sees them for the first time, to a few others |
/// | 6 | `TransactionRequest` | to a member that may have transactions of a block, by their places in it |
/// | 7 | `TransactionReply` | the answer, as far as the transactions are available |
/// | 8 | `BodyRequest` | to a member that may have segments of a proposal's body; answered by 2 |
/// | 9 | `ProposalRequest` | to a member whose signatures name an unknown block; answered by 1 |
/// | 10 | `Hello` | after a start or a reconnect, and after several rounds without a commit |
/// | 11 | `Welcome` | the answer: the sender's committed height |
/// | 12 | `BlockRequest` | to a member that has committed more |
/// | 13 | `Blocks` | the answer: consecutive blocks with their commitment certificates, lowest first |
/// | 14 | `Pruned` | the answer to 6 or 12 if the sender no longer has the block |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S: GosigScheme> {
    /// A proposal of a block.
    Proposal(Arc<Proposal<S>>),
    /// A segment of a proposed block's body.
    Segment(Arc<Segment>),
    /// Aggregates of kinds [`PREPARE`](crate::PREPARE) and [`TENTATIVE`](crate::TENTATIVE). At least one, at most
    /// [`MAX_AGGREGATES`].
    Signatures(Vec<Aggregate<S>>),
    /// Acknowledges signatures.
    Heard,
    /// Transactions of clients.
    Transactions(Vec<Transaction>),
    /// Requests transactions of a block by place.
    TransactionRequest {
        /// Digest of the block.
        block: BlockDigest,
        /// Height of the block.
        height: u64,
        /// Places, ascending. At most [`MAX_REQUEST`].
        places: Vec<u32>,
    },
    /// Transactions of a block.
    TransactionReply {
        /// Digest of the block.
        block: BlockDigest,
        /// Transactions with their places, ascending.
        transactions: Vec<(u32, Transaction)>,
    },
    /// Requests segments of a body.
    BodyRequest {
        /// Digest of the block.
        block: BlockDigest,
        /// Round of its proposal.
        round: u64,
        /// Indices of the segments, ascending; empty for all.
        segments: Vec<u16>,
    },
    /// Requests the proposal of a block that votes name.
    ProposalRequest {
        /// Round of the votes.
        round: u64,
        /// Digest that the votes sign, see [`Committees::ballot`](crate::Committees::ballot).
        ballot: [u8; 32],
    },
    /// The sender's committed height.
    Hello {
        /// 0 if it has none.
        committed: u64,
    },
    /// The sender's committed height, as an answer.
    Welcome {
        /// 0 if it has none.
        committed: u64,
    },
    /// Requests blocks from a height on.
    BlockRequest {
        /// Lowest missing height.
        from: u64,
    },
    /// Consecutive blocks, each with its commitment certificate. At most [`MAX_RANGE_BLOCKS`].
    Blocks(Vec<FinalizedBlock<S>>),
    /// The sender has no committed blocks below a height, nor their transactions.
    Pruned {
        /// Height of its oldest block.
        oldest: u64,
    },
}

/// A request for the archive: the replica keeps nothing below its committed height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRequest<S: Vrf> {
    /// Answer with the committed blocks from a height on, of its epoch, as [`block_range`] builds it.
    Blocks {
        /// Lowest missing height.
        from: u64,
    },
    /// Answer with [`Message::TransactionReply`], as [`transaction_range`] builds it.
    Transactions {
        /// Digest of the block.
        block: BlockDigest,
        /// Height of the block.
        height: u64,
        /// Places of the transactions.
        places: Vec<u32>,
    },
    /// The peer claims that this block is committed. If the archive has another one at its height, ask the peer for the
    /// proof with [`Message::BlockRequest`]: it may have another history.
    CheckCommitted {
        /// Height of the block.
        height: u64,
        /// Digest of the block.
        digest: BlockDigest,
    },
    /// The peer's history: a block with its commitment certificate, not verified. Compare the block, or its parent, with
    /// the archive: two different committed blocks of one height are proof that a third of the members is faulty.
    Compare(FinalizedBlock<S>),
}

/// Returns an answer with the first of `blocks`: at most [`MAX_RANGE_BLOCKS`], all of one epoch, because the requester has to
/// reach the end of that epoch first. The blocks must be consecutive, lowest first. `None` if there are none.
pub fn block_range<S: GosigScheme>(
    blocks: impl IntoIterator<Item = FinalizedBlock<S>>,
) -> Option<Envelope<S>> {
    let mut blocks = blocks.into_iter().take(MAX_RANGE_BLOCKS).peekable();
    let epoch = blocks.peek().map(|(block, _)| block.epoch)?;
    Some(Message::Blocks(blocks.take_while(|(block, _)| block.epoch == epoch).collect()).in_epoch(epoch))
}

/// Returns an answer with a block's transactions at `places`, up to the size limit of a message.
pub fn transaction_range<S: GosigScheme>(block: &Block<S>, payload: &Payload, places: &[u32]) -> Envelope<S> {
    let found = |place: &u32| Some((*place, payload.transaction(*place as usize)?.clone()));
    let transactions = fit_reply(places.iter().filter_map(found));
    Message::TransactionReply { block: block.digest(), transactions }.in_epoch(block.epoch)
}

/// Returns the first transactions that fit into one answer.
pub(crate) fn fit_reply(transactions: impl Iterator<Item = (u32, Transaction)>) -> Vec<(u32, Transaction)> {
    let (mut bytes, mut taken) = (0, Vec::new());
    for (place, transaction) in transactions {
        bytes += 4 + transaction.encoded_len();
        if bytes > MAX_REPLY_BYTES && !taken.is_empty() {
            break;
        }
        taken.push((place, transaction));
    }
    taken
}

impl<S: GosigScheme> Message<S> {
    /// Wraps the message as one of an epoch.
    pub fn in_epoch(self, epoch: u64) -> Envelope<S> {
        Envelope { epoch, message: self }
    }

    /// Returns true if members of any epoch can read the message: it names nothing of a committee.
    pub fn is_epoch_independent(&self) -> bool {
        EPOCH_INDEPENDENT_TAGS.contains(&self.tag())
    }

    /// Returns true for a large message, behind which others should not have to wait.
    pub fn is_bulk(&self) -> bool {
        matches!(
            self,
            Message::Segment(_)
                | Message::Transactions(_)
                | Message::TransactionReply { .. }
                | Message::Blocks(_)
        )
    }

    /// Returns the approximate bytes of transactions in the message.
    pub fn payload_bytes(&self) -> usize {
        match self {
            Message::Transactions(transactions) => transactions.iter().map(Transaction::encoded_len).sum(),
            Message::TransactionReply { transactions, .. } => {
                transactions.iter().map(|(_, transaction)| transaction.encoded_len()).sum()
            }
            Message::Segment(segment) => match &segment.entries {
                Entries::Raw(raw) => raw.iter().map(Transaction::encoded_len).sum(),
                Entries::Full(ids) => 32 * ids.len(),
                Entries::Short { ids, full } => 6 * ids.len() + 36 * full.len(),
            },
            _ => 0,
        }
    }

    fn tag(&self) -> u8 {
        match self {
            Message::Proposal(_) => 1,
            Message::Segment(_) => 2,
            Message::Signatures(_) => 3,
            Message::Heard => 4,
            Message::Transactions(_) => 5,
            Message::TransactionRequest { .. } => 6,
            Message::TransactionReply { .. } => 7,
            Message::BodyRequest { .. } => 8,
            Message::ProposalRequest { .. } => 9,
            Message::Hello { .. } => 10,
            Message::Welcome { .. } => 11,
            Message::BlockRequest { .. } => 12,
            Message::Blocks(_) => 13,
            Message::Pruned { .. } => 14,
        }
    }
}

impl<S: GosigScheme> Deref for Envelope<S> {
    type Target = Message<S>;

    fn deref(&self) -> &Message<S> {
        &self.message
    }
}
