//! Faults of real validators, in random order.

use std::path::PathBuf;
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::process::{Outcome, replace_process};
use crate::test_programs::TestProgram;
use crate::workspace;

/// Names of the faults, as the test program knows them.
const FAULTS: [&str; 12] = [
    "kill",
    "kill-two",
    "kill-all",
    "stop",
    "pause",
    "rollback",
    "wipe",
    "wipe-state",
    "full-disk",
    "slow-disk",
    "torn-write",
    "clock",
];

/// The end of the help, which explains a run.
const HELP: &str = "\
Four validator processes run under load. A cycle is one fault of one or more of them, and ends when all participate and \
commit again. After every tenth cycle, and at the end, each transaction that a validator acknowledged must be on all four, at \
the same height. The run fails if one is missing, if states differ, or if a validator finds two contradicting signatures or \
commits. Then the directory with all data and logs is left, and the command is printed that applies the same faults again.

Ctrl-C ends the run after the present cycle, with the comparison; a second one ends it at once. For Linux; `cc` compiles the \
library that makes the faults of disk and clock. `cargo xtask test` applies each fault once.

Faults:
  kill, kill-two, kill-all  SIGKILL, sometimes again during the recovery
  stop                      SIGTERM, sometimes with a power failure in the meantime
  pause                     SIGSTOP for some blocks
  rollback                  an older copy of the data directory; not with abft
  wipe                      one start with an empty data directory, which the validator must refuse
  wipe-state                the state is deleted, and the chain executed again
  full-disk, slow-disk      no space on the disk; 50 to 200 ms more for each fsync
  torn-write                a power failure in the middle of a write, sometimes twice
  clock                     two to five seconds ahead or behind for one run of the process

Examples:
  cargo xtask torture --protocol gosig --cycles 20
  cargo xtask torture --protocol jolteon --fault torn-write --fault kill-all
  cargo xtask torture --seed 7       (other faults and victims, in another order)";

/// Applies faults in random order to real validators under load.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct TortureArgs {
    /// The protocol of the chain.
    #[arg(long, value_enum, default_value_t = TorturedProtocol::All)]
    protocol: TorturedProtocol,
    /// Number of faults, for each protocol.
    #[arg(long, default_value_t = 500)]
    cycles: u64,
    /// Selects the order, the victims and the extent of the faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this fault; may be repeated.
    #[arg(long, value_name = "FAULT", value_parser = FAULTS, hide_possible_values = true)]
    fault: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TorturedProtocol {
    Jolteon,
    Gosig,
    Abft,
    /// One after the other.
    All,
}

impl TorturedProtocol {
    fn name(self) -> &'static str {
        match self {
            Self::Jolteon => "jolteon",
            Self::Gosig => "gosig",
            Self::Abft => "abft",
            Self::All => "all",
        }
    }
}

pub(crate) fn run(args: &TortureArgs) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Err("`cargo xtask torture` needs Linux: it loads a library into the validators".to_owned());
    }
    let mut command = Command::new(program()?);
    command.args(["--exact", "random_faults", "--ignored", "--nocapture"]);
    command.env("QUORATE_TORTURE_PROTOCOL", args.protocol.name());
    command.env("QUORATE_TORTURE_CYCLES", args.cycles.to_string());
    command.env("QUORATE_TORTURE_SEED", args.seed.to_string());
    command.env("QUORATE_TORTURE_FAULTS", args.fault.join(","));
    // The program itself handles Ctrl-C; cargo between the two would not.
    replace_process(&mut command)
}

/// Compiles the validator and the test program with optimisation.
fn program() -> Outcome<PathBuf> {
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--release", "--package", "quorate-validator", "--test", "torture", "--no-run"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let output = cargo.stderr(std::process::Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let program = messages.lines().filter_map(TestProgram::parse).next_back();
    program
        .map(|program| program.program)
        .ok_or_else(|| "cargo compiled no test program `torture`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_explains_all_faults() {
        let listed = HELP.split_once("Faults:").and_then(|(_, rest)| rest.split_once("Examples:")).unwrap().0;
        let names = listed.lines().filter_map(|line| line.get(..28)).flat_map(|names| names.split(", "));
        let names: Vec<_> = names.map(str::trim).filter(|name| !name.is_empty()).collect();
        assert_eq!(names, FAULTS);
    }
}
