//! Gosig in the simulator with no more members alive than a quorum needs: a round decides only if all of them prepare the
//! same block.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::Message;
use quorate_gosig::simulation::{GosigHost, Material};
use quorate_simulator::{CrashPoint, Fate, Fault, Latency, Network, Scenario, Simulation};

const MEMBERS: usize = 16;
/// So many of them are dead, as many as the others can do without.
const DEAD: usize = 5;
const ROUND_MS: u64 = 250;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// After a round in which nobody but its proposer had the transactions, so that it alone may be locked: how many
/// are, and how many rounds it takes until the next block.
fn rounds_until_the_next_block(seed: u64) -> (usize, u64) {
    let latency = Latency::Tailed { floor: ms(1), mean: ms(1) };
    let mut scenario = Scenario::new("a bare quorum", MEMBERS, seed)
        .network(Network::perfect(latency))
        .lasting(Duration::from_secs(60));
    for node in MEMBERS - DEAD..MEMBERS {
        scenario = scenario.fault(ms(0), Fault::Crash { node, point: CrashPoint::Now, after: 0 });
    }
    scenario.checks.liveness = None;
    let mut host = GosigHost::<Toy>::new(Material::new(MEMBERS)).workload(ms(200), u64::MAX);
    host.schedule.proposals = ms(100);
    host.schedule.signatures = ms(150);
    let (from, to) = (12 * ROUND_MS, 13 * ROUND_MS);
    host.tap = Some(Box::new(move |now, _, _, message| {
        let body =
            matches!(&**message, Message::Transactions(_) | Message::TransactionReply { .. } | Message::Segment(_));
        let inside = (from * 1_000 - 50_000..to * 1_000).contains(&now.0);
        if body && inside { Fate::Drop } else { Fate::Pass }
    }));
    let mut run = Simulation::new(scenario, host);
    run.advance(ms(to));
    let alive = 0..MEMBERS - DEAD;
    let statuses = alive.clone().map(|slot| run.machine(slot).unwrap().status());
    let locked = statuses.filter(|status| status.locked > 0).count();
    let before = run.host().agreement.highest().unwrap_or(0);
    let mut rounds = 0;
    while run.host().agreement.highest().unwrap_or(0) == before && rounds < 100 {
        rounds += 1;
        run.advance(ms(to + rounds * ROUND_MS));
        assert!(run.violation().is_none(), "{:?}", run.violation());
    }
    (locked, rounds)
}

#[test]
fn one_locked_member_brings_its_block_to_all_others() {
    let all: Vec<(usize, u64)> = (0..24).map(rounds_until_the_next_block).collect();
    let locked: Vec<u64> = all.iter().filter(|(locked, _)| *locked == 1).map(|(_, rounds)| *rounds).collect();
    println!("{all:?}");
    println!("{} of {}", locked.len(), all.len());
    println!("mean {}", locked.iter().sum::<u64>() as f64 / locked.len() as f64);
}
