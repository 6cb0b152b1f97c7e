//! BLS keys, signatures and committees against forgeries that a careless implementation would accept.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use quorate::Error;
use quorate::bls::{self, MinPk, MinSig};
use quorate::committee::{ChainId, Committee, RawSigners, Repeats, SignerSet};
use quorate::scheme::{Scheme, UnverifiedKey, VerifiedKey};
use quorate::wire::{Decode, Encode, Reader, Writer};
use rand::SeedableRng;
use rand::rngs::StdRng;

const MESSAGE: &[u8] = b"block 17";

fn secrets<S: Scheme>(n: u64) -> Vec<S::SecretKey> {
    (0..n).map(|i| S::generate(&mut StdRng::seed_from_u64(i)).unwrap()).collect()
}

fn committee<S: Scheme>(secrets: &[S::SecretKey]) -> Committee<S> {
    let members = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
    Committee::new(ChainId::from_name("t"), 0, members).unwrap()
}

fn proof<S: Scheme>(secrets: &[S::SecretKey], signers: &SignerSet) -> S::Proof {
    let signatures: Vec<_> =
        signers.iter().map(|i| (i, S::sign(&secrets[usize::from(i)], MESSAGE))).collect();
    S::combine(&signatures.iter().map(|(i, signature)| (*i, signature)).collect::<Vec<_>>())
}

/// The cached computation (subtract absent keys, add present keys, precomputed lines of the full aggregate) must equal
/// the plain sum.
fn cached_aggregate_keys_equal_plain_sums<S: Scheme>() {
    for n in [1u16, 2, 3, 16, 17, 40] {
        let secrets = secrets::<S>(u64::from(n));
        let committee = committee::<S>(&secrets);
        for absent in 0..n {
            let mut signers = SignerSet::new(n);
            // Spread the absent members over the committee.
            (0..n).filter(|i| (i * 7 + 3) % n >= absent).for_each(|i| assert!(signers.insert(i)));
            let good = proof::<S>(&secrets, &signers);
            assert_eq!(committee.verify_raw(MESSAGE, &signers, &good), Ok(u128::from(n - absent)));
            assert!(committee.verify_raw(b"block 18", &signers, &good).is_err());
            if absent > 0 {
                assert!(committee.verify_raw(MESSAGE, &SignerSet::full(n), &good).is_err());
            }
        }
    }
}

#[test]
fn cached_aggregate_keys_equal_plain_sums_min_sig() {
    cached_aggregate_keys_equal_plain_sums::<MinSig>();
}

#[test]
fn cached_aggregate_keys_equal_plain_sums_min_pk() {
    cached_aggregate_keys_equal_plain_sums::<MinPk>();
}

/// A point of order 11 on G1's curve, which a pairing does not detect.
const TORSION: &str =
    "b9b3e2c8c6bbf59d3c326b531fc1e639d29200c28624ac604f251a12908c9b7f735318617f625954cc71cdf03229b1ef";

#[test]
fn signatures_with_torsion_are_rejected_on_every_path() {
    let torsion = hex::decode(TORSION).unwrap();
    let secrets = secrets::<MinSig>(3);
    let committee = committee::<MinSig>(&secrets);
    let signers = SignerSet::full(3);
    let good = proof::<MinSig>(&secrets, &signers);
    let add = |signature: &bls::Signature<MinSig>| {
        let point = blst::min_sig::Signature::from_bytes(&torsion).unwrap();
        let signature = blst::min_sig::Signature::from_bytes(&signature.to_bytes()).unwrap();
        let sum = blst::min_sig::AggregateSignature::aggregate(&[&signature, &point], false).unwrap();
        bls::Signature::<MinSig>::decode(&sum.to_signature().to_bytes(), &()).unwrap()
    };
    let single = add(&MinSig::sign(&secrets[0], MESSAGE));
    let key = MinSig::public_key(&secrets[0]);
    assert_eq!(MinSig::verify(&key, MESSAGE, &single), Err(Error::NotInSubgroup));
    assert_eq!(committee.verify_raw(MESSAGE, &signers, &add(&good)), Err(Error::NotInSubgroup));
    let keys: Vec<_> = secrets.iter().map(VerifiedKey::<MinSig>::from_secret).collect();
    assert_eq!(bls::fast_aggregate_verify(&keys, MESSAGE, &add(&good)), Err(Error::NotInSubgroup));
    let possession = add(&MinSig::prove_possession(&secrets[0]));
    assert_eq!(UnverifiedKey::<MinSig>::new(key, possession).verify(), Err(Error::BadPossession));
}

