//! The chain in the simulator: named situations. `cargo xtask simulate --protocol abft` runs generated ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate_abft::signatures::Ed25519List;
use quorate_abft::simulation::{ADVERSARIES, AbftHost, Schedule, SimulationKeys};
use quorate_protocol::simulation::{ScenarioRunner, finish};
use quorate_simulator::{Behaviour, RunLength, Scenario};

type Keys = SimulationKeys<Ed25519List, Ed25519>;
type TestHost = AbftHost<Ed25519List, Ed25519>;

const COMMAND: &str = "cargo xtask simulate --protocol abft --seeds 1 -- --scheme ed25519";

const FAIR: (Schedule, RunLength) = (Schedule::Fair, RunLength::Full);

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn host(nodes: usize) -> TestHost {
    static FOUR: OnceLock<Arc<Keys>> = OnceLock::new();
    let keys = if nodes == 4 { FOUR.get_or_init(|| Keys::new(4)).clone() } else { Keys::new(nodes) };
    AbftHost::new(keys)
}

const LOCAL: ScenarioRunner<'_, TestHost> =
    ScenarioRunner { host: &host, lasting: Duration::from_secs(12), command: COMMAND };

/// A local network without faults, and without a bound for progress: its clients come to an end.
fn local(name: &str, seed: u64) -> Scenario {
    let mut scenario = LOCAL.local(name, 4, seed);
    scenario.checks.liveness = None;
    scenario
}

#[test]
fn without_faults_all_transactions_commit_quickly() {
    let simulation = finish(local("happy", 0), host(4).workload(Duration::from_millis(500), 8));
    let host = simulation.host();
    assert!(host.accepted.len() >= 32 && host.accepted == host.delivered);
    let median = simulation.metrics().measured["commit"].median().unwrap();
    assert!(median < Duration::from_millis(200), "{median:?}");
    assert!(host.faults.is_empty());
}

/// Nothing depends on a timeout: only the members that a network starves are late.
#[test]
fn hostile_schedules_end_and_lose_nothing() {
    for (seed, schedule) in [Schedule::Starve, Schedule::ByContent, Schedule::Divide].into_iter().enumerate()
    {
        let scenario = local("hostile", seed as u64).lasting(secs(30));
        let simulation = finish(scenario, host(4).workload(secs(1), 8).scheduled(schedule, RunLength::Full));
        let host = simulation.host();
        assert!(host.accepted.len() >= 32 && host.accepted == host.delivered, "{schedule:?}");
    }
}

#[test]
fn members_crash_within_steps_and_restart() {
    for seed in 0..3 {
        let scenario = quorate_abft::simulation::scenario("crashes", 4, seed, FAIR).unwrap();
        LOCAL.check(&scenario);
    }
}

#[test]
fn all_members_are_killed_at_once() {
    LOCAL.check_blackouts(secs(9));
}

/// A member that lost records counts as faulty: the others need nothing of it, and it follows them.
#[test]
fn a_rollback_stops_nothing() {
    LOCAL.check_rollbacks(secs(4));
    for seed in 0..4 {
        LOCAL.check(&quorate_abft::simulation::scenario("rollbacks", 4, seed, FAIR).unwrap());
    }
}

#[test]
fn each_adversary_alone_stops_nothing() {
    LOCAL.check_each_adversary(ADVERSARIES, secs(6));
    let twins = LOCAL.local("twins", 4, 1).byzantine(2, Behaviour::Twins(secs(1)));
    LOCAL.check(&twins);
}

#[test]
fn contradicting_votes_are_reported() {
    let double = Behaviour::Custom("double-voter".to_owned());
    let simulation = finish(local("double votes", 1).byzantine(3, double), host(4).workload(secs(1), 4));
    assert_eq!(simulation.host().faults.keys().collect::<Vec<_>>(), [&3]);
}

/// A faulty member starts epochs although no member has transactions. The others take part in fewer and fewer of them, and
/// still at once in those that a correct member starts, too.
#[test]
fn a_member_cannot_make_an_idle_chain_grow_fast() {
    let starter = Behaviour::Custom("epoch-starter".to_owned());
    let scenario = local("starter", 2).byzantine(3, starter).lasting(secs(40));
    let simulation = finish(scenario, host(4).workload(secs(4), 3));
    let host = simulation.host();
    assert!(host.accepted.len() >= 9 && host.accepted.is_subset(&host.delivered));
    let blocks = host.agreement.highest().unwrap();
    assert!((20..150).contains(&blocks), "{blocks} blocks");
    let slowest = simulation.metrics().measured["commit"].max().unwrap();
    assert!(slowest < Duration::from_millis(2500), "{slowest:?}");
}

#[test]
fn an_idle_network_is_silent() {
    let host = host(4).workload(Duration::from_millis(200), 2);
    let heights =
        |simulation: &quorate_simulator::Simulation<TestHost>| simulation.host().delivered.len() as u64;
    LOCAL.check_idle(host, secs(60), heights);
}

#[test]
fn a_memo_of_valid_signatures_changes_nothing() {
    LOCAL.check_memo(&LOCAL.local("memo", 4, 5).byzantine(2, Behaviour::Custom("share-swapper".to_owned())));
}
