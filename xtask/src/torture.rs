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

/// Names of the attacks, as the test program knows them.
const ATTACKS: [&str; 11] = [
    "garbage",
    "replay",
    "flood",
    "stalled-reads",
    "half-frames",
    "votes",
    "proposals",
    "batches",
    "members",
    "archive",
    "reconnect",
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

With `--hostile`, the fourth validator stops, and a program with its keys attacks the other three. The median latency from \
submission to commit at the three must be at most twice the base: that without a fourth validator, measured before and after \
each attack. The program uses at most a quarter of one processor, and a thread spins for what it does not use, in the base too. \
The memory of the three may grow by the sum of the limits for one peer, 368 MiB. At the end their states must be equal and each \
acknowledged transaction on all of them, and no fault or evidence may name another than the fourth.

Attacks:
  garbage        frames that are no messages, of every size, on both lanes
  replay         all received frames again: whole, truncated, extended, on the other lane
  flood          valid messages that cost their sender nothing
  stalled-reads  requests whose answers the member does not read
  half-frames    halves of handshakes and of frames, then silence
  votes          contradicting, forged and premature votes; with gosig signatures that cancel each other
  proposals      two proposals for each view that it leads; with jolteon
  batches        the most and largest batches that the protocol allows; with gosig transactions; not with abft
  members        transactions that look like changes of the members; with gosig
  archive        requests for old blocks, as fast as they are answered
  reconnect      handshakes without end

Examples:
  cargo xtask torture --hostile --protocol jolteon
  cargo xtask torture --hostile --attack flood --attack archive --seconds 20
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
    /// A hostile validator with a valid key, in place of faults of processes and disks.
    #[arg(long, conflicts_with_all = ["cycles", "seed", "fault"])]
    hostile: bool,
    /// Only this attack; may be repeated.
    #[arg(long, value_name = "ATTACK", requires = "hostile", value_parser = ATTACKS, hide_possible_values = true)]
    attack: Vec<String>,
    /// Length of each of the windows, of which an attack has three, in seconds.
    #[arg(long, default_value_t = 5, requires = "hostile", value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
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
    let test = if args.hostile { "hostile_member" } else { "random_faults" };
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.env("QUORATE_TORTURE_PROTOCOL", args.protocol.name());
    command.env("QUORATE_TORTURE_CYCLES", args.cycles.to_string());
    command.env("QUORATE_TORTURE_SEED", args.seed.to_string());
    command.env("QUORATE_TORTURE_FAULTS", args.fault.join(","));
    command.env("QUORATE_TORTURE_ATTACKS", args.attack.join(","));
    command.env("QUORATE_TORTURE_SECONDS", args.seconds.to_string());
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

    /// The names in the first column of a section of the help.
    fn listed(begin: &str, end: &str, width: usize) -> Vec<&'static str> {
        let listed = HELP.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).unwrap().0;
        let names = listed.lines().filter_map(|line| line.get(..width)).flat_map(|names| names.split(", "));
        names.map(str::trim).filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn the_help_explains_all_faults_and_attacks() {
        assert_eq!(listed("Faults:", "With `--hostile`", 28), FAULTS);
        assert_eq!(listed("Attacks:", "Examples:", 17), ATTACKS);
    }
}
