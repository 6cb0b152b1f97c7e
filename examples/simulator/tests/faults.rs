//! Effects of scheduled faults, observed in the trace of hand-written scenarios.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paxos;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use paxos::host::PaxosHost;
use paxos::{Body, Flaw};
use quorate_simulator::{
    CrashPoint, EventKind, Fault, Interception, Latency, Link, Loss, Network, Report, Scenario, Simulation,
    TraceEntry, Work, replay, run,
};

const MS: Duration = Duration::from_millis(1);

fn scenario(nodes: usize) -> Scenario {
    Scenario::new("faults", nodes, 11).network(Network::perfect(Latency::Fixed(2 * MS))).lasting(5_000 * MS)
}

fn traced(scenario: &Scenario) -> (Report, Vec<TraceEntry>) {
    let entries = Rc::new(RefCell::new(Vec::new()));
    let copy = Rc::clone(&entries);
    let observer = Box::new(move |entry: &TraceEntry| copy.borrow_mut().push(entry.clone()));
    let report = replay(scenario, |s| PaxosHost::new(s, Flaw::None), observer);
    (report, entries.take())
}

fn clean(scenario: &Scenario) -> (Report, Vec<TraceEntry>) {
    let (report, entries) = traced(scenario);
    assert_eq!(report.outcome, Ok(()));
    (report, entries)
}

/// Returns the trace entries of one node, in order.
fn entries_of(entries: &[TraceEntry], node: usize) -> Vec<&TraceEntry> {
    entries.iter().filter(|entry| entry.node == Some(node)).collect()
}

/// Returns the events directly before a crash, the records persisted before it, and the records of the restart.
fn around_crash(point: CrashPoint) -> (Vec<EventKind>, usize, usize) {
    let (_, entries) = clean(&scenario(5).crash(1_000 * MS, 1, point).restart(2_000 * MS, 1));
    let own = entries_of(&entries, 1);
    let crash = own.iter().position(|entry| entry.kind == EventKind::Crashed).unwrap();
    let count = |what: &EventKind| match what {
        EventKind::Persisted { records } => *records,
        _ => 0,
    };
    let durable = own[..crash].iter().map(|entry| count(&entry.kind)).sum();
    let EventKind::Started { records } = own[crash + 1].kind else { panic!("{}", own[crash + 1]) };
    (own[crash - 2..crash].iter().map(|entry| entry.kind).collect(), durable, records)
}

#[test]
fn a_crash_before_sending_keeps_records_and_loses_messages() {
    let (before, durable, restarted) = around_crash(CrashPoint::BeforeSend);
    assert!(matches!(before[1], EventKind::Persisted { .. }), "{before:?}");
    assert_eq!(durable, restarted);
}

#[test]
fn a_crash_during_persist_loses_the_last_record() {
    let (before, durable, restarted) = around_crash(CrashPoint::DuringPersist);
    // Paxos persists one record per step, so nothing of that step is left.
    assert!(matches!(before[1], EventKind::Received { .. } | EventKind::Timer), "{before:?}");
    assert_eq!(durable, restarted);
}

#[test]
fn a_crash_during_send_lets_some_receivers_get_the_message() {
    let sent = |point, seed| {
        let mut scenario = scenario(5).crash(1_000 * MS, 1, point);
        scenario.seed = seed;
        let (_, entries) = clean(&scenario);
        let own = entries_of(&entries, 1);
        let crash = own.iter().position(|entry| entry.kind == EventKind::Crashed).unwrap();
        // Back to the input of the step in which the node crashed.
        let step = own[..crash]
            .iter()
            .rev()
            .take_while(|e| !matches!(e.kind, EventKind::Received { .. } | EventKind::Timer));
        step.filter(|entry| matches!(entry.kind, EventKind::Sent { .. })).count()
    };
    assert!((0..40).all(|seed| sent(CrashPoint::BeforeSend, seed) == 0));
    let counts: Vec<usize> = (0..40).map(|seed| sent(CrashPoint::DuringSend, seed)).collect();
    // A broadcast to four reaches zero to three receivers; a message to one reaches none.
    assert!(counts.iter().all(|count| *count < 4) && counts.iter().any(|count| *count > 0), "{counts:?}");
}

#[test]
fn a_node_that_is_down_from_the_start_sends_nothing() {
    let (report, entries) = clean(&scenario(5).dead(2).dead(4));
    assert!(
        !entries_of(&entries, 2)
            .iter()
            .any(|e| matches!(e.kind, EventKind::Started { .. } | EventKind::Sent { .. }))
    );
    assert_eq!(report.metrics.nodes[2].sent, 0);
    assert!(report.metrics.lost[&Loss::Down] > 0);
    assert!(report.metrics.nodes[0].progress > 5);
}

#[test]
fn restarting_a_running_node_crashes_it_first() {
    let (report, _) = clean(&scenario(3).restart(500 * MS, 0).restart(600 * MS, 0));
    assert_eq!(report.metrics.nodes[0].crashes, 2);
}

