//! Encodings of messages: the epoch, a tag byte, then the fields.

use std::sync::Arc;

use quorate::gossip::Aggregate;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::{
    EPOCH_INDEPENDENT_TAGS, EPOCH_MISMATCH, Envelope, MAX_AGGREGATES, MAX_RANGE_BLOCKS, MAX_REPLY_BYTES,
    MAX_REQUEST, Message,
};
use crate::block::{Block, Committees, GosigScheme};
use crate::body::{MAX_SEGMENTS, Segment};
use crate::digests::BlockDigest;
use crate::finality::Finality;
use crate::kinds::{PREPARE, TENTATIVE};
use crate::payload::{MAX_PAYLOAD_BYTES, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, Transaction};
use crate::proposal::Proposal;

impl<S: GosigScheme> Encode for Envelope<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.epoch);
        self.message.encode_to(w);
    }
}

impl<S: GosigScheme> Decode<Committees<S>> for Envelope<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let (epoch, tag) = (r.u64()?, r.u8()?);
        if epoch != committees.voters.epoch() && !EPOCH_INDEPENDENT_TAGS.contains(&tag) {
            return Err(EPOCH_MISMATCH);
        }
        Ok(Message::decode_from(tag, r, committees)?.in_epoch(epoch))
    }
}

impl<S: GosigScheme> Message<S> {
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
            Message::Pruned { oldest } => w.u64(*oldest),
            Message::Blocks(blocks) => {
                w.count(blocks.len());
                for (block, finality) in blocks {
                    block.encode_to(w);
                    finality.encode_to(w);
                }
            }
        }
    }

    fn decode_from(tag: u8, r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Ok(match tag {
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
            14 => Message::Pruned { oldest: r.u64()? },
            _ => return Err(Error::Malformed { what: "message tag" }),
        })
    }
}

