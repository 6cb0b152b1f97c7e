use std::sync::Arc;

use quorate::Error;
use quorate::certificate::{Conflict, Equivocation, Suspects, VoteCollector, VoteFault};
use quorate::wire::{Decode, Encode};

use crate::harness::{Spoil, TIMEOUT, VIEW, VOTE, World};

pub(crate) fn finds_equivocation_in_every_state_of_the_first_vote<S: Spoil>() {
    let world = World::<S>::new(4);
    // The first vote is pending; verified alone; verified together.
    for (before, threshold) in [(0, 8), (2, 8), (2, 2)] {
        let mut suspects = Suspects::new();
        let mut collector =
            VoteCollector::new(Arc::clone(&world.committee), VOTE, VIEW).with_batch_threshold(threshold);
        let _ = collector.add(world.vote(3, 5), &mut suspects);
        for signer in 0..before {
            let _ = collector.add(world.vote(signer, 5), &mut suspects);
        }
        let collected = collector.add(world.vote(3, 4), &mut suspects);
        let [VoteFault::Equivocation(evidence)] = collected.faults.as_slice() else {
            panic!("{:?}", collected.faults)
        };
        assert_eq!((evidence.signer(), evidence.culprits()), (3, [3]));
        assert_eq!(evidence.votes(), (&world.vote(3, 4), &world.vote(3, 5)));
        assert_eq!(evidence.committee(), world.committee.id());
        assert!(evidence.clone().into_inner().verify(&world.committee).is_ok());
        // The equivocation is reported once, and the first vote still counts.
        assert!(collector.add(world.vote(3, 6), &mut suspects).faults.is_empty());
        assert_eq!(collector.weight_for(&[5; 32]), u128::from(before) + 1);
    }
}

pub(crate) fn equivocation_evidence_convinces_third_parties_only_if_true<S: Spoil>() {
    let world = World::<S>::new(4);
    let evidence = Equivocation::new(world.vote(1, 9), world.vote(1, 5)).unwrap();
    let bytes = evidence.encode();
    assert_eq!(bytes.len(), 1 + 17 + 2 + 2 * (32 + S::SIGNATURE_LEN));
    let read = Equivocation::<S>::decode(&bytes, &()).unwrap();
    assert_eq!(read, evidence);
    assert!(read.verify(&world.committee).is_ok());

    let not_evidence = Err(Error::NotEvidence);
    assert_eq!(Equivocation::new(world.vote(1, 5), world.vote(1, 5)), not_evidence);
    assert_eq!(Equivocation::new(world.vote(1, 5), world.vote(2, 6)), not_evidence);
    let mut later = *world.vote(1, 6).statement();
    later.view += 1;
    let later = quorate::certificate::Vote::new(later, 1, world.vote(1, 6).signature().clone());
    assert_eq!(Equivocation::new(world.vote(1, 5), later), not_evidence);
    let framed = Equivocation::new(world.vote(1, 5), world.forged(1, 6)).unwrap();
    assert_eq!(framed.verify(&world.committee).unwrap_err().culprits(), [1]);

    // Descending and equal digests are not encodings.
    let half = 32 + S::SIGNATURE_LEN;
    let (head, tail) = bytes.split_at(20);
    let (a, b) = tail.split_at(half);
    for bad in [[head, b, a].concat(), [head, a, a].concat()] {
        assert_eq!(Equivocation::<S>::decode(&bad, &()).unwrap_err().code(), "NON_CANONICAL");
    }
    for len in 0..bytes.len() {
        assert!(Equivocation::<S>::decode(&bytes[..len], &()).is_err());
    }
}

pub(crate) fn conflicting_certificates_identify_a_third_of_the_weight<S: Spoil>() {
    let world = World::<S>::new(7);
    let (a, b) = (world.certificate(0..5, 9).into_inner(), world.certificate(2..7, 5).into_inner());
    let conflict = Conflict::new(a.clone(), b.clone()).unwrap();
    assert!(conflict.culprits().iter().eq([2, 3, 4]));
    assert!(world.committee.weight_of(&conflict.culprits()) >= world.committee.honest_weight());
    assert_eq!(conflict.certificates(), (&b, &a));
    let bytes = conflict.encode();
    let read = Conflict::<S>::decode(&bytes, &world.committee).unwrap();
    assert_eq!(read, conflict);
    assert!(read.verify(&world.committee).is_ok());

    assert_eq!(Conflict::new(a.clone(), a.clone()), Err(Error::NotEvidence));
    assert_eq!(
        Conflict::<S>::decode(&[a.encode(), b.encode()].concat(), &world.committee).unwrap_err().code(),
        "NON_CANONICAL"
    );
    assert_eq!(
        Conflict::<S>::decode(&[a.encode(), a.encode()].concat(), &world.committee).unwrap_err().code(),
        "NOT_EVIDENCE"
    );
    // A certificate of another kind contradicts nothing.
    let statement = world.committee.statement(TIMEOUT, VIEW, [5; 32]);
    let mut collector = VoteCollector::new(world.committee.clone(), TIMEOUT, VIEW);
    let mut suspects = Suspects::new();
    let other = world.secrets[..5]
        .iter()
        .map(|s| quorate::certificate::Vote::sign_unguarded(s, &world.committee, statement).unwrap())
        .filter_map(|vote| collector.add(vote, &mut suspects).certificate)
        .next();
    assert_eq!(Conflict::new(a, other.unwrap().into_inner()), Err(Error::NotEvidence));
}
