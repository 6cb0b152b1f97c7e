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

/// Verify Ethereum light-client data: aggregate signatures of sync committees of 512, and the headers that they prove.
///
/// A sync committee of 512 validators signs the head of Ethereum's chain in every slot for 27 hours, and names its
/// successor. A client that knows one committee, from a block with a trusted root, can follow the chain by verifying
/// few signatures. Start with `ethereum-sync generate --out demo` and the command that it prints.
#[derive(Debug, Parser)]
#[command(name = "ethereum-sync", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::Verify),
    /// Generate a network's light-client data from a seed, for experiments.
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

/// Prints the output, ignoring a closed pipe, and returns the exit code.
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
