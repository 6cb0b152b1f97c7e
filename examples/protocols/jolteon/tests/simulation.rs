//! Jolteon in the simulator: named situations, then hundreds of generated scenarios.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate_jolteon::simulation::{ADVERSARIES, JolteonHost, SimulationKeys, scenario};
use quorate_jolteon::{Evidence, Parameters, SigningHistory};
use quorate_protocol::simulation::{ScenarioRunner, finish};
use quorate_simulator::{Behaviour, CrashPoint, Report, RunLength, Scenario, Simulation};

const COMMAND: &str = "cargo xtask simulate --seeds 1 -- --scheme ed25519";

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn ed25519(nodes: usize) -> Arc<SimulationKeys<Ed25519>> {
    static FOUR: OnceLock<Arc<SimulationKeys<Ed25519>>> = OnceLock::new();
    static SEVEN: OnceLock<Arc<SimulationKeys<Ed25519>>> = OnceLock::new();
    match nodes {
        4 => FOUR.get_or_init(|| SimulationKeys::new(4)).clone(),
        7 => SEVEN.get_or_init(|| SimulationKeys::new(7)).clone(),
        n => SimulationKeys::new(n),
    }
}

fn host(nodes: usize) -> JolteonHost<Ed25519> {
    JolteonHost::new(ed25519(nodes))
}

const LOCAL: ScenarioRunner<'_, JolteonHost<Ed25519>> =
    ScenarioRunner { host: &host, lasting: Duration::from_secs(20), command: COMMAND };

/// Returns a local network without faults.
fn local(name: &str, nodes: usize, seed: u64) -> Scenario {
    LOCAL.local(name, nodes, seed)
}

/// Returns the median time from sealing a batch to its delivery at its author.
fn median(report: &Report) -> Duration {
    report.metrics.measured["commit"].median().unwrap()
}

#[test]
fn without_faults_batches_commit_quickly_without_timeouts() {
    for seed in 0..3 {
        let host = host(4).workload(ms(200), 50);
        let mut scenario = local("happy", 4, seed);
        scenario.checks.liveness = None;
        let simulation = finish(scenario, host);
        let host = simulation.host();
        assert_eq!(host.accepted.len(), 200);
        assert!(
            host.accepted.iter().all(|batch| host.delivered.contains(batch)),
            "all batches are delivered"
        );
        assert!(host.timeouts.is_empty() && host.evidence.is_empty());
        // At most two block intervals and some hops, plus waiting for the first.
        assert!(simulation.metrics().measured["commit"].median().unwrap() < ms(500));
        assert!(host.max_blocks < 10);
    }
}

#[test]
fn a_nodes_workload_commits_within_a_quarter_of_the_target() {
    let mut host = host(4).workload(ms(50), 100);
    host.parameters = Parameters::default();
    let mut scenario = local("pace", 4, 1);
    scenario.checks.liveness = None;
    let simulation = finish(scenario, host);
    assert!(simulation.metrics().measured["commit"].median().unwrap() < ms(80));
}

#[test]
fn an_idle_network_sends_nothing_and_runs_no_timers() {
    let committed =
        |simulation: &Simulation<JolteonHost<Ed25519>>| simulation.machine(0).unwrap().status().committed;
    let simulation = LOCAL.check_idle(host(4).workload(ms(200), 10), secs(10), committed);
    assert_eq!(simulation.host().delivered.len(), 40);
}

#[test]
fn the_last_state_is_stated_before_the_network_idles() {
    let host = host(4).workload(ms(200), 1);
    let mut scenario = local("stated", 4, 3);
    scenario.checks.liveness = None;
    let simulation = finish(scenario, host);
    let (payload, stated) = simulation.host().heights();
    assert!(payload > 0 && stated >= payload, "payload at {payload}, stated up to {stated}");
}

