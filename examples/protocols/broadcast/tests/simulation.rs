//! Consistent broadcast in the simulator: named situations, then hundreds of generated scenarios.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::time::Duration;

use quorate::machine::Time;
use quorate_broadcast::authentication::{Eddsa, Links};
use quorate_broadcast::simulation::{
    ADVERSARIES, BroadcastHost, SimulatedAuthentication, SimulatedDsig, group, shape,
};
use quorate_simulator::{
    Behaviour, CrashPoint, Fault, Latency, Link, Network, PRESETS, Probability, Report, Scenario, Simulation,
    check, preset, repeatable, run,
};

const COMMAND: &str = "cargo run --bin quorate-broadcast -- simulate --seeds 1 --signer";

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn run_checked<A: SimulatedAuthentication>(scenario: &Scenario) -> Report {
    let host = |scenario: &Scenario| BroadcastHost::<A>::new(group(scenario.nodes), scenario);
    check(scenario, host, &format!("{COMMAND} {}", A::NAME)).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Returns a local network without faults.
fn local(name: &str, nodes: usize, seed: u64) -> Scenario {
    let latency = Latency::Tailed { floor: ms(1), mean: ms(1) };
    Scenario::new(name, nodes, seed).network(Network::perfect(latency)).lasting(secs(14)).live_within(secs(6))
}

/// Runs to the end and returns the simulation.
fn finish<A: SimulatedAuthentication>(
    scenario: &Scenario,
    change: impl FnOnce(&mut BroadcastHost<A>),
) -> Simulation<BroadcastHost<A>> {
    let mut host = BroadcastHost::new(group(scenario.nodes), scenario);
    change(&mut host);
    let mut simulation = Simulation::new(scenario.clone(), host).keeping_trace(60);
    let report = simulation.run();
    assert!(report.outcome.is_ok(), "{report}");
    simulation
}

/// Runs seeds of every preset.
fn run_presets<A: SimulatedAuthentication>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        for (name, _) in PRESETS {
            let nodes = if seed % 3 == 2 { 7 } else { 4 };
            run_checked::<A>(&preset(name, &shape(nodes), seed).unwrap());
        }
    }
}

#[test]
fn presets_pass_without_signatures() {
    run_presets::<Links>(0..12);
}

#[test]
fn presets_pass_with_ed25519() {
    run_presets::<Eddsa>(100..102);
}

#[test]
fn presets_pass_with_dsig() {
    run_presets::<SimulatedDsig>(200..202);
}

#[test]
fn adversaries_are_tolerated_and_equivocators_are_proven() {
    fn with<A: SimulatedAuthentication>(name: &str, seed: u64) -> Simulation<BroadcastHost<A>> {
        let scenario = local(name, 4, seed).byzantine(2, Behaviour::Custom(name.into()));
        finish(&scenario, |_| {})
    }
    for (seed, name) in (0..).zip(ADVERSARIES) {
        let (none, eddsa, dsig) =
            (with::<Links>(name, seed), with::<Eddsa>(name, seed), with::<SimulatedDsig>(name, seed));
        assert!(none.host().slots() > 30 && dsig.host().slots() > 30, "{name}");
        assert!(none.host().evidence.is_empty());
        let caught = ["equivocator", "key-reuser", "echo-equivocator"].contains(name);
        // A member that echoes future slots may or may not contradict itself.
        if *name != "sequence-skipper" {
            assert_eq!(!eddsa.host().evidence.is_empty(), caught, "{name} {seed}");
            assert_eq!(!dsig.host().evidence.is_empty(), caught, "{name} {seed}");
        }
        if *name == "forger" {
            let misbehaviours: BTreeSet<_> = dsig.host().misbehaviours.keys().copied().collect();
            assert_eq!(misbehaviours, BTreeSet::from([(2, "BAD_SIGNATURE")]), "{seed}");
        }
    }
}

#[test]
fn seven_members_tolerate_an_equivocator_with_a_helper() {
    for seed in 0..6 {
        let scenario = local("pair", 7, seed)
            .byzantine(1, Behaviour::Custom("equivocator".into()))
            .byzantine(5, Behaviour::Custom("double-echoer".into()));
        let simulation = finish::<SimulatedDsig>(&scenario, |_| {});
        assert!(simulation.host().evidence.iter().any(|evidence| evidence.culprit == 1));
    }
}

/// With more adversaries than the protocol tolerates, two members deliver different messages, and the checks report
/// it.
#[test]
fn too_many_adversaries_violate_consistency() {
    let broken = (0..20).any(|seed| {
        let mut scenario = local("too many", 4, seed)
            .byzantine(1, Behaviour::Custom("equivocator".into()))
            .byzantine(2, Behaviour::Custom("double-echoer".into()));
        scenario.checks.liveness = None;
        let host = |scenario: &Scenario| BroadcastHost::<Links>::new(group(4), scenario);
        run(&scenario, host).outcome.is_err_and(|v| v.property == "consistency")
    });
    assert!(broken);
}

