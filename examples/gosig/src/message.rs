//! What replicas say to each other: a tag byte, then the fields.

use std::sync::Arc;

use quorate::gossip::Aggregate;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::block::{Block, Committees, Suite};
use crate::body::{MAX_SEGMENTS, Segment};
use crate::finality::{Finality, Proven};
use crate::ids::{BlockDigest, PREPARE, TENTATIVE};
use crate::payload::{MAX_PAYLOAD_BYTES, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Payload, Transaction};
use crate::proposal::Proposal;

/// The most blocks in one answer.
pub const MAX_RANGE_BLOCKS: usize = 64;
/// The most transactions that one request asks for.
pub const MAX_REQUEST: usize = 1 << 14;
/// An answer of transactions is cut when it exceeds that many bytes; it always has at least one.
pub const MAX_REPLY_BYTES: usize = 1 << 20;
/// The most aggregates in one message: those of a few rounds, of both kinds.
pub const MAX_AGGREGATES: usize = 8;

/// A message on a link that authenticates its sender.
///
/// | tag | message | who sends it to whom, when |
/// |---|---|---|
/// | 1 | `Proposal` | its proposer and whoever received it to a few others, if it is the best that they know |
/// | 2 | `Segment` | likewise |
/// | 3 | `Signatures` | everybody to random others, as long as there are new signatures |
/// | 4 | `Heard` | the answer to 3, without content: its receiver has room for the next |
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
pub enum Message<S: Suite> {
    /// A block that somebody proposes.
    Proposal(Arc<Proposal<S>>),
    /// A part of its body.
    Segment(Arc<Segment>),
    /// Aggregates of kinds [`PREPARE`] and [`TENTATIVE`]. At least one, at most [`MAX_AGGREGATES`].
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
        /// What the votes say, see [`Committees::ballot`].
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
    Blocks(Vec<Proven<S>>),
}

/// A request that only an archive can answer: the replica keeps nothing below its committed height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRequest {
    /// Answer with [`Message::Blocks`]: the committed blocks of this epoch from this height on, as [`block_range`]
    /// makes it.
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
/// consecutive, lowest first.
pub fn block_range<S: Suite>(blocks: impl IntoIterator<Item = Proven<S>>) -> Message<S> {
    let mut blocks = blocks.into_iter().take(MAX_RANGE_BLOCKS).peekable();
    let epoch = blocks.peek().map_or(0, |(block, _)| block.epoch);
    Message::Blocks(blocks.take_while(|(block, _)| block.epoch == epoch).collect())
}

/// As many of a block's transactions at `places` as one answer may have.
pub fn transaction_range<S: Suite>(block: BlockDigest, payload: &Payload, places: &[u32]) -> Message<S> {
    let found = |place: &u32| Some((*place, payload.transaction(*place as usize)?.clone()));
    Message::TransactionReply { block, transactions: cut(places.iter().filter_map(found)) }
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

impl<S: Suite> Message<S> {
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
                crate::body::Entries::Raw(raw) => raw.iter().map(Transaction::encoded_len).sum(),
                crate::body::Entries::Full(ids) => 32 * ids.len(),
                crate::body::Entries::Short { ids, full } => 6 * ids.len() + 36 * full.len(),
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

impl<S: Suite> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(self.tag());
        match self {
            Message::Proposal(proposal) => proposal.encode_to(w),
            Message::Segment(segment) => segment.encode_to(w),
            Message::Signatures(aggregates) => w.list(aggregates),
            Message::Heard => {}
            Message::Transactions(transactions) => w.list(transactions),
            Message::TransactionRequest { block, height, places } => {
                block.encode_to(w);
                w.u64(*height);
                encode_places(places.iter().copied(), w);
            }
            Message::TransactionReply { block, transactions } => {
                block.encode_to(w);
                encode_places(transactions.iter().map(|(place, _)| *place), w);
                transactions.iter().for_each(|(_, transaction)| transaction.encode_to(w));
            }
            Message::BodyRequest { block, round, segments } => {
                block.encode_to(w);
                w.u64(*round);
                encode_places(segments.iter().map(|segment| u32::from(*segment)), w);
            }
            Message::ProposalRequest { round, ballot } => {
                w.u64(*round);
                w.raw(ballot);
            }
            Message::Hello { committed } | Message::Welcome { committed } => w.u64(*committed),
            Message::BlockRequest { from } => w.u64(*from),
            Message::Blocks(blocks) => {
                w.count(blocks.len());
                for (block, finality) in blocks {
                    block.encode_to(w);
                    finality.encode_to(w);
                }
            }
        }
    }
}

