//! The command line.

mod check_evidence;
mod common;
mod deal;
mod demo;
mod group;
mod keys;
mod serve;
mod sign;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quorate_support::errln;
use quorate_threshold_signing::failure::{Exit, Failure};

use common::Outcome;

/// Threshold signing: 3 of 4 parties, or 5 of 7, make a signature that any ECDSA library verifies; fewer cannot. No
/// party has the key.
///
/// Begin with `threshold-signing demo`: it starts four parties as processes, signs, verifies with OpenSSL, and
/// shows a party that sends invalid shares and a party that is killed.
///
/// Without the demonstration, each party and each requester makes its keys (`keys`), one of them joins the public
/// files (`group`), a dealer that all parties trust deals once, offline (`deal`), each party serves (`serve`), and a
/// requester asks for signatures (`sign`).
#[derive(Debug, Parser)]
#[command(name = "threshold-signing", version, after_long_help = Exit::help(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Keys(keys::KeysArgs),
    Group(group::GroupArgs),
    Deal(deal::DealArgs),
    Serve(serve::ServeArgs),
    Sign(sign::SignArgs),
    Verify(verify::VerifyArgs),
    CheckEvidence(check_evidence::CheckEvidenceArgs),
}

/// Runs the command line and returns the exit code.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Demo(command) => in_runtime(command.run()),
        Command::Keys(command) => command.run(),
        Command::Group(command) => command.run(),
        Command::Deal(command) => command.run(),
        Command::Serve(command) => in_runtime(command.run()),
        Command::Sign(command) => in_runtime(command.run()),
        Command::Verify(command) => command.run(),
        Command::CheckEvidence(command) => command.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            errln!("{} {failure}", quorate_support::terminal::red("threshold-signing:"));
            failure.exit.into()
        }
    }
}

fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("starting: {error}")))?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_background();
    outcome
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
