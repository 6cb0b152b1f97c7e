//! Each checker finds its flaw under the fault that exposes it; a machine without a flaw passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paxos;

use std::time::Duration;

use paxos::Flaw;
use paxos::host::{PaxosHost, shape};
use quorate_simulator::{Failure, PresetParameters, RunLength, check, check_seeds, preset};

/// Runs seeds of a preset until the first failure.
fn hunt(name: &str, flaw: Flaw, seeds: u64) -> Result<u64, Box<Failure>> {
    let scenario = |seed| {
        let mut scenario = preset(name, &shape(5), seed).unwrap();
        if name == "crashes" {
            // A crash alone is harmless as long as all other members know the decision.
            let more = |name| preset(name, &PresetParameters { faulty: 0, ..shape(3) }, seed).unwrap();
            scenario = more("crashes");
            scenario.network = more("lossy").network;
            scenario.faults.extend(more("partitions").faults);
        }
        scenario.checks.events = 2_000_000;
        scenario
    };
    check_seeds(0..seeds, scenario, |scenario| PaxosHost::new(scenario, flaw), "cargo xtask simulate", |_| {})
}

#[track_caller]
fn caught(name: &str, flaw: Flaw, property: &str) -> Failure {
    let failure = hunt(name, flaw, 100).expect_err("no seed of a hundred finds the flaw");
    assert_eq!(failure.report.outcome.as_ref().unwrap_err().property, property, "{failure}");
    *failure
}

#[test]
fn a_machine_without_a_flaw_passes() {
    for name in ["calm", "wan", "lossy", "slow", "partitions", "crashes"] {
        if let Err(failure) = hunt(name, Flaw::None, 50) {
            panic!("{failure}");
        }
    }
}

/// A short run of a preset.
fn short(name: &str, flaw: Flaw, seed: u64) -> Result<Duration, Box<Failure>> {
    let scenario = preset(name, &PresetParameters { length: RunLength::Short, ..shape(5) }, seed).unwrap();
    let report = check(&scenario, |scenario| PaxosHost::new(scenario, flaw), "cargo xtask simulate")?;
    Ok(Duration::from_micros(report.at.0))
}

#[test]
fn a_short_run_lasts_beyond_its_faults_and_ends_with_progress() {
    for (seed, name) in (0..).zip(["calm", "wan", "lossy", "slow", "partitions", "crashes"]) {
        let at = short(name, Flaw::None, seed).unwrap();
        assert!(at > RunLength::Short.disturbed() && at < Duration::from_secs(20), "{name}: {at:?}");
    }
}

#[test]
fn short_runs_catch_flaws_as_well() {
    for (name, flaw, property) in [
        ("partitions", Flaw::SmallQuorum, "agreement"),
        ("lossy", Flaw::Unordered, "order"),
        ("lossy", Flaw::NoRetry, "liveness"),
    ] {
        let failure = (0..100).find_map(|seed| short(name, flaw, seed).err()).expect(property);
        assert_eq!(failure.report.outcome.as_ref().unwrap_err().property, property, "{failure}");
    }
}

#[test]
fn sending_before_persisting_is_caught_by_crashes() {
    caught("crashes", Flaw::LazyDisk, "agreement");
}

#[test]
fn missing_redelivery_after_a_crash_is_caught() {
    caught("crashes", Flaw::NoRedelivery, "order");
}

#[test]
fn a_quorum_of_half_is_caught_by_partitions() {
    caught("partitions", Flaw::SmallQuorum, "agreement");
}

#[test]
fn deliveries_out_of_order_are_caught() {
    caught("lossy", Flaw::Unordered, "order");
}

#[test]
fn a_machine_that_gives_up_is_caught_by_liveness() {
    caught("lossy", Flaw::NoRetry, "liveness");
}

#[test]
fn a_machine_that_spins_is_caught() {
    caught("calm", Flaw::Spins, "spin");
}

#[test]
fn an_accusation_of_an_honest_member_is_caught() {
    caught("calm", Flaw::Unfair, "fair");
}

#[test]
fn a_decoder_that_refuses_honest_messages_is_caught() {
    caught("calm", Flaw::DeafAtThree, "readable");
}

#[test]
fn a_panic_is_caught_and_its_trace_kept() {
    let failure = caught("calm", Flaw::PanicsAtThree, "panic");
    assert!(!failure.report.tail.is_empty());
    assert!(failure.to_string().contains("height three was too much"), "{failure}");
}
