use quorate::certificate::{
    Certificate, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, VoteFault,
};
use quorate::wire::{Decode, Encode};

use crate::harness::{Spoil, TIMEOUT, VIEW, World};

pub(crate) fn a_forged_vote_does_not_exclude_the_real_one<S: Spoil>() {
    let world = World::<S>::new(4);
    let threshold = [2, 8];
    for (threshold, forged_digest) in threshold.into_iter().flat_map(|t| [(t, 5), (t, 6)]) {
        let mut suspects = Suspects::new();
        let mut collector = world.collector().with_batch_threshold(threshold);
        assert!(collector.add(world.forged(1, forged_digest), &mut suspects).faults.is_empty());
        let collected = collector.add(world.vote(1, 5), &mut suspects);
        assert_eq!(collected.faults, [VoteFault::BadSignature { signer: 1 }]);
        // A later forged vote does not replace the real one.
        let collected = collector.add(world.forged(1, forged_digest), &mut suspects);
        assert!(collected.faults.iter().all(|fault| *fault == VoteFault::BadSignature { signer: 1 }));
        let _ = collector.add(world.vote(0, 5), &mut suspects);
        let collected = collector.add(world.vote(3, 5), &mut suspects);
        assert!(collected.certificate.expect("three good votes").signers().contains(1));
    }
}

pub(crate) fn a_flood_of_forged_votes_prevents_no_certificate<S: Spoil>() {
    let world = World::<S>::new(4);
    let (mut collector, mut suspects) = (world.collector(), Suspects::new());
    for digest in 0..=60 {
        let _ = collector.add(world.forged(1, digest), &mut suspects);
    }
    let held: u128 = (0..=60).map(|digest| collector.weight_for(&[digest; 32])).sum();
    assert_eq!(held, 1);
    for signer in [0, 1] {
        assert!(collector.add(world.vote(signer, 5), &mut suspects).certificate.is_none());
    }
    let certificate = collector.add(world.vote(2, 5), &mut suspects).certificate.expect("three good votes");
    assert!(certificate.signers().iter().eq([0, 1, 2]));
}

pub(crate) fn a_small_order_point_is_rejected_on_every_path<S: Spoil>() {
    let world = World::<S>::new(7);
    let vote = world.vote(2, 5);
    let spoilt = world.with_signature(&vote, S::with_torsion(vote.signature()));
    assert_ne!(spoilt, vote);
    assert!(vote.check(&world.committee).is_ok());
    assert!(spoilt.clone().verify(&world.committee).is_err());

    // Collectors that verify votes singly and together.
    for threshold in [2, 8] {
        let mut suspects = Suspects::new();
        let mut collector = world.collector().with_batch_threshold(threshold);
        let mut timeouts =
            TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW).with_batch_threshold(threshold);
        let (mut faults, mut timeout_faults) = (Vec::new(), Vec::new());
        for signer in 0..5 {
            let is_bad = signer == 2;
            let vote = if is_bad { spoilt.clone() } else { world.vote(signer, 5) };
            let collected = collector.add(vote, &mut suspects);
            assert!(collected.certificate.is_none());
            faults.extend(collected.faults);

            let good = world.timeout(signer, u64::from(signer) % 2);
            let bad = TimeoutVote::<S>::new(
                TIMEOUT,
                3,
                VIEW,
                u64::from(signer) % 2,
                signer,
                S::with_torsion(good.as_vote().signature()),
            );
            let collected = timeouts.add(if is_bad { bad } else { good }, &mut suspects);
            assert!(collected.certificate.is_none());
            timeout_faults.extend(collected.faults);
        }
        assert_eq!(faults, [VoteFault::BadSignature { signer: 2 }]);
        assert_eq!(timeout_faults, [VoteFault::BadSignature { signer: 2 }]);
    }

    // Certificates, alone and in a batch. The last signature of the proof is corrupted, which for BLS is the only one.
    let spoil_proof = |bytes: &[u8]| {
        let (head, last) = bytes.split_at(bytes.len() - S::SIGNATURE_LEN);
        let signature = S::Signature::decode(last, &()).unwrap();
        [head, &S::with_torsion(&signature).encode()].concat()
    };
    let good = world.certificate(0..5, 5).into_inner();
    let bad = Certificate::<S>::decode(&spoil_proof(&good.encode()), &world.committee).unwrap();
    assert!(bad.check(&world.committee).is_err());
    for with_generator in [true, false] {
        let certificates = vec![good.clone(), bad.clone(), good.clone()];
        let results = if with_generator {
            Certificate::verify_batch(&world.committee, certificates, &mut getrandom::SysRng)
        } else {
            Certificate::verify_batch_derived(&world.committee, certificates)
        };
        assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    }

    // Timeout certificates.
    let mut timeouts = TimeoutCollector::new(world.committee.clone(), TIMEOUT, VIEW);
    let mut suspects = Suspects::new();
    let good =
        (0..5).filter_map(|i| timeouts.add(world.timeout(i, i.into()), &mut suspects).certificate).next();
    let bad =
        TimeoutCertificate::<S>::decode(&spoil_proof(&good.unwrap().encode()), &world.committee).unwrap();
    assert!(bad.verify(&world.committee).is_err());
}

