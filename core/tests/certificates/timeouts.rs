use quorate::certificate::{Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, VoteFault};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};

use crate::harness::{Spoil, TIMEOUT, VIEW, World};

fn collector<S: Scheme>(world: &World<S>) -> TimeoutCollector<S> {
    TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW)
}

pub(crate) fn certificate<S: Scheme>(
    world: &World<S>,
    values: &[u64],
    threshold: usize,
) -> TimeoutCertificate<S> {
    let (mut collector, mut suspects) = (collector(world).with_batch_threshold(threshold), Suspects::new());
    let mut certificate = None;
    for (signer, value) in (0..).zip(values) {
        let collected = collector.add(world.timeout(signer, *value), &mut suspects);
        assert_eq!(collected.faults, []);
        certificate = certificate.or(collected.certificate);
    }
    certificate.unwrap().into_inner()
}

fn forged<S: Scheme>(world: &World<S>, signer: u16, value: u64) -> TimeoutVote<S> {
    let signature = world.timeout(signer + 1, value).as_vote().signature().clone();
    TimeoutVote::new(TIMEOUT, 3, VIEW, value, signer, signature)
}

pub(crate) fn different_values_form_one_certificate<S: Spoil>() {
    let world = World::<S>::new(7);
    for threshold in [2, 8] {
        let certificate = certificate(&world, &[6, 0, 6, u64::MAX, 2], threshold);
        assert_eq!((certificate.kind(), certificate.epoch(), certificate.view()), (TIMEOUT, 3, VIEW));
        assert_eq!(certificate.highest_value(), u64::MAX);
        let groups: Vec<(u64, Vec<u16>)> =
            certificate.groups().iter().map(|(value, signers)| (*value, signers.iter().collect())).collect();
        assert_eq!(groups, [(0, vec![1]), (2, vec![4]), (6, vec![0, 2]), (u64::MAX, vec![3])]);
        assert!(certificate.signers().iter().eq(0..5));
        assert!(certificate.verify(&world.committee).is_ok());
    }
}

pub(crate) fn a_bad_timeout_is_reported_and_replaced<S: Spoil>() {
    let world = World::<S>::new(16);
    let (mut collector, mut suspects) = (collector(&world), Suspects::new());
    let (mut result, mut faults) = (None, Vec::new());
    for signer in 0..16 {
        let value = u64::from(signer) % 3;
        let is_bad = signer == 4 || signer == 9;
        let vote = if is_bad { forged(&world, signer, value) } else { world.timeout(signer, value) };
        let collected = collector.add(vote, &mut suspects);
        faults.extend(collected.faults.iter().map(VoteFault::signer));
        result = result.or(collected.certificate);
    }
    faults.sort_unstable();
    assert_eq!(faults, [4, 9]);
    let certificate = result.unwrap();
    assert!(!certificate.signers().contains(4) && !certificate.signers().contains(9));
    assert!(certificate.into_inner().verify(&world.committee).is_ok());
}

pub(crate) fn detects_more_than_a_third_before_the_quorum<S: Spoil>() {
    let world = World::<S>::new(7);
    let (mut collector, mut suspects) = (collector(&world), Suspects::new());
    for signer in 0..2 {
        let _ = collector.add(world.timeout(signer, 1), &mut suspects);
        assert!(!collector.has_honest());
    }
    let _ = collector.add(forged(&world, 2, 1), &mut suspects);
    assert!(collector.has_honest());
    let (honest, faults) = collector.verify_honest(&mut suspects);
    assert!(!honest && !collector.has_honest());
    assert_eq!(faults, [VoteFault::BadSignature { signer: 2 }]);
    let _ = collector.add(world.timeout(3, 0), &mut suspects);
    assert_eq!(collector.verify_honest(&mut suspects), (true, vec![]));
    // The certificate reuses the verified votes.
    let _ = collector.add(world.timeout(4, 0), &mut suspects);
    let certificate = collector.add(world.timeout(5, 2), &mut suspects).certificate.unwrap();
    assert!(certificate.into_inner().verify(&world.committee).is_ok());
    assert!(collector.is_done());
}

