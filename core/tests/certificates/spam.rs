//! Members and outsiders that send any number of votes in any order.

use std::collections::BTreeSet;

use quorate::certificate::{
    Certificate, Suspects, TimeoutCollector, TimeoutVote, Vote, VoteCollector, VoteFault,
};
use quorate::wire::{Decode, Encode};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::harness::{Spoil, TIMEOUT, VIEW, VOTE, World};

fn bad_signatures<S: Spoil>(faults: &[VoteFault<S>]) -> usize {
    faults.iter().filter(|fault| matches!(fault, VoteFault::BadSignature { .. })).count()
}

pub(crate) fn the_failure_limit_bounds_verifications_per_member<S: Spoil>() {
    let world = World::<S>::new(4);
    let mut suspects = Suspects::new();
    let mut votes = world.collector().with_failure_limit(3);
    let mut timeouts = TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW).with_failure_limit(3);
    let (mut bad, mut strays) = ([0, 0], [0, 0]);
    for i in 0..30u8 {
        let vote = votes.add(world.forged(0, i), &mut suspects).faults;
        let signature = world.timeout(1, i.into()).as_vote().signature().clone();
        let forged = TimeoutVote::new(TIMEOUT, 3, VIEW, i.into(), 0, signature);
        let timeout = timeouts.add(forged, &mut suspects).faults;
        for (k, faults) in [vote, timeout].iter().enumerate() {
            bad[k] += bad_signatures(faults);
            strays[k] += faults.iter().filter(|f| matches!(f, VoteFault::Stray { .. })).count();
        }
    }
    assert_eq!((bad, strays), ([3, 3], [26, 26]), "one vote of thirty is held when the limit is reached");
    let stray = votes.add(world.vote(0, 0), &mut suspects);
    assert!(matches!(stray.faults.as_slice(), [VoteFault::Stray { signer: 0, .. }]));
    let mut certificate = None;
    for signer in 1..4 {
        let collected = votes.add(world.vote(signer, 9), &mut suspects);
        assert_eq!(collected.faults, []);
        certificate = certificate.or(collected.certificate);
    }
    assert!(certificate.is_some(), "the other members still form a certificate");
}

pub(crate) fn without_a_limit_no_member_can_be_excluded<S: Spoil>() {
    let world = World::<S>::new(4);
    let (mut collector, mut suspects) = (world.collector(), Suspects::new());
    for digest in 0..40 {
        let _ = collector.add(world.forged(2, digest), &mut suspects);
    }
    let mut certificate = None;
    for signer in [2, 0, 1] {
        certificate = certificate.or(collector.add(world.vote(signer, 1), &mut suspects).certificate);
    }
    assert!(certificate.unwrap().signers().contains(2));
}

/// Members with a quorum vote honestly, once. The other members sign anything in their own names and in the names of
/// honest members, including cancelling pairs and equivocations. All votes arrive shuffled, some of them twice.
pub(crate) fn honest_members_get_a_certificate_under_any_traffic<S: Spoil>() {
    let mut rng = StdRng::seed_from_u64(77);
    let mut suspects = Suspects::new();
    for round in 0..20 {
        let n = [4, 7, 10][round % 3];
        let mut weights: Vec<u128> = (0..n).map(|_| rng.random_range(1..100)).collect();
        if round % 5 == 0 {
            weights[0] = 10_000;
        }
        let world = World::<S>::weighted(&weights, 3);
        let (honest, faulty) = split(&world, &mut rng);
        let (votes, impersonated) = storm(&world, &honest, &faulty, &mut rng);
        let mut collector = VoteCollector::new(world.committee.clone(), VOTE, VIEW)
            .with_batch_threshold([2, 4, 9][round % 3]);
        let (mut certificates, mut blamed) = (Vec::new(), BTreeSet::new());
        for vote in votes {
            let proven = rng.random_bool(0.1).then(|| vote.clone().verify(&world.committee).ok()).flatten();
            let collected = match proven {
                Some(vote) => collector.add_verified(vote, &mut suspects),
                None => collector.add(vote, &mut suspects),
            };
            certificates.extend(collected.certificate);
            for fault in collected.faults {
                if let VoteFault::Equivocation(evidence) = &fault {
                    assert!(faulty.contains(&fault.signer()));
                    assert!(evidence.as_ref().clone().into_inner().verify(&world.committee).is_ok());
                } else {
                    blamed.insert(fault.signer());
                }
            }
        }
        let [certificate] = certificates.as_slice() else { panic!("{} certificates", certificates.len()) };
        assert_eq!(certificate.statement().digest, [1; 32]);
        let received = Certificate::<S>::decode(&certificate.encode(), &world.committee).unwrap();
        assert!(received.verify(&world.committee).is_ok());
        let innocent = honest.iter().filter(|signer| !impersonated.contains(signer));
        assert!(innocent.into_iter().all(|signer| !blamed.contains(signer)));
    }
}

/// Splits the members into honest ones with a quorum and the other ones.
fn split<S: Spoil>(world: &World<S>, rng: &mut StdRng) -> (Vec<u16>, Vec<u16>) {
    let mut members: Vec<u16> = (0..world.committee.len()).collect();
    members.shuffle(rng);
    let (mut honest, mut faulty, mut weight) = (Vec::new(), Vec::new(), 0);
    for member in members {
        if weight < world.committee.quorum_weight() {
            weight += world.committee.weight(member).unwrap();
            honest.push(member);
        } else {
            faulty.push(member);
        }
    }
    (honest, faulty)
}

/// Returns the votes in the order of arrival, and the honest members in whose names votes were forged.
fn storm<S: Spoil>(
    world: &World<S>,
    honest: &[u16],
    faulty: &[u16],
    rng: &mut StdRng,
) -> (Vec<Vote<S>>, BTreeSet<u16>) {
    let mut votes: Vec<Vote<S>> = honest.iter().map(|signer| world.vote(*signer, 1)).collect();
    let mut impersonated = BTreeSet::new();
    for &member in faulty {
        votes.push(world.vote(member, rng.random_range(1..4)));
        votes.push(world.vote(member, rng.random_range(1..4)));
        votes.push(world.forged(member, rng.random_range(1..4)));
        if rng.random_bool(0.5) {
            let victim = honest[rng.random_range(0..honest.len())];
            impersonated.insert(victim);
            votes.push(world.forged(victim, rng.random_range(1..4)));
        }
    }
    if let [a, b, ..] = faulty {
        let (first, second) = (world.vote(*a, 1), world.vote(*b, 1));
        let (up, down) = S::shifted(first.signature(), second.signature());
        votes.extend([world.with_signature(&first, up), world.with_signature(&second, down)]);
    }
    let again: Vec<_> = votes.iter().filter(|_| rng.random_bool(0.3)).cloned().collect();
    votes.extend(again);
    votes.shuffle(rng);
    (votes, impersonated)
}
