//! The binary `quorate-broadcast`: members that broadcast, and how long that takes. `README.md` is the tour.
#![forbid(unsafe_code)]

mod bench;
mod check_evidence;
mod driver;
mod evidence;
mod exit;
mod group;
mod group_args;
mod inbox;
mod init;
mod member;
mod run;
mod signer;
mod simulate;
mod store;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exit::Failure;
use quorate_support::tell;

/// Consistent broadcast: a sender cannot tell two members two things.
///
/// A member signs that it has a message, once for each of a sender's numbers, and delivers it when a quorum has signed
/// the same. With four members one may lie, and be caught. Signatures are Ed25519's, or DSig's, which take a
/// microsecond because their keys are announced before; `bench` shows what that is worth here.
///
/// Begin with `quorate-broadcast bench`. To run members as processes, make a group with `init` and start each with
/// `run`; `check-evidence` shows anybody that a member lied. `simulate` looks for a run in which what is promised does not hold.
#[derive(Debug, Parser)]
#[command(name = "quorate-broadcast", version, after_long_help = exit::HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Run(run::RunArgs),
    CheckEvidence(check_evidence::CheckEvidenceArgs),
    Bench(bench::BenchArgs),
    Simulate(simulate::SimulateArgs),
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell!("quorate-broadcast: {failure}");
            failure.exit().into()
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::CheckEvidence(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Simulate(command) => command.run(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
