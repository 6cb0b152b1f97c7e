//! The npm package `quorate`: builds its native library, then runs its tests in Node.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::javascript;
use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::{npm, workspace};

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("node binding", |log| {
        build(log)?;
        npm::install(log, &package())?;
        let run = |script| log.run(Command::new("npm").current_dir(package()).args(["run", script]));
        let tests = run("test")?;
        run("types")?;
        let passed =
            tests.lines().find_map(|line| line.trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("pass "));
        Ok(format!("{} tests, types checked, {}", passed.unwrap_or("no").trim(), npm::tools(log)?))
    });
}

/// Builds the native library and copies it to where `lib/native.js` expects it.
pub(crate) fn build(log: &Log) -> Outcome {
    npm::tools(log)?;
    crate::build::libraries(log)?;
    javascript::node(log)?;
    // Replaces the file: a running process may have loaded the old one.
    let place = package().join(library_name()?);
    let _ = fs::remove_file(&place);
    workspace::copy(&crate::build::library("debug", "quorate-napi"), &place)
}

/// File name of the native library on this machine.
pub(crate) fn library_name() -> Outcome<String> {
    let name = "const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;\
                console.log(`quorate.${process.platform}-${process.arch}${musl ? '-musl' : ''}.node`)";
    output_of(Command::new("node").args(["--eval", name])).ok_or_else(|| "node does not run".to_owned())
}

/// The package's folder.
pub(crate) fn package() -> PathBuf {
    workspace::root().join("bindings/node")
}
