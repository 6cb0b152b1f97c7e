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
    /// The highest timeout certificate, if it is of a later view. It names no view above that of `high`.
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
        let backed = is_backed(self.tc.as_ref(), self.high.as_ref());
        if kinds && ballot && view && backed && self.vote.value() == high {
            Ok(())
        } else {
            Err(Error::Malformed { what: "timeout whose parts do not belong together" })
        }
    }
}

/// Whether whoever shows a timeout certificate also shows a certificate as high as the highest that its signers named.
/// An honest member always can. Without this, one signer that names a view that nobody certified would make every
/// timeout certificate useless: no block would satisfy it.
fn is_backed<S: Scheme>(tc: Option<&TimeoutCertificate<S>>, high: Option<&Certificate<S>>) -> bool {
    let certified = high.map_or(0, |qc| qc.statement().view);
    tc.is_none_or(|tc| tc.highest_value() <= certified)
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
    if !is_backed(tc.as_ref(), high.as_ref()) {
        return Err(Error::Malformed { what: "timeout certificate that names more than is shown" });
    }
    Ok(Advance { high, tc })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certificate, chain, check_encoding, committees, secret, timeout_certificate};
    use quorate::bls::MinSig;

    /// A timeout of member 2, with a ballot of the same or another view.
    fn timeout<S: Scheme>(c: &Committees<S>, high: u64, tc: Option<u64>, ballot: Option<u64>) -> Timeout<S> {
        let view = tc.unwrap_or(0).max(high) + 1;
        let (key, digest) = (secret::<S>(2), BlockDigest([7; 32]));
        let sign = |view| Vote::sign_unguarded(&key, &c.voters, c.ballot(view, digest)).unwrap();
        Timeout {
            vote: TimeoutVote::sign_unguarded(&key, &c.voters, TIMEOUT, view, high).unwrap(),
            high: (high > 0).then(|| certificate(c, high, [9; 32])),
            tc: tc.map(|view| timeout_certificate(c, view, high)),
            ballot: ballot.map(sign),
        }
    }

    fn all<S: Scheme>(c: &Committees<S>) -> Vec<Message<S>> {
        let [first, second] = chain(c, false);
        let [_, skipped] = chain(c, true);
        let batch = Arc::new(Batch::new(2, 3, [b"a".as_slice(), b"bc"]).unwrap());
        let stored = crate::ids::availability(batch.header().slot, &c.identities, batch.digest());
        let reference = second.payload[0].clone();
        assert_eq!(reference.encode().len(), reference.encoded_len());
        let advance = Advance { high: second.justify.clone(), tc: skipped.tc.clone() };
        vec![
            Message::Proposal(first.clone()),
            Message::Proposal(skipped),
            Message::Vote(
                Vote::sign_unguarded(&secret::<S>(1), &c.voters, c.ballot(2, second.digest())).unwrap(),
            ),
            Message::Timeout(Box::new(timeout(c, 0, None, None))),
            Message::Timeout(Box::new(timeout(c, 4, None, Some(5)))),
            Message::Timeout(Box::new(timeout(c, 4, Some(6), Some(7)))),
            Message::Advance(Box::new(advance)),
            Message::Advance(Box::new(Advance { high: None, tc: None })),
            Message::Hello { certified: 9 },
            Message::Batch(batch.clone()),
            Message::Acknowledge(
                Vote::sign_unguarded(&secret::<quorate::ed25519::Ed25519>(1), &c.identities, stored).unwrap(),
            ),
            Message::Certified(Box::new(reference)),
            Message::BlockRequest { from: 3, target: first.digest() },
            Message::Blocks(vec![first, second]),
            Message::BatchRequest(vec![batch.digest()]),
            Message::BatchReply(batch),
        ]
    }

    fn check<S: Scheme>() {
        let c = committees::<S>(4);
        assert_eq!(check_encoding(&all(&c), &c), (1..=12).collect(), "every message is among them");
    }

    #[test]
    fn messages_survive_and_nothing_else_decodes() {
        check::<quorate::ed25519::Ed25519>();
        check::<MinSig>();
    }

    #[test]
    fn a_timeout_whose_parts_do_not_belong_together_is_refused() {
        let c = committees::<quorate::ed25519::Ed25519>(4);
        let refused = |timeout: Timeout<_>| Timeout::decode(&timeout.encode(), &c).is_err();
        assert!(!refused(timeout(&c, 4, Some(6), Some(7))));
        assert!(refused(timeout(&c, 4, None, Some(4))), "a ballot of another view");
        assert!(refused(timeout(&c, 4, Some(4), None)), "a timeout certificate that is not newer");
        assert!(refused(Timeout { high: None, ..timeout(&c, 4, None, None) }), "not backed");
        let poisoned = Timeout { tc: Some(timeout_certificate(&c, 6, 5)), ..timeout(&c, 4, Some(6), None) };
        assert!(refused(poisoned), "a timeout certificate that names a view that is not shown");
        assert!(
            refused(Timeout { tc: None, ..timeout(&c, 4, Some(6), None) }),
            "a view that nothing leads to"
        );
        assert!(refused(Timeout { high: timeout(&c, 3, None, None).high, ..timeout(&c, 4, None, None) }));
    }
}
