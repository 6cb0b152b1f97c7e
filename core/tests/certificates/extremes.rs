//! The smallest and the largest committees, and committees in which one member has a quorum.

use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::certificate::{
    Certificate, MAX_TIMEOUT_GROUPS, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
    VoteCollector, VoteFault,
};
use quorate::committee::{ChainId, Committee, MAX_TOTAL_WEIGHT, Repeats};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::harness::{Spoil, TIMEOUT, VIEW, VOTE, World};

pub(crate) fn one_member_decides_alone<S: Spoil>() {
    let world = World::<S>::new(1);
    assert_eq!((world.committee.quorum_weight(), world.committee.honest_weight()), (1, 1));
    let mut suspects = Suspects::new();
    let mut collector = world.collector();
    assert_eq!(
        collector
            .add(world.with_signature(&world.vote(0, 1), world.vote(0, 2).signature().clone()), &mut suspects)
            .certificate,
        None
    );
    let certificate = collector.add(world.vote(0, 1), &mut suspects).certificate.unwrap();
    let received = Certificate::<S>::decode(&certificate.encode(), &world.committee).unwrap();
    assert!(received.verify(&world.committee).is_ok());

    let mut timeouts = TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW);
    let certificate = timeouts.add(world.timeout(0, u64::MAX), &mut suspects).certificate.unwrap();
    let received = TimeoutCertificate::<S>::decode(&certificate.encode(), &world.committee).unwrap();
    assert!(received.verify(&world.committee).is_ok());
}

pub(crate) fn one_heavy_member_decides_alone<S: Spoil>() {
    // The weights sum to their limit of 2¹²⁵, and the weight of member 3 is exactly the quorum.
    let quorum = 2 * MAX_TOTAL_WEIGHT / 3 + 1;
    let rest = MAX_TOTAL_WEIGHT - quorum;
    let world = World::<S>::weighted(&[rest - 2, 1, 1, quorum], 3);
    assert_eq!(world.committee.quorum_weight(), quorum);
    let mut suspects = Suspects::new();
    let mut collector = world.collector();
    for signer in 0..3 {
        assert_eq!(collector.add(world.vote(signer, 1), &mut suspects).certificate, None);
    }
    let certificate = collector.add(world.vote(3, 2), &mut suspects).certificate.unwrap();
    assert!(certificate.signers().iter().eq([3]));
    assert!(certificate.into_inner().verify(&world.committee).is_ok());

    // With one unit less, member 3 needs another member.
    let world = World::<S>::weighted(&[rest - 1, 1, 1, quorum - 1], 3);
    let mut collector = world.collector();
    assert_eq!(collector.add(world.vote(3, 1), &mut suspects).certificate, None);
    let certificate = collector.add(world.vote(1, 1), &mut suspects).certificate.unwrap();
    assert!(certificate.signers().iter().eq([1, 3]));
    assert!(certificate.into_inner().verify(&world.committee).is_ok());
}

/// Creates the largest committee. All members have the same key, which keeps the test fast; each index counts separately.
fn largest<S: Scheme>() -> (S::SecretKey, Arc<Committee<S>>) {
    let secret = S::generate(&mut StdRng::seed_from_u64(4)).unwrap();
    let members = vec![(S::public_key(&secret), 1); 65_535];
    let committee =
        Committee::from_attested(ChainId::from_name("large"), 0, members, Repeats::Allow).unwrap();
    (secret, Arc::new(committee))
}

fn the_largest_committee_certifies<S: Scheme>() {
    let (secret, committee) = largest::<S>();
    assert_eq!((committee.len(), committee.quorum_weight()), (65_535, 43_691));
    let statement = committee.statement(VOTE, VIEW, [1; 32]);
    let signature = S::sign(&secret, &statement.signed_bytes(&committee.id()));
    let mut collector = VoteCollector::new(committee.clone(), VOTE, VIEW);
    let mut suspects = Suspects::new();
    // Every third member is absent except member 1, and member 65,534 votes last.
    let mut signers = (0..65_535).rev().filter(|i| i % 3 != 1 || *i == 1).collect::<Vec<u16>>();
    let last = signers.remove(0);
    for signer in signers {
        let collected = collector.add(Vote::new(statement, signer, signature.clone()), &mut suspects);
        assert!(collected.certificate.is_none() && collected.faults.is_empty());
    }
    let certificate =
        collector.add(Vote::new(statement, last, signature), &mut suspects).certificate.unwrap();
    assert_eq!(certificate.signers().len(), 43_691);
    let bytes = certificate.encode();
    assert_eq!(bytes.len(), certificate.encoded_len());
    let received = Certificate::<S>::decode(&bytes, &committee).unwrap();
    assert!(received.verify(&committee).is_ok());
}

#[test]
fn the_largest_committee_certifies_min_sig() {
    the_largest_committee_certifies::<MinSig>();
}

#[test]
fn the_largest_committee_certifies_ed25519() {
    the_largest_committee_certifies::<Ed25519>();
}

pub(crate) fn rejects_more_timeout_values_than_a_certificate_holds<S: Spoil>() {
    let secret = S::generate(&mut StdRng::seed_from_u64(4)).unwrap();
    let members = vec![(S::public_key(&secret), 1); 3_000];
    let committee =
        Committee::<S>::from_attested(ChainId::from_name("t"), 0, members, Repeats::Allow).unwrap();
    let signature = S::sign(&secret, b"never checked below the quorum");
    let mut suspects = Suspects::new();
    let values = MAX_TIMEOUT_GROUPS as u16;
    let mut collector = TimeoutCollector::new(Arc::new(committee), TIMEOUT, VIEW);
    for signer in 0..values + 1 {
        let vote = TimeoutVote::new(TIMEOUT, 0, VIEW, signer.into(), signer, signature.clone());
        let faults = collector.add(vote, &mut suspects).faults;
        match faults.as_slice() {
            [] => assert!(signer < values),
            [VoteFault::Stray { signer: stray, error }] => {
                assert_eq!((*stray, signer, error.code()), (values, values, "TOO_LARGE"));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(collector.weight(), values.into());
}