#[test]
fn one_crashed_node_of_four_at_most_doubles_the_latency() {
    let busy = ScenarioRunner { host: &|nodes| host(nodes).workload(ms(100), u64::MAX), ..LOCAL };
    let calm = busy.check(&local("four", 4, 0).lasting(secs(40)));
    for dead in 0..4 {
        let crashed = local("three of four", 4, 0).lasting(secs(40)).crash(secs(2), dead, CrashPoint::Now);
        let report = busy.check(&crashed);
        assert!(median(&report) <= 2 * median(&calm), "{:?} after {:?}", median(&report), median(&calm));
    }
}

/// A dead leader is waited for twice: in the view before its own, whose votes it should collect, and in its own.
#[test]
fn a_crash_stops_commits_for_two_short_timeouts() {
    let mut host = host(4).workload(ms(50), u64::MAX);
    host.parameters = Parameters::default();
    let scenario = local("dead leader", 4, 0).lasting(secs(10)).crash(secs(4), 0, CrashPoint::Now);
    let simulation = finish(scenario, host);
    let host = simulation.host();
    assert!(host.longest_pause < ms(400), "{:?}", host.longest_pause);
    assert!(host.timeouts.values().all(|timeouts| *timeouts <= 2), "{:?}", host.timeouts);
}

#[test]
fn a_committee_of_one_and_one_of_two_work() {
    for nodes in [1, 2] {
        let simulation = finish(local("few", nodes, 1), host(nodes));
        assert!(simulation.host().agreement.highest().unwrap() > 10);
    }
}

/// Regression: members that are down from the start, placed such that a rotation meets both, must neither stop the
/// chain nor reorder its blocks.
#[test]
fn two_of_seven_down_from_the_start_keep_the_chain_order() {
    for seed in 0..4 {
        let scenario = local("dead 2 and 5", 7, seed).dead(2).dead(5).live_within(secs(6));
        let simulation = finish(scenario, host(7));
        let host = simulation.host();
        assert!(host.agreement.highest().unwrap() > 50);
        // Each is waited for once: in the view before its own and in its own.
        assert!(host.timeouts.values().all(|timeouts| *timeouts <= 4), "{:?}", host.timeouts);
    }
}

#[test]
fn a_member_that_was_down_catches_up_by_ranges() {
    let scenario = local("late", 4, 5).dead(3).restart(secs(15), 3).lasting(secs(25));
    let host = host(4).workload(ms(300), u64::MAX);
    let simulation = finish(scenario, host);
    let heights: Vec<u64> = (0..4).map(|i| simulation.metrics().nodes[i].progress).collect();
    assert!(heights[3] > 80 && heights.iter().max().unwrap() - heights[3] < 5, "{heights:?}");
}

#[test]
fn a_restart_at_any_crash_point_contradicts_nothing() {
    LOCAL.check_restarts(secs(4), secs(12));
}

#[test]
fn all_nodes_crash_and_restart_from_durable_records() {
    LOCAL.check_blackouts(secs(14));
}

#[test]
fn provable_faults_yield_evidence() {
    let guilty = |adversary: &str, nodes: usize, proves: &dyn Fn(&Evidence<Ed25519>) -> bool| {
        let scenario = local(adversary, nodes, 1).byzantine(1, Behaviour::Custom(adversary.to_owned()));
        let simulation = finish(scenario, host(nodes));
        let evidence = &simulation.host().evidence;
        assert_eq!(evidence.keys().copied().collect::<Vec<_>>(), [1], "only the adversary is accused");
        assert!(evidence[&1].iter().any(proves), "{adversary}: {:?}", evidence[&1]);
    };
    // Half of the members see one block and half the other, so the votes reveal it: a member fetches the other block.
    guilty("false-leader", 4, &|e| matches!(e, Evidence::Proposal { rule, .. } if rule.contains("lead")));
    guilty("forger", 4, &|e| matches!(e, Evidence::Invalid { .. }));
    guilty("false-state", 4, &|e| matches!(e, Evidence::StateRoot { .. }));
}

