//! Binary `quorate-broadcast`: members that broadcast, and their latency. See `README.md`.
#![forbid(unsafe_code)]

mod bench;
mod check_evidence;
mod driver;
mod event;
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
use exit::{Exit, Failure};
use quorate_support::errln;

/// Consistent broadcast: a sender cannot make two members deliver different messages.
///
/// Each member signs one attestation per slot (a sender and a sequence number) and delivers a message when a quorum
/// has attested it. Four members tolerate one Byzantine member and prove its equivocation. Signatures are Ed25519 or
/// DSig; DSig signs and verifies in microseconds, because keys are announced in advance. Measure both with `bench`.
///
/// Start with `quorate-broadcast bench`. To run members as processes, create a group with `init` and start each
/// member with `run`. `check-evidence` verifies evidence against a member. `simulate` searches for runs that violate
/// the guarantees.
#[derive(Debug, Parser)]
#[command(name = "quorate-broadcast", version, after_long_help = Exit::help(), max_term_width = 100)]
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
            errln!("quorate-broadcast: {failure}");
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
