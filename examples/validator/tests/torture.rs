//! Faults of processes, disks and clocks in random order, under load: no acknowledged transaction is lost, and no validator
//! contradicts itself.
//!
//! The tests apply each fault once. `cargo xtask torture` starts the long form.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;
#[path = "support/torture/mod.rs"]
mod torture;

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use torture::hostile::{Attack, Effect, HostileTorture};
use torture::{Fault, Torture};

/// Number of cycles after which the long form compares the acknowledged transactions.
const COMPARISON: usize = 10;

fn survive_each_fault(protocol: &'static str) {
    let mut torture = Torture::start(protocol, 1);
    torture.each_fault();
    println!("{}", torture.finish());
}

#[test]
fn jolteon_survives_each_fault() {
    survive_each_fault("jolteon");
}

#[test]
fn gosig_survives_each_fault() {
    survive_each_fault("gosig");
}

#[test]
fn abft_survives_each_fault() {
    survive_each_fault("abft");
}

/// Number of frames on each lane to each member, in the short form.
const FRAMES: u64 = 24;

#[test]
fn no_attack_of_a_member_stops_or_splits_the_others() {
    let mut torture = HostileTorture::start("jolteon");
    for attack in Attack::of_protocol("jolteon") {
        torture.attack_briefly(attack, FRAMES);
    }
    println!("{}", torture.finish());
}

/// Prints how to repeat a run that fails.
struct Repeat {
    protocol: &'static str,
    seed: u64,
    cycles: usize,
    faults: String,
}

impl Drop for Repeat {
    fn drop(&mut self) {
        if thread::panicking() {
            let Self { protocol, seed, cycles, faults } = self;
            let faults = faults.split(',').filter(|name| !name.is_empty());
            let faults: String = faults.map(|name| format!(" --fault {name}")).collect();
            eprintln!(
                "failed in cycle {cycles}; the same faults again: `cargo xtask torture --protocol {protocol} --seed {seed} \
                 --cycles {cycles}{faults}`"
            );
        }
    }
}

/// The faults with these names, separated by commas; without names, all that the protocol survives.
fn faults_named(names: &str, protocol: &str) -> Vec<Fault> {
    let of_protocol = Fault::of_protocol(protocol);
    let named = |fault: &Fault| {
        let name = Fault::ALL.iter().find(|(_, known)| known == fault).unwrap().0;
        names.is_empty() || names.split(',').any(|wanted| wanted == name)
    };
    of_protocol.into_iter().filter(named).collect()
}

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends this process, and with it all validators.
fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let stop = flag.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    thread::spawn(move || {
        runtime.block_on(async {
            tokio::signal::ctrl_c().await.unwrap();
            eprintln!("stopping after this cycle; Ctrl-C again stops at once");
            stop.store(true, Ordering::Relaxed);
            tokio::signal::ctrl_c().await.unwrap();
            exit(130);
        });
    });
    flag
}

fn variable<T: std::str::FromStr>(name: &str) -> T {
    let text = std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; use `cargo xtask torture`"));
    text.parse().unwrap_or_else(|_| panic!("{name} has a wrong value: {text}"))
}

#[test]
#[ignore = "takes hours; `cargo xtask torture` starts it"]
fn random_faults() {
    let protocol: String = variable("QUORATE_TORTURE_PROTOCOL");
    let (cycles, seed): (usize, u64) = (variable("QUORATE_TORTURE_CYCLES"), variable("QUORATE_TORTURE_SEED"));
    let names: String = variable("QUORATE_TORTURE_FAULTS");
    let stop = stop_flag();
    let mut has_run = false;
    for known in ["jolteon", "gosig", "abft"] {
        if ![known, "all"].contains(&protocol.as_str()) || stop.load(Ordering::Relaxed) {
            continue;
        }
        let faults = faults_named(&names, known);
        if faults.is_empty() {
            println!("{known}: it has none of these faults");
            continue;
        }
        has_run = true;
        println!("{known}: {cycles} cycles, seed {seed}");
        let mut repeat = Repeat { protocol: known, seed, cycles: 0, faults: names.clone() };
        let mut torture = Torture::start(known, seed);
        println!("directory, which a failure leaves: {}", torture.keep_directory(true).display());
        for cycle in 1..=cycles {
            repeat.cycles = cycle;
            println!("{cycle:>4}/{cycles} {}", torture.random_cycle(&faults));
            if cycle % COMPARISON == 0 {
                torture.compare_acknowledged();
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        println!("{}", torture.finish());
        torture.keep_directory(false);
    }
    let known = Fault::ALL.map(|(name, _)| name).join(", ");
    assert!(has_run, "no fault of {protocol} is named {names}; there are {known}");
}

/// Number of windows under each attack. A base window precedes and follows each.
const WINDOWS: usize = 3;
/// Maximum ratio of the medians under an attack and without the fourth validator.
const MAX_RATIO: f64 = 2.0;

#[test]
#[ignore = "takes minutes; `cargo xtask torture --hostile` starts it"]
fn hostile_member() {
    let protocol: String = variable("QUORATE_TORTURE_PROTOCOL");
    let names: String = variable("QUORATE_TORTURE_ATTACKS");
    let length = Duration::from_secs(variable("QUORATE_TORTURE_SECONDS"));
    let (stop, mut failures) = (stop_flag(), Vec::new());
    for known in ["jolteon", "gosig", "abft"] {
        if ![known, "all"].contains(&protocol.as_str()) {
            continue;
        }
        let wanted = |attack: &Attack| names.is_empty() || names.split(',').any(|name| name == attack.name());
        let attacks: Vec<_> = Attack::of_protocol(known).into_iter().filter(wanted).collect();
        if attacks.is_empty() || stop.load(Ordering::Relaxed) {
            println!("{known}: it has none of these attacks");
            continue;
        }
        let mut torture = HostileTorture::start(known);
        println!("{known}; directory, which a failure leaves: {}", torture.keep_directory(true).display());
        println!("{}", Effect::head());
        // The first seconds are slower.
        let mut base = vec![torture.measure(None, length)];
        for attack in attacks {
            base = vec![base.pop().unwrap()];
            let mut attacked = Vec::new();
            for _ in 0..WINDOWS {
                attacked.push(torture.measure(Some(attack), length));
                base.push(torture.measure(None, length));
            }
            let effect = torture.effect(attack, &base, &attacked);
            println!("{}", effect.row());
            failures.extend(effect.failure(MAX_RATIO).map(|failure| format!("{known}: {failure}")));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        println!("{}", torture.finish());
        torture.keep_directory(false);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
