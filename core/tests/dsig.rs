//! DSig through its public API: what verifies, what is refused, and that no one-time key is ever used twice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "dsig")]

use std::collections::BTreeSet;
use std::time::Duration;

use quorate::dsig::{
    Announced, Auditor, Entry, Haraka256, HorsF, HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsM,
    HorsMBlake3, HorsMHaraka256, HorsMSha256, OneTime, Reuse, Signature, Signer, SignerConfig, Suite,
    Verifier, VerifierConfig, Wots, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
    verify_all,
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

fn prepare<S: Suite>(signer: &mut Signer<S>, rng: &mut StdRng, now: Time) -> Vec<u8> {
    signer.prepare(rng, now).unwrap().unwrap().announcement.encode()
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
    let Announced { to, announcement } = signer.prepare(&mut rng, NOW).unwrap().unwrap();
    assert_eq!((to, announcement.keys(), announcement.encode().len()), (None, 4, 68 + 4 * 32));
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
    signs_and_verifies::<HorsFBlake3>(4_456);
    signs_and_verifies::<HorsFHaraka256>(4_456);
    signs_and_verifies::<WotsSha256>(1_584);
    signs_and_verifies::<HorsFSha256>(4_456);
}

#[test]
fn merklified_suites_sign_and_verify_fast_and_slowly() {
    signs_and_verifies::<HorsMBlake3>(4_968);
    signs_and_verifies::<HorsMHaraka256>(4_968);
    signs_and_verifies::<HorsMSha256>(4_968);
}

#[test]
fn signatures_have_the_sizes_of_the_papers_table_2() {
    fn size<S: OneTime>() -> usize {
        360 + S::SIGNATURE_LEN
    }
    let factorized = [
        size::<HorsF<Haraka256, 8, { 1 << 19 }>>(),
        size::<HorsF<Haraka256, 16, 4096>>(),
        size::<HorsF<Haraka256, 32, 512>>(),
        size::<HorsF<Haraka256, 64, 256>>(),
    ];
    assert_eq!(factorized, [360 + (8 << 20), 360 + (64 << 10), 8_552, 4_456]);
    let merklified = [
        size::<HorsM<Haraka256, 8, { 1 << 19 }>>(),
        size::<HorsM<Haraka256, 16, 4096>>(),
        size::<HorsM<Haraka256, 32, 512>>(),
        size::<HorsM<Haraka256, 64, 256>>(),
    ];
    assert_eq!(merklified, [4_712, 4_968, 5_480, 6_504]);
    let wots = [
        size::<Wots<Haraka256, 18, 136, 1>>(),
        size::<Wots<Haraka256, 18, 68, 2>>(),
        size::<Wots<Haraka256, 18, 46, 3>>(),
        size::<Wots<Haraka256, 18, 35, 4>>(),
        size::<Wots<Haraka256, 18, 28, 5>>(),
    ];
    assert_eq!(wots, [2_808, 1_584, 1_188, 990, 864]);
}

/// A row of the paper's table is a type: nothing else is needed.
#[test]
fn a_suite_of_ones_own_is_a_type() {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Deep {}
    impl Suite for Deep {
        const NUMBER: u8 = 200;
        const NAME: &'static str = "wots-32";
        type OneTime = Wots<Haraka256, 18, 28, 5>;
    }
    signs_and_verifies::<Deep>(864);
}

#[test]
fn every_changed_byte_and_every_truncation_is_refused_alike_fast_and_slowly() {
    every_byte_matters::<WotsBlake3>(1);
    every_byte_matters::<WotsHaraka256>(7);
    every_byte_matters::<HorsFHaraka256>(13);
    every_byte_matters::<HorsMHaraka256>(13);
}

/// Of the one-time signature only every `stride`th byte.
fn every_byte_matters<S: Suite>(stride: usize) {
    let (mut signer, mut rng) = signer::<S>(1, vec![]);
    let key = signer.public_key().clone();
    let mut told = verifier::<S>(&key);
    told.announce(&key, &prepare(&mut signer, &mut rng, NOW), NOW).unwrap();
    let good = signer.sign(b"m", &[], NOW).unwrap().encode();
    for at in (0..360).chain((360..good.len()).step_by(stride)) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        let code = match Signature::<S>::decode(&bad, &()) {
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
        assert!(expected.contains(&code), "{} byte {at}: {code}", S::NAME);
        assert_eq!(Signature::<S>::decode(&good[..at], &()).unwrap_err().code(), "MALFORMED");
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(Signature::<S>::decode(&longer, &()).unwrap_err().code(), "MALFORMED");
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
    let announcement = prepare(&mut a, &mut rng_a, NOW);
    b.prepare(&mut rng_b, NOW).unwrap().unwrap();
    let (one, two) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    assert_eq!((one.root(), one.index()), (two.root(), two.index()), "the danger is real");
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
fn a_snapshot_that_wakes_up_later_or_is_told_has_no_keys() {
    let (mut late, mut rng) = signer::<WotsBlake3>(1, vec![]);
    late.prepare(&mut rng, NOW).unwrap().unwrap();
    let later = NOW.plus(Duration::from_secs(10));
    assert_eq!(late.sign(b"m", &[], later).unwrap_err().code(), "EXHAUSTED");
    assert_eq!(late.ready(), 0, "what expired is gone");
    assert_eq!(late.sign(b"m", &[], NOW).unwrap_err().code(), "EXHAUSTED", "also if the clock is set back");

    late.prepare(&mut rng, later).unwrap().unwrap();
    assert!(late.sign(b"m", &[], Time(NOW.0 + 1)).is_ok(), "whoever read the clock first came second");
    assert_eq!(
        late.sign(b"m", &[], NOW).unwrap_err().code(),
        "EXHAUSTED",
        "the clock went back by a lifetime"
    );

    late.prepare(&mut rng, NOW).unwrap().unwrap();
    late.invalidate();
    assert_eq!(late.sign(b"m", &[], NOW).unwrap_err().code(), "EXHAUSTED");
}

#[test]
fn a_copied_machine_that_its_hook_tells_of_parts_ways_with_the_original() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    // One memory image, woken up three times: where it was made, and as two copies.
    let mut roots = BTreeSet::new();
    for incarnation in [1, 2, 3] {
        let (mut image, mut rng) = signer::<WotsBlake3>(1, vec![]);
        let identifier = Arc::new(AtomicU64::new(1));
        let hook = identifier.clone();
        image.detect_copies(move || hook.load(Ordering::Relaxed));
        prepare(&mut image, &mut rng, NOW);
        let plan = image.plan(&mut rng, NOW).unwrap();
        assert!(plan.is_none(), "there are keys enough");
        identifier.store(incarnation, Ordering::Relaxed);
        let signed = image.sign(b"m", &[], NOW);
        if incarnation == 1 {
            roots.insert(*signed.unwrap().root());
        } else {
            assert_eq!(signed.unwrap_err().code(), "EXHAUSTED");
            assert_eq!(image.ready(), 0);
            // Even with the generator's state copied too.
            prepare(&mut image, &mut rng, NOW);
            roots.insert(*image.sign(b"m", &[], NOW).unwrap().root());
        }
    }
    assert_eq!(roots.len(), 3, "no two of them share a key");
}

#[test]
fn whoever_prepares_when_a_copy_is_noticed_begins_again() {
    use quorate::dsig::dynamic::{DynSigner, SuiteId};

    // Asked first by detect_copies, then by plan and by add.
    let changes_at = |call: u64| {
        let mut calls = 0;
        move || {
            calls += 1;
            u64::from(calls >= call)
        }
    };
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    signer.detect_copies(changes_at(3));
    assert!(signer.prepare(&mut rng, NOW).unwrap().is_some());
    assert_eq!(signer.ready(), 4);
    signer.invalidate();
    let mut calls = 0;
    signer.detect_copies(move || (calls += 1, calls).1);
    assert_eq!(signer.prepare(&mut rng, NOW).unwrap_err().code(), "EXHAUSTED", "and not for ever");

    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    let mut signer = DynSigner::new(SuiteId::WotsBlake3, identity, vec![], small(), &mut rng).unwrap();
    signer.detect_copies(changes_at(3));
    assert!(signer.prepare(&mut rng, NOW).unwrap().is_some());
}

#[test]
fn a_batch_that_was_planned_before_an_invalidation_is_not_taken_in_after_it() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let plan = signer.plan(&mut rng, NOW).unwrap().unwrap();
    signer.invalidate();
    assert!(signer.add(plan.make().unwrap()).is_none());
    assert_eq!(signer.ready(), 0);
    let plan = signer.plan(&mut rng, NOW).unwrap().unwrap();
    assert!(signer.sign(b"m", &[], NOW).is_err(), "signing goes on while a batch is made, here without keys");
    let announced = signer.add(plan.make().unwrap()).unwrap();
    assert_eq!(signer.announcements().collect::<Vec<_>>(), [announced]);
    assert!(signer.sign(b"m", &[], NOW).is_ok());
    for _ in 0..3 {
        signer.sign(b"m", &[], NOW).unwrap();
    }
    assert_eq!(signer.announcements().count(), 0, "what is used up is not announced again");
}

#[test]
fn a_batch_that_another_signer_planned_is_not_taken_in() {
    let ((mut old, mut rng), (mut new, mut other)) =
        (signer::<WotsBlake3>(1, vec![]), signer::<WotsBlake3>(2, vec![]));
    assert_eq!(old.public_key(), new.public_key(), "one identity, whose signer is replaced");
    let batch = old.plan(&mut rng, NOW).unwrap().unwrap().make().unwrap();
    assert!(new.add(batch).is_none());
    assert_eq!(new.ready(), 0);
    let batch = new.plan(&mut other, NOW).unwrap().unwrap().make().unwrap();
    assert!(new.add(batch).is_some());
}

/// Even if the child's signer has the generator that its parent's had.
#[cfg(unix)]
#[test]
fn a_plan_or_batch_that_went_through_a_fork_is_not_taken_in_by_a_childs_own_signer() {
    let (mut parent, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let mut plans = [(); 2].map(|()| parent.plan(&mut rng, NOW).unwrap());
    let mut batch = plans[1].take().map(|plan| plan.make().unwrap());
    let refused = fork(|| {
        let (mut child, _) = signer::<WotsBlake3>(1, vec![]);
        let batches = [plans[0].take().unwrap().make().unwrap(), batch.take().unwrap()];
        batches.map(|batch| u8::from(child.add(batch).is_none())).to_vec()
    });
    assert_eq!(refused, [1, 1]);
    assert!(parent.add(batch.unwrap()).is_some(), "it is the parent's");
}

#[test]
fn a_generator_that_repeats_itself_after_a_restart_does_not_repeat_keys_at_another_time() {
    let root = |now| {
        let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
        prepare(&mut signer, &mut rng, now);
        *signer.sign(b"m", &[], now).unwrap().root()
    };
    assert_ne!(root(Time(1)), root(Time(2)));
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

/// Runs `child` in a forked process and returns the bytes that it gives back.
#[cfg(unix)]
#[allow(unsafe_code, reason = "there is no safe fork")]
fn fork(child: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    use std::io::{Read, Write};
    let (mut ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    // SAFETY: the child touches what it was given, its end of the pipe, and _exit.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let written = theirs.write_all(&child()).is_ok();
        drop(theirs);
        // SAFETY: ends the child without running the parent's handlers.
        unsafe { libc::_exit(if written { 0 } else { 1 }) };
    }
    drop(theirs);
    let (mut bytes, mut status) = (Vec::new(), 0);
    ours.read_to_end(&mut bytes).unwrap();
    // SAFETY: waits for the child made above, into a local.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    assert_eq!(libc::WEXITSTATUS(status), 0);
    bytes
}

#[cfg(unix)]
#[test]
fn a_forked_child_has_none_of_its_parents_keys_and_makes_others_than_its_siblings() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    prepare(&mut signer, &mut rng, NOW);
    let mut roots = BTreeSet::new();
    for _ in 0..2 {
        // Each child has the signer, the generator's state and the clock of the other.
        roots.insert(fork(|| {
            let Err(refused) = signer.sign(b"m", &[], NOW) else { return vec![] };
            if refused.code() != "EXHAUSTED" || signer.ready() != 0 {
                return vec![];
            }
            prepare(&mut signer, &mut rng, NOW);
            signer.sign(b"m", &[], NOW).unwrap().root().to_vec()
        }));
    }
    while let Ok(signature) = signer.sign(b"m", &[], NOW) {
        roots.insert(signature.root().to_vec());
    }
    prepare(&mut signer, &mut rng, NOW);
    roots.insert(signer.sign(b"m", &[], NOW).unwrap().root().to_vec());
    assert_eq!(roots.len(), 4, "two batches of the parent, one of each child");
    assert!(roots.iter().all(|root| root.len() == 32));
}

#[test]
fn the_smallest_group_that_contains_the_hint_gives_the_key() {
    let groups = vec![BTreeSet::from([1, 2, 3]), BTreeSet::from([2, 3])];
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, groups);
    let mut roots = std::collections::BTreeMap::new();
    let key = signer.public_key().clone();
    while let Some(Announced { to, announcement }) = signer.prepare(&mut rng, NOW).unwrap() {
        roots.insert(to.map(|set| set.len()), announcement);
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
        while let Some(Announced { to, announcement }) = signer.prepare(&mut rng, NOW).unwrap() {
            roots.insert(to.map(|set| set.len()), announcement);
        }
    }
}

#[test]
fn announcements_are_refused_from_strangers_when_wrong_and_when_too_many() {
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
fn an_allowance_is_earned_by_the_interval_however_often_somebody_asks() {
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
fn a_clock_that_is_set_back_does_not_shut_announcements_out() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let announcement = signer.prepare(&mut rng, NOW).unwrap().unwrap().announcement.encode();
    let mut verifier = Verifier::<WotsBlake3>::new(VerifierConfig { burst: 1, ..VerifierConfig::default() });
    verifier.admit(signer.public_key().clone());
    let mut announce = |now| verifier.announce(signer.public_key(), &announcement, Time(now)).is_ok();
    let hour = 3_600_000_000;
    assert!(announce(hour) && !announce(0) && !announce(199) && announce(200));
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
        verifier.announce(&key, &prepare(&mut signer, &mut rng, NOW), NOW).unwrap();
        signatures.push(signer.sign(b"m", &[], NOW).unwrap());
        while signer.sign(b"x", &[], NOW).is_ok() {}
    }
    let fast: Vec<_> = signatures.iter().map(|s| verifier.can_verify_fast(&key, s)).collect();
    assert_eq!(fast, [false, true, true]);
    signatures.iter().for_each(|s| verifier.verify(&key, b"m", s).unwrap());
}

#[test]
fn a_group_without_keys_gives_way_to_a_larger_one_that_contains_the_hint() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![BTreeSet::from([1])]);
    while signer.prepare(&mut rng, NOW).unwrap().is_some() {}
    assert_eq!(signer.ready(), 8);
    for _ in 0..8 {
        signer.sign(b"m", &[1], NOW).unwrap();
    }
    assert_eq!(signer.sign(b"m", &[1], NOW).unwrap_err().code(), "EXHAUSTED");
    prepare(&mut signer, &mut rng, NOW);
    assert_eq!(signer.sign(b"m", &[2], NOW).unwrap_err().code(), "EXHAUSTED", "the group of 1 is not for 2");
}

