//! The protocols in the simulator.

use std::process::Command;

use clap::{Args, ValueEnum};

use crate::process::{Outcome, run_in_terminal};
use crate::steps::Log;
use crate::workspace;

/// Runs a protocol in the deterministic simulator: virtual time, faults, Byzantine peers, one run per seed.
///
/// A failing seed is printed with the command that replays it. Arguments after `--` are passed to the simulator;
/// `cargo xtask simulate -- --help` lists its options.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The protocol.
    #[arg(long, value_enum, default_value_t = Protocol::Jolteon)]
    protocol: Protocol,
    /// Number of seeds to run.
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
    /// Secretly drawn proposers, rounds, and aggregates that spread by gossip.
    Gosig,
    /// Agreement without timeouts, under networks that choose how long each message takes.
    Abft,
}

impl Protocol {
    fn package(self) -> &'static str {
        match self {
            Self::Jolteon => "quorate-jolteon",
            Self::Gosig => "quorate-gosig",
            Self::Abft => "quorate-abft",
        }
    }

    fn binary(self) -> &'static str {
        match self {
            Self::Jolteon => "simulate",
            Self::Gosig => "simulate-gosig",
            Self::Abft => "simulate-abft",
        }
    }
}

pub(crate) fn run(args: &SimulateArgs) -> Outcome {
    let mut command = workspace::cargo();
    let (package, binary) = (args.protocol.package(), args.protocol.binary());
    command.args(["run", "--quiet", "--release", "--package", package, "--features", "simulate"]);
    command.args(["--bin", binary, "--", "--seeds", &args.seeds.to_string()]);
    if let Some(seed) = args.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    run_in_terminal(command.args(&args.rest))
}

/// A step of `cargo xtask test`.
pub(crate) fn brief(log: &Log, protocol: Protocol, seeds: u64) -> Outcome<String> {
    let mut simulator = Command::new(crate::build::binary(log, protocol.binary())?);
    if let Protocol::Abft = protocol {
        // Seven members exchange five times as many messages.
        simulator.args(["--nodes", "4"]);
    }
    let output = log.run(simulator.args(["--seeds", &seeds.to_string()]))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}