/// σ₁ + X and σ₂ − X: the sum verifies, neither vote does.
pub(crate) fn votes_that_cancel_are_never_treated_as_valid<S: Spoil>() {
    let world = World::<S>::new(4);
    let (one, two) = (world.vote(0, 5), world.vote(1, 5));
    let (a, b) = S::shifted(one.signature(), two.signature());
    let (one, two) = (world.with_signature(&one, a), world.with_signature(&two, b));
    assert!(one.check(&world.committee).is_err() && two.check(&world.committee).is_err());

    // Verified one by one, both are rejected.
    let mut suspects = Suspects::new();
    let mut collector = world.collector().with_batch_threshold(8);
    let mut faults = Vec::new();
    for vote in [one.clone(), two.clone(), world.vote(2, 5)] {
        let collected = collector.add(vote, &mut suspects);
        assert!(collected.certificate.is_none());
        faults.extend(collected.faults);
    }
    assert_eq!(faults, [0, 1].map(|signer| VoteFault::BadSignature { signer }));

    // Verified together, BLS accepts the sum; the certificate equals the one of the true signatures.
    let mut suspects = Suspects::new();
    let mut collector = world.collector().with_batch_threshold(2);
    let mut last = None;
    for vote in [one, two, world.vote(2, 5)] {
        last = Some(collector.add(vote, &mut suspects));
    }
    let last = last.unwrap();
    if !S::SUMMED {
        assert!(last.certificate.is_none());
        assert_eq!(last.faults.len(), 2);
        return;
    }
    assert_eq!(last.certificate, Some(world.certificate(0..3, 5)));
    // But no vote in it is treated as valid: a contradicting vote and a bad vote are not evidence.
    let collected = collector.add(world.vote(0, 6), &mut suspects);
    assert_eq!(collected.faults, [VoteFault::BadSignature { signer: 0 }]);
    let collected = collector.add(world.vote(2, 6), &mut suspects);
    assert!(matches!(collected.faults.as_slice(), [VoteFault::Equivocation(e)] if e.signer() == 2));
}

pub(crate) fn signatures_for_one_committee_count_in_no_other<S: Spoil>() {
    let world = World::<S>::new(4);
    let certificate = world.certificate(0..3, 5);
    let vote = world.vote(0, 5);
    let others = [
        World::<S>::with_chain(&[1; 4], 3, "other"),
        World::<S>::weighted(&[1, 1, 1, 2], 3),
        World::<S>::weighted(&[1; 5], 3),
    ];
    for other in others {
        assert_ne!(other.committee.id(), world.committee.id());
        assert!(vote.check(&other.committee).is_err());
        assert!(certificate.check(&other.committee).is_err());
    }
    let later = World::<S>::weighted(&[1; 4], 4);
    let code = |result: quorate::Result<()>| result.unwrap_err().code();
    assert_eq!(code(vote.check(&later.committee)), "WRONG_CONTEXT");
    assert_eq!(code(certificate.check(&later.committee)), "WRONG_CONTEXT");
    // A certificate cannot be moved to the other epoch either.
    let moved = Certificate::<S>::decode(
        &later.raw_certificate(&later.statement(5), &[3], &proof_bytes::<S>(&certificate)),
        &later.committee,
    );
    // For four members the bitmap is the shorter form, so the next attempt uses it.
    assert!(moved.is_err());
    let mut bytes = vec![S::SUITE];
    bytes.extend(later.statement(5).encode());
    bytes.extend([0, 0b1000]);
    bytes.extend(proof_bytes::<S>(&certificate));
    let moved = Certificate::<S>::decode(&bytes, &later.committee).unwrap();
    assert_eq!(code(moved.check(&later.committee)), "BAD_SIGNATURE");
}

fn proof_bytes<S: Spoil>(certificate: &Certificate<S>) -> Vec<u8> {
    let bytes = certificate.encode();
    bytes[bytes.len() - S::proof_bytes(certificate.signers().len())..].to_vec()
}
