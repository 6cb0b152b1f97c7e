use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;

use super::places::Match;
use super::*;
use crate::body::{Entries, Segment, ShortId, UnsignedSegment};
use crate::digests::BlockDigest;
use crate::parameters::Parameters;
use crate::payload::{Payload, Summary, Transaction};
use std::sync::Arc;

const BLOCK: BlockDigest = BlockDigest([3; 32]);

fn transaction(byte: u8) -> Transaction {
    Transaction::new(vec![byte; 50]).unwrap()
}

fn payload(n: u8) -> Payload {
    Payload::new((0..n).map(transaction).collect()).unwrap()
}

fn segments(payload: &Payload, parameters: &Parameters) -> Vec<Arc<Segment>> {
    let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
    let cut = cut_into_segments(BLOCK, payload, parameters, |_, _| false);
    let count = cut.len() as u16;
    let sign = |(index, (first, entries))| {
        let part = UnsignedSegment { block: BLOCK, round: 5, signer: 2, index, count, first, entries };
        Arc::new(Segment::new(part, Ed25519::sign(&key, b"")))
    };
    (0..).zip(cut).map(sign).collect()
}

fn modes() -> [Parameters; 4] {
    let all = Parameters::default();
    let one = Parameters { segments: 1, ..all.clone() };
    let full = Parameters { short_hashes: false, ..all.clone() };
    let raw = Parameters { asynchronous_transactions: false, ..all.clone() };
    [all, one, full, raw]
}

#[test]
fn segments_in_any_order_and_the_pool_complete_a_payload() {
    let whole = payload(23);
    for (i, parameters) in modes().iter().enumerate() {
        let mut segments = segments(&whole, parameters);
        // Raw transactions are cut by bytes: a transaction that does not fit a fifth begins another segment.
        assert_eq!(Some(&segments.len()), [5, 1, 5, 6].get(i), "mode {i}");
        segments.reverse();
        let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
        // Half of the transactions arrive before the segments, half after them, and one not at all.
        assembly.add_pool(whole.transactions().iter().take(10));
        for segment in &segments {
            assert_eq!(assembly.add_segment(segment), Added::New);
            assert_eq!(assembly.add_segment(segment), Added::Known);
        }
        whole.transactions().iter().skip(11).for_each(|t| assembly.add_transaction(t));
        assert!(assembly.is_named() && assembly.missing_segments().is_none());
        if i < 3 {
            assert_eq!(assembly.complete_if_filled(), Completion::Incomplete);
            assert_eq!(assembly.missing_places(), [10]);
            assert!(
                !assembly.add_reply(1, vec![(10, transaction(9)), (99, transaction(9))]),
                "another transaction"
            );
            assert!(assembly.add_reply(1, vec![(10, transaction(10))]));
        }
        assert_eq!(assembly.complete_if_filled(), Completion::Complete, "mode {i}");
        assert_eq!(assembly.payload().map(|p| &**p), Some(&whole));
        assert_eq!(assembly.segments(5).count(), segments.len());
        assert_eq!(assembly.segments(4).count(), 0);
    }
}

#[test]
fn colliding_short_identifiers_are_sent_in_full() {
    let whole = payload(6);
    let special = ShortId::new(&BLOCK, &transaction(4).id());
    let parameters = Parameters { segments: 1, ..Parameters::default() };
    let cut = cut_into_segments(BLOCK, &whole, &parameters, |short, _| *short == special);
    let [(0, Entries::Short { ids, full })] = &cut[..] else { panic!("{cut:?}") };
    assert_eq!((ids.len(), &full[..]), (6, &[(4, transaction(4).id())][..]));
    // The same transaction twice in one block is two places with one short identifier.
    let twice = Payload::new(vec![transaction(1), transaction(1)]).unwrap();
    let cut = cut_into_segments(BLOCK, &twice, &parameters, |_, _| false);
    assert!(matches!(&cut[..], [(0, Entries::Short { full, .. })] if full.len() == 2));
}

