//! Binary `replicate`: a replicated counter. See `README.md`.
#![forbid(unsafe_code)]

mod audit;
mod bench;
mod check_evidence;
mod init;
mod run;
mod signer;
mod simulate;
mod submit;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quorate_replicate::node::{Exit, Failure};
use quorate_support::errln;

/// Byzantine fault-tolerant state machine replication between processes of one host.
///
/// 3f + 1 replicas execute the operations of clients in one order, although f of them may be Byzantine. The fast path has no
/// signatures and needs all replicas; the slow path needs n − f, and signs with DSig or Ed25519.
///
/// Start with `replicate bench`. To run replicas as processes, create a group with `init`, start each replica with `run`, and
/// send operations with `submit`. `audit` verifies the records of a replica. `simulate` searches for runs that violate the guarantees.
#[derive(Debug, Parser)]
#[command(name = "replicate", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Run(run::RunArgs),
    Submit(submit::SubmitArgs),
    Audit(audit::AuditArgs),
    CheckEvidence(check_evidence::CheckEvidenceArgs),
    Bench(bench::BenchArgs),
    Simulate(simulate::SimulateArgs),
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            errln!("replicate: {failure}");
            failure.exit().into()
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Submit(command) => command.run(),
        Command::Audit(command) => command.run(),
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
