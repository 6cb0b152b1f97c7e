//! Members with a pool only: each sends its best sum to random members, and all reach a quorum.

use quorate::gossip::{Parameters, Pool};
use quorate::scheme::Toy;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::world::World;

/// Of `n` members all but the last `silent` send, in any order, until each has a quorum. Returns the number of rounds
/// and the highest count in any sum that was sent or decided.
fn spread(world: &World<Toy>, silent: usize, seed: u64) -> (usize, u16) {
    let n = world.secrets.len();
    let mut random = StdRng::seed_from_u64(seed);
    let mut pools: Vec<Pool<Toy>> = (0..n as u16)
        .map(|me| {
            let mut pool = Pool::new(world.committee.clone(), me, world.statement, Parameters::default());
            pool.insert(world.single(me)).unwrap();
            pool
        })
        .collect();
    let mut order: Vec<usize> = (0..n - silent).collect();
    let (mut rounds, mut highest) = (0, 0);
    while order.iter().any(|member| pools[*member].certificate().is_none()) {
        rounds += 1;
        assert!(rounds <= 40, "some pools reach no quorum");
        order.shuffle(&mut random);
        for from in &order {
            let sum = pools[*from].best().unwrap().clone();
            highest = highest.max(sum.counts().highest());
            for _ in 0..5 {
                pools[random.random_range(0..n)].insert(sum.clone()).unwrap();
            }
        }
    }
    for pool in pools.iter().take(n - silent) {
        let best = pool.best().unwrap();
        highest = highest.max(best.counts().highest());
        assert!(best.check(&world.committee).is_ok());
    }
    (rounds, highest)
}

#[test]
fn a_thousand_pools_reach_quorums_with_low_counts() {
    let world = World::<Toy>::new(1000);
    let (rounds, highest) = spread(&world, 0, 1);
    assert!(highest > 2, "no sums overlapped");
    assert!(highest <= 16 && rounds <= 20, "counts to {highest} in {rounds} rounds");
}

#[test]
fn pools_reach_quorums_although_a_third_is_silent() {
    let world = World::<Toy>::new(150);
    for seed in 1..4 {
        let (_, highest) = spread(&world, 49, seed);
        assert!(highest <= 16, "{highest}");
    }
}

/// A sum with full counts is the heaviest and excludes no member, nor does a sum with too high counts.
#[test]
fn full_counts_exclude_no_member() {
    let world = World::<Toy>::new(150);
    let mut pool = Pool::new(world.committee.clone(), 149, world.statement, Parameters::default());
    pool.insert(world.single(149)).unwrap();
    let full = world.sum((0..16).flat_map(|_| 0..60));
    assert_eq!(pool.insert(full), Ok(true));
    assert_eq!((pool.signers().len(), pool.best().unwrap().counts().highest()), (61, 16));
    let above = world.sum((0..20).flat_map(|_| 0..80));
    assert_eq!(pool.insert(above), Ok(true));
    assert_eq!(pool.signers().len(), 61);
    // But they are used for a quorum that needs them.
    assert_eq!(pool.insert(world.sum(80..148)), Ok(true));
    assert!(pool.certificate().is_some());
}
