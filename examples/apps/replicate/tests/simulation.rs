//! Replicas under faults and Byzantine replicas, and broken variants that the checks must find.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::time::Duration;

use quorate::machine::Time;
use quorate_broadcast::authentication::Eddsa;
use quorate_replicate::simulation::{
    ADVERSARIES, ReplicaHost, SimulatedAuthentication, SimulatedDsig, group, shape,
};
use quorate_replicate::{Flaw, Message, Path, Value};
use quorate_simulator::{
    Behaviour, CrashPoint, Fault, Interception, Latency, Network, PRESETS, Report, Scenario, Simulation,
    check, preset, repeatable,
};

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn run_checked<A: SimulatedAuthentication>(scenario: &Scenario) -> Report {
    let host = |scenario: &Scenario| ReplicaHost::<A>::new(group(scenario.nodes));
    let command = format!("cargo run --bin replicate -- simulate --seeds 1 --signer {}", A::NAME);
    check(scenario, host, &command).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Returns a local network without faults.
fn local(name: &str, nodes: usize, seed: u64) -> Scenario {
    let latency = Latency::Tailed { floor: ms(1), mean: ms(1) };
    Scenario::new(name, nodes, seed).network(Network::perfect(latency)).lasting(secs(8)).live_within(secs(5))
}

/// Runs to the end.
fn finish<A: SimulatedAuthentication>(
    scenario: &Scenario,
    change: impl FnOnce(&mut ReplicaHost<A>),
) -> (Simulation<ReplicaHost<A>>, Report) {
    let mut host = ReplicaHost::new(group(scenario.nodes));
    change(&mut host);
    let mut simulation = Simulation::new(scenario.clone(), host).keeping_trace(60);
    let report = simulation.run();
    (simulation, report)
}

/// Runs to the end without a violation.
fn pass<A: SimulatedAuthentication>(
    scenario: &Scenario,
    change: impl FnOnce(&mut ReplicaHost<A>),
) -> Simulation<ReplicaHost<A>> {
    let (simulation, report) = finish(scenario, change);
    assert!(report.outcome.is_ok(), "{report}");
    simulation
}

fn violated<A: SimulatedAuthentication>(
    scenario: &Scenario,
    change: impl FnOnce(&mut ReplicaHost<A>),
) -> Option<&'static str> {
    finish(scenario, change).1.outcome.err().map(|violation| violation.property)
}

#[test]
fn presets_pass_with_ed25519() {
    for (name, _) in PRESETS {
        run_checked::<Eddsa>(&preset(name, &shape(4), 99).unwrap());
    }
}

#[test]
fn presets_pass_with_dsig() {
    for name in ["lossy", "crashes", "chaos"] {
        run_checked::<SimulatedDsig>(&preset(name, &shape(4), 201).unwrap());
    }
}

#[test]
fn seven_replicas_tolerate_two() {
    let scenario = local("seven", 7, 8)
        .byzantine(0, Behaviour::Custom("two-faced".into()))
        .byzantine(4, Behaviour::Custom("false-reporter".into()));
    let simulation = pass::<SimulatedDsig>(&scenario, |_| {});
    assert!(simulation.host().evidence.iter().any(|evidence| evidence.culprit == 0));
}

/// One of the n − f live replicas has decided a slot, whose other votes the view change discarded.
#[test]
fn a_replica_that_has_decided_votes_again_in_a_later_view() {
    run_checked::<SimulatedDsig>(&preset("chaos", &shape(7), 1007).unwrap());
}

