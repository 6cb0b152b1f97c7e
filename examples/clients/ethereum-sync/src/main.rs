//! The binary `ethereum-sync`: an Ethereum light client's checks on files. `README.md` is the tour.
#![forbid(unsafe_code)]

mod beacon;
mod client;
mod cost;
mod exit;
mod generate;
mod network;
mod ssz;
mod text;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exit::{Exit, Failure};

/// Checks Ethereum light-client data: who signed, with 512 keys at once, and what that proves.
///
/// A sync committee of 512 validators signs the head of Ethereum's chain in every slot for 27 hours, and names its
/// successor. Whoever knows one committee, from a block whose root they trust, can follow the chain with a signature
/// check now and then. Begin with `ethereum-sync generate --out demo` and the command that it prints.
#[derive(Debug, Parser)]
#[command(name = "ethereum-sync", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::Verify),
    /// Makes a network's light-client data from a seed, to try the rest with.
    Generate(generate::Generate),
    Cost(cost::Cost),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Verify(command) => return finish(command.run()),
        Command::Generate(command) => command.run(),
        Command::Cost(command) => command.run(),
    };
    finish(outcome.map(|lines| (lines, None)))
}

/// Prints, whoever may have stopped to read, and gives the exit code.
fn finish(outcome: Result<(Vec<String>, Option<Failure>), Failure>) -> ExitCode {
    let (lines, failure) = match outcome {
        Ok((lines, failure)) => (lines, failure),
        Err(failure) => (Vec::new(), Some(failure)),
    };
    for line in lines {
        let _ = writeln!(std::io::stdout(), "{line}");
    }
    match failure {
        None => ExitCode::SUCCESS,
        Some(failure) => {
            let _ = writeln!(std::io::stderr(), "ethereum-sync: {failure}");
            failure.exit.into()
        }
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