pub(crate) fn two_values_of_one_member_are_an_equivocation<S: Spoil>() {
    let world = World::<S>::new(4);
    let (mut collector, mut suspects) = (collector(&world), Suspects::new());
    let _ = collector.add(world.timeout(2, 1), &mut suspects);
    // Repeating the same vote is not a fault.
    assert!(collector.add(world.timeout(2, 1), &mut suspects).faults.is_empty());
    let collected = collector.add(world.timeout(2, 3), &mut suspects);
    let [VoteFault::Equivocation(evidence)] = collected.faults.as_slice() else { panic!() };
    assert!(evidence.clone().into_inner().verify(&world.committee).is_ok());
    assert_eq!(collector.weight(), 1);
}

pub(crate) fn tampered_groups_are_rejected<S: Spoil>() {
    let world = World::<S>::new(4);
    let good = certificate(&world, &[1, 2, 2], 2).encode();
    let proof = &good[good.len() - S::proof_bytes(3)..];
    let head = &good[..18];
    // With four members a set is a bitmap of one byte.
    let build = |groups: &[(u64, u8)]| {
        let mut w = Writer::new();
        w.raw(head);
        w.u16(groups.len() as u16);
        for (value, bits) in groups {
            w.u64(*value);
            w.raw(&[0, *bits]);
        }
        w.raw(proof);
        TimeoutCertificate::<S>::decode(&w.into_bytes(), &world.committee)
    };
    assert!(build(&[(1, 0b001), (2, 0b110)]).unwrap().verify(&world.committee).is_ok());
    let code = |groups: &[(u64, u8)]| build(groups).unwrap_err().code();
    assert_eq!(code(&[(2, 0b110), (1, 0b001)]), "NON_CANONICAL");
    assert_eq!(code(&[(1, 0b001), (1, 0b110)]), "NON_CANONICAL");
    assert_eq!(code(&[(1, 0b111), (2, 0)]), "NON_CANONICAL");
    assert_eq!(code(&[(1, 0b011), (2, 0b110)]), "DUPLICATE_SIGNER");
    assert_eq!(code(&[(2, 0b110)]), "BELOW_QUORUM");
    assert_eq!(code(&[]), "BELOW_QUORUM");
    assert_eq!(code(&[(1, 0b10001), (2, 0b110)]), "NON_CANONICAL");
    assert_eq!(code(&[(1, 1), (2, 2), (3, 4), (4, 8), (5, 0)]), "TOO_LARGE");
    // Well-formed, but the members signed other values.
    for groups in [[(1, 0b010), (2, 0b101)], [(1, 0b001), (3, 0b110)], [(1, 0b1000), (2, 0b110)]] {
        assert!(build(&groups).unwrap().verify(&world.committee).is_err());
    }
    let later = World::<S>::weighted(&[1; 4], 4);
    assert_eq!(TimeoutCertificate::<S>::decode(&good, &later.committee).unwrap_err().code(), "WRONG_CONTEXT");
}

pub(crate) fn encodings_have_exact_lengths<S: Spoil>() {
    let world = World::<S>::new(40);
    let values: Vec<u64> = (0..27).map(|i| if i % 9 == 4 { 9 } else { 5 }).collect();
    let certificate = certificate(&world, &values, 2);
    let bytes = certificate.encode();
    assert_eq!(bytes.len(), certificate.encoded_len());
    let proof = S::proof_bytes(27);
    // The groups have 24 and 3 members: a bitmap of 5 bytes and a list of 1 + 3.
    assert_eq!(bytes.len(), 20 + (8 + 6) + (8 + 5) + proof);
    assert_eq!(TimeoutCertificate::<S>::decode(&bytes, &world.committee), Ok(certificate));
    for len in 0..bytes.len() {
        assert!(TimeoutCertificate::<S>::decode(&bytes[..len], &world.committee).is_err());
    }
    for (position, flip) in (0..60).flat_map(|p| [1, 0x80].map(|f| (p, f))) {
        let mut spoilt = bytes.clone();
        spoilt[position] ^= flip;
        if let Ok(other) = TimeoutCertificate::<S>::decode(&spoilt, &world.committee) {
            assert_eq!(other.encode(), spoilt);
        }
    }

    let vote = world.timeout(7, 5);
    let mut w = Writer::new();
    vote.encode_link(&mut w);
    let link = w.into_bytes();
    assert_eq!(TimeoutVote::<S>::decode_link(&mut Reader::new(&link)).unwrap(), vote);
    let compact = vote.encode();
    assert_eq!(compact.len(), 28 + S::SIGNATURE_LEN);
    assert_eq!(TimeoutVote::<S>::decode(&compact, &()).unwrap(), vote);
    assert!(TimeoutVote::<S>::decode(&compact[1..], &()).is_err());
}
