//! Acceptance, storage and eviction of batches and signatures by a verifier.

use std::collections::BTreeSet;

use quorate::dsig::{Signer, SignerConfig, Verifier, VerifierConfig, WotsBlake3};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::kit::{NOW, prepare, signer, small, verifier};

#[test]
fn verifier_detects_reuse_by_a_copied_machine() {
    // Two signers with the same memory image: equal seeds and equal generators.
    let ((mut a, mut rng_a), (mut b, mut rng_b)) = (signer::<WotsBlake3>(1, vec![]), signer(1, vec![]));
    let key = a.public_key().clone();
    let announcement = prepare(&mut a, &mut rng_a, NOW);
    b.prepare(&mut rng_b, NOW).unwrap().unwrap();
    let (one, two) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    assert_eq!((one.root(), one.index()), (two.root(), two.index()), "both used the same one-time key");
    for announced in [false, true] {
        let mut verifier = verifier::<WotsBlake3>(&key);
        if announced {
            verifier.announce(&key, &announcement, NOW).unwrap();
        }
        verifier.verify(&key, b"1", &one).unwrap();
        assert_eq!(verifier.verify(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");
        verifier.announce(&key, &announcement, NOW).unwrap();
        assert_eq!(verifier.verify(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");
        verifier.verify(&key, b"1", &one).unwrap();
    }
}

#[test]
fn unknown_invalid_and_excess_announcements_are_refused() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let good = prepare(&mut signer, &mut rng, NOW);
    let mut verifier = Verifier::<WotsBlake3>::new(VerifierConfig::default());
    assert_eq!(verifier.announce(&key, &good, NOW).unwrap_err().code(), "WRONG_CONTEXT");
    for at in 0..good.len() {
        verifier = Verifier::new(VerifierConfig::default());
        verifier.admit(key.clone());
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(verifier.announce(&key, &bad, NOW).is_err(), "byte {at}");
        assert!(verifier.announce(&key, &good[..at], NOW).is_err(), "{at} bytes");
    }
    verifier = Verifier::new(VerifierConfig { burst: 3, ..VerifierConfig::default() });
    verifier.admit(key.clone());
    let codes: Vec<_> =
        (0..6).map(|_| verifier.announce(&key, &[0; 5_000], Time(0)).unwrap_err().code()).collect();
    assert_eq!(codes[..3], ["WRONG_CONTEXT"; 3]);
    assert_eq!(codes[3..], ["RATE_LIMITED"; 3]);
    verifier.announce(&key, &good, Time(200)).unwrap();
}

#[test]
fn tokens_refill_by_interval_regardless_of_requests() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let announcement = signer.prepare(&mut rng, NOW).unwrap().unwrap().announcement.encode();
    let interval = core::time::Duration::from_micros(200);
    let mut verifier =
        Verifier::<WotsBlake3>::new(VerifierConfig { burst: 1, interval, ..VerifierConfig::default() });
    verifier.admit(signer.public_key().clone());
    let asked = (0..=40).map(|i| Time(NOW.0 + 150 * i));
    let taken =
        asked.filter(|now| verifier.announce(signer.public_key(), &announcement, *now).is_ok()).count();
    assert_eq!(taken, 1 + 6000 / 200);
}

#[test]
fn announcements_are_accepted_after_the_clock_is_set_back() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let announcement = signer.prepare(&mut rng, NOW).unwrap().unwrap().announcement.encode();
    let mut verifier = Verifier::<WotsBlake3>::new(VerifierConfig { burst: 1, ..VerifierConfig::default() });
    verifier.admit(signer.public_key().clone());
    let mut announce = |now| verifier.announce(signer.public_key(), &announcement, Time(now)).is_ok();
    let hour = 3_600_000_000;
    assert!(announce(hour) && !announce(0) && !announce(199) && announce(200));
}

#[test]
fn signatures_of_evicted_batches_verify_slowly() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let mut verifier =
        Verifier::<WotsBlake3>::new(VerifierConfig { announced: 2, ..VerifierConfig::default() });
    verifier.admit(key.clone());
    let mut signatures = Vec::new();
    for _ in 0..3 {
        verifier.announce(&key, &prepare(&mut signer, &mut rng, NOW), NOW).unwrap();
        signatures.push(signer.sign(b"m", &[], NOW).unwrap());
        while signer.sign(b"x", &[], NOW).is_ok() {}
    }
    let fast: Vec<_> = signatures.iter().map(|s| verifier.can_verify_fast(&key, s)).collect();
    assert_eq!(fast, [false, true, true]);
    signatures.iter().for_each(|s| verifier.verify(&key, b"m", s).unwrap());
}

