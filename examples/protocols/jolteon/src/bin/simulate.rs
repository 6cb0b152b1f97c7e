#![forbid(unsafe_code)]
//! Runs Jolteon in the deterministic simulator, one run per seed. See `--help`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate_jolteon::simulation::{JolteonHost, SimulationKeys, scenario};
use quorate_simulator::{Program, SeedRun};

const PROGRAM: Program<'_> = Program {
    protocol: "Jolteon",
    usual: ("ed25519", ""),
    slow: "bls",
    command: "cargo xtask simulate",
    rollbacks: true,
};

fn main() -> ExitCode {
    PROGRAM.main(|| {
        let (mut bls, mut ed25519) = (BTreeMap::new(), BTreeMap::new());
        move |run| match run.scheme.as_str() {
            "bls" => one::<MinSig>(run, &mut bls),
            _ => one::<Ed25519>(run, &mut ed25519),
        }
    })
}

/// Keys are generated once per committee size.
fn one<S: Scheme>(
    run: &SeedRun,
    keys_by_size: &mut BTreeMap<usize, Arc<SimulationKeys<S>>>,
) -> Result<(), String> {
    let keys = keys_by_size.entry(run.nodes).or_insert_with(|| SimulationKeys::new(run.nodes));
    let scenario = scenario(&run.scenario, run.nodes, run.seed, run.length).ok_or("unknown scenario")?;
    run.check(&scenario, |_| JolteonHost::new(keys.clone()))
}
