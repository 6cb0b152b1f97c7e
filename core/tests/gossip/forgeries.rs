//! Forged aggregates.

use quorate::Error;
use quorate::committee::Verified;
use quorate::gossip::{Additive, Aggregate};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::world::World;

fn verdict<S: Additive>(world: &World<S>, bytes: &[u8]) -> Result<(), &'static str> {
    let aggregate = Aggregate::<S>::decode(bytes, &world.committee).map_err(|error| error.code())?;
    let batch =
        Aggregate::verify_batch_derived(&world.committee, vec![aggregate.clone(), world.received([5])]);
    let single = aggregate.verify(&world.committee);
    // In one batch with a valid aggregate both verdicts stay the same.
    assert_eq!(batch[0], single);
    assert!(batch[1].is_ok());
    single.map(drop).map_err(|error| error.code())
}

pub(crate) fn changed_counts_and_signers_do_not_verify<S: Additive>() {
    let world = World::<S>::new(7);
    let sum = world.sum([1, 3, 3, 6]);
    let claim = |bitmap, counts: &[u16]| verdict(&world, &world.raw(bitmap, counts, sum.signature()));
    assert_eq!(claim(0b100_1010, &[1, 2, 1]), Ok(()));
    for counts in [[1, 1, 1], [2, 2, 1], [1, 2, 2], [1, 3, 1], [2, 4, 2], [1, 65_535, 1], [255, 255, 255]] {
        assert_eq!(claim(0b100_1010, &counts), Err("BAD_SIGNATURE"), "{counts:?}");
    }
    // One signer more, one less, another one.
    assert_eq!(claim(0b100_1011, &[1, 1, 2, 1]), Err("BAD_SIGNATURE"));
    assert_eq!(claim(0b100_1000, &[2, 1]), Err("BAD_SIGNATURE"));
    assert_eq!(claim(0b100_1100, &[1, 2, 1]), Err("BAD_SIGNATURE"));
    assert_eq!(
        world.forged([1, 2]).verify(&world.committee).unwrap_err(),
        Error::BadSignature { signers: vec![] }
    );
}

pub(crate) fn aggregates_with_high_counts_verify<S: Additive>() {
    let world = World::<S>::new(7);
    let mut sum = world.sum(0..7);
    for round in 0..15 {
        let more = sum.merge(&sum, u16::MAX).unwrap();
        sum = if round % 3 == 0 { more } else { more.merge(&world.single(round % 7), u16::MAX).unwrap() };
    }
    assert!(sum.counts().highest() > 32_768);
    assert_eq!(verdict(&world, &sum.encode()), Ok(()));
    let less = sum.normalised(&[world.single(2)]);
    assert_eq!((less.count(2), less.count(3)), (1, sum.count(3)));
    assert_eq!(verdict(&world, &less.encode()), Ok(()));
}

/// σ₁ + X and σ₂ − X are valid as a sum and invalid as two, wherever two are verified together.
pub(crate) fn cancelling_aggregates_are_both_refused_in_a_batch<S: Additive>() {
    let world = World::<S>::new(7);
    let x = S::sign(&S::generate(&mut StdRng::seed_from_u64(8)).unwrap(), b"x");
    let [a, b] = [world.single(1), world.single(2)];
    let up = S::add(&[a.signature(), &x]).unwrap();
    let down = S::subtract(b.signature(), &[(1, &x)]).unwrap();
    let decode = |bytes: Vec<u8>| Aggregate::<S>::decode(&bytes, &world.committee).unwrap();
    let pair = vec![decode(world.raw(0b10, &[1], &up)), decode(world.raw(0b100, &[1], &down))];
    let both = world.raw(0b110, &[1, 1], &S::add(&[&up, &down]).unwrap());
    assert_eq!(decode(both), *world.sum([1, 2]));
    for mut rng in [StdRng::seed_from_u64(1), StdRng::seed_from_u64(2)] {
        let verdicts = Aggregate::verify_batch(&world.committee, pair.clone(), &mut rng);
        assert!(verdicts.iter().all(Result::is_err));
    }
    assert!(Aggregate::verify_batch_derived(&world.committee, pair).iter().all(Result::is_err));
}

pub(crate) fn a_batch_identifies_exactly_the_bad_aggregates<S: Additive>() {
    let world = World::<S>::new(7);
    let mut later = World::<S>::new(7);
    later.statement.view += 1;
    let mut foreign = World::<S>::new(8);
    foreign.statement.view = 7;
    let batch = vec![
        world.received([0, 1]),
        world.forged([2, 3]),
        later.received([4, 4]),
        world.received(0..7),
        foreign.received([1]),
        world.received([6, 6, 5]),
    ];
    let verdicts = Aggregate::verify_batch(&world.committee, batch, &mut StdRng::seed_from_u64(5));
    let codes: Vec<_> = verdicts.iter().map(|v| v.as_ref().map(|_| ()).map_err(Error::code)).collect();
    assert_eq!(codes, [Ok(()), Err("BAD_SIGNATURE"), Ok(()), Ok(()), Err("WRONG_CONTEXT"), Ok(())]);
    assert!(Aggregate::<S>::verify_batch_derived(&world.committee, vec![]).is_empty());
}

pub(crate) fn aggregates_of_another_context_are_refused<S: Additive>() {
    let world = World::<S>::new(7);
    let other = World::<S>::weighted(&[1, 1, 1, 1, 1, 1, 2]);
    let bytes = world.sum([1, 2, 2]).encode();
    let elsewhere = Aggregate::<S>::decode(&bytes, &other.committee).unwrap();
    assert_eq!(elsewhere.verify(&other.committee).unwrap_err().code(), "BAD_SIGNATURE");
    // Kind, view, digest: from bytes 1, 10 and 18 on.
    for position in [1, 10, 18, 49] {
        let mut moved = bytes.clone();
        moved[position] ^= 1;
        assert_eq!(verdict(&world, &moved), Err("BAD_SIGNATURE"), "{position}");
    }
}

pub(crate) fn an_aggregate_of_a_quorum_is_a_certificate<S: Additive>() {
    use quorate::certificate::Certificate;
    let world = World::<S>::weighted(&[5, 1, 1, 1, 1, 1, 1]);
    // Eleven in total: eight are needed, and a member counts once whatever its count.
    let few: Verified<Aggregate<S>> = world.sum([0, 0, 0, 1, 2]);
    assert!(few.certificate(&world.committee).is_none());
    let enough = world.sum([0, 0, 0, 1, 2, 3]);
    let certificate = enough.certificate(&world.committee).unwrap();
    let bytes = certificate.encode();
    assert_eq!(bytes.len(), certificate.encoded_len());
    let received = Certificate::<S>::decode(&bytes, &world.committee).unwrap();
    let received = received.verify(&world.committee).unwrap();
    assert_eq!(received, certificate);
    assert_eq!(Aggregate::from_certificate(&received), enough);
    assert!(enough.certificate(&World::<S>::new(7).committee).is_none());
    // A certificate lists the absent members, and the counts of the others.
    assert_eq!(bytes[50..54], [0, 0b111_0000, 1, 0b0111_1100]);
}
