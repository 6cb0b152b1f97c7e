//! The command line.

mod bench;
mod call;
mod common;
mod front;
mod sidecar;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quorate_audit::cli::{AuditArgs, CheckProofArgs, KeygenArgs, ProveArgs};
use quorate_audited_redis::REDIS;
use quorate_audited_redis::failure::{Exit, Failure};
use quorate_support::errln;

use common::Outcome;

/// An audited Redis: each command is signed by its client, logged before it is executed, and can be proven to third
/// parties.
///
/// Make a key (`keygen`), add it to the front's configuration, start the front before your redis-server (`front`),
/// and send commands (`call`), or let any Redis client send them (`sidecar`). Later verify the log offline
/// (`audit`), or extract one operation as a proof for a third party (`prove`, `check-proof`).
#[derive(Debug, Parser)]
#[command(name = "audited-redis", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Keygen(KeygenArgs),
    Front(front::FrontArgs),
    Call(call::CallArgs),
    Sidecar(sidecar::SidecarArgs),
    Audit(AuditArgs),
    Prove(ProveArgs),
    CheckProof(CheckProofArgs),
    Bench(bench::BenchArgs),
}

/// Runs the command line and returns the exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Keygen(command) => command.run(&REDIS),
        Command::Front(command) => in_runtime(command.run()),
        Command::Call(command) => in_runtime(command.run()),
        Command::Sidecar(command) => in_runtime(command.run()),
        Command::Audit(command) => command.run(&REDIS),
        Command::Prove(command) => command.run(&REDIS),
        Command::CheckProof(command) => command.run(&REDIS),
        Command::Bench(command) => command.run(),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            errln!("{} {failure}", quorate_support::terminal::red("audited-redis:"));
            failure.exit.into()
        }
    }
}

fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::failed(format!("starting: {error}")))?.block_on(work)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
