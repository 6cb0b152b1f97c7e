//! Ciphertexts that were changed, or moved to another label.

use std::sync::Arc;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use quorate::Error;
use quorate::committee::CommitteeId;
use quorate::threshold::Threshold;
use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, PublicKeys};
use quorate::wire::{Decode, Encode};

use super::harness::{
    C, COMMITTEE, E, EPOCH, F, LABEL, PAYLOAD, PLAINTEXT, PROPOSER, U, U_BAR, flip, point, scalar, setup,
    with,
};

#[test]
fn a_scaled_ciphertext_gives_no_share() {
    let mut s = setup(2, 4);
    let bytes = s.encrypt(PLAINTEXT).encode();
    let (u, u_bar) = (point(&bytes[U..U_BAR]), point(&bytes[U_BAR..E]));
    let (e, f) = (scalar(&bytes[E..F]), scalar(&bytes[F..LABEL]));
    let a = Scalar::from(3u64);
    // The aim of the scaling: shares of a·u are a times the shares of u.
    let scaled =
        with(&with(&bytes, U, (a * u).compress().as_bytes()), U_BAR, (a * u_bar).compress().as_bytes());
    let and_f = with(&scaled, F, (a * f).as_bytes());
    let half_scaled = with(&bytes, U, (a * u).compress().as_bytes());
    // Moved by a·G and a·Ḡ, with an f that compensates: the commitments are equal, the hash is not.
    let g_bar = {
        let mut wide = [0; 64];
        quorate::wire::domain::hasher(quorate::wire::domain::TDH2_GENERATOR).finalize_xof().fill(&mut wide);
        RistrettoPoint::from_uniform_bytes(&wide)
    };
    let moved = with(&bytes, U, (u + RistrettoPoint::mul_base(&a)).compress().as_bytes());
    let moved = with(&moved, U_BAR, (u_bar + a * g_bar).compress().as_bytes());
    let moved = with(&moved, F, (f + e * a).as_bytes());
    let other_key = flip(&bytes, C);
    let negated = with(&with(&bytes, U, (-u).compress().as_bytes()), U_BAR, (-u_bar).compress().as_bytes());
    let swapped = with(&with(&bytes, U, &bytes[U_BAR..E]), U_BAR, &bytes[U..U_BAR]);
    for (what, bytes) in [
        ("scaled", scaled),
        ("and f", and_f),
        ("u alone", half_scaled),
        ("moved", moved),
        ("another wrapped key", other_key),
        ("negated", negated),
        ("swapped", swapped),
        ("e", flip(&bytes, E)),
        ("f", with(&bytes, F, (f + Scalar::ONE).as_bytes())),
    ] {
        assert_eq!(s.check(&bytes).err(), Some(Error::BadCiphertext), "{what}");
    }
}

#[test]
fn labels_of_ciphertexts_cannot_be_exchanged() {
    let mut s = setup(2, 4);
    let good = s.encrypt(PLAINTEXT);
    let wrong = |what| Some(Error::WrongContext { what });
    assert_eq!(good.clone().check(&s.key, EPOCH + 1, PROPOSER).err(), wrong("epoch"));
    assert_eq!(good.clone().check(&s.key, EPOCH, PROPOSER + 1).err(), wrong("proposer"));
    let (elsewhere, _) =
        PublicKeys::deal(CommitteeId([8; 32]), Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(
        good.clone().check(&EncryptionKey::from_public_keys(&elsewhere), EPOCH, PROPOSER).err(),
        wrong("committee")
    );

    // The label rewritten to the wanted context, with the original proof.
    let bytes = good.encode();
    let relabelled =
        |at: usize, piece: &[u8]| Ciphertext::decode(&with(&bytes, LABEL + at, piece), &()).unwrap();
    let bad = Some(Error::BadCiphertext);
    assert_eq!(relabelled(32, &(EPOCH + 1).to_le_bytes()).check(&s.key, EPOCH + 1, PROPOSER).err(), bad);
    assert_eq!(relabelled(40, &(PROPOSER + 1).to_le_bytes()).check(&s.key, EPOCH, PROPOSER + 1).err(), bad);
    let to_elsewhere = relabelled(0, &[8; 32]);
    assert_eq!(to_elsewhere.check(&EncryptionKey::from_public_keys(&elsewhere), EPOCH, PROPOSER).err(), bad);

    // Other keys of the same committee.
    let (redealt, shares) = PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(good.clone().check(&EncryptionKey::from_public_keys(&redealt), EPOCH, PROPOSER).err(), bad);
    let valid = good.check(&s.key, EPOCH, PROPOSER).unwrap();
    assert_eq!(shares[0].decryption_share(&valid, &mut s.rng).err(), wrong("key"));
    let share = s.share(&valid, 0);
    assert_eq!(redealt.verify_share(valid.instance(), &share).err(), wrong("key"));
    assert_eq!(elsewhere.verify_share(valid.instance(), &share).err(), wrong("committee"));
    assert_eq!(Decryption::new(Arc::new(redealt), valid).err(), wrong("key"));
}

#[test]
fn payloads_of_ciphertexts_cannot_be_exchanged() {
    let mut s = setup(2, 4);
    let bytes = s.encrypt(PLAINTEXT).encode();
    for at in [PAYLOAD, PAYLOAD + 31, PAYLOAD + 32, bytes.len() - 1] {
        let tampered = flip(&bytes, at);
        assert_eq!(s.check(&tampered).err(), Some(Error::BadCiphertext), "payload, byte {at}");
        // With a matching hash in the label.
        let hash = quorate::wire::domain::hash(quorate::wire::domain::TDH2_PAYLOAD, &tampered[PAYLOAD..]);
        let rehashed = with(&tampered, LABEL + 42, &hash);
        assert_eq!(s.check(&rehashed).err(), Some(Error::BadCiphertext), "rehashed, byte {at}");
    }
    let other = s.encrypt(b"pay 9 to Eve").encode();
    let header_of_one_payload_of_other = [&bytes[..PAYLOAD], &other[PAYLOAD..]].concat();
    assert_eq!(s.check(&header_of_one_payload_of_other).err(), Some(Error::BadCiphertext));
}
