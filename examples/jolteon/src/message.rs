//! What replicas say to each other: a tag byte, then the fields.

use std::sync::Arc;

use quorate::certificate::{Certificate, TimeoutCertificate, TimeoutVote, Vote};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::batch::{Batch, BatchRef};
use crate::block::{Block, Committees};
use crate::ids::{BLOCK, BatchDigest, BlockDigest, TIMEOUT};

/// The most blocks in one answer.
pub const MAX_RANGE_BLOCKS: usize = 64;
/// An answer of blocks is cut when it exceeds that many bytes; it always has at least one block.
pub const MAX_RANGE_BYTES: usize = 1 << 20;
/// The most batches that one request names.
pub const MAX_BATCH_REQUEST: usize = 16;

/// A message on a link that authenticates its sender.
///
/// | tag | message | who sends it to whom, when |
/// |---|---|---|
/// | 1 | `Proposal` | a leader to all |
/// | 2 | `Vote` | a voter to the leader of the next view |
/// | 3 | `Timeout` | everybody to all, when a view takes too long |
/// | 4 | `Advance` | to one who is behind, or to all when the last block commits and nothing is left to propose |
/// | 5 | `Hello` | after a start or a reconnect: what have I missed? Answered by `Advance` |
/// | 6 | `Batch` | its author to all |
/// | 7 | `Acknowledge` | whoever stored a batch to its author |
/// | 8 | `Certified` | a batch's author to all, with a quorum's acknowledgements |
/// | 9 | `BlockRequest` | to one who has the block |
/// | 10 | `Blocks` | the answer: consecutive blocks, lowest first |
/// | 11 | `BatchRequest` | to one who stored the batches |
/// | 12 | `BatchReply` | the answer, one message per batch |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S: Scheme> {
    /// A block that its author proposes.
    Proposal(Arc<Block<S>>),
    /// A vote for a block.
    Vote(Vote<S>),
    /// The sender gives its view up.
    Timeout(Box<Timeout<S>>),
    /// Proof that a view is over.
    Advance(Box<Advance<S>>),
    /// The sender's highest certified view.
    Hello {
        /// 0 if it knows none.
        certified: u64,
    },
    /// A batch of the sender's.
    Batch(Arc<Batch>),
    /// The sender stored a batch.
    Acknowledge(Vote<Ed25519>),
    /// A quorum stored a batch.
    Certified(Box<BatchRef>),
    /// Blocks are wanted, from `from` on, on the way to `target`.
    BlockRequest {
        /// The lowest height that is missing.
        from: u64,
        /// A certified block whose ancestors are meant.
        target: BlockDigest,
    },
    /// Consecutive blocks, lowest first. At most [`MAX_RANGE_BLOCKS`].
    Blocks(Vec<Arc<Block<S>>>),
    /// Batches are wanted. At most [`MAX_BATCH_REQUEST`].
    BatchRequest(Vec<BatchDigest>),
    /// A batch that was asked for.
    BatchReply(Arc<Batch>),
}

/// A timeout vote, with what backs it and what helps the others on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeout<S: Scheme> {
    /// Gives up its view and names the view of `high`.
    pub vote: TimeoutVote<S>,
    /// The sender's highest certificate; none if it knows none, and then the vote names 0.
    pub high: Option<Certificate<S>>,
    /// Why the sender was in that view, unless `high` is of the view before.
    pub tc: Option<TimeoutCertificate<S>>,
    /// The sender's vote for the view's block, if it cast one. Its receiver may have been the one that failed; now
    /// anybody can make the certificate, and the block is not lost.
    pub ballot: Option<Vote<S>>,
}

/// The sender's highest certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advance<S: Scheme> {
    /// The highest quorum certificate.
    pub high: Option<Certificate<S>>,
    /// The highest timeout certificate, if it is of a later view.
    pub tc: Option<TimeoutCertificate<S>>,
}

/// A request that only an archive can answer: the replica keeps nothing below its committed height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRequest {
    /// Answer with [`Message::Blocks`]: the committed blocks from this height on, as many as
    /// [`block_range`] takes.
    Blocks {
        /// The lowest height that is missing.
        from: u64,
    },
    /// Answer with one [`Message::BatchReply`] per batch that is there.
    Batches(Vec<BatchDigest>),
}

/// As many of `blocks` as one answer may have. They must be consecutive, lowest first.
pub fn block_range<S: Scheme>(blocks: impl IntoIterator<Item = Arc<Block<S>>>) -> Message<S> {
    let mut bytes = 0;
    let mut range = Vec::new();
    for block in blocks.into_iter().take(MAX_RANGE_BLOCKS) {
        bytes += block.encode().len();
        if bytes > MAX_RANGE_BYTES && !range.is_empty() {
            break;
        }
        range.push(block);
    }
    Message::Blocks(range)
}

