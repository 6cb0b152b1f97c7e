//! Gosig in the simulator: named scenarios, then random ones by seed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod epochs;
mod liveness;
mod overload;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quorate::bls::{Counted, MinSig};
use quorate::scheme::Toy;
use quorate_gosig::simulation::{ADVERSARIES, GosigHost, SimulationKeys, scenario};
use quorate_gosig::{Evidence, Message, Parameters, SigningHistory};
use quorate_protocol::simulation::{ScenarioRunner, finish};
use quorate_simulator::{
    Behaviour, CrashPoint, Interception, Latency, Network, RunLength, Scenario, Simulation,
};

const COMMAND: &str = "cargo xtask simulate --protocol gosig --seeds 1 -- --scheme toy";

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn toy(nodes: usize) -> Arc<SimulationKeys<Toy>> {
    static FOUR: OnceLock<Arc<SimulationKeys<Toy>>> = OnceLock::new();
    static SEVEN: OnceLock<Arc<SimulationKeys<Toy>>> = OnceLock::new();
    match nodes {
        4 => FOUR.get_or_init(|| SimulationKeys::new(4)).clone(),
        7 => SEVEN.get_or_init(|| SimulationKeys::new(7)).clone(),
        n => SimulationKeys::new(n),
    }
}

fn host(nodes: usize) -> GosigHost<Toy> {
    let mut host = GosigHost::new(toy(nodes));
    host.schedule.proposals = ms(100);
    host.schedule.signatures = ms(150);
    host
}

const LOCAL: ScenarioRunner<'_, GosigHost<Toy>> =
    ScenarioRunner { host: &host, lasting: Duration::from_secs(15), command: COMMAND };

/// Returns a scenario of a local network without faults.
fn local(name: &str, nodes: usize, seed: u64) -> Scenario {
    LOCAL.local(name, nodes, seed)
}

#[test]
fn without_faults_transactions_commit_in_their_round() {
    for seed in 0..3 {
        let mut scenario = local("happy", 4, seed);
        scenario.checks.liveness = None;
        let simulation = finish(scenario, host(4).workload(ms(200), 40));
        let host = simulation.host();
        assert!(host.accepted.len() >= 160);
        assert!(host.accepted.iter().all(|id| host.delivered.contains(id)), "all were delivered");
        assert!(host.evidence.is_empty() && host.undecided.is_empty(), "{:?}", host.undecided);
        // As in the paper: half a round of waiting and one round.
        assert!(simulation.metrics().measured["commit"].median().unwrap() < ms(500));
        assert!(host.max_proposals <= 4 * 4);
    }
}

#[test]
fn every_optimisation_can_be_switched_off() {
    let all = Parameters::default();
    let modes = [
        ("stages", Parameters { stage_pipelining: false, ..all.clone() }),
        ("rounds", Parameters { round_pipelining: false, ..all.clone() }),
        ("segments", Parameters { segments: 1, ..all.clone() }),
        ("transactions", Parameters { asynchronous_transactions: false, ..all.clone() }),
        ("hashes", Parameters { short_hashes: false, ..all.clone() }),
        ("aggregation", Parameters { aggregation: false, ..all.clone() }),
        (
            "everything",
            Parameters {
                stage_pipelining: false,
                round_pipelining: false,
                segments: 1,
                asynchronous_transactions: false,
                short_hashes: false,
                aggregation: false,
                ..all
            },
        ),
    ];
    for (i, (name, parameters)) in modes.into_iter().enumerate() {
        let mut host = host(4).workload(ms(200), 20);
        host.parameters = parameters;
        let mut scenario = local(name, 4, i as u64);
        scenario.checks.liveness = None;
        let simulation = finish(scenario, host);
        let host = simulation.host();
        assert!(host.evidence.is_empty(), "{name}: {:?}", host.evidence);
        let missing = host.accepted.iter().filter(|id| !host.delivered.contains(*id)).count();
        assert_eq!(missing, 0, "{name}");
    }
}

