//! Bytes from outside.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quorate::gossip::{Additive, Aggregate};
use quorate::wire::{Decode, Encode};

use crate::world::World;

pub(crate) fn an_aggregate_has_the_documented_bytes<S: Additive>() {
    let world = World::<S>::new(7);
    for (members, bitmap, counts) in [
        (vec![0], 1, vec![1]),
        (vec![6, 1], 0b100_0010, vec![1, 1]),
        (vec![1, 3, 3, 6, 6, 6], 0b100_1010, vec![1, 2, 3]),
        (vec![2; 9], 0b100, vec![9]),
    ] {
        let sum = world.sum(members);
        let bytes = sum.encode();
        assert_eq!(bytes, world.raw(bitmap, &counts, sum.signature()));
        assert_eq!(bytes.len(), sum.encoded_len());
        assert_eq!(Aggregate::<S>::decode(&bytes, &world.committee).as_ref(), Ok(&*sum));
    }
}

pub(crate) fn every_other_encoding_is_refused<S: Additive>() {
    let world = World::<S>::new(7);
    let sum = world.sum([1, 3, 3]);
    let good = sum.encode();
    let code = |bytes: &[u8]| {
        Aggregate::<S>::decode(bytes, &world.committee).map(drop).map_err(|error| error.code())
    };
    for len in 0..good.len() {
        assert!(code(&good[..len]).is_err(), "{len}");
    }
    assert_eq!(code(&[&good[..], &[0]].concat()), Err("MALFORMED"));
    let raw = |bitmap: u8, counts: &[u8]| {
        let mut bytes = good[..51].to_vec();
        bytes.push(bitmap);
        bytes.extend(counts);
        bytes.extend(sum.signature().encode());
        code(&bytes)
    };
    assert_eq!(raw(0b1010, &[1, 0b1010_0000]), Ok(()));
    // Nobody; a member whom there is not; all ones in the long form; padding; a form that there is not; a count above
    // 65,535; a zero has no code, so it reads as the beginning of a larger one.
    assert_eq!(raw(0, &[0]), Err("BELOW_QUORUM"));
    assert_eq!(raw(0b1000_0010, &[0]), Err("NON_CANONICAL"));
    assert_eq!(raw(0b1010, &[1, 0b1100_0000]), Err("NON_CANONICAL"));
    assert_eq!(raw(0b1010, &[1, 0b1010_0001]), Err("NON_CANONICAL"));
    assert_eq!(raw(0b1010, &[2]), Err("MALFORMED"));
    assert_eq!(raw(0b1010, &[1, 0, 0, 0x80, 0, 0x80]), Err("TOO_LARGE"));
    // The suite, the epoch, the form of the set.
    for (position, value, expected) in
        [(0, 1, "WRONG_CONTEXT"), (2, 9, "WRONG_CONTEXT"), (50, 1, "NON_CANONICAL")]
    {
        let mut spoilt = good.clone();
        spoilt[position] = value;
        assert!(code(&spoilt).is_err(), "{position}");
        if position != 50 {
            assert_eq!(code(&spoilt), Err(expected));
        }
    }
    // Of a committee of another size.
    let larger = World::<S>::new(20);
    assert!(Aggregate::<S>::decode(&good, &larger.committee).is_err());
    assert_eq!(
        Aggregate::<S>::decode(&larger.sum([1]).encode(), &world.committee).map(drop).map_err(|e| e.code()),
        Err("NON_CANONICAL")
    );
}

pub(crate) fn mutations_never_decode_differently<S: Additive>() {
    let world = World::<S>::new(7);
    let good = world.sum([0, 1, 3, 3, 3, 6, 6]).encode();
    let strategy = (0..good.len(), 1u8..=255, 0..good.len(), any::<u8>());
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let run = runner.run(&strategy, |(at, flip, other, with)| {
        let mut bytes = good.clone();
        bytes[at] ^= flip;
        bytes[other] ^= with & 1;
        if let Ok(aggregate) = Aggregate::<S>::decode(&bytes, &world.committee) {
            prop_assert_eq!(aggregate.encode(), bytes.clone());
            prop_assert!(bytes == good || aggregate.verify(&world.committee).is_err());
        }
        Ok(())
    });
    run.unwrap();
}
