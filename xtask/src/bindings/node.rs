//! The npm package `quorate`: the native half is built where the package looks for it, then Node tests it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::process::{Outcome, is_there, output_of};
use crate::steps::{Log, Steps};
use crate::{environment, npm, workspace};

/// The oldest release line of Node that the package supports.
const OLDEST: u32 = 20;

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
        Ok(format!("{} tests, types checked, {}", passed.unwrap_or("no").trim(), tools(log)?))
    });
}

/// Node and npm, installed on Debian where they are missing; answers with Node's version.
pub(crate) fn tools(log: &Log) -> Outcome<String> {
    static FOUND: OnceLock<String> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    // One after the other: some packages of Node bring npm, and conflict with Debian's.
    for (tool, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !is_there(tool) {
            environment::install(log, &[package])?;
        }
    }
    let version = output_of(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= OLDEST => Ok(FOUND.get_or_init(|| format!("node {version}")).clone()),
        _ => Err(format!("missing: Node {OLDEST} or newer with npm; found `{version}`")),
    }
}

/// Builds the native half and puts it where `lib/native.js` looks.
pub(crate) fn build(log: &Log) -> Outcome {
    tools(log)?;
    workspace::libraries(log)?;
    // A library that a running process has loaded is not written into, but replaced.
    let place = package().join(library_name()?);
    let _ = fs::remove_file(&place);
    workspace::copy(&workspace::library("debug", "quorate-napi"), &place)
}

/// What the native half is called on this machine.
pub(crate) fn library_name() -> Outcome<String> {
    let name = "const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;\
                console.log(`quorate.${process.platform}-${process.arch}${musl ? '-musl' : ''}.node`)";
    output_of(Command::new("node").args(["--eval", name])).ok_or_else(|| "node does not run".to_owned())
}

/// The package's folder.
pub(crate) fn package() -> PathBuf {
    workspace::root().join("bindings/node")
}
