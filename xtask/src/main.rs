#![forbid(unsafe_code)]
//! `cargo xtask …`: the commands for contributors. Each installs the tools that it needs, or names the missing ones.
//! For Unix: Linux and macOS.

mod audited_redis;
mod bench;
mod bindings;
mod broadcast;
mod build;
mod changed;
mod coverage;
mod debian;
mod documents;
mod environment;
mod ethereum;
mod figures;
mod fingerprint;
mod fuzz;
mod lint;
mod markdown;
mod msrv;
mod npm;
mod package;
mod process;
mod processor;
mod release;
mod server;
mod simulate;
mod site;
mod steps;
mod structure;
mod targets;
mod test;
mod test_programs;
mod threshold_signing;
mod tla;
mod toolchain;
mod torture;
mod vectors;
mod wasm;
mod watch;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// The commands of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, max_term_width = 100)]
#[command(
    after_help = "Start with `cargo xtask test --changed`; `cargo xtask <command> --help` explains each."
)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Runs all checks and tests, or those that a change can affect.
    Test(test::TestArgs),
    /// Checks format, structure, lints and documentation: everything that needs no test run.
    Lint(lint::LintArgs),
    /// Measures the figures of the README and the report.
    Bench(bench::BenchArgs),
    /// Builds the packages for users.
    Package(package::PackageArgs),
    /// Builds everything of a release, for all platforms, and uses it there. Nothing is published.
    Release(release::ReleaseArgs),
    /// Runs coverage-guided fuzzing with libFuzzer, on stable Rust.
    Fuzz(fuzz::FuzzArgs),
    /// Checks the test vectors of `spec/` against the Python model, or writes them.
    Vectors(vectors::VectorsArgs),
    /// Checks the TLA+ models of `spec/tla` with TLC.
    Tla(tla::TlaArgs),
    /// Compares the items of the core with those of each binding.
    Coverage(coverage::CoverageArgs),
    /// Runs a protocol in the deterministic simulator, one run per seed.
    Simulate(simulate::SimulateArgs),
    /// Applies faults in random order to real validators under load.
    Torture(torture::TortureArgs),
    /// Builds the page with the simulated validator network, and serves it on this machine.
    Web(web::WebArgs),
    /// Builds the site of guides, specification and API references, and checks its links.
    Docs(site::DocsArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Task::Test(args) => test::run(&args, Cli::command),
        Task::Lint(args) => lint::run(&args, Cli::command),
        Task::Bench(args) => bench::run(&args),
        Task::Package(args) => package::run(&args),
        Task::Release(args) => release::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Vectors(args) => vectors::run(&args),
        Task::Tla(args) => tla::run(&args),
        Task::Coverage(args) => coverage::run(&args),
        Task::Simulate(args) => simulate::run(&args),
        Task::Torture(args) => torture::run(&args),
        Task::Web(args) => web::run(&args),
        Task::Docs(args) => site::run(&args),
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
    use super::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