#[test]
fn without_faults_every_slot_takes_the_path_of_the_parameters() {
    let fast = pass::<SimulatedDsig>(&local("fast", 4, 1), |_| {});
    let [by_fast, by_slow, reported] = fast.host().status[&1].decided;
    assert!(by_fast > 50 && by_slow + reported <= by_fast / 20, "{:?}", fast.host().status);
    assert_eq!(fast.host().status[&1].view, 0);
    let slow = pass::<SimulatedDsig>(&local("slow", 4, 1), |host| host.parameters.path = Path::Slow);
    let [by_fast, by_slow, _] = slow.host().status[&1].decided;
    assert!(by_fast == 0 && by_slow > 30, "{:?}", slow.host().status);
    let (quick, all) = slow.host().status[&1].verified;
    assert!(quick > 10 * all, "announced keys are verified fast: {quick} {all}");
}

#[test]
fn one_silent_replica_costs_the_fast_path_only() {
    let scenario = local("silent", 4, 2).byzantine(3, Behaviour::Silent);
    let host = pass::<Eddsa>(&scenario, |_| {});
    assert!(host.host().answered() > 30);
    let status = host.host().status[&1];
    assert!(status.decided[1] > 30 && status.decided[0] == 0 && status.view == 0, "{status:?}");
}

#[test]
fn adversaries_are_tolerated_and_a_two_faced_leader_is_proven() {
    for (seed, name) in (0..).zip(ADVERSARIES) {
        // As the first leader, and as a follower.
        for node in [0, 2] {
            let scenario = local(name, 4, seed).byzantine(node, Behaviour::Custom((*name).into()));
            let simulation = pass::<SimulatedDsig>(&scenario, |_| {});
            let host = simulation.host();
            assert!(host.answered() > 5, "{name} {node}: {} {:?}", host.answered(), host.status);
            let proven = host.evidence.iter().any(|evidence| evidence.culprit as usize == node);
            assert_eq!(!host.evidence.is_empty(), proven, "{name}: only the culprit");
            if *name == "two-faced" && node == 0 {
                assert!(proven, "{:?}", host.misbehaviours);
            }
        }
    }
}

#[test]
fn a_two_faced_client_harms_itself_only() {
    let scenario = local("client", 4, 5);
    let simulation = pass::<Eddsa>(&scenario, |host| host.two_faced_client = true);
    assert!(simulation.host().answered() > 30);
}

#[test]
fn a_restart_at_any_crash_point_contradicts_nothing() {
    for seed in 0..4 {
        let point =
            [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend, CrashPoint::Now]
                [seed as usize % 4];
        let mut scenario = local("crashes", 4, seed).lasting(secs(14));
        for turn in 0..8u64 {
            let node = [0, 1, 3][turn as usize % 3];
            let at = ms(500 + 600 * turn);
            scenario = scenario
                .fault(at, Fault::Crash { node, point, after: (seed % 3) as u32 })
                .restart(at + ms(350), node);
        }
        let adversary = if seed % 2 == 0 { "two-faced" } else { "false-reporter" };
        scenario = scenario.byzantine(2, Behaviour::Custom(adversary.into()));
        run_checked::<Eddsa>(&scenario);
    }
}

#[test]
fn a_replica_that_was_away_gets_a_state() {
    let scenario =
        local("away", 4, 3).lasting(secs(11)).crash(secs(1), 3, CrashPoint::Now).restart(secs(5), 3);
    let simulation = pass::<Eddsa>(&scenario, |_| {});
    let host = simulation.host();
    assert!(host.restored > 0);
    let ahead = host.status.values().map(|status| status.executed).max().unwrap();
    assert!(host.status[&3].executed + 16 > ahead, "{:?}", host.status);
}

#[test]
fn a_dead_leader_is_replaced() {
    let scenario = local("dead", 4, 4).lasting(secs(10)).crash(secs(2), 0, CrashPoint::Now);
    let simulation = pass::<SimulatedDsig>(&scenario, |_| {});
    assert_eq!(simulation.host().status[&1].view, 1);
}

