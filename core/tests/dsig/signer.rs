//! One key, one signature: across forks, copies of the machine, restarts and clock changes.

use std::collections::BTreeSet;
use std::time::Duration;

use quorate::dsig::{Announced, Signer, SignerConfig, WotsBlake3};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use rand::SeedableRng;
use rand::rngs::StdRng;

#[cfg(unix)]
use super::kit::fork;
use super::kit::{NOW, prepare, signer, small, verifier};

#[test]
fn late_or_invalidated_snapshot_has_no_keys() {
    let (mut late, mut rng) = signer::<WotsBlake3>(1, vec![]);
    late.prepare(&mut rng, NOW).unwrap().unwrap();
    let later = NOW.plus(Duration::from_secs(10));
    assert_eq!(late.sign(b"m", &[], later).unwrap_err().code(), "EXHAUSTED");
    assert_eq!(late.ready(), 0, "expired keys are dropped");
    assert_eq!(
        late.sign(b"m", &[], NOW).unwrap_err().code(),
        "EXHAUSTED",
        "expired keys stay dropped if the clock is set back"
    );

    late.prepare(&mut rng, later).unwrap().unwrap();
    assert!(late.sign(b"m", &[], Time(NOW.0 + 1)).is_ok(), "the clock was read before an earlier call");
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
fn keys_are_replaced_early_with_at_most_one_surplus_batch() {
    let (mut rng, lifetime) = (StdRng::seed_from_u64(1), Duration::from_secs(8));
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    let config = SignerConfig { log2_batch: 2, low_water: 6, lifetime };
    let mut signer = Signer::<WotsBlake3>::new(identity, vec![], config, &mut rng).unwrap();
    // All keys of a signer that rarely signs have the same age.
    let mut announced = 0;
    for tenths in 0..400 {
        let now = NOW.plus(Duration::from_millis(100 * tenths));
        while signer.prepare(&mut rng, now).unwrap().is_some() {
            announced += 1;
            assert!(signer.ready() < 6 + 4, "{}", signer.ready());
        }
        assert!(signer.ready() >= 6, "after {tenths} tenths of a second");
        if tenths % 35 == 0 {
            signer.sign(b"m", &[], now).unwrap();
        }
    }
    // Two batches for each six of the 40 seconds.
    assert!((13..=16).contains(&announced), "{announced}");
}

#[test]
fn detected_copies_derive_different_keys() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    // One memory image, resumed three times: in place, and as two copies.
    let mut roots = BTreeSet::new();
    for incarnation in [1, 2, 3] {
        let (mut image, mut rng) = signer::<WotsBlake3>(1, vec![]);
        let identifier = Arc::new(AtomicU64::new(1));
        let hook = identifier.clone();
        image.detect_copies(move || hook.load(Ordering::Relaxed));
        prepare(&mut image, &mut rng, NOW);
        let plan = image.plan(&mut rng, NOW).unwrap();
        assert!(plan.is_none(), "enough keys are ready");
        identifier.store(incarnation, Ordering::Relaxed);
        let signed = image.sign(b"m", &[], NOW);
        if incarnation == 1 {
            roots.insert(*signed.unwrap().root());
        } else {
            assert_eq!(signed.unwrap_err().code(), "EXHAUSTED");
            assert_eq!(image.ready(), 0);
            // Even if the generator's state was copied too.
            prepare(&mut image, &mut rng, NOW);
            roots.insert(*image.sign(b"m", &[], NOW).unwrap().root());
        }
    }
    assert_eq!(roots.len(), 3, "no two of them share a key");
}

#[test]
fn prepare_retries_after_a_detected_copy() {
    use quorate::dsig::dynamic::{DynSigner, SuiteId};

    // The hook is first called by detect_copies, then by plan and by add.
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
    assert_eq!(
        signer.prepare(&mut rng, NOW).unwrap_err().code(),
        "EXHAUSTED",
        "the number of retries is bounded"
    );

    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    let mut signer = DynSigner::new(SuiteId::WotsBlake3, identity, vec![], small(), &mut rng).unwrap();
    signer.detect_copies(changes_at(3));
    assert!(signer.prepare(&mut rng, NOW).unwrap().is_some());
}

#[test]
fn batch_planned_before_invalidation_is_refused() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let plan = signer.plan(&mut rng, NOW).unwrap().unwrap();
    signer.invalidate();
    assert!(signer.add(plan.make().unwrap()).is_none());
    assert_eq!(signer.ready(), 0);
    let plan = signer.plan(&mut rng, NOW).unwrap().unwrap();
    assert!(
        signer.sign(b"m", &[], NOW).is_err(),
        "signing does not wait while a batch is made; here no key is left"
    );
    let announced = signer.add(plan.make().unwrap()).unwrap();
    assert_eq!(signer.announcements().collect::<Vec<_>>(), [announced]);
    assert!(signer.sign(b"m", &[], NOW).is_ok());
    for _ in 0..3 {
        signer.sign(b"m", &[], NOW).unwrap();
    }
    assert_eq!(signer.announcements().count(), 0, "a batch without keys is not announced again");
}

#[test]
fn a_batch_planned_by_another_signer_is_refused() {
    let ((mut old, mut rng), (mut new, mut other)) =
        (signer::<WotsBlake3>(1, vec![]), signer::<WotsBlake3>(2, vec![]));
    assert_eq!(old.public_key(), new.public_key(), "one identity, whose signer is replaced");
    let batch = old.plan(&mut rng, NOW).unwrap().unwrap().make().unwrap();
    assert!(new.add(batch).is_none());
    assert_eq!(new.ready(), 0);
    let batch = new.plan(&mut other, NOW).unwrap().unwrap().make().unwrap();
    assert!(new.add(batch).is_some());
}

/// Even if the child's signer has the generator of its parent's.
#[cfg(unix)]
#[test]
fn child_signer_refuses_a_plan_or_batch_from_before_the_fork() {
    let (mut parent, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let mut plans = [(); 2].map(|()| parent.plan(&mut rng, NOW).unwrap());
    let mut batch = plans[1].take().map(|plan| plan.make().unwrap());
    let refused = fork(|| {
        let (mut child, _) = signer::<WotsBlake3>(1, vec![]);
        let batches = [plans[0].take().unwrap().make().unwrap(), batch.take().unwrap()];
        batches.map(|batch| u8::from(child.add(batch).is_none())).to_vec()
    });
    assert_eq!(refused, [1, 1]);
    assert!(parent.add(batch.unwrap()).is_some(), "the parent accepts its own batch");
}

#[test]
fn repeated_randomness_at_another_time_yields_new_keys() {
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

#[cfg(unix)]
#[test]
fn forked_child_has_no_inherited_keys_and_makes_unique_ones() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    prepare(&mut signer, &mut rng, NOW);
    let mut roots = BTreeSet::new();
    for _ in 0..2 {
        // Each child has the same signer, generator state and clock.
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
fn the_smallest_group_that_contains_the_hint_signs() {
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
fn larger_group_signs_if_the_smallest_has_no_keys() {
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
