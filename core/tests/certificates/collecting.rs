use quorate::Error;
use quorate::certificate::{Suspects, Vote, VoteCollector, VoteFault};
use quorate::wire::{Decode, Encode, Reader, Writer};

use crate::harness::{Spoil, TIMEOUT, VIEW, VOTE, World};

pub(crate) fn a_certificate_forms_once_and_exactly_at_the_quorum<S: Spoil>() {
    for (n, quorum) in [(1, 1), (2, 2), (3, 3), (4, 3), (10, 7), (13, 9)] {
        let world = World::<S>::new(n);
        let (mut collector, mut suspects) = (world.collector(), Suspects::new());
        for signer in (0..n as u16).rev() {
            let collected = collector.add(world.vote(signer, 5), &mut suspects);
            assert_eq!(collected.faults, []);
            let count = n - usize::from(signer);
            assert_eq!(collected.certificate.is_some(), count == quorum, "{count} of {n}");
            if let Some(certificate) = collected.certificate {
                assert_eq!(certificate.statement(), &world.statement(5));
                assert!(certificate.signers().iter().eq(signer..n as u16));
                assert!(certificate.into_inner().verify(&world.committee).is_ok());
            }
        }
        assert!(collector.is_done());
    }
}

pub(crate) fn weights_count_instead_of_members<S: Spoil>() {
    let world = World::<S>::weighted(&[1, 1, 1, 97], 3);
    let (mut collector, mut suspects) = (world.collector(), Suspects::new());
    for signer in 0..3 {
        assert!(collector.add(world.vote(signer, 5), &mut suspects).certificate.is_none());
    }
    assert_eq!(collector.weight_for(&[5; 32]), 3);
    assert!(collector.add(world.vote(3, 5), &mut suspects).certificate.is_some());
    assert!(world.certify([world.vote(3, 5)]).is_some());
}

pub(crate) fn bad_votes_are_reported_and_good_ones_certify<S: Spoil>() {
    let world = World::<S>::new(19);
    for bad in [vec![0], vec![12], vec![6, 7], vec![0, 5, 11], (0..6).collect()] {
        let (mut collector, mut suspects) = (world.collector(), Suspects::new());
        let (mut certificate, mut named) = (None, Vec::new());
        for signer in 0..19 {
            let vote = if bad.contains(&signer) { world.forged(signer, 5) } else { world.vote(signer, 5) };
            let collected = collector.add(vote, &mut suspects);
            certificate = certificate.or(collected.certificate);
            for fault in collected.faults {
                assert!(matches!(fault, VoteFault::BadSignature { .. }));
                named.push(fault.signer());
            }
        }
        named.sort_unstable();
        assert_eq!(named, bad);
        let certificate = certificate.expect("13 good votes are a quorum");
        assert!(bad.iter().all(|signer| !certificate.signers().contains(*signer)));
        assert!(certificate.into_inner().verify(&world.committee).is_ok());
    }
}

pub(crate) fn votes_for_different_digests_do_not_add_up<S: Spoil>() {
    let world = World::<S>::new(4);
    let (mut collector, mut suspects) = (world.collector(), Suspects::new());
    for (signer, digest) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
        let collected = collector.add(world.vote(signer, digest), &mut suspects);
        assert!(collected.certificate.is_none() && collected.faults.is_empty());
    }
    assert_eq!((collector.weight_for(&[1; 32]), collector.weight_for(&[2; 32])), (2, 2));
}

pub(crate) fn stray_votes_are_dropped_with_the_reason<S: Spoil>() {
    let world = World::<S>::new(4);
    let mut suspects = Suspects::new();
    let vote = world.vote(2, 5);
    let stray = |statement, signer| Vote::<S>::new(statement, signer, vote.signature().clone());
    let mut other_epoch = world.statement(5);
    other_epoch.epoch += 1;
    let mismatch = |what, expected, actual| Error::Mismatch { what, expected, actual };
    let cases = [
        (
            stray(world.committee.statement(TIMEOUT, VIEW, [5; 32]), 2),
            mismatch("kind", VOTE.number().into(), TIMEOUT.number().into()),
        ),
        (stray(world.committee.statement(VOTE, VIEW + 1, [5; 32]), 2), mismatch("view", VIEW, VIEW + 1)),
        (stray(other_epoch, 2), mismatch("epoch", other_epoch.epoch - 1, other_epoch.epoch)),
        (stray(world.statement(5), 4), Error::UnknownSigner { index: 4 }),
    ];
    for (vote, error) in cases {
        let signer = vote.signer();
        let mut collector = world.collector();
        let collected = collector.add(vote, &mut suspects);
        assert_eq!(collected.faults, [VoteFault::Stray { signer, error }]);
        assert_eq!(collector.weight_for(&[5; 32]), 0);
    }
    assert!(suspects.is_empty());
}