type Signed<S> = (Vec<u8>, Signature<S>);

fn log(batches: usize) -> (PublicKey, Vec<Signed<WotsHaraka256>>) {
    let (mut signer, mut rng) = signer::<WotsHaraka256>(1, vec![]);
    let mut log = Vec::new();
    for batch in 0..batches {
        prepare(&mut signer, &mut rng, NOW);
        for i in 0..4 {
            let message = format!("{batch} {i}").into_bytes();
            let signature = signer.sign(&message, &[], NOW).unwrap();
            log.push((message, signature));
        }
    }
    (signer.public_key().clone(), log)
}

#[test]
fn a_log_is_verified_as_its_entries_are_one_by_one() {
    let (key, mut log) = log(5);
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    log[3].0.push(b'!');
    let mut bytes = log[9].1.encode();
    bytes[100] ^= 1;
    log[9].1 = Signature::decode(&bytes, &()).unwrap();
    log.swap(1, 17);
    let (first, second) = (log[5].clone(), log[6].clone());
    log[5].1 = second.1;
    log[6].1 = first.1;
    let entries: Vec<_> = log
        .iter()
        .enumerate()
        .map(|(i, (message, signature))| Entry {
            signer: if i == 12 { &other } else { &key },
            message,
            signature,
        })
        .collect();
    let outcomes = verify_all(&entries);
    for (i, (entry, outcome)) in entries.iter().zip(&outcomes).enumerate() {
        assert_eq!(*outcome, entry.signature.verify(entry.signer, entry.message), "entry {i}");
    }
    let bad: Vec<_> = (0..20).filter(|i| outcomes[*i].is_err()).collect();
    assert_eq!(bad, [3, 5, 6, 9, 12]);
}