#[test]
fn an_idle_network_is_silent() {
    let committed =
        |simulation: &Simulation<GosigHost<Toy>>| simulation.machine(0).unwrap().status().committed;
    let simulation = LOCAL.check_idle(host(4).workload(ms(200), 10), secs(15), committed);
    let (payload, stated) = simulation.host().heights();
    assert!(payload > 0 && stated >= payload, "a block states the state after the last transactions");
}

#[test]
fn a_committee_of_one_and_one_of_two_work() {
    for nodes in [1, 2] {
        let simulation = finish(local("few", nodes, 1), host(nodes));
        assert!(simulation.host().agreement.highest().unwrap() > 10);
    }
}

#[test]
fn a_crashed_third_does_not_stop_the_chain() {
    for seed in 0..4 {
        let scenario = local("dead 2 and 5", 7, seed).dead(2).dead(5).live_within(secs(6));
        let simulation = finish(scenario, host(7));
        assert!(simulation.host().agreement.highest().unwrap() > 25);
    }
}

#[test]
fn an_absent_member_catches_up_by_block_ranges() {
    let scenario = local("late", 4, 5).dead(3).restart(secs(15), 3).lasting(secs(25));
    let simulation = finish(scenario, host(4).workload(ms(300), u64::MAX));
    let heights: Vec<u64> = (0..4).map(|i| simulation.metrics().nodes[i].progress).collect();
    assert!(heights[3] > 30 && heights.iter().max().unwrap() - heights[3] < 3, "{heights:?}");
}

#[test]
fn restarts_at_every_point_contradict_nothing() {
    LOCAL.check_restarts(secs(3), secs(9));
}

#[test]
fn all_members_restart_from_durable_records() {
    LOCAL.check_blackouts(secs(12));
}

/// The paper's adaptive adversary: each proposer is cut off from the moment of its proposal, at most two members at a time.
#[test]
fn an_adaptive_adversary_does_not_stop_the_chain() {
    for seed in 0..6 {
        let mut host = host(7);
        // The time until which each member is silenced.
        let silenced: RefCell<BTreeMap<u16, u64>> = RefCell::default();
        host.interceptor = Some(Box::new(move |now, from, _, message| {
            let mut silenced = silenced.borrow_mut();
            silenced.retain(|_, until| *until > now.0);
            match &**message {
                Message::Proposal(proposal) if proposal.proposer == from.member => {
                    if silenced.len() < 2 && !silenced.contains_key(&from.member) {
                        // The proposal itself has left already.
                        silenced.insert(from.member, now.0 + 250_000);
                    }
                    Interception::Pass
                }
                _ if silenced.contains_key(&from.member) => Interception::Drop,
                _ => Interception::Pass,
            }
        }));
        let simulation = finish(local("adaptive", 7, seed).live_within(secs(8)), host);
        assert!(simulation.host().agreement.highest().unwrap() > 10);
        assert!(simulation.host().evidence.is_empty());
    }
}

#[test]
fn violations_are_reported_with_evidence() {
    let check_evidence = |adversary: &str, expected: &dyn Fn(&Evidence<Toy>) -> bool| {
        let scenario = local(adversary, 4, 1).byzantine(1, Behaviour::Custom(adversary.to_owned()));
        let simulation = finish(scenario, host(4));
        let evidence = &simulation.host().evidence;
        assert_eq!(evidence.keys().copied().collect::<Vec<_>>(), [1], "{adversary}: only the adversary");
        assert!(evidence[&1].iter().any(expected), "{adversary}: {:?}", evidence[&1]);
    };
    check_evidence("equivocator", &|e| matches!(e, Evidence::Identity(_)) && e.is_provable());
    check_evidence("flooder", &|e| matches!(e, Evidence::Identity(_)));
    check_evidence(
        "ticket-forger",
        &|e| matches!(e, Evidence::Invalid { what, .. } if what.contains("ticket")),
    );
    check_evidence("false-state", &|e| matches!(e, Evidence::StateRoot { .. }));
    check_evidence("forger", &|e| matches!(e, Evidence::Invalid { what: "aggregate", .. }));
}

#[test]
fn a_single_adversary_does_not_stop_the_chain() {
    LOCAL.check_each_adversary(ADVERSARIES, secs(8));
}

