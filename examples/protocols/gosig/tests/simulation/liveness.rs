//! Gosig in the simulator with a bare quorum of members alive: a round decides only if all of them prepare the same block, so
//! each of them can stop the others.

use std::sync::Arc;
use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::Message;
use quorate_gosig::simulation::{GosigHost, SimulationKeys};
use quorate_simulator::{Interception, Latency, Network, Scenario, Simulation};

const MEMBERS: usize = 16;
/// Number of dead members: the most with which a quorum remains.
const DEAD: usize = 5;
/// The round in which the signatures of member 0 are dropped.
const UNHEARD: u64 = 13;
const SECOND_STAGE: Duration = Duration::from_millis(100);
const ROUND: Duration = Duration::from_millis(500);

/// Returns a run of a bare quorum.
fn bare_quorum(seed: u64, prepare: impl FnOnce(&mut GosigHost<Toy>)) -> Simulation<GosigHost<Toy>> {
    let latency = Latency::Tailed { floor: Duration::from_millis(1), mean: Duration::from_millis(1) };
    let mut scenario = Scenario::new("a bare quorum", MEMBERS, seed)
        .network(Network::perfect(latency))
        .lasting(Duration::from_secs(60));
    scenario.checks.liveness = None;
    for node in MEMBERS - DEAD..MEMBERS {
        scenario = scenario.dead(node);
    }
    let mut host = GosigHost::<Toy>::new(keys()).workload(Duration::from_millis(200), u64::MAX);
    host.schedule.proposals = SECOND_STAGE;
    host.schedule.signatures = ROUND - SECOND_STAGE;
    host.parameters.send_timeout = Duration::from_millis(20);
    prepare(&mut host);
    Simulation::new(scenario, host)
}

fn keys() -> Arc<SimulationKeys<Toy>> {
    SimulationKeys::new(MEMBERS)
}

/// Returns the time at which a round ends.
fn end(round: u64) -> Duration {
    ROUND * u32::try_from(round).unwrap()
}

/// Drops the signatures of member 0 in one round, so that it alone is locked. Returns the number of rounds from there until
/// the next commit, or `None` if the run does not lead to that lock.
fn rounds_until_the_next_block(seed: u64) -> Option<u64> {
    let mut run = bare_quorum(seed, |host| {
        host.interceptor = Some(Box::new(|now, from, _, message| {
            let unheard = end(UNHEARD - 1)..end(UNHEARD);
            let votes = matches!(&**message, Message::Signatures(_));
            let drop = votes && from.member == 0 && unheard.contains(&Duration::from_micros(now.0));
            if drop { Interception::Drop } else { Interception::Pass }
        }));
    });
    run.advance(end(UNHEARD));
    let is_locked = |slot: &usize| run.machine(*slot).is_some_and(|machine| machine.status().locked > 0);
    if !(0..MEMBERS).filter(is_locked).eq([0]) {
        return None;
    }
    let before = run.host().agreement.highest();
    let rounds = (1..=4).find(|rounds| {
        run.advance(end(UNHEARD + rounds));
        assert!(run.violation().is_none(), "{:?}", run.violation());
        run.host().agreement.highest() > before
    });
    Some(rounds.expect("a block within four rounds"))
}

#[test]
fn one_locked_member_gets_its_block_committed() {
    let rounds: Vec<u64> = (0..10).filter_map(rounds_until_the_next_block).collect();
    assert!(rounds.len() >= 6 && rounds.iter().any(|rounds| *rounds > 1), "{rounds:?}");
}

#[test]
fn without_aggregation_a_bare_quorum_still_commits() {
    for seed in 0..4 {
        let mut run = bare_quorum(seed, |host| host.parameters.aggregation = false);
        run.advance(Duration::from_secs(15));
        // 30 rounds. Not all proposals reach all members, because many of the peers they are sent to are dead.
        assert!(run.host().agreement.highest().is_some_and(|height| height >= 20), "{seed}");
        assert!(run.host().evidence.is_empty());
    }
}