#[test]
fn an_auditor_forgets_the_oldest_batches_and_still_verifies_them() {
    let (key, log) = log(5);
    let mut auditor = Auditor::new(1);
    for _ in 0..2 {
        for (message, signature) in log.iter().chain(log.iter().rev()) {
            auditor.check(&key, message, signature).unwrap();
        }
    }
}

#[test]
fn two_uses_of_one_key_are_evidence_against_its_signer_and_nothing_less_is() {
    let ((mut a, mut rng_a), (mut b, mut rng_b)) = (signer::<WotsBlake3>(1, vec![]), signer(1, vec![]));
    let key = a.public_key().clone();
    prepare(&mut a, &mut rng_a, NOW);
    prepare(&mut b, &mut rng_b, NOW);
    let (one, two) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    let innocent = a.sign(b"2", &[], NOW).unwrap();

    let mut auditor = Auditor::new(8);
    auditor.check(&key, b"1", &one).unwrap();
    assert_eq!(auditor.check(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");

    let one = (b"1".to_vec(), one);
    let reuse = Reuse::new(key.clone(), one.clone(), (b"2".to_vec(), two.clone())).unwrap();
    assert_eq!(reuse.culprit(), &key);
    let bytes = reuse.encode();
    assert_eq!(bytes.len(), 32 + 2 * (4 + 1 + 1_584));
    let read = Reuse::<WotsBlake3>::decode(&bytes, &()).unwrap();
    assert_eq!(read.encode(), bytes);
    read.verify().unwrap();

    let code = |first: &Signed<WotsBlake3>, second, signer: &PublicKey| {
        Reuse::new(signer.clone(), first.clone(), second).unwrap_err().code()
    };
    assert_eq!(code(&one, one.clone(), &key), "NOT_EVIDENCE", "the same twice");
    assert_eq!(code(&one, (b"2".to_vec(), innocent), &key), "NOT_EVIDENCE", "two keys");
    assert_eq!(code(&one, (b"3".to_vec(), two.clone()), &key), "NOT_EVIDENCE", "not what was signed");
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    assert_eq!(code(&one, (b"2".to_vec(), two), &other), "BAD_SIGNATURE", "not by this signer");
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        if let Ok(reuse) = Reuse::<WotsBlake3>::decode(&bad, &()) {
            assert!(reuse.verify().is_err(), "byte {at}");
        }
        assert!(Reuse::<WotsBlake3>::decode(&bytes[..at], &()).is_err());
    }
}

#[test]
fn a_revoked_key_is_refused_as_soon_as_the_list_says_so() {
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