/// Clocks that differ by more than a round, and drift: the chain may stall, but no check fails.
#[test]
fn wrong_clocks_do_not_break_safety() {
    for seed in 0..8 {
        let scenario = local("clocks", 4, seed).clocks(secs(2), 50_000);
        LOCAL.check(&Scenario { checks: quorate_simulator::Checks::default(), ..scenario });
    }
}

/// Messages take up to several rounds, so nothing arrives in time. Only safety is required.
#[test]
fn asynchrony_with_crashes_and_adversaries_is_safe() {
    for seed in 0..20 {
        let latency = Latency::Tailed { floor: ms(1), mean: ms(50 + 20 * (seed % 20)) };
        let adversary = ADVERSARIES[seed as usize % ADVERSARIES.len()];
        let points = [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];
        let point = points[seed as usize % 3];
        let crash = |node| quorate_simulator::Fault::Crash { node, point, after: seed as u32 % 5 };
        let scenario = Scenario::new("asynchronous", 4, seed)
            .network(Network::perfect(latency))
            .lasting(secs(15))
            .byzantine(0, Behaviour::Custom(adversary.to_owned()))
            .fault(secs(2), crash(1))
            .restart(secs(3), 1)
            .fault(secs(4), crash(2))
            .restart(secs(5), 2)
            .fault(secs(6), crash(3))
            .restart(secs(7), 3);
        LOCAL.check(&scenario);
    }
}

#[test]
fn scenarios_hold_with_bls() {
    let keys = SimulationKeys::<Counted<MinSig>>::new(4);
    let all =
        ScenarioRunner { host: &|_| GosigHost::new(keys.clone()), lasting: LOCAL.lasting, command: COMMAND };
    for (seed, name) in (0..).zip(["calm", "crashes", "byzantine", "chaos"]) {
        all.check(&scenario(name, 4, seed, RunLength::Full).unwrap());
    }
}

/// Runs some seeds of a preset. The tests are split so that they run in parallel; `cargo xtask simulate --protocol gosig` runs
/// more seeds.
fn seeds(name: &str, nodes: usize, seeds: Range<u64>) {
    let drawn = ScenarioRunner { host: &|nodes| GosigHost::new(toy(nodes)), ..LOCAL };
    drawn.check_seeds(seeds, |seed| scenario(name, nodes, seed, RunLength::Full).unwrap());
}

#[test]
fn seeds_of_loss_duplication_and_reordering() {
    seeds("lossy", 4, 1000..1003);
    seeds("wan", 4, 1000..1001);
}

#[test]
fn seeds_of_partitions_and_slow_links() {
    seeds("partitions", 4, 1000..1003);
    seeds("slow", 4, 1000..1001);
}

#[test]
fn seeds_of_crashes() {
    seeds("crashes", 4, 1000..1003);
    seeds("crashes", 7, 1002..1003);
}

#[test]
fn seeds_of_byzantine_members() {
    seeds("byzantine", 4, 1040..1043);
    seeds("byzantine", 7, 1000..1001);
}

#[test]
fn seeds_of_restored_old_records() {
    seeds("rollbacks", 4, 1000..1003);
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
fn a_rollback_costs_three_rounds() {
    // Three rounds of 250 ms, and at most 750 ms until there is work again.
    LOCAL.check_rollbacks(ms(1_500));
}

#[test]
fn a_restart_of_all_members_costs_three_rounds() {
    for seed in 0..4 {
        let mut scenario = local("restart of all", 4, seed);
        for node in 0..4 {
            scenario = scenario.crash(secs(4), node, CrashPoint::Now).restart(ms(4_500), node);
        }
        // Three rounds of 250 ms, and at most 750 ms until there is work again.
        finish(scenario.live_within(ms(1_500)), host(4));
    }
}

#[test]
fn seeds_of_everything_at_once() {
    seeds("chaos", 4, 1030..1033);
    seeds("chaos", 7, 1000..1001);
}

/// Regression: with each of these seeds the chain once stopped, because a member lacked a block that other members were
/// locked on and no peer answered its requests.
#[test]
fn seeds_in_which_a_bare_quorum_lacks_a_body() {
    for seed in [63, 95, 107] {
        seeds("chaos", 7, seed..seed + 1);
    }
}
