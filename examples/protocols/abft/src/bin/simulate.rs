#![forbid(unsafe_code)]
//! Runs the ABFT chain in the deterministic simulator, one run per seed. See `--help`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate_abft::signatures::{Bls, Ed25519List, ThresholdScheme};
use quorate_abft::simulation::{AbftHost, Schedule, SimulationKeys, scenario};
use quorate_simulator::{Program, SeedRun};

const PROGRAM: Program<'_> = Program {
    protocol: "ABFT",
    usual: ("ed25519", ""),
    slow: "bls",
    command: "cargo xtask simulate --protocol abft",
    rollbacks: true,
};

fn main() -> ExitCode {
    PROGRAM.main(|| {
        let (mut bls, mut ed25519) = (BTreeMap::new(), BTreeMap::new());
        move |run| match run.scheme.as_str() {
            "bls" => one::<Bls, MinSig>(run, &mut bls),
            _ => one::<Ed25519List, Ed25519>(run, &mut ed25519),
        }
    })
}

/// Keys are dealt once per committee size. The network of each fourth seed is fair, those of the others are hostile.
fn one<S: ThresholdScheme, V: Scheme>(
    run: &SeedRun,
    keys_by_size: &mut BTreeMap<usize, Arc<SimulationKeys<S, V>>>,
) -> Result<(), String> {
    let keys = keys_by_size.entry(run.nodes).or_insert_with(|| SimulationKeys::new(run.nodes));
    let schedule = Schedule::of_seed(run.seed);
    let scenario = scenario(&run.scenario, run.nodes, run.seed, (schedule, run.length));
    let scenario = scenario.ok_or("unknown scenario")?;
    run.check(&scenario, |_| AbftHost::new(keys.clone()).scheduled(schedule, run.length))
}