#[test]
fn twins_of_one_identity_are_proven() {
    let caught = (0..10).any(|seed| {
        let scenario = local("twins", 4, seed).byzantine(3, Behaviour::Twins(ms(700)));
        !finish::<SimulatedDsig>(&scenario, |_| {}).host().evidence.is_empty()
    });
    assert!(caught);
}

#[test]
fn a_restart_at_any_crash_point_contradicts_nothing() {
    for seed in 0..24 {
        let point =
            [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend, CrashPoint::Now]
                [seed as usize % 4];
        let mut scenario = local("crashes", 4, seed).lasting(secs(20));
        // Every member crashes in turn, repeatedly; an equivocator tries to exploit it.
        for turn in 0..12u64 {
            let node = [0, 1, 3][turn as usize % 3];
            let at = ms(500 + 600 * turn);
            scenario = scenario
                .fault(at, Fault::Crash { node, point, after: (seed % 3) as u32 })
                .restart(at + ms(350), node);
        }
        let adversary = if seed % 2 == 0 { "equivocator" } else { "double-echoer" };
        scenario = scenario.byzantine(2, Behaviour::Custom(adversary.into()));
        if seed % 3 == 0 {
            run_checked::<SimulatedDsig>(&scenario);
        } else {
            run_checked::<Links>(&scenario);
        }
    }
}

/// A third of all messages is lost, so that nearly every message must be repeated or requested by members whose retry
/// rounds an adversary could fill alone.
#[test]
fn a_withholder_at_a_high_rate_delays_no_other_message() {
    for (adversary, seed) in [(0, 1), (2, 2)] {
        let link = Link::perfect(Latency::Uniform(ms(1), ms(20))).losing(Probability::percent(33));
        let mut scenario = local("selective-flooder", 4, seed).lasting(secs(20));
        scenario = scenario.byzantine(adversary, Behaviour::Custom("selective-flooder".into()));
        (scenario.network.before, scenario.network.after) = (link, link);
        scenario.checks.liveness = None;
        let simulation = finish::<Links>(&scenario, |host| {
            host.parameters.tail = 512;
            host.until = Time(6_000_000);
        });
        assert_eq!(simulation.host().missing(), 0, "adversary {adversary}");
    }
}

#[test]
fn unannounced_keys_are_slow_but_their_messages_arrive() {
    let mut scenario = local("calm", 4, 1);
    let calm = finish::<SimulatedDsig>(&scenario, |_| {});
    let of = |s: &Simulation<BroadcastHost<SimulatedDsig>>| {
        s.host().verified.values().fold((0, 0), |(fast, slow), (f, s)| (fast + f, slow + s))
    };
    let (fast, slow) = of(&calm);
    // At the start, announcements and the signatures under their keys may overtake each other.
    assert!(fast > 20 * slow && fast > 100, "{fast} {slow}");
    assert!(calm.metrics().measured["delivery"].median().unwrap() < ms(12));

    scenario = scenario.byzantine(2, Behaviour::Custom("unannounced".into()));
    let slowed = finish::<SimulatedDsig>(&scenario, |_| {});
    assert!(of(&slowed).1 > slow, "{:?}", of(&slowed));
    assert!(slowed.host().agreed.keys().any(|slot| slot.sender == 2));
    assert!(slowed.host().misbehaviours.is_empty(), "slow signatures are not misbehaviour");
}

#[test]
fn a_long_absence_misses_only_what_left_the_tail() {
    let scenario =
        local("away", 4, 3).lasting(secs(30)).crash(secs(2), 3, CrashPoint::Now).restart(secs(16), 3);
    let simulation = finish::<Eddsa>(&scenario, |host| {
        host.pause = ms(300);
        host.until = Time(26_000_000);
    });
    let host = simulation.host();
    let missed =
        |node: usize| host.agreed.keys().filter(|slot| !host.delivered[&node].contains(slot)).count();
    assert_eq!((missed(0), missed(1), missed(2)), (0, 0, 0));
    // About 14 s of three senders with one message per 300 ms each, minus three tails.
    assert!(missed(3) > 40, "{}", missed(3));
}

#[test]
fn each_member_keeps_one_record_per_slot() {
    let simulation = finish::<Links>(&local("records", 4, 9), |host| host.until = Time(9_000_000));
    let slots = simulation.host().slots();
    assert!(slots > 30);
    for node in 0..4 {
        assert_eq!(simulation.disk(node).len(), slots, "{node}");
    }
}

#[test]
fn runs_can_be_repeated() {
    let scenario = preset("chaos", &shape(7), 5).unwrap();
    let host = |scenario: &Scenario| BroadcastHost::<SimulatedDsig>::new(group(7), scenario);
    repeatable(&scenario, host).unwrap();
}