impl<S: Suite> Decode<Committees<S>> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Proposal(Arc::new(Proposal::decode_from(r, committees)?)),
            2 => Message::Segment(Arc::new(Segment::decode_from(r, &())?)),
            3 => Message::Signatures(decode_aggregates(r, committees)?),
            4 => Message::Heard,
            5 => {
                let transactions: Vec<Transaction> = r.list("transactions", MAX_TRANSACTIONS, &())?;
                check_bytes(transactions.iter())?;
                if transactions.is_empty() {
                    return Err(Error::Malformed { what: "message without transactions" });
                }
                Message::Transactions(transactions)
            }
            6 => {
                let (block, height) = (BlockDigest::decode_from(r, &())?, r.u64()?);
                Message::TransactionRequest { block, height, places: decode_places(r, MAX_REQUEST)? }
            }
            7 => {
                let block = BlockDigest::decode_from(r, &())?;
                let places = decode_places(r, MAX_REQUEST)?;
                let read = |place| Ok((place, Transaction::decode_from(r, &())?));
                let transactions: Vec<_> = places.into_iter().map(read).collect::<Result<_>>()?;
                check_bytes(transactions.iter().map(|(_, transaction)| transaction))?;
                Message::TransactionReply { block, transactions }
            }
            8 => {
                let (block, round) = (BlockDigest::decode_from(r, &())?, r.u64()?);
                let narrow = |place| u16::try_from(place).ok().filter(|i| usize::from(*i) < MAX_SEGMENTS);
                let segments: Option<Vec<u16>> =
                    decode_places(r, MAX_SEGMENTS)?.into_iter().map(narrow).collect();
                let segments = segments.ok_or(Error::Malformed { what: "segments of a body" })?;
                Message::BodyRequest { block, round, segments }
            }
            9 => Message::ProposalRequest { round: r.u64()?, ballot: r.array()? },
            10 => Message::Hello { committed: r.u64()? },
            11 => Message::Welcome { committed: r.u64()? },
            12 => Message::BlockRequest { from: r.u64()? },
            13 => {
                let n = r.count("blocks", MAX_RANGE_BLOCKS)?;
                let mut read = || {
                    let block = Arc::new(Block::decode_from(r, committees)?);
                    Ok((block, Arc::new(Finality::decode_from(r, committees)?)))
                };
                Message::Blocks((0..n).map(|_| read()).collect::<Result<_>>()?)
            }
            _ => return Err(Error::Malformed { what: "message tag" }),
        })
    }
}

fn decode_aggregates<S: Suite>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Vec<Aggregate<S>>> {
    let aggregates: Vec<Aggregate<S>> = r.list("aggregates", MAX_AGGREGATES, &*committees.voters)?;
    let known = |aggregate: &Aggregate<S>| [PREPARE, TENTATIVE].contains(&aggregate.statement().kind);
    if aggregates.is_empty() || !aggregates.iter().all(known) {
        return Err(Error::Malformed { what: "aggregates" });
    }
    Ok(aggregates)
}

fn check_bytes<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> Result<()> {
    let limit = MAX_REPLY_BYTES + MAX_TRANSACTION_BYTES;
    if transactions.map(Transaction::encoded_len).sum::<usize>() > limit.min(MAX_PAYLOAD_BYTES) {
        return Err(Error::TooLarge { what: "transactions of a message", limit: limit as u64 });
    }
    Ok(())
}

/// Ascending numbers: a count, then the distance of each from the one before, so that neighbours take one byte.
fn encode_places(places: impl ExactSizeIterator<Item = u32>, w: &mut Writer) {
    w.count(places.len());
    let mut next = 0;
    for place in places {
        w.varint(place.wrapping_sub(next));
        next = place.wrapping_add(1);
    }
}

