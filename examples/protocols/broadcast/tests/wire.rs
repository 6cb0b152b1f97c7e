//! Encoding of messages, records and evidence: exact lengths, limits, canonical form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use proptest::prelude::*;
use quorate::dsig::{Signature, Signer, SignerConfig, WotsBlake3};
use quorate::ed25519::{self, Ed25519};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_broadcast::authentication::Unsigned;
use quorate_broadcast::{Attestation, Equivocation, Limits, Message, Record, SignedMessage, Slot};
use rand::SeedableRng;
use rand::rngs::StdRng;

const LIMITS: Limits = Limits { members: 4, message: 100, announcement: 200 };
const SLOT: Slot = Slot { sender: 3, sequence: 9 };

/// Returns one message of each kind.
fn all<S: Clone>(signature: &S) -> Vec<Message<S>> {
    let attestation = Attestation { slot: SLOT, digest: [5; 32], signature: signature.clone() };
    vec![
        Message::Send(SignedMessage {
            sequence: 1,
            message: Arc::from([7; 100]),
            signature: signature.clone(),
        }),
        Message::Echo(attestation.clone()),
        Message::Ask(SLOT),
        Message::Witness(attestation),
        Message::Announcement(Arc::from([1; 200])),
        Message::Hello,
    ]
}

/// Checks the encoded length of each message, and that truncated and extended encodings are refused.
fn check_messages<S: Clone + PartialEq + Encode + Decode + std::fmt::Debug>(signature: &S, length: usize) {
    let lengths =
        [1 + 8 + 4 + 100 + length, 1 + 10 + 32 + length, 1 + 10, 1 + 10 + 32 + length, 1 + 4 + 200, 1];
    for (message, expected) in all(signature).into_iter().zip(lengths) {
        let bytes = message.encode();
        assert_eq!(bytes.len(), expected, "{message:?}");
        assert_eq!(Message::<S>::decode(&bytes, &LIMITS).unwrap(), message);
        // Every truncation and every extension is refused.
        for end in 0..bytes.len() {
            assert!(Message::<S>::decode(&bytes[..end], &LIMITS).is_err(), "{message:?} of {end} bytes");
        }
        assert!(Message::<S>::decode(&[&bytes[..], &[0]].concat(), &LIMITS).is_err());
    }
}

fn ed25519_signature() -> ed25519::Signature {
    Ed25519::sign(&Ed25519::secret_from_bytes(&[3; 32]).unwrap(), b"m")
}

#[test]
fn every_message_has_exactly_one_length() {
    check_messages(&Unsigned, 0);
    check_messages(&ed25519_signature(), 64);
    let mut rng = StdRng::seed_from_u64(1);
    let config = SignerConfig { log2_batch: 0, low_water: 1, ..SignerConfig::default() };
    let key = Ed25519::secret_from_bytes(&[3; 32]).unwrap();
    let mut signer = Signer::<WotsBlake3>::new(key, vec![], config, &mut rng).unwrap();
    signer.prepare(&mut rng, Time(1)).unwrap();
    let signature: Signature<WotsBlake3> = signer.sign(b"m", &[], Time(1)).unwrap();
    check_messages(&signature, 1_584);
}

#[test]
fn values_out_of_bounds_are_refused_before_allocation() {
    let code = |message: &Message<Unsigned>| Message::<Unsigned>::decode(&message.encode(), &LIMITS).err();
    let code = |message| code(&message).map(|error| error.code());
    let sent = |sequence, length| {
        Message::Send(SignedMessage { sequence, message: vec![0; length].into(), signature: Unsigned })
    };
    assert_eq!(code(sent(1, 100)), None);
    assert_eq!(code(sent(1, 101)), Some("TOO_LARGE"));
    assert_eq!(code(sent(0, 1)), Some("MALFORMED"));
    assert_eq!(code(sent(u64::MAX, 0)), None);
    assert_eq!(code(Message::Ask(Slot { sender: 4, sequence: 1 })), Some("UNKNOWN_SIGNER"));
    assert_eq!(code(Message::Ask(Slot { sender: 3, sequence: 0 })), Some("MALFORMED"));
    assert_eq!(code(Message::Announcement(vec![0; 201].into())), Some("TOO_LARGE"));
    let none = Limits { announcement: 0, ..LIMITS };
    let bytes = Message::<Unsigned>::Announcement(vec![].into()).encode();
    assert!(Message::<Unsigned>::decode(&bytes, &none).is_err(), "the scheme has no announcements");
    // A length without its bytes allocates nothing.
    let huge = [&[1, 1, 0, 0, 0, 0, 0, 0, 0][..], &u32::MAX.to_le_bytes()].concat();
    assert_eq!(Message::<Unsigned>::decode(&huge, &LIMITS).unwrap_err().code(), "TOO_LARGE");
}

#[test]
fn records_and_evidence_read_back() {
    let sent = SignedMessage { sequence: 4, message: Arc::from(&b"m"[..]), signature: ed25519_signature() };
    let record = Record { sender: 2, send: sent };
    let bytes = record.encode();
    assert_eq!(bytes.len(), 2 + 8 + 4 + 1 + 64);
    assert_eq!(Record::decode(&bytes, &LIMITS).unwrap(), record);
    assert!(Record::<ed25519::Signature>::decode(&[&[4, 0], &bytes[2..]].concat(), &LIMITS).is_err());
    assert_eq!((record.place(4), record.place(3)), ((2, 0), (2, 1)));

    let word = |byte| ([byte; 32], ed25519_signature());
    let evidence = Equivocation { culprit: 1, slot: SLOT, attestations: [word(1), word(2)] };
    let bytes = evidence.encode();
    assert_eq!(bytes.len(), 2 + 10 + 2 * (32 + 64));
    assert_eq!(Equivocation::decode(&bytes, &4).unwrap(), evidence);
    let swapped = Equivocation { attestations: [word(2), word(1)], ..evidence.clone() }.encode();
    let error = Equivocation::<ed25519::Signature>::decode(&swapped, &4).unwrap_err();
    assert_eq!(error.code(), "NON_CANONICAL");
    let same = Equivocation { attestations: [word(1), word(1)], ..evidence }.encode();
    assert!(Equivocation::<ed25519::Signature>::decode(&same, &4).is_err(), "one attestation is no evidence");
}

proptest! {
    #[test]
    fn decoded_values_encode_to_the_same_bytes(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..140), kind in 0u8..8,
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
