//! DSig through its public API: what verifies, what is refused, and that no one-time key is ever used twice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "dsig")]

use std::collections::BTreeSet;
use std::time::Duration;

use quorate::dsig::{
    Signature, Signer, SignerConfig, Suite, Verifier, VerifierConfig, WotsBlake3, WotsBlake3Wide,
    WotsHaraka256, WotsHaraka512,
};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

const NOW: Time = Time(1_000_000);

fn small() -> SignerConfig {
    SignerConfig { log2_batch: 2, low_water: 1, lifetime: Duration::from_secs(10) }
}

fn signer<S: Suite>(seed: u64, groups: Vec<BTreeSet<u16>>) -> (Signer<S>, StdRng) {
    let mut rng = StdRng::seed_from_u64(seed);
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    (Signer::new(identity, groups, small(), &mut rng).unwrap(), rng)
}

fn verifier<S: Suite>(key: &PublicKey) -> Verifier<S> {
    let mut verifier = Verifier::new(VerifierConfig::default());
    verifier.admit(key.clone());
    verifier
}

fn signs_and_verifies<S: Suite>(len: usize) {
    let (mut signer, mut rng) = signer::<S>(1, vec![]);
    let key = signer.public_key().clone();
    let (mut told, mut untold) = (verifier::<S>(&key), verifier::<S>(&key));
    let (whom, announcement) = signer.prepare(&mut rng, NOW).unwrap().unwrap();
    assert_eq!((whom, announcement.encode().len()), (None, 68 + 4 * 32));
    told.announce(&key, &announcement.encode(), NOW).unwrap();
    for i in 0..4u8 {
        let bytes = signer.sign(&[i], &[], NOW).unwrap().encode();
        assert_eq!(bytes.len(), len);
        let signature = Signature::<S>::decode(&bytes, &()).unwrap();
        assert_eq!(signature.encode(), bytes);
        assert!(told.can_verify_fast(&key, &signature));
        assert_eq!(untold.can_verify_fast(&key, &signature), i > 0, "after the first the root is known");
        told.verify(&key, &[i], &signature).unwrap();
        untold.verify(&key, &[i], &signature).unwrap();
        signature.verify(&key, &[i]).unwrap();
        assert_eq!(told.verify(&key, b"other", &signature).unwrap_err().code(), "BAD_SIGNATURE");
        assert_eq!(signature.verify(&key, b"other").unwrap_err().code(), "BAD_SIGNATURE");
        told.verify(&key, &[i], &signature).unwrap();
    }
    assert_eq!(signer.sign(b"x", &[], NOW).unwrap_err().code(), "EXHAUSTED");
}

#[test]
fn every_suite_signs_and_verifies_fast_and_slowly() {
    signs_and_verifies::<WotsHaraka512>(1_584);
    signs_and_verifies::<WotsHaraka256>(1_584);
    signs_and_verifies::<WotsBlake3>(1_584);
    signs_and_verifies::<WotsBlake3Wide>(3_552);
}

