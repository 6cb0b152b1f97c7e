//! What replicas say to each other. `encoding` has how each is written down.

mod encoding;

use core::ops::Deref;
use std::sync::Arc;

use quorate::Error;
use quorate::gossip::Aggregate;

use crate::block::{Block, GosigScheme};
use crate::body::{Entries, Segment};
use crate::digests::BlockDigest;
use crate::finality::FinalizedBlock;
use crate::payload::{Payload, Transaction};
use crate::proposal::Proposal;

/// The most blocks in one answer.
pub const MAX_RANGE_BLOCKS: usize = 64;
/// The most transactions that one request asks for.
pub const MAX_REQUEST: usize = 1 << 14;
/// An answer of transactions is cut when it exceeds that many bytes; it always has at least one.
pub const MAX_REPLY_BYTES: usize = 1 << 20;
/// The most aggregates in one message: those of a few rounds, of both kinds.
pub const MAX_AGGREGATES: usize = 8;
/// The tags of the messages that members of any epoch can read.
const EPOCH_INDEPENDENT_TAGS: [u8; 4] = [6, 10, 11, 12];

/// What decoding a message of another epoch gives, unless it is one that all can read. It is no fault of its sender's:
/// one of the two has not followed yet. Tell the replica with [`Command::EpochMismatch`](crate::Command::EpochMismatch).
pub const EPOCH_MISMATCH: Error = Error::WrongContext { what: "epoch of a message" };

/// A message as it travels on a link that authenticates its sender: the epoch (8 bytes), then the message. It derefs to
/// the message.
///
/// The epoch is the sender's, and in an answer of [`Blocks`](Message::Blocks) or
/// [`TransactionReply`](Message::TransactionReply) that of what was asked for, so that who is behind can read it. Of
/// another epoch than one's own, only what names nothing of a committee can be read: [`Message::is_epoch_independent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<S: GosigScheme> {
    /// The epoch of what is said.
    pub epoch: u64,
    /// What is said.
    pub message: Message<S>,
}

/// What replicas say to each other.
///
/// | tag | message | who sends it to whom, when |
/// |---|---|---|
/// | 1 | `Proposal` | its proposer and whoever received it to a few others, if it is the best that they know |
/// | 2 | `Segment` | likewise |
/// | 3 | `Signatures` | everybody to random others, as long as there are new signatures |
/// | 4 | `Heard` | the answer to 3, without content: its sender is there |
/// | 5 | `Transactions` | whoever sees them for the first time to a few others |
/// | 6 | `TransactionRequest` | to one who may have transactions of a block, by their places in it |
/// | 7 | `TransactionReply` | the answer, as far as they are there |
/// | 8 | `BodyRequest` | to one who may have segments of a proposal's body; answered by 2 |
/// | 9 | `ProposalRequest` | to one whose signatures speak of an unknown block; answered by 1 |
/// | 10 | `Hello` | after a start or a reconnect, and when nothing is committed for long: what have I missed? |
/// | 11 | `Welcome` | the answer: how far the sender is |
/// | 12 | `BlockRequest` | to one who has committed more |
/// | 13 | `Blocks` | the answer: consecutive blocks with their commitment certificates, lowest first |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S: GosigScheme> {
    /// A block that somebody proposes.
    Proposal(Arc<Proposal<S>>),
    /// A part of its body.
    Segment(Arc<Segment>),
    /// Aggregates of kinds [`PREPARE`](crate::PREPARE) and [`TENTATIVE`](crate::TENTATIVE). At least one, at most
    /// [`MAX_AGGREGATES`].
    Signatures(Vec<Aggregate<S>>),
    /// Signatures arrived.
    Heard,
    /// Transactions of clients.
    Transactions(Vec<Transaction>),
    /// Transactions of a block are wanted, by their places.
    TransactionRequest {
        /// The block.
        block: BlockDigest,
        /// Its height.
        height: u64,
        /// The places, ascending. At most [`MAX_REQUEST`].
        places: Vec<u32>,
    },
    /// Transactions of a block.
    TransactionReply {
        /// The block.
        block: BlockDigest,
        /// Each with its place, ascending.
        transactions: Vec<(u32, Transaction)>,
    },
    /// Segments of a body are wanted.
    BodyRequest {
        /// The block.
        block: BlockDigest,
        /// The round of its proposal.
        round: u64,
        /// Which segments, ascending; all if none is named.
        segments: Vec<u16>,
    },
    /// The proposal is wanted of which votes speak.
    ProposalRequest {
        /// The round.
        round: u64,
        /// What the votes say, see [`Committees::ballot`](crate::Committees::ballot).
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
    /// Blocks are wanted, from this height on.
    BlockRequest {
        /// The lowest height that is missing.
        from: u64,
    },
    /// Consecutive blocks, each with why it is committed. At most [`MAX_RANGE_BLOCKS`].
    Blocks(Vec<FinalizedBlock<S>>),
}