impl<S: Scheme> Timeout<S> {
    /// What can be said without checking a signature: the parts belong together, and the certificates lead into
    /// the view.
    fn check_shape(&self) -> Result<()> {
        let high = self.high.as_ref().map_or(0, |qc| qc.statement().view);
        let entered_by = match &self.tc {
            Some(tc) if tc.view() > high => tc.view(),
            Some(_) => return Err(Error::NonCanonical { what: "timeout with an old timeout certificate" }),
            None => high,
        };
        let ballot = self.ballot.as_ref().is_none_or(|ballot| {
            ballot.signer() == self.vote.signer()
                && ballot.statement().kind == BLOCK
                && ballot.statement().view == self.vote.view()
        });
        let kinds = self.vote.kind() == TIMEOUT && self.high.as_ref().is_none_or(is_block_certificate);
        let kinds = kinds && self.tc.as_ref().is_none_or(|tc| tc.kind() == TIMEOUT);
        let view = entered_by.checked_add(1) == Some(self.vote.view());
        if kinds && ballot && view && self.vote.value() == high {
            Ok(())
        } else {
            Err(Error::Malformed { what: "timeout whose parts do not belong together" })
        }
    }
}

pub(crate) fn is_block_certificate<S: Scheme>(qc: &Certificate<S>) -> bool {
    qc.statement().kind == BLOCK && qc.statement().view > 0
}

impl<S: Scheme> Encode for Timeout<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.vote.encode_link(w);
        w.option(self.high.as_ref());
        w.option(self.tc.as_ref());
        w.u8(self.ballot.is_some().into());
        if let Some(ballot) = &self.ballot {
            ballot.encode_link(w);
        }
    }
}

impl<S: Scheme> Decode<Committees<S>> for Timeout<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let vote = TimeoutVote::decode_link(r)?;
        let (high, tc) = (r.option(&*committees.voters)?, r.option(&*committees.voters)?);
        let ballot = match r.u8()? {
            0 => None,
            1 => Some(Vote::decode_link(r)?),
            _ => return Err(Error::Malformed { what: "option tag" }),
        };
        let timeout = Self { vote, high, tc, ballot };
        timeout.check_shape()?;
        Ok(timeout)
    }
}

impl<S: Scheme> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.tag());
        match self {
            Message::Proposal(block) => block.encode_to(w),
            Message::Vote(vote) => vote.encode_link(w),
            Message::Timeout(timeout) => timeout.encode_to(w),
            Message::Advance(advance) => {
                w.option(advance.high.as_ref());
                w.option(advance.tc.as_ref());
            }
            Message::Hello { certified } => w.u64(*certified),
            Message::Batch(batch) | Message::BatchReply(batch) => batch.encode_to(w),
            Message::Acknowledge(vote) => vote.encode_link(w),
            Message::Certified(batch) => batch.encode_to(w),
            Message::BlockRequest { from, target } => {
                w.u64(*from);
                target.encode_to(w);
            }
            Message::Blocks(blocks) => {
                w.count(blocks.len());
                blocks.iter().for_each(|block| block.encode_to(w));
            }
            Message::BatchRequest(digests) => w.list(digests),
        }
    }
}

impl<S: Scheme> Message<S> {
    /// Whether it is one of the large messages that others should not have to wait behind.
    pub fn is_bulk(&self) -> bool {
        matches!(self, Message::Batch(_) | Message::BatchReply(_) | Message::Blocks(_))
    }

    fn tag(&self) -> u8 {
        match self {
            Message::Proposal(_) => 1,
            Message::Vote(_) => 2,
            Message::Timeout(_) => 3,
            Message::Advance(_) => 4,
            Message::Hello { .. } => 5,
            Message::Batch(_) => 6,
            Message::Acknowledge(_) => 7,
            Message::Certified(_) => 8,
            Message::BlockRequest { .. } => 9,
            Message::Blocks(_) => 10,
            Message::BatchRequest(_) => 11,
            Message::BatchReply(_) => 12,
        }
    }
}

impl<S: Scheme> Decode<Committees<S>> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Proposal(Arc::new(Block::decode_from(r, committees)?)),
            2 => Message::Vote(Vote::decode_link(r)?),
            3 => Message::Timeout(Box::new(Timeout::decode_from(r, committees)?)),
            4 => Message::Advance(Box::new(decode_advance(r, committees)?)),
            5 => Message::Hello { certified: r.u64()? },
            6 => Message::Batch(Arc::new(Batch::decode_from(r, &())?)),
            7 => Message::Acknowledge(Vote::decode_link(r)?),
            8 => Message::Certified(Box::new(BatchRef::decode_from(r, &committees.identities)?)),
            9 => Message::BlockRequest { from: r.u64()?, target: BlockDigest::decode_from(r, &())? },
            10 => {
                let n = r.count("blocks", MAX_RANGE_BLOCKS)?;
                let block = |_| Block::decode_from(r, committees).map(Arc::new);
                Message::Blocks((0..n).map(block).collect::<Result<_>>()?)
            }
            11 => Message::BatchRequest(r.list("batches", MAX_BATCH_REQUEST, &())?),
            12 => Message::BatchReply(Arc::new(Batch::decode_from(r, &())?)),
            _ => return Err(Error::Malformed { what: "message tag" }),
        })
    }
}

fn decode_advance<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Advance<S>> {
    let high: Option<Certificate<S>> = r.option(&*committees.voters)?;
    let tc: Option<TimeoutCertificate<S>> = r.option(&*committees.voters)?;
    let kinds =
        high.as_ref().is_none_or(is_block_certificate) && tc.as_ref().is_none_or(|tc| tc.kind() == TIMEOUT);
    if !kinds {
        return Err(Error::Malformed { what: "certificate of another kind" });
    }
    Ok(Advance { high, tc })
}
