#![forbid(unsafe_code)]
// A tool for developers: it may stop with a message.
#![allow(clippy::expect_used, clippy::indexing_slicing)]
//! Runs Gosig in the deterministic simulator, one run per seed, and replays a seed. `--help` says how.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use quorate::bls::{Counted, MinSig};
use quorate::scheme::Toy;
use quorate_gosig::Suite;
use quorate_gosig::simulation::{GosigHost, Material, scenario};
use quorate_simulator::{PRESETS, Scenario, check, replay};

const HELP: &str = "\
Runs Gosig in the deterministic simulator: virtual time, faults, Byzantine peers.

  --seeds N        how many seeds (default 100)
  --seed S         the first one (default 0)
  --scenario NAME  only this kind of run; each seed otherwise takes the next:
                   calm wan lossy slow partitions crashes byzantine chaos
  --nodes N        how many members (default: 4, for every third seed 7)
  --scheme NAME    toy or bls (default: toy, which checks sums as bls does and costs nothing; for every seventeenth seed bls)
  --trace          prints every event of the first seed

A failing seed ends the run with what was violated and the command that replays it.";

#[derive(Default)]
struct Options {
    seeds: Option<u64>,
    seed: u64,
    scenario: Option<String>,
    nodes: Option<usize>,
    scheme: Option<String>,
    trace: bool,
}

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return if message == HELP { ExitCode::SUCCESS } else { ExitCode::from(2) };
        }
    };
    match run(&options) {
        Ok(runs) => {
            println!("{runs} runs, nothing violated");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value; see --help"));
        let number =
            |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is no number; see --help"));
        match arg.as_str() {
            "--seeds" => options.seeds = Some(number(value()?)?),
            "--seed" => options.seed = number(value()?)?,
            "--nodes" => options.nodes = Some(number(value()?)?.clamp(1, 1000) as usize),
            "--scenario" => {
                let name = value()?;
                if !PRESETS.iter().any(|(known, _)| *known == name) {
                    return Err(format!("there is no scenario {name:?}; see --help"));
                }
                options.scenario = Some(name);
            }
            "--scheme" => match value()?.as_str() {
                name @ ("bls" | "toy") => options.scheme = Some(name.to_owned()),
                other => return Err(format!("there is no scheme {other:?}; it is bls or toy")),
            },
            "--trace" => options.trace = true,
            "--help" | "-h" => return Err(HELP.to_owned()),
            other => return Err(format!("unknown option {other:?}; see --help")),
        }
    }
    Ok(options)
}

/// Which runs a seed stands for if the options do not say.
fn shape_of(options: &Options, seed: u64) -> (String, usize, bool) {
    let turn = seed as usize;
    let name = options.scenario.clone().unwrap_or_else(|| PRESETS[turn % PRESETS.len()].0.to_owned());
    let nodes = options.nodes.unwrap_or(if turn % 3 == 2 { 7 } else { 4 });
    let bls = options.scheme.as_ref().map_or(turn % 17 == 6, |scheme| scheme == "bls");
    (name, nodes, bls)
}

fn run(options: &Options) -> Result<u64, String> {
    let seeds = options.seeds.unwrap_or(if options.trace { 1 } else { 100 });
    let mut materials = Materials::default();
    for seed in options.seed..options.seed.saturating_add(seeds) {
        let (name, nodes, bls) = shape_of(options, seed);
        let trace = options.trace && seed == options.seed;
        if bls {
            let material = materials.bls.entry(nodes).or_insert_with(|| Material::new(nodes));
            one::<Counted<MinSig>>("bls", &name, nodes, seed, material, trace)?;
        } else {
            let material = materials.toy.entry(nodes).or_insert_with(|| Material::new(nodes));
            one::<Toy>("toy", &name, nodes, seed, material, trace)?;
        }
    }
    Ok(seeds)
}

#[derive(Default)]
struct Materials {
    bls: std::collections::BTreeMap<usize, Arc<Material<Counted<MinSig>>>>,
    toy: std::collections::BTreeMap<usize, Arc<Material<Toy>>>,
}

fn one<S: Suite>(
    scheme: &str,
    name: &str,
    nodes: usize,
    seed: u64,
    material: &Arc<Material<S>>,
    trace: bool,
) -> Result<(), String> {
    let scenario: Scenario = scenario(name, nodes, seed).ok_or("no such scenario")?;
    let host = |_: &Scenario| GosigHost::new(material.clone());
    if trace {
        println!("{}", replay(&scenario, host, Box::new(|entry| println!("{entry}"))));
    }
    let command =
        format!("cargo xtask simulate --protocol gosig --seeds 1 --seed {seed} -- --scheme {scheme}");
    match check(&scenario, host, &command) {
        Ok(report) => {
            let latency = report.metrics.measured.get("commit").map_or(Duration::ZERO, |h| h.median());
            println!("{seed} {scheme} {report} median commit {latency:?}");
            Ok(())
        }
        Err(failure) => Err(format!("{failure}")),
    }
}
