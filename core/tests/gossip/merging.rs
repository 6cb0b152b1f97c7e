//! Merging of aggregates in any order, and sums of the pool.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quorate::committee::{SignerSet, Verified};
use quorate::gossip::{Additive, Aggregate, Counts, MAX_POOL, Parameters, Pool};

use crate::world::World;

type Named = Vec<u16>;

fn some_of(n: u16) -> impl Strategy<Value = Named> {
    proptest::collection::vec(0..n, 1..12)
}

fn count(named: &[Named], member: u16) -> u16 {
    named.iter().flatten().filter(|other| **other == member).count() as u16
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

pub(crate) fn a_sum_is_the_same_in_any_order_and_verifies<S: Additive>() {
    let world = World::<S>::new(10);
    let cases = if S::NAME == "toy" { 200 } else { 4 };
    let strategy = (some_of(10), some_of(10), some_of(10));
    let run = runner(cases).run(&strategy, |(a, b, c)| {
        let [x, y, z] = [&a, &b, &c].map(|named| world.sum(named.iter().copied()));
        let merge = |x: &Verified<Aggregate<S>>, y: &Verified<Aggregate<S>>| x.merge(y, 255).unwrap();
        let sum = merge(&merge(&x, &y), &z);
        prop_assert_eq!(&merge(&z, &merge(&y, &x)), &sum);
        prop_assert_eq!(&merge(&merge(&z, &x), &y), &sum);
        let named = [a, b, c];
        for member in 0..10 {
            prop_assert_eq!(sum.count(member), count(&named, member));
        }
        prop_assert_eq!((*sum).clone().verify(&world.committee), Ok(sum));
        Ok(())
    });
    run.unwrap();
}

pub(crate) fn subtraction_keeps_every_signer_and_a_valid_sum<S: Additive>() {
    let world = World::<S>::new(10);
    let cases = if S::NAME == "toy" { 200 } else { 4 };
    let run = runner(cases).run(&(some_of(6), some_of(10), some_of(10)), |(all, part, other)| {
        let sum = world.sum(all.iter().chain(&part).copied());
        let parts = [world.sum(part.iter().copied()), world.sum(other), world.single(all[0])];
        let less = sum.normalised(&parts);
        prop_assert_eq!(less.signers(), sum.signers());
        prop_assert!(
            sum.signers().iter().all(|member| (1..=sum.count(member)).contains(&less.count(member)))
        );
        prop_assert_eq!(less.count(all[0]) == 1 || less.count(all[0]) < sum.count(all[0]), true);
        prop_assert_eq!((*less).clone().verify(&world.committee), Ok(less));
        Ok(())
    });
    run.unwrap();
}

pub(crate) fn single_signatures_reduce_every_count_to_one<S: Additive>() {
    let world = World::<S>::new(4);
    let sum = world.sum([0, 0, 0, 1, 2, 2]);
    assert_eq!((0..4).map(|member| sum.count(member)).collect::<Vec<_>>(), [3, 1, 2, 0]);
    let less = sum.normalised(&[world.single(0), world.single(2), world.single(3)]);
    assert!(less.counts().all_ones());
    assert_eq!(less, world.sum([0, 1, 2]));
    // A part of another statement or committee is not subtracted.
    let other = World::<S>::new(5);
    assert_eq!(sum.normalised(&[other.single(0)]), sum);
}

pub(crate) fn a_merge_above_the_limit_is_refused<S: Additive>() {
    let world = World::<S>::new(4);
    let mut doubled = world.single(1);
    for _ in 0..7 {
        doubled = doubled.merge(&doubled, 255).unwrap();
    }
    assert_eq!(doubled.count(1), 128);
    let error = doubled.merge(&doubled, 255).unwrap_err();
    assert_eq!(error.code(), "TOO_LARGE");
    for _ in 0..8 {
        doubled = doubled.merge(&doubled, u16::MAX).unwrap();
    }
    assert_eq!(doubled.count(1), 32_768);
    assert_eq!(doubled.merge(&doubled, u16::MAX).unwrap_err().code(), "TOO_LARGE");
    assert!((*doubled).clone().verify(&world.committee).is_ok());
}

pub(crate) fn aggregates_of_other_contexts_are_not_merged<S: Additive>() {
    let world = World::<S>::new(4);
    let one = world.single(0);
    let mut later = World::<S>::new(4);
    later.statement.view += 1;
    let other = World::<S>::weighted(&[1, 1, 1, 2]);
    for foreign in [later.single(1), other.single(1)] {
        assert_eq!(one.merge(&foreign, 255).unwrap_err().code(), "WRONG_CONTEXT");
        let mut pool = pool_of(&world);
        assert_eq!(pool.insert(foreign).unwrap_err().code(), "WRONG_CONTEXT");
    }
    assert_eq!(Aggregate::from_vote(&other.vote(1), &world.committee).unwrap_err().code(), "WRONG_CONTEXT");
}

fn pool_of<S: Additive>(world: &World<S>) -> Pool<S> {
    Pool::new(world.committee.clone(), 0, world.statement, Parameters::default())
}

/// Below a quorum and with low counts, the result depends on the set of aggregates, not on their order or repetition.
pub(crate) fn a_pool_is_independent_of_order_and_repetition<S: Additive>() {
    let world = World::<S>::new(30);
    let cases = if S::NAME == "toy" { 200 } else { 2 };
    let strategy = proptest::collection::vec(some_of(18), 1..MAX_POOL);
    let run = runner(cases).run(&(strategy, any::<u64>()), |(named, turn)| {
        let sums: Vec<_> = named
            .iter()
            .map(|named| {
                let distinct =
                    SignerSet::from_members(30, std::collections::BTreeSet::from_iter(named.iter().copied()));
                world.sum(distinct.unwrap().iter())
            })
            .collect();
        let (mut straight, mut turned) = (pool_of(&world), pool_of(&world));
        for sum in &sums {
            straight.insert(sum.clone()).unwrap();
            prop_assert_eq!(straight.insert(sum.clone()), Ok(false));
        }
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by_key(|i| (*i as u64 + 1).wrapping_mul(turn | 1));
        for i in order {
            turned.insert(sums[i].clone()).unwrap();
        }
        let all = sums.iter().fold(SignerSet::new(30), |all, sum| all.union(sum.signers()));
        prop_assert_eq!(straight.signers(), &all);
        prop_assert_eq!(turned.signers(), &all);
        for pool in [&straight, &turned] {
            prop_assert!(pool.aggregates().count() <= MAX_POOL);
            let best = pool.best().unwrap();
            prop_assert_eq!((**best).clone().verify(&world.committee), Ok(best.clone()));
        }
        Ok(())
    });
    run.unwrap();
}

pub(crate) fn pool_is_bounded_and_reaches_a_certificate<S: Additive>() {
    let world = World::<S>::new(40);
    let mut pool = pool_of(&world);
    // Overlapping windows of five, each member in up to five of them, until 27 are known.
    for start in 0..22 {
        assert!(pool.certificate().is_none(), "too early: {start}");
        assert_eq!(pool.insert(world.sum(start..start + 5)), Ok(true));
        assert!(pool.aggregates().count() <= MAX_POOL);
        assert!(pool.best().unwrap().counts().highest() <= 16);
    }
    assert_eq!(pool.signers().len(), 26);
    // An aggregate without a new signer changes nothing.
    assert_eq!(pool.insert(world.sum([3, 4, 9])), Ok(false));
    assert_eq!(pool.insert(world.sum([39])), Ok(true));
    let certificate = pool.certificate().unwrap().clone();
    assert!(certificate.into_inner().verify(&world.committee).is_ok());
    assert_eq!(pool.insert(world.single(38)), Ok(false));
}

pub(crate) fn a_pool_reduces_counts_by_its_single_signatures<S: Additive>() {
    let world = World::<S>::new(10);
    let mut pool = pool_of(&world);
    for member in [0, 1] {
        assert_eq!(pool.insert(world.single(member)), Ok(true));
    }
    assert_eq!(pool.insert(world.sum([0, 0, 0, 1, 1, 2])), Ok(true));
    assert_eq!(pool.best(), Some(&world.sum([0, 1, 2])));
    // A hundredfold count of one member's signature does not exclude the others.
    let mut heavy = world.single(3);
    for _ in 0..7 {
        heavy = heavy.merge(&heavy, 255).unwrap();
    }
    assert_eq!(pool.insert(heavy), Ok(true));
    assert_eq!(pool.insert(world.sum([4, 5])), Ok(true));
    assert_eq!(pool.best(), Some(&world.sum([0, 1, 2, 4, 5])));
    assert_eq!(pool.insert(world.single(3)), Ok(true));
    assert_eq!(pool.best(), Some(&world.sum(0..6)));
    assert_eq!(pool.insert(world.single(3)), Ok(false));
}

pub(crate) fn counts_are_those_of_the_merged_signatures<S: Additive>() {
    let world = World::<S>::new(4);
    assert_eq!(world.single(2).counts(), &Counts::ones());
    let sum = world.sum([2, 0, 2]);
    assert_eq!(format!("{:?}", sum.counts()), "{2: 2}");
    assert_eq!((sum.counts().highest(), sum.count(1), sum.count(0), sum.count(2)), (2, 0, 1, 2));
    assert_ne!(S::SUITE, 0);
}
