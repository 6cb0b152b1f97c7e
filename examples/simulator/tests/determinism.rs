//! A run is a function of its scenario.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paxos;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use paxos::Flaw;
use paxos::host::{PaxosHost, shape};
use quorate_simulator::{PRESETS, Simulation, check, preset, repeatable, replay, run, shrink};

#[test]
fn two_runs_of_a_seed_are_the_same_and_seeds_differ() {
    let mut hashes = BTreeSet::new();
    for (name, _) in PRESETS {
        for seed in 0..4 {
            let scenario = preset(name, &shape(5), seed).unwrap();
            let (first, second) = (
                run(&scenario, |s| PaxosHost::new(s, Flaw::None)),
                run(&scenario, |s| PaxosHost::new(s, Flaw::None)),
            );
            assert_eq!(first.to_string(), second.to_string());
            assert_eq!(first.metrics, second.metrics);
            assert!(hashes.insert(first.trace_hash), "{name} {seed} equals another run");
        }
    }
}

/// The hash is the same on every platform and in every version, so that recorded seeds keep their meaning. A change
/// of this hash invalidates all recorded seeds and must be stated in the changelog.
#[test]
fn a_recorded_seed_still_replays() {
    let scenario = preset("chaos", &shape(5), 2).unwrap();
    let report = run(&scenario, |s| PaxosHost::new(s, Flaw::None));
    assert_eq!(format!("{:016x} {}", report.trace_hash, report.events), "cd2855526a731092 6524");
}

#[test]
fn observing_or_pausing_does_not_change_a_run() {
    let scenario = preset("crashes", &shape(5), 1).unwrap();
    let plain = run(&scenario, |s| PaxosHost::new(s, Flaw::None));
    let seen = Rc::new(RefCell::new(0));
    let count = Rc::clone(&seen);
    let observer = Box::new(move |_: &_| *count.borrow_mut() += 1);
    assert_eq!(replay(&scenario, |s| PaxosHost::new(s, Flaw::None), observer).trace_hash, plain.trace_hash);
    assert!(*seen.borrow() > plain.events / 2);

    let mut paused =
        Simulation::new(scenario.clone(), PaxosHost::new(&scenario, Flaw::None)).keeping_trace(10);
    for frame in 1.. {
        if !paused.advance(Duration::from_millis(160 * frame)) {
            break;
        }
    }
    let report = paused.run();
    assert_eq!((report.trace_hash, report.tail.len()), (plain.trace_hash, 10));
}

#[test]
fn a_machine_with_global_state_is_detected() {
    let scenario = preset("calm", &shape(5), 1).unwrap();
    let violation = repeatable(&scenario, |s| PaxosHost::new(s, Flaw::Moody)).unwrap_err();
    assert_eq!(violation.property, "determinism");
    repeatable(&scenario, |s| PaxosHost::new(s, Flaw::None)).unwrap();
}

#[test]
fn a_failure_names_its_replay_command_and_shrinks() {
    let host = |scenario: &_| PaxosHost::new(scenario, Flaw::SmallQuorum);
    let mut failures = (0..100).filter_map(|seed| {
        let mut scenario = preset("partitions", &shape(5), seed).unwrap();
        scenario.faults.extend(preset("crashes", &shape(5), seed).unwrap().faults);
        check(&scenario, host, "cargo xtask simulate").err()
    });
    let failure = failures.next().expect("no seed of a hundred finds the flaw");
    let text = failure.to_string();
    let seed = failure.scenario.seed;
    let command =
        format!("replay: cargo xtask simulate --scenario partitions --nodes 5 --seed {seed} --trace");
    assert!(text.ends_with(&command), "{text}");
    assert!(text.contains("VIOLATION of agreement") && text.contains("Decided"), "{text}");
    assert_eq!(failure.report.tail.len(), 60);

    let smaller = shrink(&failure, host, 500);
    assert_eq!(run(&smaller, host).outcome.unwrap_err().property, "agreement");
    let shrunk = smaller.faults.len();
    assert!(shrunk < failure.scenario.faults.len() && shrunk <= 3, "{:?}", smaller.faults);
}
