//! Jolteon in the simulator.

use std::process::Command;

use clap::Args;

use crate::process::{Outcome, loud};
use crate::steps::Log;
use crate::workspace;

/// Runs Jolteon in the deterministic simulator: virtual time, faults, Byzantine peers, one run per seed.
///
/// A failing seed is printed with the command that replays it. What stands behind `--` goes to the simulator
/// itself; `cargo xtask simulate -- --help` lists what it understands.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many seeds to run.
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The first seed; with `--seeds 1`, the run to replay.
    #[arg(long)]
    seed: Option<u64>,
    /// Options of the simulator.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "quorate-jolteon", "--features", "simulate"]);
    command.args(["--bin", "simulate", "--", "--seeds", &options.seeds.to_string()]);
    if let Some(seed) = options.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    loud(command.args(&options.rest))
}

/// The step of `cargo xtask test`.
pub(crate) fn brief(log: &Log, seeds: u64) -> Outcome<String> {
    let simulator = workspace::binary(log, "simulate")?;
    let output = log.run(Command::new(simulator).args(["--seeds", &seeds.to_string()]))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}
