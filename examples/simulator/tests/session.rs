//! Runs with interventions and their replay.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paxos;

use std::time::Duration;

use paxos::Flaw;
use paxos::host::PaxosHost;
use quorate_simulator::{
    Behaviour, CrashPoint, Fault, Latency, Link, Probability, Rng, Scenario, Scheduled, Session,
};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn session(seed: u64, script: Vec<Scheduled>) -> Session<PaxosHost> {
    let scenario = Scenario::new("watched", 5, seed).lasting(ms(6_000));
    let host = PaxosHost::new(&scenario, Flaw::None);
    Session::new(scenario, host, script)
}

fn draw(rng: &mut Rng) -> Fault {
    let node = rng.index(5);
    match rng.below(8) {
        0 => Fault::Crash { node, point: CrashPoint::BeforeSend, after: 1 },
        1 => Fault::Crash { node, point: CrashPoint::Now, after: 0 },
        2 | 3 => Fault::Restart { node },
        4 => Fault::Split { groups: vec![vec![node]], holds: false, one_way: false },
        5 => Fault::Heal,
        6 => Fault::Relink {
            link: Link::perfect(Latency::Uniform(ms(1), ms(30))).losing(Probability::percent(5)),
        },
        _ => {
            let kinds = [
                Behaviour::Silent,
                Behaviour::Garbage(ms(20)),
                Behaviour::Replayer(ms(20)),
                Behaviour::Twins(ms(500)),
                Behaviour::Delayer(ms(100)),
            ];
            // At most two, because the protocol needs a majority of honest members.
            Fault::Turn { node: node % 2, behaviour: rng.pick(&kinds).unwrap().clone() }
        }
    }
}

/// Advances in frames of random length and single steps, with interventions in between.
fn disturbed(seed: u64) -> Session<PaxosHost> {
    let mut rng = Rng::stream(seed, "spectator", 0);
    let mut session = session(seed, Vec::new());
    loop {
        let goes_on = match rng.below(3) {
            0 => session.step(),
            _ => session.advance(session.now() + Duration::from_micros(rng.below(80_000))),
        };
        if !goes_on {
            return session;
        }
        if rng.chance(Probability::percent(20)) {
            session.intervene(draw(&mut rng));
        }
    }
}

#[test]
fn interventions_replay_independently_of_the_frames() {
    for seed in 0..30 {
        let first = disturbed(seed);
        assert!(first.violation().is_none(), "{seed}: {:?}", first.violation());
        assert!(first.script().len() > 5, "{seed}: {}", first.script().len());
        let mut again = session(seed, first.script().to_vec());
        assert!(!again.advance(ms(6_000)));
        let runs = [&first, &again].map(|s| (s.simulation().trace_hash(), s.simulation().events(), s.now()));
        assert_eq!(runs[0], runs[1], "seed {seed}");
        assert_eq!(first.script(), again.script());

        let mut undisturbed = session(seed, Vec::new());
        undisturbed.advance(ms(6_000));
        assert_ne!(undisturbed.simulation().trace_hash(), first.simulation().trace_hash());
    }
}

#[test]
fn a_script_may_be_extended_before_its_end() {
    let crash = |node| Fault::Crash { node, point: CrashPoint::Now, after: 0 };
    let mut run = session(1, vec![Scheduled { at: ms(3_000), fault: Fault::Restart { node: 2 } }]);
    run.advance(ms(1_000));
    run.intervene(crash(2));
    run.advance(ms(2_000));
    assert!(run.simulation().machine(2).is_none());
    run.advance(ms(4_000));
    assert!(run.simulation().machine(2).is_some());
    let times: Vec<_> = run.script().iter().map(|scheduled| scheduled.at).collect();
    assert_eq!(times, [ms(1_000), ms(3_000)]);
    // A finished run ignores interventions.
    run.advance(ms(6_000));
    run.intervene(crash(1));
    assert_eq!(run.script().len(), 2);
}

#[test]
fn a_node_stays_byzantine_and_can_change_its_behaviour() {
    let mut run = session(3, Vec::new());
    run.advance(ms(500));
    run.intervene(Fault::Turn { node: 0, behaviour: Behaviour::Garbage(ms(5)) });
    run.advance(ms(1_500));
    let refused = |run: &Session<PaxosHost>| run.simulation().metrics().nodes[0].refused;
    assert!(refused(&run) > 20, "{}", refused(&run));
    assert!(run.simulation().nodes().all(|node| node.honest == (node.slot != 0)));
    run.intervene(Fault::Turn { node: 0, behaviour: Behaviour::Silent });
    run.advance(ms(1_600));
    let (before, sent) = (refused(&run), run.simulation().metrics().nodes[0].sent);
    run.advance(ms(6_000));
    assert_eq!(
        (refused(&run), run.simulation().metrics().nodes[0].sent),
        (before, sent),
        "the garbage continues"
    );
    assert!(run.violation().is_none());

    let mut wrong = session(3, Vec::new());
    wrong.advance(ms(500));
    wrong.intervene(Fault::Turn { node: 5, behaviour: Behaviour::Silent });
    assert_eq!(wrong.violation().unwrap().property, "scenario");
}

#[test]
fn a_late_twin_starts_with_an_empty_disk() {
    let mut run = session(4, Vec::new());
    run.advance(ms(1_000));
    run.intervene(Fault::Split { groups: vec![vec![1]], holds: false, one_way: false });
    run.intervene(Fault::Turn { node: 1, behaviour: Behaviour::Twins(ms(300)) });
    assert_eq!(run.simulation().nodes().count(), 6);
    run.advance(ms(2_000));
    run.intervene(Fault::Heal);
    run.advance(ms(6_000));
    let received: Vec<u64> = run.simulation().metrics().nodes.iter().map(|node| node.received).collect();
    assert!(received.len() == 6 && received[5] > 0, "{received:?}");
    assert!(run.violation().is_none());
}
