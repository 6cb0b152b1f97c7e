//! The vectors of `spec/`: an independent model in Python writes them, the Rust tests read them.

use std::process::Command;

use clap::Args;

use crate::process::{Outcome, loud};
use crate::stamp::Stamp;
use crate::steps::Log;
use crate::workspace;

/// Checks that the Python model still produces exactly the vectors in spec/vectors (the default), or writes them.
///
/// The Rust side of the comparison is in core/tests and runs with `cargo xtask test`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write the vectors anew instead of checking them. Read the diff: each line of it is a change of format.
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Check the vectors; what happens without any option.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(options: &Options) -> Outcome {
    loud(&mut model(if options.write { "--write" } else { "--check" }))
}

/// When model and vectors last agreed.
const AGREED: Stamp =
    Stamp { name: "vectors-agree", of: &["spec/model", "spec/vectors", "spec/conformance.json"] };

/// The step of `cargo xtask test`.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let output = log.run(&mut model("--check"))?;
    AGREED.set()?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}

/// The same for daily work: the model takes a minute or two.
pub(crate) fn check_if_changed(log: &Log) -> Outcome<String> {
    if AGREED.holds() {
        return Ok("nothing changed since model and vectors agreed".to_owned());
    }
    check(log)
}

fn model(mode: &str) -> Command {
    let mut command = Command::new("python3");
    command.current_dir(workspace::root().join("spec")).args(["-m", "model", mode]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