fn decode_aggregates<S: GosigScheme>(
    r: &mut Reader<'_>,
    committees: &Committees<S>,
) -> Result<Vec<Aggregate<S>>> {
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

/// Encodes ascending numbers: a count, then the distance of each from the one before, so that neighbours take one byte.
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
    use crate::body::{Entries, ShortId, UnsignedSegment};
    use crate::message::{block_range, transaction_range};
    use crate::payload::Payload;
    use crate::testing::{T, certify, check_encoding, committees, proposal, secret};
    use quorate::bls::{Counted, MinSig};
    use quorate::certificate::Vote;
    use quorate::ed25519::Ed25519;
    use std::collections::BTreeSet;

    fn segment<S: GosigScheme>(c: &Committees<S>, entries: Entries) -> Message<S> {
        let part = UnsignedSegment {
            block: BlockDigest([1; 32]),
            round: 3,
            signer: 1,
            index: 0,
            count: 2,
            first: 4,
            entries,
        };
        Message::Segment(Arc::new(part.sign(c, &secret::<Ed25519>(1)).unwrap()))
    }

    fn aggregate<S: GosigScheme>(c: &Committees<S>, kind: quorate::certificate::Kind) -> Aggregate<S> {
        let statement = c.voters.statement(kind, 3, [5; 32]);
        let vote = |m| {
            let vote = Vote::sign_unguarded(&secret::<S>(m), &c.voters, statement).unwrap();
            Aggregate::from_vote(&vote.verify(&c.voters).unwrap(), &c.voters).unwrap()
        };
        let sum = vote(0).merge(&vote(2), 255).unwrap();
        sum.merge(&vote(2), 255).unwrap().into_inner()
    }

    fn all<S: GosigScheme>(c: &Committees<S>) -> Vec<Message<S>> {
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
            Message::Pruned { oldest: 3 },
            Message::BlockRequest { from: 3 },
            Message::Blocks(vec![(first.block.clone(), Arc::new(finality))]),
        ]
    }

    fn check<S: GosigScheme>() {
        let c = committees::<S>(4);
        let all = all(&c);
        let tags: BTreeSet<u8> = all.iter().map(Message::tag).collect();
        assert_eq!(tags, (1..=14).collect(), "all messages are covered");
        let envelopes: Vec<Envelope<S>> = all.into_iter().map(|message| message.in_epoch(0)).collect();
        check_encoding(&envelopes, &c);
    }

    #[test]
    fn messages_round_trip_and_altered_bytes_are_refused() {
        check::<T>();
        check::<Counted<MinSig>>();
    }

    #[test]
    fn only_epoch_independent_messages_of_other_epochs_decode() {
        let c = committees::<T>(4);
        for message in all(&c) {
            let read = Envelope::<T>::decode(&message.clone().in_epoch(1).encode(), &c);
            if matches!(message.tag(), 6 | 10 | 11 | 12 | 14) {
                assert!(message.is_epoch_independent());
                check_encoding(&[message.in_epoch(1)], &c);
            } else {
                assert_eq!(read, Err(EPOCH_MISMATCH));
            }
        }
        // A block of another epoch in a message of this epoch is a different error.
        let mut bytes = Message::Proposal(proposal(&c, 2, None, 2)).in_epoch(0).encode();
        bytes[9] ^= 1;
        let error = Envelope::<T>::decode(&bytes, &c).unwrap_err();
        assert!(error.code() == "WRONG_CONTEXT" && error != EPOCH_MISMATCH);
    }

    #[test]
    fn answers_are_of_the_epoch_of_the_requested_block() {
        let c = committees::<T>(4);
        let proven = |epoch| {
            let block = proposal(&c, 2, None, 2).block.clone();
            let block = Arc::new(Block::new(crate::block::BlockContent { epoch, ..(**block).clone() }));
            let finality = Finality::new(certify(&c.voters, c.tentative(3, 1, block.digest()))).unwrap();
            (block, Arc::new(finality))
        };
        let range = block_range([proven(4), proven(4), proven(5)]).unwrap();
        assert_eq!(range, Message::Blocks(vec![proven(4), proven(4)]).in_epoch(4));
        assert_eq!(block_range::<T>([]), None);
        let payload = Payload::from_bytes([b"x"]).unwrap();
        assert_eq!(transaction_range(&proven(4).0, &payload, &[0, 7]).epoch, 4);
    }

    #[test]
    fn neighbouring_places_take_a_byte_each() {
        let request = |places: Vec<u32>| {
            let block = BlockDigest([1; 32]);
            Message::<T>::TransactionRequest { block, height: 3, places }.in_epoch(0).encode().len()
        };
        let none = request(Vec::new());
        assert_eq!(request((1000..1100).collect()) - none, 2 + 99);
        assert_eq!(request((0..100).map(|i| i * 60).collect()) - none, 100);
    }

    #[test]
    fn inconsistent_proposals_are_refused() {
        let c = committees::<T>(4);
        let refused = |proposal: Proposal<T>| Proposal::decode(&proposal.encode(), &c).is_err();
        let (new, repeated) =
            (proposal(&c, 5, Some((TENTATIVE, 4)), 3), proposal(&c, 5, Some((PREPARE, 3)), 1));
        assert!(!refused((*new).clone()) && !refused((*repeated).clone()));
        assert!(refused(Proposal { proposer: 1, ..(*new).clone() }), "a new block of another author");
        assert!(refused(Proposal { round: 6, ..(*new).clone() }), "a new block of an older round");
        assert!(refused(Proposal { round: 3, ..(*repeated).clone() }), "a certificate of the same round");
        assert!(refused(Proposal { certificate: None, ..(*repeated).clone() }));
        assert!(refused(Proposal { certificate: new.certificate.clone(), ..(*repeated).clone() }));
        assert!(refused(Proposal { certificate: repeated.certificate.clone(), ..(*new).clone() }));
        assert!(refused(Proposal { proposer: 4, ..(*repeated).clone() }), "not a member");
    }
}
