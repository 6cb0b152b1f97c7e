use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quorate::certificate::{Certificate, Kind, Statement};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};

use crate::harness::{Spoil, VIEW, VOTE, World};

pub(crate) fn certificates_have_the_documented_bytes<S: Spoil>() {
    let world = World::<S>::new(40);
    let certificate = world.certificate(0..27, 5);
    let bytes = certificate.encode();
    assert_eq!(bytes[0], S::SUITE);
    assert_eq!(bytes[1], VOTE.number());
    assert_eq!(bytes[2..10], 3u64.to_le_bytes());
    assert_eq!(bytes[10..18], VIEW.to_le_bytes());
    assert_eq!(bytes[18..50], [5; 32]);
    // The thirteen members that did not sign: 27 to 39.
    assert_eq!(bytes[50..56], [0, 0, 0, 0, 0b1111_1000, 0xff]);
    assert_eq!(bytes.len(), 56 + S::proof_bytes(27));
    assert_eq!(bytes.len(), certificate.encoded_len());
    if S::SUITE == 1 {
        assert_eq!(bytes.len(), 104);
    }

    let signed = world.statement(5).signed_bytes(&world.committee.id());
    let mut expected = b"quorate-v1-vote".to_vec();
    expected.extend(world.committee.id().0);
    expected.extend(&bytes[1..50]);
    assert_eq!(signed.to_vec(), expected);
    assert_eq!(Statement::decode(&bytes[1..50], &()), Ok(world.statement(5)));
    assert_eq!(
        world.statement(5).identity(&world.committee.id()),
        domain::hash(domain::STATEMENT, &expected)
    );
    assert_eq!(Kind::new(9).number(), 9);

    // Ed25519 signatures are in ascending order of the signers.
    if !S::SUMMED {
        for (signer, signature) in (0..27).zip(bytes[56..].chunks(64)) {
            assert_eq!(world.vote(signer, 5).signature().encode(), signature);
        }
    }

    let mut w = Writer::new();
    certificate.encode_detached(&mut w);
    let detached = w.into_bytes();
    assert_eq!(detached, bytes[50..]);
    let read =
        Certificate::<S>::decode_detached(&mut Reader::new(&detached), world.statement(5), &world.committee);
    assert_eq!(read.unwrap(), *certificate);
}

pub(crate) fn both_signer_set_forms_round_trip<S: Spoil>() {
    // 24 members: the list is shorter with at most one absent member, the bitmap with two or more.
    let world = World::<S>::weighted(&[[1; 23].as_slice(), &[1_000]].concat(), 3);
    let votes: Vec<_> = (0..24).map(|signer| world.vote(signer, 5)).collect();
    for (absent, form) in [(0, 1), (1, 1), (2, 0), (20, 0)] {
        // The heavy member votes last, so that all earlier votes are in the certificate.
        let certificate = world.certify(votes[absent..].iter().cloned()).unwrap();
        let bytes = certificate.encode();
        assert_eq!((certificate.signers().len(), bytes[50]), (24 - absent, form));
        assert_eq!(bytes.len(), certificate.encoded_len());
        let read = Certificate::<S>::decode(&bytes, &world.committee).unwrap();
        assert_eq!(read.verify(&world.committee).unwrap(), certificate);
    }
}

pub(crate) fn each_defect_is_rejected_with_its_error_code<S: Spoil>() {
    let world = World::<S>::new(12);
    let certificate = world.certificate(0..9, 5);
    let bytes = certificate.encode();
    let decode = |bytes: &[u8]| Certificate::<S>::decode(bytes, &world.committee);
    let code = |bytes: &[u8]| decode(bytes).unwrap_err().code();
    let replaced = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    // Twelve members: the bitmap has two bytes with four bits of padding.
    assert_eq!(bytes[50..53], [0, 0, 0b1110]);
    assert_eq!(code(&replaced(0, 9)), "WRONG_CONTEXT");
    assert_eq!(code(&replaced(2, 9)), "WRONG_CONTEXT");
    assert_eq!(code(&replaced(50, 2)), "MALFORMED");
    assert_eq!(code(&replaced(52, 0b1_1110)), "NON_CANONICAL");
    assert_eq!(code(&replaced(52, 0b1000_1110)), "NON_CANONICAL");
    assert_eq!(code(&replaced(52, 0b1111)), "BELOW_QUORUM");
    assert_eq!(code(&[&bytes[..], &[0]].concat()), "MALFORMED");
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).is_err(), "{len}");
    }
    // A shorter bitmap would read on into the signature and must never turn absent members into signers.
    assert!(decode(&[&bytes[..52], &bytes[53..]].concat()).is_err());
    assert!(decode(&[&bytes[..52], &[0], &bytes[52..]].concat()).is_err());
    // The longer form of the same set.
    let list = [&bytes[..50], &[1, 3, 9, 0, 0], &bytes[53..]].concat();
    assert_eq!(code(&list), "NON_CANONICAL");
    // Well-formed, but not signed: another set of signers, another digest.
    if S::SUMMED {
        let other = decode(&replaced(52, 0b0111)).unwrap();
        assert_eq!(other.verify(&world.committee).unwrap_err().code(), "BAD_SIGNATURE");
    }
    let other = decode(&replaced(20, 6)).unwrap();
    assert_eq!(other.verify(&world.committee).unwrap_err().code(), "BAD_SIGNATURE");
}

pub(crate) fn mutations_never_decode_differently<S: Spoil>() {
    let world = World::<S>::new(21);
    let bytes = world.certificate(0..15, 5).encode();
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..4);
    TestRunner::new(config)
        .run(&edits, |edits| {
            let mut mutated = bytes.clone();
            for (index, byte, edit) in edits {
                // Half of the edits are near the set of non-signers, which has the most structure.
                let at = if byte % 2 == 0 { index.index(mutated.len()) } else { 48 + index.index(10) };
                match edit {
                    0 => mutated[at] = byte,
                    1 => mutated.insert(at, byte),
                    _ => drop(mutated.remove(at)),
                }
            }
            if let Ok(certificate) = Certificate::<S>::decode(&mutated, &world.committee) {
                prop_assert_eq!(certificate.encode(), mutated.clone());
                prop_assert!(mutated == bytes || certificate.verify(&world.committee).is_err());
            }
            Ok(())
        })
        .unwrap();
}
