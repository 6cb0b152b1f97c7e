//! Encoding of messages, records and evidence: exact lengths, limits, canonical form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use proptest::prelude::*;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate_broadcast::authentication::Unsigned;
use quorate_replicate::node::handshake::{Hello, Party, Welcome};
use quorate_replicate::{
    Ballot, Certificate, Checkpoint, Limits, Message, NewView, Prepared, Progress, Record, Request,
    SlotReport, StableState, Value, ViewChange, Vote,
};

const LIMITS: Limits =
    Limits { replicas: 4, clients: 2, window: 8, announcement: 200, state: 100, signature: 0 };

fn certificate(replicas: [u16; 3]) -> Vec<u8> {
    let mut w = Writer::new();
    replicas.into_iter().for_each(|replica| w.u16(replica));
    w.into_bytes()
}

fn valid() -> Certificate<Unsigned> {
    Certificate::decode(&certificate([0, 1, 3]), &4).unwrap()
}

/// Returns one message of each kind.
fn all() -> Vec<Message<Unsigned>> {
    let request = Request { client: 1, sequence: 9, operation: [7; 8] };
    let ballot = Ballot { view: 3, slot: 4, value: Value::Request(request) };
    let vote = Vote { ballot, signature: Unsigned };
    let checkpoint = Checkpoint { slot: 3, digest: [5; 32], certificate: valid() };
    let report = SlotReport {
        slot: 4,
        accepted: Some((2, Value::Noop)),
        prepared: Some(Prepared { view: 1, value: ballot.value, certificate: valid() }),
    };
    let change = |replica| ViewChange {
        replica,
        view: 3,
        stable: Some(checkpoint.clone()),
        slots: vec![report.clone(), SlotReport { slot: 11, accepted: None, prepared: None }],
        signature: Unsigned,
    };
    vec![
        Message::Echo(request),
        Message::Propose(ballot),
        Message::Accept(Ballot { value: Value::Noop, ..ballot }),
        Message::Prepare(vote.clone()),
        Message::Commit(vote.clone()),
        Message::Decided { slot: 4, value: Value::Noop },
        Message::Witness { replica: 2, vote },
        Message::Checkpoint { slot: 3, digest: [5; 32], signature: Unsigned },
        Message::State(StableState { checkpoint: checkpoint.clone(), state: Arc::from([1; 100]) }),
        Message::ViewChange(change(2)),
        Message::NewView(NewView {
            view: 3,
            changes: vec![change(0), change(1), change(3)],
            signature: Unsigned,
        }),
        Message::Status(Progress { view: 1, active: true, stable: 2, executed: 3 }),
        Message::Announcement(Arc::from([1; 200])),
        Message::Hello,
    ]
}

#[test]
fn every_message_reads_back_and_every_truncation_is_refused() {
    for message in all() {
        let bytes = message.encode();
        assert!(bytes.len() <= LIMITS.message(), "{message:?}");
        assert_eq!(Message::<Unsigned>::decode(&bytes, &LIMITS).unwrap(), message);
        for end in 0..bytes.len() {
            assert!(
                Message::<Unsigned>::decode(&bytes[..end], &LIMITS).is_err(),
                "{message:?} of {end} bytes"
            );
        }
        assert!(Message::<Unsigned>::decode(&[&bytes[..], &[0]].concat(), &LIMITS).is_err());
    }
}

#[test]
fn values_out_of_bounds_are_refused() {
    let refused =
        |message: &Message<Unsigned>| Message::<Unsigned>::decode(&message.encode(), &LIMITS).is_err();
    let request = Request { client: 1, sequence: 1, operation: [0; 8] };
    assert!(!refused(&Message::Echo(request)));
    assert!(refused(&Message::Echo(Request { client: 2, ..request })));
    assert!(refused(&Message::Echo(Request { sequence: 0, ..request })));
    assert!(refused(&Message::Announcement(vec![0; 201].into())));
    let checkpoint = Checkpoint { slot: 3, digest: [5; 32], certificate: valid() };
    assert!(refused(&Message::State(StableState { checkpoint, state: vec![0; 101].into() })));
    for [a, b] in [[0, 0], [5, 4], [1, 9]] {
        let slot = |slot| SlotReport { slot, accepted: None, prepared: None };
        let slots = vec![slot(a), slot(b)];
        let change = ViewChange { replica: 0, view: 1, stable: None, slots, signature: Unsigned };
        assert!(refused(&Message::ViewChange(change)), "{a} {b}");
    }
    let Message::NewView(new_view) = all().remove(10) else { panic!("a new view") };
    let mut twice = new_view.clone();
    twice.changes[1].replica = 0;
    assert!(refused(&Message::NewView(twice)));
    let few = NewView { changes: new_view.changes[..2].to_vec(), ..new_view.clone() };
    assert!(refused(&Message::NewView(few)));
    assert!(refused(&Message::NewView(NewView { view: 4, ..new_view })));
    for replicas in [[0, 1, 4], [1, 0, 2], [1, 1, 2]] {
        assert!(Certificate::<Unsigned>::decode(&certificate(replicas), &4).is_err());
    }
}

#[test]
fn records_and_handshakes_read_back() {
    let ballot = Ballot { view: 3, slot: 4, value: Value::Noop };
    let checkpoint = Checkpoint { slot: 3, digest: [5; 32], certificate: valid() };
    let records: [Record<Unsigned>; 5] = [
        Record::Stable(StableState { checkpoint, state: Arc::from([1; 9]) }),
        Record::View(7),
        Record::Accepted(ballot),
        Record::Prepared(4, Prepared { view: 1, value: Value::Noop, certificate: valid() }),
        Record::Decided(4, Value::Noop),
    ];
    for (kind, record) in (0u8..).zip(records) {
        assert_eq!(Record::decode(&record.encode(), &LIMITS).unwrap(), record);
        assert_eq!(record.place().0, kind);
    }
    let signature = quorate::ed25519::Signature::decode(&[0; 64], &()).unwrap();
    for party in [Party::Replica(3), Party::Client(9)] {
        let hello = Hello { party, challenge: [3; 32], signature: signature.clone() };
        assert_eq!(Hello::decode(&hello.encode(), &()).unwrap(), hello);
    }
    for welcome in [Welcome::Accepted(signature), Welcome::Refused("IMPOSTOR".to_owned())] {
        assert_eq!(Welcome::decode(&welcome.encode(), &()).unwrap(), welcome);
    }
    let mut r = Reader::new(&[2, 0, 0]);
    assert!(Party::decode_from(&mut r, &()).is_err());
}

proptest! {
    #[test]
    fn decoded_values_encode_to_the_same_bytes(
        mut bytes in proptest::collection::vec(0u8..4, 0..140), kind in 0u8..16,
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = kind;
        }
        if let Ok(message) = Message::<Unsigned>::decode(&bytes, &LIMITS) {
            prop_assert_eq!(message.encode(), &bytes[..]);
        }
        if let Ok(record) = Record::<Unsigned>::decode(&bytes, &LIMITS) {
            prop_assert_eq!(record.encode(), &bytes[..]);
        }
    }
}
