//! Suites chosen at run time: the same results through bytes, for every suite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "dsig")]

use std::time::Duration;

use quorate::dsig::dynamic::{
    DynAuditor, DynSigner, DynVerifier, SuiteId, reuse, verify, verify_all, verify_reuse,
};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use rand::SeedableRng;
use rand::rngs::StdRng;

const NOW: Time = Time(1_000_000);

fn signer(suite: SuiteId, rng: &mut StdRng) -> DynSigner {
    let config = SignerConfig { log2_batch: 1, low_water: 1, lifetime: Duration::from_secs(10) };
    DynSigner::new(suite, Ed25519::secret_from_bytes(&[9; 32]).unwrap(), vec![], config, rng).unwrap()
}

#[test]
fn every_suite_works_by_its_name() {
    for suite in SuiteId::ALL {
        assert_eq!(SuiteId::from_number(suite.number()), Ok(*suite));
        assert_eq!(suite.name().parse(), Ok(*suite));
        let mut rng = StdRng::seed_from_u64(1);
        let mut signer = signer(*suite, &mut rng);
        let key = signer.public_key().clone();
        let mut verifier = DynVerifier::new(*suite, VerifierConfig::default());
        let announced = signer.prepare(&mut rng, NOW).unwrap().unwrap();
        verifier.admit(key.clone());
        verifier.announce(&key, &announced.announcement, NOW).unwrap();
        assert_eq!(signer.announcements(), [announced]);
        let signature = signer.sign(b"m", &[], NOW).unwrap();
        assert_eq!((signature.len(), signer.ready()), (suite.signature_len(), 1));
        assert_eq!(verifier.can_verify_fast(&key, &signature), Ok(true));
        assert_eq!(verifier.verify(&key, b"m", &signature), Ok(()));
        assert_eq!(verify(&key, b"m", &signature), Ok(()));
        assert_eq!(verify(&key, b"n", &signature).unwrap_err().code(), "BAD_SIGNATURE");
        let same = reuse(&key, (b"m", &signature), (b"m", &signature));
        assert_eq!(same.unwrap_err().code(), "NOT_EVIDENCE");
    }
    assert_eq!("wots".parse::<SuiteId>().unwrap_err().code(), "WRONG_CONTEXT");
    assert_eq!(SuiteId::from_number(0).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn bulk_verification_yields_evidence_of_reuse() {
    let suite = SuiteId::WotsBlake3;
    // Two programs with the same generator at the same time, which must never happen.
    let use_of = |message: &[u8]| {
        let mut rng = StdRng::seed_from_u64(1);
        let mut signer = signer(suite, &mut rng);
        signer.prepare(&mut rng, NOW).unwrap().unwrap();
        (signer.public_key().clone(), signer.sign(message, &[], NOW).unwrap())
    };
    let ((key, one), (_, other)) = (use_of(b"1"), use_of(b"2"));
    let entries: [(_, &[u8], &[u8]); 5] = [
        (&key, b"1", &one),
        (&key, b"2", &other),
        (&key, b"1", &one),
        (&key, b"2", &one),
        (&key, b"1", &one[1..]),
    ];
    let codes = |outcomes: Vec<quorate::Result<()>>| {
        outcomes.into_iter().map(|outcome| outcome.map_or_else(|e| e.code(), |()| "ok")).collect::<Vec<_>>()
    };
    let expected = ["ok", "ONE_TIME_REUSE", "ok", "BAD_SIGNATURE", "WRONG_CONTEXT"];
    assert_eq!(codes(verify_all(suite, &entries)), expected);
    let mut auditor = DynAuditor::new(suite, 4);
    let one_by_one = entries.iter().map(|(key, message, signature)| auditor.check(key, message, signature));
    assert_eq!(codes(one_by_one.collect()), expected);
    let evidence = reuse(&key, (b"1", &one), (b"2", &other)).unwrap();
    assert_eq!(verify_reuse(suite, &evidence), Ok(key));
    assert_eq!(verify_reuse(SuiteId::WotsSha256, &evidence).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn background_work_needs_neither_signer_nor_verifier() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut first, mut other) =
        (signer(SuiteId::WotsBlake3, &mut rng), signer(SuiteId::WotsSha256, &mut rng));
    let key = first.public_key().clone();
    let batch = first.plan(&mut rng, NOW).unwrap().unwrap().make().unwrap();
    assert_eq!(first.sign(b"m", &[], NOW).unwrap_err().code(), "EXHAUSTED");
    let announced = first.add(batch).unwrap();
    let signature = first.sign(b"m", &[], NOW).unwrap();
    let stale = other.plan(&mut rng, NOW).unwrap().unwrap().make().unwrap();
    assert!(first.add(stale).is_none(), "of another suite");

    let config = VerifierConfig::default();
    let mut verifier = DynVerifier::new(SuiteId::WotsBlake3, config.clone());
    let mut foreign = DynVerifier::new(SuiteId::WotsSha256, config);
    verifier.admit(key.clone());
    foreign.admit(key.clone());
    let mut check = || verifier.admit_announcement(&key, NOW).unwrap().check(&announced.announcement);
    let (checked, again) = (check().unwrap(), check().unwrap());
    assert_eq!(verifier.can_verify_fast(&key, &signature), Ok(false));
    verifier.learn(checked).unwrap();
    assert_eq!(verifier.can_verify_fast(&key, &signature), Ok(true));
    assert_eq!(foreign.learn(again).unwrap_err().code(), "WRONG_CONTEXT");
}
