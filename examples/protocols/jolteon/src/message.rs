//! Messages exchanged between replicas: a tag byte, then the fields.

use std::sync::Arc;

use quorate::certificate::{Certificate, TimeoutCertificate, TimeoutVote, Vote};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::batch::{Batch, BatchRef};
use crate::block::{Block, Committees};
use crate::ids::{BLOCK, BatchDigest, BlockDigest, TIMEOUT};

/// Maximum number of blocks per response.
pub const MAX_RANGE_BLOCKS: usize = 64;
/// Maximum size in bytes of a response with blocks. It always contains at least one block.
pub const MAX_RANGE_BYTES: usize = 1 << 20;
/// Maximum number of batches per request.
pub const MAX_BATCH_REQUEST: usize = 16;

/// A message on a link that authenticates its sender.
///
/// | tag | message | sender, receiver and occasion |
/// |---|---|---|
/// | 1 | `Proposal` | leader to all |
/// | 2 | `Vote` | voter to the leader of the next view |
/// | 3 | `Timeout` | every member to all, when its view times out |
/// | 4 | `Advance` | to a member that is behind; to all when the last block commits and nothing is left to propose |
/// | 5 | `Hello` | after a start or reconnect; answered by `Advance` |
/// | 6 | `Batch` | author to all |
/// | 7 | `Acknowledge` | member that stored a batch to its author |
/// | 8 | `Certified` | a batch's author to all, with the acknowledgements of a quorum |
/// | 9 | `BlockRequest` | to a member that has the block |
/// | 10 | `Blocks` | response with consecutive blocks, lowest first |
/// | 11 | `BatchRequest` | to a member that stored the batches |
/// | 12 | `BatchReply` | response, one message per batch |
/// | 13 | `ViewRequest` | a member that started and may have lost records, to all |
/// | 14 | `ViewReply` | response: the receiver's highest certificates |
/// | 15 | `Pruned` | response to 9 or 11: the sender no longer has these blocks |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S: Scheme> {
    /// A proposed block.
    Proposal(Arc<Block<S>>),
    /// A vote for a block.
    Vote(Vote<S>),
    /// The sender's timeout of its view.
    Timeout(Box<Timeout<S>>),
    /// Proof that a view has ended.
    Advance(Box<Advance<S>>),
    /// Announces the sender's highest certified view.
    Hello {
        /// The highest certified view; 0 if there is none.
        certified: u64,
    },
    /// A batch of the sender.
    Batch(Arc<Batch>),
    /// Acknowledges a stored batch.
    Acknowledge(Vote<Ed25519>),
    /// A batch with the acknowledgements of a quorum.
    Certified(Box<BatchRef>),
    /// Requests blocks from height `from` up to `target`.
    BlockRequest {
        /// Lowest missing height.
        from: u64,
        /// A certified block whose ancestors are requested.
        target: BlockDigest,
    },
    /// Consecutive blocks, lowest first; at most [`MAX_RANGE_BLOCKS`].
    Blocks(Vec<Arc<Block<S>>>),
    /// Requests batches; at most [`MAX_BATCH_REQUEST`].
    BatchRequest(Vec<BatchDigest>),
    /// A requested batch.
    BatchReply(Arc<Batch>),
    /// Requests the highest certificates after a start.
    ViewRequest {
        /// Identifies the start. The response repeats it, so that no older message can be taken for one.
        nonce: u64,
    },
    /// The highest certificates, as a response.
    ViewReply {
        /// That of the request.
        nonce: u64,
        /// The sender's highest certificates.
        advance: Box<Advance<S>>,
    },
    /// The sender has no committed blocks below a height, nor their batches.
    Pruned {
        /// Height of its oldest block.
        oldest: u64,
    },
}

/// A timeout vote, its justification, and the sender's vote in that view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeout<S: Scheme> {
    /// Timeout vote of the sender's view. Its value is the view of `high`.
    pub vote: TimeoutVote<S>,
    /// The sender's highest certificate; `None` if it knows none, in which case the vote's value is 0.
    pub high: Option<Certificate<S>>,
    /// The timeout certificate through which the sender entered the view, unless `high` is of the previous view.
    pub tc: Option<TimeoutCertificate<S>>,
    /// The sender's vote for the view's block, if it voted. The receiver of that vote may have failed; with this copy
    /// any member can form the certificate, and the block is not lost.
    pub ballot: Option<Vote<S>>,
}

/// The sender's highest certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advance<S: Scheme> {
    /// The highest quorum certificate.
    pub high: Option<Certificate<S>>,
    /// The highest timeout certificate, if it is of a later view. Its highest value is at most the view of `high`.
    pub tc: Option<TimeoutCertificate<S>>,
}