#[test]
fn a_key_outside_the_subgroup_or_at_infinity_does_not_decode() {
    let torsion = hex::decode(TORSION).unwrap();
    assert_eq!(bls::PublicKey::<MinPk>::decode(&torsion, &()), Err(Error::NotInSubgroup));
    // (0, 2) has order 3; decoding already rejects it.
    let mut third = [0u8; 48];
    third[0] = 0x80;
    assert_eq!(bls::PublicKey::<MinPk>::decode(&third, &()), Err(Error::NotInSubgroup));
    assert_eq!(bls::Signature::<MinSig>::decode(&third, &()), Err(Error::NotInSubgroup));
    let mut infinity = [0u8; 48];
    infinity[0] = 0xc0;
    assert_eq!(bls::PublicKey::<MinPk>::decode(&infinity, &()), Err(Error::Infinity));
    assert_eq!(bls::Signature::<MinSig>::decode(&infinity, &()), Err(Error::Infinity));
    assert_eq!(bls::Signature::<MinSig>::decode(&[0xff; 48], &()).unwrap_err().code(), "MALFORMED");
    assert_eq!(bls::Signature::<MinSig>::decode(&[0; 48], &()).unwrap_err().code(), "NON_CANONICAL");
    assert_eq!(bls::Signature::<MinSig>::decode(&infinity[..47], &()).unwrap_err().code(), "MALFORMED");
}

/// A key aG − Σpk would let its owner sign for the whole committee; without its secret there is no proof of possession.
#[test]
fn a_rogue_key_has_no_proof_of_possession() {
    let secrets = secrets::<MinSig>(3);
    let rogue = {
        let honest =
            blst::min_sig::PublicKey::from_bytes(MinSig::public_key(&secrets[0]).as_bytes()).unwrap();
        let mine = blst::min_sig::PublicKey::from_bytes(MinSig::public_key(&secrets[1]).as_bytes()).unwrap();
        // −honest is honest with the sign bit flipped.
        let mut negated = honest.to_bytes();
        negated[0] ^= 0x20;
        let negated = blst::min_sig::PublicKey::from_bytes(&negated).unwrap();
        let sum = blst::min_sig::AggregatePublicKey::aggregate(&[&mine, &negated], false).unwrap();
        bls::PublicKey::<MinSig>::decode(&sum.to_public_key().to_bytes(), &()).unwrap()
    };
    for secret in &secrets {
        let claimed = UnverifiedKey::<MinSig>::new(rogue.clone(), MinSig::prove_possession(secret));
        assert_eq!(claimed.verify(), Err(Error::BadPossession));
    }
}

#[test]
fn committees_refuse_equal_and_negated_keys() {
    let secrets = secrets::<MinSig>(2);
    let (a, b) = (MinSig::public_key(&secrets[0]), MinSig::public_key(&secrets[1]));
    let mut bytes = a.encode();
    bytes[0] ^= 0x20;
    let negated = bls::PublicKey::<MinSig>::decode(&bytes, &()).unwrap();
    let chain = ChainId::from_name("t");
    let make = |keys: &[&bls::PublicKey<MinSig>], repeats| {
        let members = keys.iter().map(|key| ((*key).clone(), 1)).collect();
        Committee::<MinSig>::from_attested(chain, 0, members, repeats).map(drop)
    };
    assert_eq!(make(&[&a, &b, &a], Repeats::Refuse), Err(Error::RelatedKeys { first: 0, second: 2 }));
    assert_eq!(make(&[&b, &a, &negated], Repeats::Refuse), Err(Error::RelatedKeys { first: 1, second: 2 }));
    assert_eq!(make(&[&a, &negated], Repeats::Allow), Err(Error::Infinity));
    assert_eq!(make(&[&a, &b, &a], Repeats::Allow), Ok(()));
}