/// Replica 3 alone decides slot 1 on the fast path and answers; then the leader dies. The new view must repeat the value.
fn one_fast_decision(seed: u64) -> (Scenario, impl Fn(&mut ReplicaHost<Eddsa>) + Copy) {
    let until = 1_200_000;
    let scenario = local("decision", 4, seed).lasting(secs(8)).crash(ms(1_100), 0, CrashPoint::Now);
    let change = move |host: &mut ReplicaHost<Eddsa>| {
        // No slow path before the leader dies.
        host.parameters.fast_timeout = secs(3);
        host.interceptor = Some(Box::new(move |now, _, to, message| match message {
            Message::Accept(_) if to.member != 3 && now < Time(until) => Interception::Drop,
            Message::Decided { .. } | Message::Status(_) if now < Time(until) => Interception::Drop,
            _ => Interception::Pass,
        }));
    };
    (scenario, change)
}

#[test]
fn a_fast_decision_of_one_replica_survives_the_view_change() {
    for seed in 0..4 {
        let (scenario, change) = one_fast_decision(seed);
        let simulation = pass::<Eddsa>(&scenario, change);
        assert!(matches!(simulation.host().executed[&1], (Value::Request(_), 3)));
    }
}

#[test]
fn a_view_change_that_forgets_fast_acceptances_is_caught() {
    let (scenario, change) = one_fast_decision(0);
    let property = violated::<Eddsa>(&scenario, |host| {
        change(host);
        host.parameters.flaw = Some(Flaw::IgnoresAccepted);
    });
    assert_eq!(property, Some("agreement"));
}

/// The leader alone decides slot 1 on the slow path, with a vote of replica 3, which then reports another acceptance;
/// replica 1 missed the slot. Only the certificate of replica 2 shows the decision.
#[test]
fn a_view_change_that_forgets_certificates_is_caught() {
    let run = |flaw| {
        let until = 1_200_000;
        let scenario = local("certificate", 4, 0)
            .byzantine(3, Behaviour::Custom("false-reporter".into()))
            .crash(ms(1_100), 0, CrashPoint::Now);
        violated::<Eddsa>(&scenario, move |host| {
            host.parameters.path = Path::Slow;
            host.parameters.flaw = flaw;
            // No view change before the leader dies.
            host.parameters.suspect = secs(2);
            host.interceptor = Some(Box::new(move |now, _, to, message| {
                let early = now < Time(until);
                match message {
                    Message::Propose(_) | Message::Prepare(_) if early && to.member == 1 => {
                        Interception::Drop
                    }
                    Message::Commit(_) if early && to.member != 0 => Interception::Drop,
                    Message::Decided { .. } | Message::Status(_) if early => Interception::Drop,
                    _ => Interception::Pass,
                }
            }));
        })
    };
    assert_eq!(run(None), None);
    assert_eq!(run(Some(Flaw::IgnoresPrepared)), Some("agreement"));
}

#[test]
fn replicas_that_persist_nothing_are_caught() {
    let scenario = |forgets: bool| {
        let mut scenario = local("amnesia", 4, 1);
        scenario.checks.liveness = None;
        for node in 1..4 {
            scenario = scenario.crash(secs(2), node, CrashPoint::Now).restart(ms(2_100), node);
        }
        violated::<Eddsa>(&scenario, move |host| host.forgets = forgets)
    };
    assert_eq!(scenario(false), None);
    assert_eq!(scenario(true), Some("agreement"));
}

#[test]
fn a_repeated_request_is_caught() {
    let scenario = local("repeats", 4, 0).byzantine(0, Behaviour::Custom("repeater".into()));
    let run = |flaw| violated::<Eddsa>(&scenario, move |host| host.parameters.flaw = flaw);
    assert_eq!(run(None), None);
    let property = run(Some(Flaw::RepeatsRequests));
    assert!(matches!(property, Some("exactly-once" | "answers")), "{property:?}");
}

#[test]
fn runs_can_be_repeated() {
    let scenario = preset("chaos", &shape(4), 5).unwrap();
    repeatable(&scenario, |_: &Scenario| ReplicaHost::<Eddsa>::new(group(4))).unwrap();
}