#[test]
fn a_crash_during_a_slow_write_tears_it() {
    let write = Latency::Fixed(5 * MS);
    let slow = scenario(3).work(Work { write, ..Work::default() });
    let (report, _) = clean(&slow);
    let fast = clean(&scenario(3)).0;
    assert!(
        report.metrics.measured["decision"].median().unwrap()
            > fast.metrics.measured["decision"].median().unwrap() + 5 * MS
    );

    let mut survived = BTreeSet::new();
    for seed in 0..10 {
        let slow = Scenario { seed, ..slow.clone() };
        let (_, entries) = clean(&slow);
        // The first record of node 0 was written five milliseconds after its step.
        let own = entries_of(&entries, 0);
        let persisted =
            own.iter().position(|entry| matches!(entry.kind, EventKind::Persisted { .. })).unwrap();
        let begun = own[persisted].at.0 - 5_000;
        assert!(own[..persisted].iter().any(|entry| entry.at.0 == begun), "{}", own[persisted]);

        let crash = Duration::from_micros(begun + 1_000);
        let (_, entries) = clean(&slow.crash(crash, 0, CrashPoint::Now).restart(1_000 * MS, 0));
        let own = entries_of(&entries, 0);
        let crashed = own.iter().position(|entry| entry.kind == EventKind::Crashed).unwrap();
        let sent = own[..crashed].iter().any(|e| e.at.0 >= begun && matches!(e.kind, EventKind::Sent { .. }));
        assert!(!sent, "messages that wait for the disk must not leave");
        let EventKind::Started { records } = own[crashed + 1].kind else { panic!("{}", own[crashed + 1]) };
        survived.insert(records);
    }
    assert_eq!(survived, BTreeSet::from([0, 1]), "an interrupted write leaves some or no records");
}

#[test]
fn a_busy_node_with_a_full_inbox_loses_messages() {
    let work = Work { per_input: 3 * MS, inbox: 1, ..Work::default() };
    let (report, _) = clean(&scenario(5).work(work));
    assert!(report.metrics.lost[&Loss::Inbox] > 0);
}

#[test]
fn a_partition_holds_or_loses_and_heals() {
    let split = |holds, one_way| {
        let groups = vec![vec![0], vec![1, 2]];
        let fault = Fault::Split { groups, holds, one_way };
        clean(&scenario(3).fault(1_000 * MS, fault).fault(2_000 * MS, Fault::Heal))
    };
    let crossed = |entries: &[TraceEntry], from: usize, to: usize| {
        let inside = |e: &&TraceEntry| (1_002_001..2_000_000).contains(&e.at.0);
        let got = |e: &&TraceEntry| {
            e.node == Some(to) && matches!(e.kind, EventKind::Received { from: f, .. } if f == from)
        };
        entries.iter().filter(inside).filter(got).count()
    };
    let (report, entries) = split(false, false);
    assert_eq!((crossed(&entries, 0, 1), crossed(&entries, 2, 0)), (0, 0));
    assert!(crossed(&entries, 1, 2) > 0 && report.metrics.lost[&Loss::Partition] > 0);

    let (report, entries) = split(true, false);
    assert_eq!((crossed(&entries, 0, 1), report.metrics.lost.get(&Loss::Partition)), (0, None));
    let released =
        |e: &&TraceEntry| e.at.0 == 2_002_000 && matches!(e.kind, EventKind::Received { from: 0, .. });
    assert!(entries.iter().filter(released).count() > 2);

    let (_, entries) = split(false, true);
    assert!(crossed(&entries, 0, 1) == 0 && crossed(&entries, 1, 0) > 0);
}

#[test]
fn a_degraded_node_is_slow_until_it_recovers() {
    let link = Link::perfect(Latency::Fixed(700 * MS));
    let (report, _) = clean(
        &scenario(3)
            .fault(Duration::ZERO, Fault::Degrade { node: 0, link })
            .fault(2_000 * MS, Fault::Recover { node: 0 }),
    );
    assert_eq!(report.metrics.transit.max(), Some(700 * MS));
    let (calm, _) = clean(&scenario(3));
    assert_eq!(calm.metrics.transit.max(), Some(2 * MS));
}

#[test]
fn a_host_can_drop_single_messages() {
    let deaf = |scenario: &Scenario| {
        let mut host = PaxosHost::new(scenario, Flaw::None);
        host.interceptor = Some(Box::new(|_, _, to, message| match message.body {
            Body::Decided { .. } if to.slot == 1 => Interception::Drop,
            Body::Accept { .. } if to.slot == 1 => Interception::Delay(50 * MS),
            _ => Interception::Pass,
        }));
        host
    };
    let report = run(&scenario(3), deaf);
    assert_eq!(report.outcome, Ok(()));
    assert!(report.metrics.lost[&Loss::Intercepted] > 0);
    assert!(report.metrics.nodes[1].progress < report.metrics.nodes[0].progress);
}

#[test]
fn faults_and_commands_can_be_injected_at_run_time() {
    let scenario = scenario(3);
    let mut simulation = Simulation::new(scenario.clone(), PaxosHost::new(&scenario, Flaw::None));
    assert!(simulation.advance(1_000 * MS));
    assert_eq!(simulation.now().0, 1_000_000);
    simulation.inject(Fault::Crash { node: 1, point: CrashPoint::Now, after: 0 });
    simulation.command(0, paxos::Propose(777));
    assert!(simulation.advance(2_000 * MS));
    assert!(simulation.machine(1).is_none() && !simulation.disk(1).is_empty());
    assert!(simulation.machine(0).unwrap().decided.contains(&777));
    simulation.inject(Fault::Restart { node: 1 });
    assert!(!simulation.advance(9_000 * MS), "the scenario is over after five seconds");
    assert!(simulation.machine(1).unwrap().decided.contains(&777));
    let boots: Vec<_> =
        simulation.host().boots.iter().filter(|(slot, ..)| *slot == 1).map(|boot| boot.1).collect();
    assert_eq!((boots, simulation.violation()), (vec![0, 1], None));
    assert_eq!(simulation.run().at.0, 5_000_000);
}

#[test]
fn wrong_clocks_do_not_affect_the_machines() {
    let (plain, skewed) = (clean(&scenario(3)).0, clean(&scenario(3).clocks(3_600_000 * MS, 100_000)).0);
    assert_ne!(plain.trace_hash, skewed.trace_hash);
    assert!(skewed.metrics.nodes[0].progress > 5);
}
