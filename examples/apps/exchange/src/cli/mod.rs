//! The command line.

mod answers;
mod audit;
mod call;
mod workload;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quorate_audit::cli::{CheckProofArgs, KeygenArgs, ProveArgs};
use quorate_audit::failure::Exit;
use quorate_exchange::book::Book;
use quorate_exchange::{EXAMPLE, EXCHANGE};
use quorate_service::cli::{BenchArgs, ServeArgs, serve_help};
use quorate_support::errln;

/// An exchange whose log proves that its limit order book followed its rules: each order is signed by its trader and logged
/// before it is matched, and each answer is signed by the exchange.
///
/// Make keys for the exchange and for the traders (`keygen`), write the configuration, start the exchange (`serve`), and send
/// orders (`call`). Later verify the log and every match offline (`audit`), compare a trader's receipts with it
/// (`check-answers`), or extract an order or an answer as a proof for a third party (`prove`, `check-proof`).
#[derive(Debug, Parser)]
#[command(name = "exchange", version, after_long_help = Exit::help(), max_term_width = 100)]
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
    Audit(audit::BookAuditArgs),
    CheckAnswers(answers::CheckAnswersArgs),
    Prove(ProveArgs),
    CheckProof(CheckProofArgs),
    Bench(BenchArgs),
}

/// Runs the command line and returns the exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Keygen(command) => command.run(&EXCHANGE),
        Command::Serve(command) => command.run::<Book>(),
        Command::Call(command) => command.run(),
        Command::Audit(command) => command.run(),
        Command::CheckAnswers(command) => command.run(),
        Command::Prove(command) => command.run(&EXCHANGE),
        Command::CheckProof(command) => command.run(&EXCHANGE),
        Command::Bench(command) => command.run::<Book>(workload::WORKLOAD, workload::workload),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            errln!("{} {failure}", quorate_support::terminal::red("exchange:"));
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
