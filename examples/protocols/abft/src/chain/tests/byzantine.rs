//! A member with two faces: each of them runs the protocol, with other transactions and random numbers, and some of its
//! messages are damaged.

use super::world::{CALM, Faults, LIAR, World};
use crate::testing::{Verdict, ensure, seeds};

fn run(seed: u64) -> Result<World, String> {
    let mut world = World::new(seed, Faults { loss: 0.05, ..CALM });
    world.lie();
    for part in 0..4 {
        let submitted: Verdict = (0..5).try_for_each(|n| world.submit_at(n as u16 % LIAR, part * 10 + n));
        submitted?;
        world.submit_at(LIAR, 1000 + part)?;
        for _ in 0..400 {
            world.turn()?;
        }
    }
    world.faults = CALM;
    world.run_honest(40_000)?;
    for member in 0..LIAR {
        let committed = world.committed(member);
        let is_complete = (0..4).all(|part| (0..5).all(|n| committed.contains(&(part * 10 + n))));
        ensure(is_complete, || format!("{member} has {committed:?}"))?;
        ensure(committed == world.committed(0), || "members have different transactions".to_owned())?;
    }
    Ok(world)
}

#[test]
fn a_member_with_two_faces_divides_no_others() {
    let mut blamed = 0;
    for seed in seeds(10) {
        blamed += run(seed).unwrap_or_else(|problem| panic!("seed {seed}: {problem}")).blamed;
    }
    assert!(blamed > 10, "{blamed} faults");
}
