//! The one verification rule of `quorate::ed25519`: single and batch verification accept the same signatures.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use quorate::Error;
use quorate::committee::{ChainId, Committee, Repeats, SignerSet};
use quorate::ed25519::{Ed25519, PublicKey, Signature};
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;
use sha2::{Digest, Sha512};

const MESSAGE: &[u8] = b"one rule for all";

/// Makes a signature whose key and R carry the given torsion components, with knowledge of the secret.
fn mixed_order(secret: u64, key_torsion: EdwardsPoint, r_torsion: EdwardsPoint) -> (PublicKey, Signature) {
    let (a, r) = (Scalar::from(secret), Scalar::from(secret + 1_000_003));
    let key = (ED25519_BASEPOINT_POINT * a + key_torsion).compress().to_bytes();
    let point = (ED25519_BASEPOINT_POINT * r + r_torsion).compress().to_bytes();
    let hash = Sha512::new().chain_update(point).chain_update(key).chain_update(MESSAGE).finalize();
    let s = r + Scalar::from_bytes_mod_order_wide(&hash.into()) * a;
    let bytes = [point, s.to_bytes()].concat();
    (PublicKey::decode(&key, &()).unwrap(), Signature::decode(&bytes, &()).unwrap())
}

fn batch(pairs: &[(PublicKey, Signature)]) -> quorate::Result<u128> {
    let members = pairs.iter().map(|(key, _)| (key.clone(), 1)).collect();
    let committee =
        Committee::<Ed25519>::from_attested(ChainId::from_name("t"), 0, members, Repeats::Allow).unwrap();
    let proof = (0..).zip(pairs).map(|(i, (_, signature))| (i, signature.clone())).collect();
    committee.verify_raw(MESSAGE, &SignerSet::full(pairs.len() as u16), &proof)
}

#[test]
fn single_and_batch_accept_the_same_mixed_order_signatures() {
    let mut pairs = Vec::new();
    for (i, key_torsion) in EIGHT_TORSION.into_iter().enumerate() {
        for (j, r_torsion) in EIGHT_TORSION.into_iter().enumerate() {
            let (key, signature) = mixed_order(5 + (8 * i + j) as u64, key_torsion, r_torsion);
            assert_eq!(Ed25519::verify(&key, MESSAGE, &signature), Ok(()), "torsion {i}, {j}");
            pairs.push((key, signature));
        }
    }
    // For every number of signatures, torsion that does not cancel must not matter.
    for n in 2..=pairs.len() {
        assert_eq!(batch(&pairs[..n]), Ok(n as u128));
    }
}

#[test]
fn single_and_batch_reject_the_same_forgeries() {
    let good: Vec<_> = (1..6).map(|i| mixed_order(i, EIGHT_TORSION[0], EIGHT_TORSION[0])).collect();
    for bad in 0..good.len() {
        for bit in [0, 7, 8 * 32, 8 * 32 + 100] {
            let mut bytes = good[bad].1.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(forged) = Signature::decode(&bytes, &()) else { continue };
            let mut pairs = good.clone();
            pairs[bad].1 = forged;
            assert!(Ed25519::verify(&pairs[bad].0, MESSAGE, &pairs[bad].1).is_err());
            assert!(batch(&pairs).is_err());
        }
    }
    // Two errors that cancel in a plain sum do not cancel in a random combination.
    let mut pairs = good.clone();
    for (i, delta) in [(0, Scalar::ONE), (1, -Scalar::ONE)] {
        let mut bytes = pairs[i].1.encode();
        let s: [u8; 32] = bytes[32..].try_into().unwrap();
        bytes[32..].copy_from_slice((Scalar::from_canonical_bytes(s).unwrap() + delta).as_bytes());
        pairs[i].1 = Signature::decode(&bytes, &()).unwrap();
    }
    assert!(batch(&pairs).is_err());
}

#[test]
fn small_order_keys_and_non_canonical_encodings_do_not_decode() {
    for point in EIGHT_TORSION {
        assert_eq!(PublicKey::decode(&point.compress().to_bytes(), &()), Err(Error::Infinity));
    }
    let (_, signature) = mixed_order(9, EIGHT_TORSION[0], EIGHT_TORSION[0]);
    let mut bytes = signature.encode();
    // s + ℓ is the same scalar.
    let order = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10u8,
    ];
    let mut carry = 0u16;
    for (byte, add) in bytes[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    assert_eq!(Signature::decode(&bytes, &()).unwrap_err().code(), "NON_CANONICAL");
    let mut not_reduced = [0xff; 32];
    not_reduced[0] = 0xee; // p + 1, which is y = 1
    not_reduced[31] = 0x7f;
    assert_eq!(PublicKey::decode(&not_reduced, &()).unwrap_err().code(), "NON_CANONICAL");
}

#[test]
fn standard_verifiers_accept_our_signatures() {
    let mut rng = StdRng::seed_from_u64(1);
    let secret = Ed25519::generate(&mut rng).unwrap();
    let key = ed25519_dalek::VerifyingKey::from_bytes(Ed25519::public_key(&secret).as_bytes()).unwrap();
    let signature = ed25519_dalek::Signature::from_bytes(&Ed25519::sign(&secret, MESSAGE).to_bytes());
    assert!(key.verify_strict(MESSAGE, &signature).is_ok());
}

#[test]
fn a_proof_of_possession_of_another_key_is_rejected() {
    let mut rng = StdRng::seed_from_u64(2);
    let (a, b) = (Ed25519::generate(&mut rng).unwrap(), Ed25519::generate(&mut rng).unwrap());
    let mixed = UnverifiedKey::<Ed25519>::new(Ed25519::public_key(&a), Ed25519::prove_possession(&b));
    assert_eq!(mixed.verify(), Err(Error::BadPossession));
    assert!(UnverifiedKey::<Ed25519>::prove(&a).verify().is_ok());
}