#[test]
fn every_changed_byte_and_every_truncation_is_refused_alike_fast_and_slowly() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let mut told = verifier::<WotsBlake3>(&key);
    let (_, announcement) = signer.prepare(&mut rng, NOW).unwrap().unwrap();
    told.announce(&key, &announcement.encode(), NOW).unwrap();
    let good = signer.sign(b"m", &[], NOW).unwrap().encode();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        let code = match Signature::<WotsBlake3>::decode(&bad, &()) {
            Err(error) => error.code(),
            Ok(signature) => {
                assert_eq!(signature.encode(), bad);
                let slow = signature.verify(&key, b"m").unwrap_err().code();
                assert_eq!(told.verify(&key, b"m", &signature).unwrap_err().code(), slow, "byte {at}");
                slow
            }
        };
        let expected: &[&str] = match at {
            0 => &["WRONG_CONTEXT"],
            1 => &["NON_CANONICAL", "BAD_SIGNATURE"],
            3 => &["MALFORMED"],
            4..8 | 52..56 | 200..360 => &["NON_CANONICAL"],
            _ => &["BAD_SIGNATURE"],
        };
        assert!(expected.contains(&code), "byte {at}: {code}");
        assert_eq!(Signature::<WotsBlake3>::decode(&good[..at], &()).unwrap_err().code(), "MALFORMED");
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(Signature::<WotsBlake3>::decode(&longer, &()).unwrap_err().code(), "MALFORMED");
    assert_eq!(Signature::<WotsHaraka512>::decode(&good, &()).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn a_signature_of_another_signer_or_under_another_root_is_refused() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    signer.prepare(&mut rng, NOW).unwrap().unwrap();
    let signature = signer.sign(b"m", &[], NOW).unwrap();
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    assert_eq!(signature.verify(&other, b"m").unwrap_err().code(), "BAD_SIGNATURE");
    let mut verifier = verifier::<WotsBlake3>(&key);
    assert_eq!(verifier.verify(&other, b"m", &signature).unwrap_err().code(), "WRONG_CONTEXT");
    assert!(verifier.revoke(&key) && !verifier.revoke(&key));
    assert_eq!(verifier.verify(&key, b"m", &signature).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn a_copied_machine_that_does_go_on_with_old_keys_is_found_out() {
    // Two signers with one memory image: the same seeds, the same generator.
    let ((mut a, mut rng_a), (mut b, mut rng_b)) = (signer::<WotsBlake3>(1, vec![]), signer(1, vec![]));
    let key = a.public_key().clone();
    let (_, announcement) = a.prepare(&mut rng_a, NOW).unwrap().unwrap();
    b.prepare(&mut rng_b, NOW).unwrap().unwrap();
    let (one, two) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    assert_eq!((one.root(), one.index()), (two.root(), two.index()), "the danger is real");
    for announced in [false, true] {
        let mut verifier = verifier::<WotsBlake3>(&key);
        if announced {
            verifier.announce(&key, &announcement.encode(), NOW).unwrap();
        }
        verifier.verify(&key, b"1", &one).unwrap();
        assert_eq!(verifier.verify(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");
        verifier.announce(&key, &announcement.encode(), NOW).unwrap();
        assert_eq!(verifier.verify(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");
        verifier.verify(&key, b"1", &one).unwrap();
    }
}

#[test]
fn a_snapshot_that_wakes_up_later_or_is_told_has_no_keys() {
    let (mut late, mut rng) = signer::<WotsBlake3>(1, vec![]);
    late.prepare(&mut rng, NOW).unwrap().unwrap();
    let later = NOW.plus(Duration::from_secs(10));
    assert_eq!(late.sign(b"m", &[], later).unwrap_err().code(), "EXHAUSTED");
    assert_eq!(late.ready(), 0, "what expired is gone, not hidden");

    late.prepare(&mut rng, later).unwrap().unwrap();
    assert_eq!(late.sign(b"m", &[], NOW).unwrap_err().code(), "EXHAUSTED", "the clock went back");

    late.prepare(&mut rng, NOW).unwrap().unwrap();
    late.invalidate();
    assert_eq!(late.sign(b"m", &[], NOW).unwrap_err().code(), "EXHAUSTED");
}

#[test]
fn a_restarted_signer_makes_other_keys() {
    let roots: BTreeSet<[u8; 32]> = (0..20)
        .map(|_| {
            let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
            let mut rng = getrandom::SysRng;
            let mut signer = Signer::<WotsBlake3>::new(identity, vec![], small(), &mut rng).unwrap();
            signer.prepare(&mut rng, NOW).unwrap().unwrap();
            *signer.sign(b"m", &[], NOW).unwrap().root()
        })
        .collect();
    assert_eq!(roots.len(), 20);
}

#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "there is no safe fork")]
fn a_forked_child_has_none_of_its_parents_keys() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    signer.prepare(&mut rng, NOW).unwrap().unwrap();
    // SAFETY: the child calls nothing but this signer and _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let exhausted = signer.sign(b"m", &[], NOW).is_err_and(|error| error.code() == "EXHAUSTED");
        // SAFETY: ends the child without running the parent's handlers.
        unsafe { libc::_exit(if exhausted { 42 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above, into a local.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(libc::WEXITSTATUS(status), 42);
    assert!(signer.sign(b"m", &[], NOW).is_ok(), "the parent goes on");
}

#[test]
fn the_smallest_group_that_contains_the_hint_gives_the_key() {
    let groups = vec![BTreeSet::from([1, 2, 3]), BTreeSet::from([2, 3])];
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, groups);
    let mut roots = std::collections::BTreeMap::new();
    let key = signer.public_key().clone();
    while let Some((whom, announcement)) = signer.prepare(&mut rng, NOW).unwrap() {
        roots.insert(whom.map(|set| set.len()), announcement);
    }
    assert_eq!(roots.len(), 3);
    for (hint, expected) in [
        (&[2, 3][..], Some(2)),
        (&[1, 2], Some(3)),
        (&[1], Some(3)),
        (&[2], Some(2)),
        (&[7], None),
        (&[], None),
    ] {
        let signature = signer.sign(b"m", hint, NOW).unwrap();
        for (group, announcement) in &roots {
            let mut verifier = verifier::<WotsBlake3>(&key);
            verifier.announce(&key, &announcement.encode(), NOW).unwrap();
            assert_eq!(verifier.can_verify_fast(&key, &signature), *group == expected, "{hint:?}");
            verifier.verify(&key, b"m", &signature).unwrap();
        }
        signer.invalidate();
        while let Some((whom, announcement)) = signer.prepare(&mut rng, NOW).unwrap() {
            roots.insert(whom.map(|set| set.len()), announcement);
        }
    }
}

#[test]
fn announcements_are_refused_from_strangers_when_wrong_and_when_too_many() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let (_, announcement) = signer.prepare(&mut rng, NOW).unwrap().unwrap();
    let good = announcement.encode();
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
fn old_batches_give_way_and_their_signatures_verify_slowly() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    let mut verifier =
        Verifier::<WotsBlake3>::new(VerifierConfig { announced: 2, ..VerifierConfig::default() });
    verifier.admit(key.clone());
    let mut signatures = Vec::new();
    for _ in 0..3 {
        let (_, announcement) = signer.prepare(&mut rng, NOW).unwrap().unwrap();
        verifier.announce(&key, &announcement.encode(), NOW).unwrap();
        signatures.push(signer.sign(b"m", &[], NOW).unwrap());
        while signer.sign(b"x", &[], NOW).is_ok() {}
    }
    let fast: Vec<_> = signatures.iter().map(|s| verifier.can_verify_fast(&key, s)).collect();
    assert_eq!(fast, [false, true, true]);
    signatures.iter().for_each(|s| verifier.verify(&key, b"m", s).unwrap());
}
