//! The protocols in the simulator.

use std::process::Command;

use clap::{Args, ValueEnum};

use crate::process::{Outcome, replace_process};
use crate::steps::Log;
use crate::workspace;

/// Runs a protocol in the deterministic simulator: virtual time, faults, Byzantine peers, one run per seed.
///
/// A failing seed is printed with the command that replays it. `--sweep` makes runs short, for 100,000 seeds and more: it
/// shows the rate and the time left, and Ctrl-C prints the seeds that are done. Arguments after `--` are passed to the
/// simulator; `cargo xtask simulate -- --help` lists its options.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The protocol.
    #[arg(long, value_enum, default_value_t = Protocol::Jolteon)]
    protocol: Protocol,
    /// Short runs for many seeds.
    #[arg(long)]
    sweep: bool,
    /// Number of seeds to run (default: 1000; with `--sweep` 100000).
    #[arg(long)]
    seeds: Option<u64>,
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
    let seeds = args.seeds.unwrap_or(if args.sweep { 100_000 } else { 1000 });
    command.args(["--bin", binary, "--", "--seeds", &seeds.to_string()]);
    if args.sweep {
        command.arg("--sweep");
    }
    if let Some(seed) = args.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    // The simulator itself handles Ctrl-C.
    replace_process(command.args(&args.rest))
}

/// A step of `cargo xtask test`: short runs of nine times `seeds`, and full runs of an eighth. In every fifth of these, each
/// member verifies each signature, of the slower scheme.
pub(crate) fn brief(log: &Log, protocol: Protocol, seeds: u64) -> Outcome<String> {
    let simulator = crate::build::binary(log, protocol.binary())?;
    let runs = |args: &[&str]| -> Outcome<String> {
        let output = log.run(Command::new(&simulator).args(args))?;
        Ok(output.lines().last().unwrap_or_default().to_owned())
    };
    let full = (seeds / 8).to_string();
    let full = match protocol {
        // Seven members exchange five times as many messages.
        Protocol::Abft => runs(&["--seeds", &full, "--nodes", "4"])?,
        Protocol::Jolteon | Protocol::Gosig => runs(&["--seeds", &full])?,
    };
    let short = runs(&["--sweep", "--seeds", &(9 * seeds).to_string()])?;
    Ok(format!("full: {full}; short: {short}"))
}