#[test]
fn ambiguous_short_identifiers_are_requested_by_place() {
    let whole = payload(3);
    let parameters = Parameters { segments: 1, ..Parameters::default() };
    let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
    assembly.add_pool(whole.transactions().iter());
    let short = ShortId::new(&BLOCK, &transaction(1).id());
    assembly.known.insert(short, Match::Many);
    assert_eq!(assembly.add_segment(&segments(&whole, &parameters)[0]), Added::New);
    assert_eq!(assembly.missing_places(), [1]);
    assert!(assembly.add_reply(0, vec![(1, transaction(1))]));
    assert_eq!(assembly.complete_if_filled(), Completion::Complete);
}

#[test]
fn invalid_segments_are_their_signers_fault() {
    let whole = payload(10);
    let parameters = Parameters { segments: 2, ..Parameters::default() };
    let good = segments(&whole, &parameters);
    let changed = |change: fn(&mut UnsignedSegment)| {
        let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
        assert_eq!(assembly.add_segment(&good[0]), Added::New);
        let mut part = (**good[1]).clone();
        change(&mut part);
        let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
        assembly.add_segment(&Arc::new(Segment::new(part, Ed25519::sign(&key, b""))))
    };
    assert_eq!(changed(|_| ()), Added::New);
    assert!(matches!(changed(|s| s.first = 4), Added::Invalid(rule) if rule.contains("overlap")));
    assert!(matches!(changed(|s| s.first = 6), Added::Invalid(rule) if rule.contains("not of its block")));
    assert!(matches!(changed(|s| s.count = 3), Added::Invalid(_)));
    assert!(matches!(changed(|s| s.index = 0), Added::Invalid(rule) if rule.contains("one index")));
    let short = changed(|s| {
        if let Entries::Short { ids, .. } = &mut s.entries {
            ids.pop();
        }
    });
    assert!(matches!(short, Added::Invalid(rule) if rule.contains("leave")));
    assert_eq!(changed(|s| s.round = 6), Added::Known, "of another proposal");
}

#[test]
fn a_wrong_body_is_its_signers_fault_if_its_names_are_full() {
    let (whole, other) = (payload(4), Payload::from_bytes([b"x", b"y", b"z", b"w"]).unwrap());
    for (full, culprit) in [(true, Some(2)), (false, None)] {
        let parameters = Parameters { short_hashes: !full, ..Parameters::default() };
        let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
        assembly.add_pool(other.transactions().iter());
        for segment in segments(&other, &parameters) {
            assert_eq!(assembly.add_segment(&segment), Added::New);
        }
        assert_eq!(assembly.complete_if_filled(), Completion::Mismatch(culprit));
        assert!(assembly.missing_places().is_empty());
        assert_eq!(
            assembly.add_segment(&segments(&other, &parameters)[0]),
            Added::Known,
            "or it would circulate forever"
        );
        assembly.set_source(7);
        assert_eq!(assembly.missing_places(), [0, 1, 2, 3]);
        assert_eq!(assembly.add_segment(&segments(&other, &parameters)[0]), Added::Known);
        let all = |payload: &Payload| (0..).zip(payload.transactions().iter().cloned()).collect();
        assert!(!assembly.add_reply(6, all(&whole)), "not the source");
        assert!(assembly.add_reply(7, all(&other)));
        assert_eq!(assembly.complete_if_filled(), Completion::Mismatch(Some(7)));
        assembly.set_source(6);
        assert!(assembly.add_reply(6, all(&whole)));
        assert_eq!(assembly.complete_if_filled(), Completion::Complete);
    }
}

#[test]
fn an_empty_payload_is_complete_at_once() {
    let mut assembly = Assembly::new(BLOCK, 1, Summary::empty());
    assert_eq!(
        (assembly.complete_if_filled(), assembly.missing_places()),
        (Completion::Complete, Vec::new())
    );
}