/// Ethereum's sync committees repeat members; each index counts separately.
#[test]
fn repeated_keys_verify_by_index() {
    let secrets = secrets::<MinPk>(2);
    let members = [0, 1, 0, 0].map(|i: usize| (MinPk::public_key(&secrets[i]), 1)).to_vec();
    let committee = Committee::<MinPk>::from_attested(ChainId([0; 32]), 0, members, Repeats::Allow).unwrap();
    let (a, b) = (MinPk::sign(&secrets[0], MESSAGE), MinPk::sign(&secrets[1], MESSAGE));
    let signature = bls::aggregate(&[a.clone(), b, a]).unwrap();
    let signers = committee.signer_set(RawSigners::Indices(&[0, 1, 3])).unwrap();
    assert_eq!(committee.verify_raw(MESSAGE, &signers, &signature), Ok(3));
    assert_eq!(signers, committee.signer_set(RawSigners::LsbFirst(&[0b1011])).unwrap());
    assert_eq!(signers, committee.signer_set(RawSigners::MsbFirst(&[0b1101_0000])).unwrap());
    assert_eq!(committee.signer_set(RawSigners::Indices(&[4])), Err(Error::UnknownSigner { index: 4 }));
    assert_eq!(committee.signer_set(RawSigners::Indices(&[1, 1])), Err(Error::DuplicateSigner { index: 1 }));
    assert_eq!(committee.signer_set(RawSigners::LsbFirst(&[0x10])).unwrap_err().code(), "NON_CANONICAL");
    assert_eq!(committee.signer_set(RawSigners::LsbFirst(&[1, 0])).unwrap_err().code(), "MALFORMED");
    assert_eq!(committee.signer_set(RawSigners::LsbFirst(&[])).unwrap_err().code(), "MALFORMED");
    assert_eq!(
        committee.verify_raw(MESSAGE, &SignerSet::new(4), &signature).unwrap_err().code(),
        "BELOW_QUORUM"
    );
}

#[test]
fn aggregates_of_one_and_of_many_messages_verify() {
    let secrets = secrets::<MinPk>(3);
    let keys: Vec<_> = secrets.iter().map(VerifiedKey::<MinPk>::from_secret).collect();
    let same = bls::aggregate(&secrets.iter().map(|s| MinPk::sign(s, MESSAGE)).collect::<Vec<_>>()).unwrap();
    assert_eq!(bls::fast_aggregate_verify(&keys, MESSAGE, &same), Ok(()));
    assert!(bls::fast_aggregate_verify(&keys[..2], MESSAGE, &same).is_err());
    assert_eq!(bls::fast_aggregate_verify::<MinPk>(&[], MESSAGE, &same), Err(Error::Infinity));
    let messages: [&[u8]; 3] = [b"a", b"b", b""];
    let signatures: Vec<_> = secrets.iter().zip(messages).map(|(s, m)| MinPk::sign(s, m)).collect();
    let mixed = bls::aggregate(&signatures).unwrap();
    let signed: Vec<_> = keys.iter().zip(messages).collect();
    assert_eq!(bls::aggregate_verify(&signed, &mixed), Ok(()));
    assert!(bls::aggregate_verify(&signed[..2], &mixed).is_err());
    assert_eq!(bls::aggregate::<MinPk>(&[]), Err(Error::Infinity));
}

#[test]
fn link_encodings_round_trip() {
    fn round_trip<S: Scheme>() {
        let signature = S::sign(&secrets::<S>(1)[0], MESSAGE);
        let mut w = Writer::new();
        S::encode_link(&signature, &mut w);
        let bytes = w.into_bytes();
        assert_eq!(S::decode_link(&mut Reader::new(&bytes)), Ok(signature.clone()));
        assert!(S::decode_link(&mut Reader::new(&bytes[1..])).is_err());
        // The compressed form is not accepted in its place.
        let padded = [signature.encode(), vec![0; bytes.len()]].concat();
        assert_eq!(S::decode_link(&mut Reader::new(&padded)).unwrap_err().code(), "NON_CANONICAL");
    }
    round_trip::<MinSig>();
    round_trip::<MinPk>();
}

#[test]
fn secret_keys_round_trip_and_bad_bytes_are_rejected() {
    let secret = &secrets::<MinSig>(1)[0];
    let again = MinSig::secret_from_bytes(&*MinSig::secret_to_bytes(secret)).unwrap();
    assert_eq!(MinSig::public_key(secret), MinSig::public_key(&again));
    for bytes in [&[0u8; 32][..], &[0xff; 32], &[1; 31], &[1; 33], &[]] {
        let (what, actual) = ("BLS secret key", bytes.len() as u64);
        let error = match actual {
            32 => Error::Malformed { what },
            _ => Error::WrongLength { what, expected: 32, actual },
        };
        assert_eq!(MinSig::secret_from_bytes(bytes).err(), Some(error));
    }
}