fn decode_places(r: &mut Reader<'_>, cap: usize) -> Result<Vec<u32>> {
    let n = r.count("places", cap)?;
    let mut places = Vec::with_capacity(n.min(r.remaining() + 1));
    let mut next = Some(0u32);
    for _ in 0..n {
        let distance = r.varint()?;
        let place = next.and_then(|next| next.checked_add(distance));
        let place = place.ok_or(Error::Malformed { what: "place in a block" })?;
        places.push(place);
        next = place.checked_add(1);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Entries, Part, ShortId};
    use crate::testing::{T, certify, check_encoding, committees, proposal, secret};
    use quorate::bls::{Counted, MinSig};
    use quorate::certificate::Vote;
    use quorate::ed25519::Ed25519;

    fn segment<S: Suite>(c: &Committees<S>, entries: Entries) -> Message<S> {
        let part =
            Part { block: BlockDigest([1; 32]), round: 3, signer: 1, index: 0, count: 2, first: 4, entries };
        Message::Segment(Arc::new(part.sign(c, &secret::<Ed25519>(1)).unwrap()))
    }

    fn aggregate<S: Suite>(c: &Committees<S>, kind: quorate::certificate::Kind) -> Aggregate<S> {
        let statement = c.voters.statement(kind, 3, [5; 32]);
        let vote = |m| {
            let vote = Vote::sign_unguarded(&secret::<S>(m), &c.voters, statement).unwrap();
            Aggregate::of_vote(&vote.verify(&c.voters).unwrap(), &c.voters).unwrap()
        };
        let sum = vote(0).merge(&vote(2), 255).unwrap();
        sum.merge(&vote(2), 255).unwrap().into_inner()
    }

    fn all<S: Suite>(c: &Committees<S>) -> Vec<Message<S>> {
        let first = proposal(c, 2, None, 2);
        let repeated = proposal(c, 5, Some((PREPARE, 3)), 1);
        let second = proposal(c, 5, Some((TENTATIVE, 4)), 3);
        let finality =
            Finality::new(certify(&c.voters, c.tentative(3, first.block.height, first.block.digest())))
                .unwrap();
        let transaction = |byte| Transaction::new(vec![byte; 3]).unwrap();
        let block = BlockDigest([1; 32]);
        let ids = vec![ShortId([1; 6]), ShortId([2; 6]), ShortId([1; 6])];
        vec![
            Message::Proposal(first.clone()),
            Message::Proposal(repeated),
            Message::Proposal(second),
            segment(c, Entries::Short { ids, full: vec![(0, [1; 32]), (2, [3; 32])] }),
            segment(c, Entries::Full(vec![[1; 32], [2; 32]])),
            segment(c, Entries::Raw(vec![transaction(1)])),
            Message::Signatures(vec![aggregate(c, PREPARE), aggregate(c, TENTATIVE)]),
            Message::Heard,
            Message::Transactions(vec![transaction(1), transaction(2)]),
            Message::TransactionRequest { block, height: 3, places: vec![0, 1, 7, 500] },
            Message::TransactionReply { block, transactions: vec![(2, transaction(1)), (9, transaction(2))] },
            Message::BodyRequest { block, round: 3, segments: vec![0, 4] },
            Message::ProposalRequest { round: 3, ballot: [4; 32] },
            Message::Hello { committed: 3 },
            Message::Welcome { committed: 4 },
            Message::BlockRequest { from: 3 },
            Message::Blocks(vec![(first.block.clone(), Arc::new(finality))]),
        ]
    }

    fn check<S: Suite>() {
        let c = committees::<S>(4);
        assert_eq!(check_encoding(&all(&c), &c), (1..=13).collect(), "every message is among them");
    }

    #[test]
    fn messages_survive_and_nothing_else_decodes() {
        check::<T>();
        check::<Counted<MinSig>>();
    }

    #[test]
    fn neighbouring_places_take_a_byte_each() {
        let request = |places: Vec<u32>| {
            let block = BlockDigest([1; 32]);
            Message::<T>::TransactionRequest { block, height: 3, places }.encode().len()
        };
        let none = request(Vec::new());
        assert_eq!(request((1000..1100).collect()) - none, 2 + 99);
        assert_eq!(request((0..100).map(|i| i * 60).collect()) - none, 100);
    }

    #[test]
    fn proposals_whose_parts_do_not_belong_together_are_refused() {
        let c = committees::<T>(4);
        let refused = |proposal: Proposal<T>| Proposal::decode(&proposal.encode(), &c).is_err();
        let (new, again) = (proposal(&c, 5, Some((TENTATIVE, 4)), 3), proposal(&c, 5, Some((PREPARE, 3)), 1));
        assert!(!refused((*new).clone()) && !refused((*again).clone()));
        assert!(refused(Proposal { proposer: 1, ..(*new).clone() }), "a new block of somebody else");
        assert!(refused(Proposal { round: 6, ..(*new).clone() }), "a new block of an older round");
        assert!(refused(Proposal { round: 3, ..(*again).clone() }), "a certificate of the same round");
        assert!(refused(Proposal { certificate: None, ..(*again).clone() }));
        assert!(refused(Proposal { certificate: new.certificate.clone(), ..(*again).clone() }));
        assert!(refused(Proposal { certificate: again.certificate.clone(), ..(*new).clone() }));
        assert!(refused(Proposal { proposer: 4, ..(*again).clone() }), "nobody");
    }
}