#[test]
fn a_key_is_refused_as_soon_as_the_hook_reports_it_revoked() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let announcement = prepare(&mut signer, &mut rng, NOW);
    let signature = signer.sign(b"m", &[], NOW).unwrap();
    let mut verifier = verifier::<WotsBlake3>(&key);
    let revoked = Arc::new(AtomicBool::new(false));
    let hook = revoked.clone();
    verifier.check_revocation(move |_| hook.load(Ordering::Relaxed));
    verifier.announce(&key, &announcement, NOW).unwrap();
    verifier.verify(&key, b"m", &signature).unwrap();
    revoked.store(true, Ordering::Relaxed);
    assert!(!verifier.can_verify_fast(&key, &signature));
    assert_eq!(verifier.verify(&key, b"m", &signature).unwrap_err().code(), "WRONG_CONTEXT");
    assert_eq!(verifier.announce(&key, &announcement, NOW).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn an_announcement_is_checked_without_the_verifier() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let announcement = prepare(&mut signer, &mut rng, NOW);
    let signature = signer.sign(b"m", &[], NOW).unwrap();
    let mut verifier = verifier::<WotsBlake3>(&key);
    let checked = verifier.admit_announcement(&key, NOW).unwrap().check(&announcement).unwrap();
    verifier.verify(&key, b"m", &signature).unwrap();
    verifier.learn(checked).unwrap();
    assert!(verifier.can_verify_fast(&key, &signature));
    let late = verifier.admit_announcement(&key, NOW).unwrap().check(&announcement).unwrap();
    verifier.revoke(&key);
    assert_eq!(verifier.learn(late).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn checked_batches_are_bounded_and_the_oldest_is_evicted() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let mut verifier =
        Verifier::<WotsBlake3>::new(VerifierConfig { checked: 2, ..VerifierConfig::default() });
    verifier.admit(key.clone());
    let mut signatures = Vec::new();
    for _ in 0..3 {
        prepare(&mut signer, &mut rng, NOW);
        signatures.push(signer.sign(b"m", &[], NOW).unwrap());
        while signer.sign(b"x", &[], NOW).is_ok() {}
    }
    signatures.iter().for_each(|s| verifier.verify(&key, b"m", s).unwrap());
    let fast: Vec<_> = signatures.iter().map(|s| verifier.can_verify_fast(&key, s)).collect();
    assert_eq!(fast, [false, true, true]);
    let mut one = Verifier::<WotsBlake3>::new(VerifierConfig { checked: 0, ..VerifierConfig::default() });
    one.admit(key.clone());
    signatures.iter().for_each(|s| one.verify(&key, b"m", s).unwrap());
    let fast: Vec<_> = signatures.iter().map(|s| one.can_verify_fast(&key, s)).collect();
    assert_eq!(fast, [false, false, true], "a limit of 0 counts as 1");
}

#[test]
fn a_signature_is_verified_without_the_verifier() {
    let ((mut a, mut rng_a), (mut b, mut rng_b)) = (signer::<WotsBlake3>(1, vec![]), signer(1, vec![]));
    let key = a.public_key().clone();
    prepare(&mut a, &mut rng_a, NOW);
    prepare(&mut b, &mut rng_b, NOW);
    let (one, other) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    let mut verifier = verifier::<WotsBlake3>(&key);
    assert!(!verifier.verify_fast(&key, b"1", &one).unwrap());
    // Two threads verify at the same time; the second result reveals the reuse.
    let both = [(b"1", &one), (b"2", &other)].map(|(message, s)| s.verify_detached(&key, message).unwrap());
    let outcomes = both.map(|verified| verifier.remember(verified).map_or_else(|e| e.code(), |()| "ok"));
    assert_eq!(outcomes, ["ok", "ONE_TIME_REUSE"]);
    assert!(verifier.verify_fast(&key, b"1", &one).unwrap());
    assert_eq!(verifier.verify_fast(&key, b"2", &other).unwrap_err().code(), "ONE_TIME_REUSE");
    assert_eq!(verifier.verify_fast(&key, b"3", &one).unwrap_err().code(), "BAD_SIGNATURE");
    assert_eq!(one.verify_detached(&key, b"3").err().map(|error| error.code()), Some("BAD_SIGNATURE"));
    let late = one.verify_detached(&key, b"1").unwrap();
    verifier.revoke(&key);
    assert_eq!(verifier.verify_fast(&key, b"1", &one).unwrap_err().code(), "WRONG_CONTEXT");
    assert_eq!(verifier.remember(late).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn verifier_defaults_cover_signer_defaults_with_four_groups() {
    let mut rng = StdRng::seed_from_u64(1);
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    // The default ratio of keys to batch size, with an eighth of the keys.
    let config = SignerConfig { log2_batch: 4, low_water: 64, ..small() };
    let usual = SignerConfig::default();
    assert_eq!(config.low_water >> config.log2_batch, usual.low_water >> usual.log2_batch);
    let groups = (1..5).map(|member| BTreeSet::from([0, member])).collect();
    let mut signer = Signer::<WotsBlake3>::new(identity, groups, config, &mut rng).unwrap();
    let key = signer.public_key().clone();
    let mut verifier = verifier::<WotsBlake3>(&key);
    let mut fill = |signer: &mut Signer<WotsBlake3>, verifier: &mut Verifier<WotsBlake3>| {
        while let Some(announced) = signer.prepare(&mut rng, NOW).unwrap() {
            verifier.announce(&key, &announced.announcement.encode(), NOW).unwrap();
        }
    };
    fill(&mut signer, &mut verifier);
    // One key of each group, so that each has one more batch than the minimum.
    for hint in 1..6 {
        let hint: &[u16] = if hint < 5 { &[hint] } else { &[] };
        let signature = signer.sign(b"m", hint, NOW).unwrap();
        verifier.verify(&key, b"m", &signature).unwrap();
    }
    fill(&mut signer, &mut verifier);
    assert_eq!(signer.announcements().count(), 25);
    for hint in 1..6 {
        let hint: &[u16] = if hint < 5 { &[hint] } else { &[] };
        while let Ok(signature) = signer.sign(b"m", hint, NOW) {
            assert!(verifier.can_verify_fast(&key, &signature));
        }
    }
}
