//! The protocols in the simulator.

use std::process::Command;

use clap::{Args, ValueEnum};

use crate::process::{Outcome, loud};
use crate::steps::Log;
use crate::workspace;

/// Runs a protocol in the deterministic simulator: virtual time, faults, Byzantine peers, one run per seed.
///
/// A failing seed is printed with the command that replays it. What stands behind `--` goes to the simulator
/// itself; `cargo xtask simulate -- --help` lists what it understands.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What the members speak.
    #[arg(long, value_enum, default_value_t = Protocol::Jolteon)]
    protocol: Protocol,
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

/// A protocol with a simulator of its own.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Protocol {
    /// Leaders, views and certificates in a chain.
    Jolteon,
    /// Drawn proposers, rounds, and aggregates that spread by gossip.
    Gosig,
}

impl Protocol {
    fn package(self) -> &'static str {
        match self {
            Self::Jolteon => "quorate-jolteon",
            Self::Gosig => "quorate-gosig",
        }
    }

    fn binary(self) -> &'static str {
        match self {
            Self::Jolteon => "simulate",
            Self::Gosig => "simulate-gosig",
        }
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let mut command = workspace::cargo();
    let (package, binary) = (options.protocol.package(), options.protocol.binary());
    command.args(["run", "--quiet", "--release", "--package", package, "--features", "simulate"]);
    command.args(["--bin", binary, "--", "--seeds", &options.seeds.to_string()]);
    if let Some(seed) = options.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    loud(command.args(&options.rest))
}

/// A step of `cargo xtask test`.
pub(crate) fn brief(log: &Log, protocol: Protocol, seeds: u64) -> Outcome<String> {
    let simulator = workspace::binary(log, protocol.binary())?;
    let output = log.run(Command::new(simulator).args(["--seeds", &seeds.to_string()]))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}
