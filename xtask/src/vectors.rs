//! The test vectors of `spec/`: an independent model in Python writes them, and the Rust tests read them.

use std::process::Command;

use clap::Args;

use crate::process::{Outcome, run_in_terminal};
use crate::steps::Log;
use crate::workspace;

/// Checks that the Python model produces exactly the vectors in spec/vectors (the default), or writes them.
///
/// The Rust side of the comparison is in core/tests and runs with `cargo xtask test`.
#[derive(Debug, Args)]
pub(crate) struct VectorsArgs {
    /// Writes the vectors instead of checking them. Read the diff: each line of it is a change of format.
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Checks the vectors, which is the default.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &VectorsArgs) -> Outcome {
    run_in_terminal(&mut model(if args.write { "--write" } else { "--check" }))
}

/// The step of `cargo xtask test`.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let output = log.run(&mut model("--check"))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}

fn model(mode: &str) -> Command {
    let mut command = Command::new("python3");
    command.current_dir(workspace::root().join("spec")).args(["-m", "model", mode]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
