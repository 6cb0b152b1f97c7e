#![forbid(unsafe_code)]
//! Runs Gosig in the deterministic simulator, one run per seed, and replays a seed. See `--help`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use quorate::bls::{Counted, MinSig};
use quorate::scheme::Toy;
use quorate_gosig::GosigScheme;
use quorate_gosig::simulation::{GosigHost, SimulationKeys, scenario};
use quorate_simulator::{Program, SeedRun};

const PROGRAM: Program<'_> = Program {
    protocol: "Gosig",
    usual: ("toy", ", which checks sums as bls does and costs nothing"),
    slow: "bls",
    command: "cargo xtask simulate --protocol gosig",
    rollbacks: true,
};

fn main() -> ExitCode {
    PROGRAM.main(|| {
        let (mut bls, mut toy) = (BTreeMap::new(), BTreeMap::new());
        move |run| match run.scheme.as_str() {
            "bls" => one::<Counted<MinSig>>(run, &mut bls),
            _ => one::<Toy>(run, &mut toy),
        }
    })
}

/// Keys are made once for each number of members.
fn one<S: GosigScheme>(
    run: &SeedRun,
    keys_by_size: &mut BTreeMap<usize, Arc<SimulationKeys<S>>>,
) -> Result<(), String> {
    let keys = keys_by_size.entry(run.nodes).or_insert_with(|| SimulationKeys::new(run.nodes));
    let scenario = scenario(&run.scenario, run.nodes, run.seed, run.length).ok_or("no such scenario")?;
    run.check(&scenario, |_| GosigHost::new(keys.clone()))
}
