//! The example of `spec/broadcast.md` matches this implementation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use quorate::committee::{ChainId, Committee};
use quorate::ed25519::{Ed25519, SecretKey, Signature};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode, Writer, domain};
use quorate_broadcast::authentication::Eddsa;
use quorate_broadcast::{
    Attestation, Equivocation, Limits, Message, Record, SignedMessage, Slot, attestation_bytes, digest,
};

const PAGE: &str = include_str!("../../../../spec/broadcast.md");
const SLOT: Slot = Slot { sender: 1, sequence: 3 };

fn key(member: u8) -> SecretKey {
    Ed25519::secret_from_bytes(&[member + 1; 32]).unwrap()
}

#[test]
fn the_example_of_the_specification_is_correct() {
    let mut w = Writer::new();
    w.bytes(b"eddsa");
    w.bytes(b"");
    w.u32(128);
    w.u64(16_384);
    let group_parameters = w.into_bytes();
    let group = domain::hash(domain::BROADCAST_GROUP, &[&[9; 32], &group_parameters[..]].concat());
    let members = (0..4).map(|i| (VerifiedKey::from_secret(&key(i)), 1)).collect();
    let committee = Committee::<Ed25519>::new(ChainId(group), 0, members).unwrap();

    let word = |member: u8, message: &[u8]| {
        let hash = digest(message);
        let bytes = attestation_bytes(&committee.id(), member.into(), SLOT, &hash);
        (hash, Ed25519::sign(&key(member), &bytes), bytes)
    };
    let (hash, signature, bytes) = word(2, b"hello");
    let echo = Message::Echo(Attestation { slot: SLOT, digest: hash, signature: signature.clone() });
    let send =
        SignedMessage { sequence: 3, message: Arc::from(&b"hello"[..]), signature: word(1, b"hello").1 };
    let record = Record { sender: 1, send: send.clone() };
    let (other, contradiction, _) = word(2, b"goodbye");
    let mut attestations = [(hash, signature), (other, contradiction)];
    attestations.sort_by_key(|(digest, _)| *digest);
    let evidence = Equivocation { culprit: 2, slot: SLOT, attestations };
    evidence.verify::<Eddsa>(&committee).unwrap();

    let limits = Limits { members: 4, message: 16_384, announcement: 0 };
    assert_eq!(Message::<Signature>::decode(&echo.encode(), &limits).unwrap(), echo);
    let rows = [
        ("group", group.to_vec()),
        ("committee id", committee.id().0.to_vec()),
        ("digest", hash.to_vec()),
        ("member 2's signed bytes", bytes),
        ("member 1's Send", Message::Send(send).encode()),
        ("member 2's Echo", echo.encode()),
        ("its record", record.encode()),
        ("evidence, had member 2 echoed `goodbye` too", evidence.encode()),
        ("its file begins with", [b"qbevid01", &group_parameters[..]].concat()),
    ];
    let missing: Vec<String> = rows
        .iter()
        .map(|(name, bytes)| format!("| {name} | `{}` |", hex::encode(bytes)))
        .filter(|row| !PAGE.contains(row))
        .collect();
    assert!(missing.is_empty(), "spec/broadcast.md lacks\n{}", missing.join("\n"));
}