/// A request that only the archive can answer, because the replica keeps nothing below its committed height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRequest<S: Scheme> {
    /// Answer with [`Message::Blocks`]: the committed blocks from this height on, limited by [`block_range`]. If that height
    /// is pruned, answer with [`Message::Pruned`].
    Blocks {
        /// Lowest missing height.
        from: u64,
    },
    /// Answer with one [`Message::BatchReply`] per available batch. If one is not and blocks are pruned, answer with
    /// [`Message::Pruned`], too.
    Batches(Vec<BatchDigest>),
    /// The peer knows a certificate of a block in a committed view. If the archive does not have the block, ask the peer
    /// for its blocks from the archive's oldest one on with [`Message::BlockRequest`]: it may have another history.
    CheckCertified(BlockDigest),
    /// The peer's history, consecutive blocks of which the first is not above the committed height. Compare it with the
    /// archive: two different committed blocks of one height are proof that a third of the members is faulty.
    Compare(Vec<Arc<Block<S>>>),
}

/// Returns as many of `blocks` as fit into one response. They must be consecutive, lowest first.
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
    /// Checks everything that needs no signature: the parts match, and the certificates lead to the view.
    fn check_shape(&self) -> Result<()> {
        let high = self.high.as_ref().map_or(0, |qc| qc.statement().view);
        let entered_by = match &self.tc {
            Some(tc) if tc.view() > high => tc.view(),
            Some(_) => {
                return Err(Error::NonCanonical {
                    what: "timeout: its timeout certificate is not newer than its certificate",
                });
            }
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
            Err(Error::Malformed { what: "timeout: its parts do not match" })
        }
    }
}

/// Returns `true` if the highest value of a timeout certificate is at most the view of the quorum certificate beside
/// it.
///
/// Honest members always satisfy this. Without the rule, one signer that names an uncertified view could make every
/// timeout certificate unusable, because no block would satisfy it.
/// With rollbacks of one member after another, safety needs it, too (spec/jolteon.md, "The model").
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
            Message::Advance(advance) => advance.encode_to(w),
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
            Message::ViewRequest { nonce } => w.u64(*nonce),
            Message::ViewReply { nonce, advance } => {
                w.u64(*nonce);
                advance.encode_to(w);
            }
            Message::Pruned { oldest } => w.u64(*oldest),
        }
    }
}

impl<S: Scheme> Encode for Advance<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.option(self.high.as_ref());
        w.option(self.tc.as_ref());
    }
}

impl<S: Scheme> Message<S> {
    /// Returns `true` for large messages, which use the bulk lane of a link.
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
            Message::ViewRequest { .. } => 13,
            Message::ViewReply { .. } => 14,
            Message::Pruned { .. } => 15,
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
            13 => Message::ViewRequest { nonce: r.u64()? },
            14 => Message::ViewReply { nonce: r.u64()?, advance: Box::new(decode_advance(r, committees)?) },
            15 => Message::Pruned { oldest: r.u64()? },
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
        return Err(Error::Malformed { what: "advance: certificate of a wrong kind" });
    }
    if !is_backed(tc.as_ref(), high.as_ref()) {
        return Err(Error::Malformed {
            what: "advance: the timeout certificate's highest value has no certificate",
        });
    }
    Ok(Advance { high, tc })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certificate, chain, check_encoding, committees, secret, timeout_certificate};
    use quorate::bls::MinSig;

    /// Returns a timeout of member 2, optionally with a vote of a given view.
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
            Message::Advance(Box::new(advance.clone())),
            Message::Advance(Box::new(Advance { high: None, tc: None })),
            Message::ViewRequest { nonce: 7 },
            Message::ViewReply { nonce: 7, advance: Box::new(advance) },
            Message::Hello { certified: 9 },
            Message::Pruned { oldest: 8 },
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
        assert_eq!(check_encoding(&all(&c), &c), (1..=15).collect(), "all tags are covered");
    }

    #[test]
    fn messages_have_one_encoding() {
        check::<quorate::ed25519::Ed25519>();
        check::<MinSig>();
    }

    #[test]
    fn a_timeout_with_mismatched_parts_is_refused() {
        let c = committees::<quorate::ed25519::Ed25519>(4);
        let refused = |timeout: Timeout<_>| Timeout::decode(&timeout.encode(), &c).is_err();
        assert!(!refused(timeout(&c, 4, Some(6), Some(7))));
        assert!(refused(timeout(&c, 4, None, Some(4))), "a ballot of another view");
        assert!(refused(timeout(&c, 4, Some(4), None)), "a timeout certificate that is not newer");
        assert!(refused(Timeout { high: None, ..timeout(&c, 4, None, None) }), "not backed");
        let poisoned = Timeout { tc: Some(timeout_certificate(&c, 6, 5)), ..timeout(&c, 4, Some(6), None) };
        assert!(refused(poisoned), "a timeout certificate with an uncertified highest value");
        assert!(
            refused(Timeout { tc: None, ..timeout(&c, 4, Some(6), None) }),
            "a view that the certificates do not lead to"
        );
        assert!(refused(Timeout { high: timeout(&c, 3, None, None).high, ..timeout(&c, 4, None, None) }));
    }
}
