//! Gosig in the simulator with no more members alive than a quorum needs: a round decides only if all of them prepare the
//! same block, so that one of them can hold up all others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use quorate::scheme::Toy;
use quorate_gosig::Message;
use quorate_gosig::simulation::{GosigHost, Material};
use quorate_simulator::{Interception, Latency, Network, Scenario, Simulation};

const MEMBERS: usize = 16;
/// So many of them are dead, as many as the others can do without.
const DEAD: usize = 5;
/// The round in which member 0 is not heard.
const UNHEARD: u64 = 13;
const SECOND_STAGE: Duration = Duration::from_millis(100);
const ROUND: Duration = Duration::from_millis(500);

/// What a bare quorum of the members does.
fn bare_quorum(seed: u64, prepare: impl FnOnce(&mut GosigHost<Toy>)) -> Simulation<GosigHost<Toy>> {
    let latency = Latency::Tailed { floor: Duration::from_millis(1), mean: Duration::from_millis(1) };
    let mut scenario = Scenario::new("a bare quorum", MEMBERS, seed)
        .network(Network::perfect(latency))
        .lasting(Duration::from_secs(60));
    scenario.checks.liveness = None;
    for node in MEMBERS - DEAD..MEMBERS {
        scenario = scenario.dead(node);
    }
    let mut host = GosigHost::<Toy>::new(material()).workload(Duration::from_millis(200), u64::MAX);
    host.schedule.proposals = SECOND_STAGE;
    host.schedule.signatures = ROUND - SECOND_STAGE;
    host.parameters.patience = Duration::from_millis(20);
    prepare(&mut host);
    Simulation::new(scenario, host)
}

fn material() -> Arc<Material<Toy>> {
    Material::new(MEMBERS)
}

/// The end of a round.
fn end(round: u64) -> Duration {
    ROUND * u32::try_from(round).unwrap()
}

/// In one round nobody hears the signatures of member 0, so that it alone is locked. How many rounds it takes from there
/// until the next block; none if it came otherwise.
fn rounds_until_the_next_block(seed: u64) -> Option<u64> {
    let mut run = bare_quorum(seed, |host| {
        host.tap = Some(Box::new(|now, from, _, message| {
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
fn one_locked_member_brings_its_block_to_all_others() {
    let rounds: Vec<u64> = (0..24).filter_map(rounds_until_the_next_block).collect();
    assert!(rounds.len() >= 16 && rounds.iter().any(|rounds| *rounds > 1), "{rounds:?}");
}

#[test]
fn without_aggregation_a_bare_quorum_still_commits() {
    for seed in 0..4 {
        let mut run = bare_quorum(seed, |host| host.parameters.aggregation = false);
        run.advance(Duration::from_secs(15));
        // Thirty rounds. Proposals do not reach everybody in all of them, for many of those who are told are dead.
        assert!(run.host().agreement.highest().is_some_and(|height| height >= 20), "{seed}");
        assert!(run.host().evidence.is_empty());
    }
}
