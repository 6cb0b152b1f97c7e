//! Effects of Byzantine members on Paxos. Paxos assumes honest members, but its messages are authenticated, so that
//! only false statements of a member itself cause harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paxos;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use paxos::Flaw;
use paxos::host::{PaxosHost, shape};
use quorate_simulator::{
    Behaviour, EventKind, Link, Network, Report, Scenario, Simulation, TraceEntry, preset, replay, run,
};

const MS: Duration = Duration::from_millis(1);

fn with(behaviour: Behaviour, seed: u64, flaw: Flaw) -> Report {
    let scenario = preset("lossy", &shape(5), seed).unwrap().byzantine(2, behaviour);
    run(&scenario, |scenario| PaxosHost::new(scenario, flaw))
}

fn harmless(behaviour: Behaviour) -> Report {
    for seed in 0..10 {
        assert_eq!(with(behaviour.clone(), seed, Flaw::None).outcome, Ok(()), "{behaviour:?} {seed}");
    }
    with(behaviour, 0, Flaw::None)
}

#[track_caller]
fn harmful(behaviour: Behaviour, flaw: Flaw, property: &str) {
    let outcome = (0..50).find_map(|seed| with(behaviour.clone(), seed, flaw).outcome.err());
    assert_eq!(outcome.expect("no seed of fifty shows the violation").property, property);
}

#[test]
fn a_silent_member_sends_nothing() {
    let report = harmless(Behaviour::Silent);
    assert_eq!(report.metrics.nodes[2].sent, 0);
    assert!(report.metrics.nodes[2].received > 0);
}

#[test]
fn a_delayer_is_slow() {
    let sent_in_a_second = |behaviour: Option<Behaviour>| {
        let base = preset("calm", &shape(5), 3).unwrap();
        let scenario =
            behaviour.into_iter().fold(base, |scenario, behaviour| scenario.byzantine(2, behaviour));
        let mut simulation = Simulation::new(scenario.clone(), PaxosHost::new(&scenario, Flaw::None));
        assert!(simulation.advance(1_000 * MS));
        simulation.metrics().nodes[2].sent
    };
    let (plain, slow) = (sent_in_a_second(None), sent_in_a_second(Some(Behaviour::Delayer(4_000 * MS))));
    assert!(slow > 0 && slow * 2 < plain, "{slow} of {plain}");
    assert_eq!(harmless(Behaviour::Delayer(500 * MS)).metrics.nodes[2].refused, 0);
}

#[test]
fn garbage_is_refused_and_counted() {
    let report = harmless(Behaviour::Garbage(10 * MS));
    assert!(report.metrics.nodes[2].refused > 1_000, "{:?}", report.metrics.nodes[2]);
    assert!(report.metrics.nodes[1].refused == 0);
}

#[test]
fn a_replayer_is_refused_for_messages_of_other_members() {
    let report = harmless(Behaviour::Replayer(10 * MS));
    let node = &report.metrics.nodes[2];
    assert!(node.refused > 100 && node.sent > 10 * node.refused / 9, "{node:?}");
}

#[test]
fn a_mutator_is_refused_and_reveals_a_loose_decoder() {
    let report = harmless(Behaviour::Mutator);
    let node = &report.metrics.nodes[2];
    assert!(node.refused > node.sent / 4 && node.refused < node.sent * 3 / 4, "{node:?}");
    harmful(Behaviour::Mutator, Flaw::LooseDecoder, "canonical");
}

#[test]
fn a_selective_member_is_harmless() {
    harmless(Behaviour::Selective);
}

#[test]
fn twins_and_false_decisions_break_a_crash_tolerant_protocol() {
    harmful(Behaviour::Twins(700 * MS), Flaw::None, "agreement");
    harmful(Behaviour::Custom("false-decision".into()), Flaw::None, "agreement");
}

#[test]
fn an_impossible_scenario_is_an_error() {
    for (node, behaviour) in [(2, Behaviour::Custom("dragon".into())), (9, Behaviour::Silent)] {
        let scenario = Scenario::new("impossible", 5, 0).byzantine(node, behaviour);
        let outcome = run(&scenario, |s| PaxosHost::new(s, Flaw::None)).outcome;
        assert_eq!(outcome.unwrap_err().property, "scenario");
    }
    let short = Scenario::new("short", 5, 0).live_within(Duration::from_secs(11));
    assert_eq!(run(&short, |s| PaxosHost::new(s, Flaw::None)).outcome.unwrap_err().property, "scenario");
}

#[test]
fn twins_divide_the_other_members() {
    let link = Link::perfect(quorate_simulator::Latency::Fixed(MS));
    let scenario = Scenario::new("twins", 4, 5)
        .network(Network::stable(link))
        .lasting(Duration::from_secs(5))
        .byzantine(0, Behaviour::Twins(Duration::from_secs(60)));
    let heard = Rc::new(RefCell::new(BTreeSet::new()));
    let copy = Rc::clone(&heard);
    let observer = move |entry: &TraceEntry| {
        if let (Some(node), EventKind::Received { from: from @ (0 | 4), .. }) = (entry.node, entry.kind) {
            copy.borrow_mut().insert((node, from));
        }
    };
    let report = replay(&scenario, |s| PaxosHost::new(s, Flaw::None), Box::new(observer));
    assert_eq!(report.metrics.nodes.len(), 5);
    // Each of the three other members receives messages of exactly one twin, and each twin reaches a member.
    let heard: Vec<(usize, usize)> = heard.take().into_iter().collect();
    assert_eq!(heard.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [1, 2, 3], "{heard:?}");
    assert_eq!(heard.iter().map(|(_, from)| *from).collect::<BTreeSet<_>>(), BTreeSet::from([0, 4]));
}
