#![forbid(unsafe_code)]
//! `cargo xtask …`: every command a contributor needs, in one place. Each does its own set-up and says what is
//! missing where it cannot. Written for Unix: Linux and macOS.

mod audited_redis;
mod bench;
mod bindings;
mod broadcast;
mod coverage;
mod debian;
mod documents;
mod environment;
mod ethereum;
mod fuzz;
mod lint;
mod markdown;
mod msrv;
mod npm;
mod package;
mod process;
mod simulate;
mod stamp;
mod steps;
mod structure;
mod targets;
mod test;
mod threshold_signing;
mod tla;
mod vectors;
mod wasm;
mod watch;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The commands of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, max_term_width = 100)]
#[command(
    after_help = "Start with `cargo xtask test --quick`; `cargo xtask <command> --help` explains each."
)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Runs everything that must hold before a change goes in.
    Test(test::Options),
    /// Checks format, structure, lints and documentation: everything that needs no test run.
    Lint(lint::Options),
    /// Measures what the README and the report state, against whom it is stated.
    Bench(bench::Options),
    /// Builds the packages that users install.
    Package(package::Options),
    /// Coverage-guided fuzzing with libFuzzer, on stable Rust.
    Fuzz(fuzz::Options),
    /// The test vectors of `spec/`: checks them against the Python model, or writes them anew.
    Vectors(vectors::Options),
    /// What of the core each binding offers.
    Coverage(coverage::Options),
    /// Runs a protocol in the deterministic simulator, one run per seed.
    Simulate(simulate::Options),
    /// Builds the page on which validators agree, and serves it on this machine.
    Web(web::Options),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Task::Test(options) => test::run(&options),
        Task::Lint(options) => lint::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Package(options) => package::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Vectors(options) => vectors::run(&options),
        Task::Coverage(options) => coverage::run(&options),
        Task::Simulate(options) => simulate::run(&options),
        Task::Web(options) => web::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