/// A request that only an archive can answer: the replica keeps nothing below its committed height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRequest {
    /// Answer with [`Message::Blocks`]: the committed blocks from this height on, of its epoch, as [`block_range`] makes
    /// it.
    Blocks {
        /// The lowest height that is missing.
        from: u64,
    },
    /// Answer with [`Message::TransactionReply`], as [`transaction_range`] makes it.
    Transactions {
        /// The block.
        block: BlockDigest,
        /// Its height.
        height: u64,
        /// The places.
        places: Vec<u32>,
    },
}

/// As many of `blocks` as one answer may have: those of one epoch, for who asks has to get to its end first. They must be
/// consecutive, lowest first. None if there are none.
pub fn block_range<S: GosigScheme>(
    blocks: impl IntoIterator<Item = FinalizedBlock<S>>,
) -> Option<Envelope<S>> {
    let mut blocks = blocks.into_iter().take(MAX_RANGE_BLOCKS).peekable();
    let epoch = blocks.peek().map(|(block, _)| block.epoch)?;
    Some(Message::Blocks(blocks.take_while(|(block, _)| block.epoch == epoch).collect()).in_epoch(epoch))
}

/// As many of a block's transactions at `places` as one answer may have.
pub fn transaction_range<S: GosigScheme>(block: &Block<S>, payload: &Payload, places: &[u32]) -> Envelope<S> {
    let found = |place: &u32| Some((*place, payload.transaction(*place as usize)?.clone()));
    let transactions = cut(places.iter().filter_map(found));
    Message::TransactionReply { block: block.digest(), transactions }.in_epoch(block.epoch)
}

/// The first of these that fit into one answer.
pub(crate) fn cut(transactions: impl Iterator<Item = (u32, Transaction)>) -> Vec<(u32, Transaction)> {
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
    /// The message as one of an epoch.
    pub fn in_epoch(self, epoch: u64) -> Envelope<S> {
        Envelope { epoch, message: self }
    }

    /// Whether members of any epoch can read it: it names nothing of a committee.
    pub fn is_epoch_independent(&self) -> bool {
        EPOCH_INDEPENDENT_TAGS.contains(&self.tag())
    }

    /// Whether it is about what is committed already: all that an observer listens to.
    pub(crate) fn is_history(&self) -> bool {
        self.is_epoch_independent() || matches!(self, Message::Blocks(_) | Message::TransactionReply { .. })
    }

    /// Whether it is one of the large messages that others should not have to wait behind.
    pub fn is_bulk(&self) -> bool {
        matches!(
            self,
            Message::Segment(_)
                | Message::Transactions(_)
                | Message::TransactionReply { .. }
                | Message::Blocks(_)
        )
    }

    /// About how many bytes of transactions it holds.
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
        }
    }
}

impl<S: GosigScheme> Deref for Envelope<S> {
    type Target = Message<S>;

    fn deref(&self) -> &Message<S> {
        &self.message
    }
}
