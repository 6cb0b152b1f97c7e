//! The binary `quorate`: runs testnets and validators, and is a client of both.
#![forbid(unsafe_code)]

mod api;
mod chain;
mod commands;
mod exit;
mod handbook;
mod load;
mod log_format;
#[cfg(test)]
mod operations;
mod protocols;
mod responses;
mod target;
mod testnet;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exit::{Exit, Failure};
use quorate_support::errln;

/// A validator network that commits transactions on BLS quorum certificates.
///
/// Start with `quorate testnet`: four validators on this machine, under load. While it runs, submit a transaction of
/// your own from another terminal with `quorate submit --wait "put greeting hello"`, and read it back with
/// `quorate get --key greeting`.
///
/// For validators on several machines: `keygen` on each, `genesis` on one, `run` on each. Later, `member` lets
/// validators join and leave.
#[derive(Debug, Parser)]
#[command(name = "quorate", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Testnet(testnet::RunTestnet),
    Keygen(commands::keygen::Keygen),
    Key(commands::key::Key),
    Genesis(commands::genesis::MakeGenesis),
    Presignatures(commands::presignatures::DealPresignatures),
    Join(commands::join::Join),
    Run(commands::run::Run),
    Signer(commands::signer::RunSigner),
    Doctor(commands::doctor::Doctor),
    Evidence(commands::evidence::VerifyEvidence),
    Explain(commands::explain::Explain),
    Member(commands::member::Members),
    Submit(commands::submit::Submit),
    Get(commands::get::Get),
    Export(commands::export::Export),
    Verify(commands::verify::Verify),
    Status(commands::status::ShowStatus),
    Bench(commands::bench::Bench),
    TuneErasure(commands::tune_erasure::TuneErasure),
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                errln!("quorate: {failure}");
            }
            failure.exit().into()
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => command.run(),
        Command::Key(command) => command.run(),
        Command::Genesis(command) => command.run(),
        Command::Presignatures(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Evidence(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Join(command) => on_one_thread(command.run()),
        Command::Signer(command) => on_one_thread(command.run()),
        Command::Doctor(command) => on_one_thread(command.run()),
        Command::Testnet(command) => on_one_thread(command.run()),
        Command::Member(command) => on_one_thread(command.run()),
        Command::Submit(command) => on_one_thread(command.run()),
        Command::Get(command) => on_one_thread(command.run()),
        Command::Export(command) => on_one_thread(command.run()),
        Command::Status(command) => on_one_thread(command.run()),
        Command::Bench(command) => on_one_thread(command.run()),
        Command::TuneErasure(command) => on_one_thread(command.run()),
    }
}

/// Runs a client command on one thread, which leaves the other processors to the validators.
fn on_one_thread(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Failed, format!("cannot start: {error}")))?;
    runtime.block_on(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