pub(crate) fn a_suspects_vote_is_used_only_when_needed<S: Spoil>() {
    let world = World::<S>::new(4);
    let mut suspects = Suspects::new();
    suspects.accuse(0);
    // The other members reach a quorum: the suspect's bad vote is not verified.
    let mut collector = world.collector().with_batch_threshold(2);
    assert!(collector.add(world.forged(0, 5), &mut suspects).certificate.is_none());
    for signer in [1, 2] {
        let collected = collector.add(world.vote(signer, 5), &mut suspects);
        assert!(collected.certificate.is_none());
    }
    assert!(collector.add(world.vote(3, 5), &mut suspects).certificate.is_some());
    // The quorum needs the suspect's vote.
    let mut collector = world.collector().with_batch_threshold(2);
    assert!(collector.add(world.vote(0, 5), &mut suspects).certificate.is_none());
    assert!(collector.add(world.vote(1, 5), &mut suspects).certificate.is_none());
    let collected = collector.add(world.vote(2, 5), &mut suspects);
    assert!(collected.faults.is_empty() && collected.certificate.is_some_and(|c| c.signers().contains(0)));
    // The suspicion decays with each certificate.
    for _ in 0..50 {
        let mut collector = world.collector().with_batch_threshold(2);
        let last = (1..4).map(|signer| collector.add(world.vote(signer, 5), &mut suspects)).last();
        assert!(last.unwrap().certificate.is_some());
        if suspects.is_empty() {
            return;
        }
    }
    panic!("the suspicion did not decay");
}

pub(crate) fn only_votes_verified_for_this_committee_skip_verification<S: Spoil>() {
    let (world, other) = (World::<S>::new(4), World::<S>::with_chain(&[1; 4], 3, "other"));
    let mut suspects = Suspects::new();
    let mut collector = world.collector();
    let own = world.vote(0, 5).verify(&world.committee).unwrap();
    assert!(collector.add_verified(own, &mut suspects).certificate.is_none());
    let foreign = other.vote(1, 5).verify(&other.committee).unwrap();
    assert!(collector.add_verified(foreign, &mut suspects).certificate.is_none());
    let collected = collector.add(world.vote(2, 5), &mut suspects);
    assert_eq!(collected.faults, [VoteFault::BadSignature { signer: 1 }]);
    assert!(collected.certificate.is_none());
    // A verified vote replaces a forged one.
    let mut collector = world.collector();
    let _ = collector.add(world.forged(0, 5), &mut suspects);
    let own = world.vote(0, 5).verify(&world.committee).unwrap();
    let collected = collector.add_verified(own, &mut suspects);
    assert_eq!(collected.faults, [VoteFault::BadSignature { signer: 0 }]);
    assert_eq!(collector.weight_for(&[5; 32]), 1);
}

pub(crate) fn a_certificate_from_batches_and_singles_verifies<S: Spoil>() {
    let world = World::<S>::new(31);
    let (mut collector, mut suspects) = (world.collector(), Suspects::new());
    let own = world.vote(30, 5).verify(&world.committee).unwrap();
    let mut certificate = collector.add_verified(own, &mut suspects).certificate;
    for signer in 0..30 {
        let vote = if [3, 4, 9].contains(&signer) { world.forged(signer, 5) } else { world.vote(signer, 5) };
        certificate = certificate.or(collector.add(vote, &mut suspects).certificate);
    }
    let certificate = certificate.unwrap();
    assert_eq!(certificate.signers().len(), 21);
    let bytes = certificate.encode();
    let decoded = quorate::certificate::Certificate::<S>::decode(&bytes, &world.committee).unwrap();
    assert_eq!(decoded.verify(&world.committee).unwrap(), certificate);
}

pub(crate) fn votes_round_trip_in_both_encodings<S: Spoil>() {
    let world = World::<S>::new(4);
    let vote = world.vote(2, 5);
    let compact = vote.encode();
    let mut w = Writer::new();
    vote.encode_link(&mut w);
    let link = w.into_bytes();
    assert_eq!(compact.len(), 52 + S::SIGNATURE_LEN);
    assert_eq!(Vote::<S>::decode(&compact, &()).unwrap(), vote);
    assert_eq!(Vote::<S>::decode_link(&mut Reader::new(&link)).unwrap(), vote);
    for len in 0..compact.len() {
        assert!(Vote::<S>::decode(&compact[..len], &()).is_err());
    }
    for len in 0..link.len() {
        assert!(Vote::<S>::decode_link(&mut Reader::new(&link[..len])).is_err());
    }
    assert!(Vote::<S>::decode(&[compact, vec![0]].concat(), &()).is_err());
    let text = format!("{:?}", VoteCollector::<S>::new(world.committee, VOTE, VIEW));
    assert!(text.contains("view 7"), "{text}");
}
