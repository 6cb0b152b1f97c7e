//! The npm package `quorate`: the native half is built where the package looks for it, then Node tests it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{Outcome, is_there, output_of};
use crate::steps::{Log, Steps};
use crate::{environment, workspace};

/// The oldest release line of Node that the package supports.
const OLDEST: u32 = 20;

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("node binding", |log| {
        let node = tools(log)?;
        build(log)?;
        log.run(npm().arg("ci"))?;
        let tests = log.run(npm().arg("test"))?;
        log.run(npm().args(["run", "types"]))?;
        let passed =
            tests.lines().find_map(|line| line.trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("pass "));
        Ok(format!("{} tests, types checked, {node}", passed.unwrap_or("no").trim()))
    });
}

/// Node and npm, installed on Debian where they are missing; answers with Node's version.
pub(crate) fn tools(log: &Log) -> Outcome<String> {
    let missing: Vec<&str> = [("node", "nodejs"), ("npm", "npm")]
        .iter()
        .filter(|(tool, _)| !is_there(tool))
        .map(|t| t.1)
        .collect();
    if !missing.is_empty() {
        environment::install(log, &missing)?;
    }
    let version = output_of(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= OLDEST => Ok(format!("node {version}")),
        _ => Err(format!("missing: Node {OLDEST} or newer with npm; found `{version}`")),
    }
}

/// Builds the native half and puts it where `lib/native.js` looks.
pub(crate) fn build(log: &Log) -> Outcome {
    log.run(workspace::cargo().args(["build", "--package", "quorate-napi"]))?;
    let file = format!("{}quorate_napi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = workspace::target("debug").join(file);
    // A library that a running process has loaded is not written into, but replaced.
    let place = package().join(library_name()?);
    let _ = fs::remove_file(&place);
    fs::copy(&built, &place).map(drop).map_err(|e| format!("{}: {e}", built.display()))
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

fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(package());
    command
}
