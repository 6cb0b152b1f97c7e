//! The vectors of `spec/`: an independent model in Python writes them, the Rust tests read them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use sha2::{Digest, Sha256};

use crate::process::{Outcome, loud};
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

/// The step of `cargo xtask test`.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let output = log.run(&mut model("--check"))?;
    fs::write(stamp(), contents()?).map_err(|e| format!("{}: {e}", stamp().display()))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}

/// The same for daily work: the model takes most of a minute, and its answer depends on the files in spec/ alone.
pub(crate) fn check_if_changed(log: &Log) -> Outcome<String> {
    if fs::read_to_string(stamp()).is_ok_and(|last| contents().is_ok_and(|now| now == last)) {
        return Ok("nothing changed since model and vectors agreed".to_owned());
    }
    check(log)
}

/// What the files were when they last agreed.
fn stamp() -> PathBuf {
    workspace::target("xtask/vectors-agree")
}

/// A hash of the model and of the vectors.
fn contents() -> Outcome<String> {
    let mut files = Vec::new();
    for folder in ["spec/model", "spec/vectors"] {
        list(&workspace::root().join(folder), &mut files)?;
    }
    files.sort();
    let mut all = Sha256::new();
    for file in files {
        all.update(Sha256::digest(file.to_string_lossy().as_bytes()));
        all.update(Sha256::digest(fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?));
    }
    Ok(hex::encode(all.finalize()))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn model(mode: &str) -> Command {
    let mut command = Command::new("python3");
    command.current_dir(workspace::root().join("spec")).args(["-m", "model", mode]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
