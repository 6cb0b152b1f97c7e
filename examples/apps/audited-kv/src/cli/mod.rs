//! The command line.

mod answers;
mod call;
mod workload;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quorate_audit::cli::{AuditArgs, CheckProofArgs, KeygenArgs, ProveArgs};
use quorate_audit::failure::Exit;
use quorate_audited_kv::command::Store;
use quorate_audited_kv::{EXAMPLE, KV};
use quorate_service::cli::{BenchArgs, ServeArgs, serve_help};
use quorate_support::errln;

/// An audited key-value store: each request is signed by its client, logged before it is executed, and can be proven to
/// third parties.
///
/// Make a key (`keygen`), add it to the server's configuration, start the server (`serve`), and send requests (`call`). Later
/// verify the log offline (`audit`), compare a client's answers with it (`check-answers`), or extract one request as a proof
/// for a third party (`prove`, `check-proof`).
#[derive(Debug, Parser)]
#[command(name = "audited-kv", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Keygen(KeygenArgs),
    #[command(after_long_help = serve_help(EXAMPLE))]
    Serve(ServeArgs),
    Call(call::CallArgs),
    Audit(AuditArgs),
    CheckAnswers(answers::CheckAnswersArgs),
    Prove(ProveArgs),
    CheckProof(CheckProofArgs),
    Bench(BenchArgs),
}

/// Runs the command line and returns the exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Keygen(command) => command.run(&KV),
        Command::Serve(command) => command.run::<Store>(),
        Command::Call(command) => command.run(),
        Command::Audit(command) => command.run(&KV),
        Command::CheckAnswers(command) => command.run(),
        Command::Prove(command) => command.run(&KV),
        Command::CheckProof(command) => command.run(&KV),
        Command::Bench(command) => command.run::<Store>(workload::WORKLOAD, workload::workload),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            errln!("{} {failure}", quorate_support::terminal::red("audited-kv:"));
            failure.exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