fn bls(host: &dyn Fn(usize) -> JolteonHost<MinSig>) -> ScenarioRunner<'_, JolteonHost<MinSig>> {
    ScenarioRunner { host, lasting: LOCAL.lasting, command: COMMAND }
}

#[test]
fn two_forgers_whose_signatures_cancel_change_nothing() {
    let scenario = local("forgers", 7, 2)
        .byzantine(2, Behaviour::Custom("forger".to_owned()))
        .byzantine(3, Behaviour::Custom("forger".to_owned()))
        .lasting(secs(8));
    let keys = SimulationKeys::<MinSig>::new(7);
    bls(&|_| JolteonHost::new(keys.clone())).check(&scenario);
}

#[test]
fn each_adversary_alone_stops_no_member() {
    LOCAL.check_each_adversary(ADVERSARIES, secs(5));
}

#[test]
fn scenarios_pass_with_bls() {
    let keys = SimulationKeys::<MinSig>::new(4);
    let host = |_| JolteonHost::new(keys.clone());
    let all = bls(&host);
    for (seed, name) in (0..).zip(["calm", "crashes", "byzantine", "chaos"]) {
        all.check(&scenario(name, 4, seed, RunLength::Full).unwrap());
    }
}

/// Runs some seeds of a preset. The tests are split so that they run in parallel; `cargo xtask simulate` runs more seeds.
fn seeds(name: &str, nodes: usize, seeds: Range<u64>) {
    LOCAL.check_seeds(seeds, |seed| scenario(name, nodes, seed, RunLength::Full).unwrap());
}

#[test]
fn seeds_of_loss_duplication_and_reordering() {
    seeds("lossy", 4, 1000..1003);
    seeds("wan", 4, 1000..1001);
}

#[test]
fn seeds_of_partitions_and_slow_links() {
    seeds("partitions", 4, 1000..1003);
    seeds("slow", 4, 1000..1002);
}

#[test]
fn seeds_of_crashes() {
    seeds("crashes", 4, 1000..1004);
    seeds("crashes", 7, 1000..1001);
}

#[test]
fn seeds_of_byzantine_members() {
    seeds("byzantine", 4, 1000..1004);
    seeds("byzantine", 7, 1000..1001);
}

#[test]
fn seeds_of_restored_old_records() {
    seeds("rollbacks", 4, 1000..1004);
    seeds("rollbacks", 7, 1000..1001);
}

#[test]
fn without_abstention_restored_records_make_a_member_sign_twice() {
    let is_noticed = (0..40).any(|seed| {
        let mut host = host(4);
        host.history = SigningHistory::Complete;
        let scenario = scenario("rollbacks", 4, seed, RunLength::Full).unwrap();
        let outcome = Simulation::new(scenario, host).run().outcome;
        outcome.is_err_and(|violation| ["equivocation", "fair"].contains(&violation.property))
    });
    assert!(is_noticed);
}

#[test]
fn a_rollback_costs_three_views() {
    let views = JolteonHost::<Ed25519>::parameters().view_timeout * 3;
    LOCAL.check_rollbacks(views + ms(900));
}

#[test]
fn a_restart_of_all_members_costs_three_views() {
    for seed in 0..4 {
        let mut scenario = local("restart of all", 4, seed).lasting(secs(20));
        for node in 0..4 {
            scenario = scenario.crash(secs(4), node, CrashPoint::Now).restart(ms(4_500), node);
        }
        let views = JolteonHost::<Ed25519>::parameters().view_timeout * 3;
        finish(scenario.live_within(views + ms(900)), host(4));
    }
}

#[test]
fn seeds_of_everything_at_once() {
    seeds("chaos", 4, 1000..1004);
    seeds("chaos", 7, 1000..1001);
}

#[test]
fn a_memo_of_valid_signatures_changes_nothing() {
    LOCAL.check_memo(&LOCAL.local("memo", 4, 5).byzantine(2, Behaviour::Custom("forger".to_owned())));
}
