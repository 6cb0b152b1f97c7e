//! `cargo deny` with the rules in `deny.toml`: licences, banned crates and sources, and known vulnerabilities where their
//! database can be fetched.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::workspace;

/// Newer versions may need a newer Rust.
const VERSION: &str = "0.20";

/// Checks all rules; returns a text for the step's line.
pub(super) fn check(log: &Log) -> Outcome<String> {
    let tool = tool(log)?;
    let run = |arguments: &[&str]| {
        let mut deny = Command::new(&tool);
        deny.current_dir(workspace::root()).args(["--color", "never", "--workspace"]).args(arguments);
        log.run_to_end(&mut deny)
    };
    let rules = ["check", "licenses", "bans", "sources"];
    let (refused, output) = run(&rules)?;
    if refused != Some(0) {
        return Err(format!("cargo deny refuses:\n{output}"));
    }
    let (fetched, output) = run(&["fetch", "db"])?;
    if fetched != Some(0) {
        let reason = output.lines().find(|line| line.contains("fatal") || line.contains("ERROR"));
        let reason = reason.unwrap_or("no reason was given").trim();
        return Ok(format!("licences, bans and sources; advisories NOT checked: no database ({reason})"));
    }
    match run(&["check", "advisories", "--disable-fetch"])? {
        (Some(0), _) => Ok("licences, bans, sources and advisories".to_owned()),
        (_, output) => Err(format!("cargo deny knows vulnerabilities:\n{output}")),
    }
}

/// The program, compiled below the target folder where the machine has none: that takes some minutes, once.
fn tool(log: &Log) -> Outcome<PathBuf> {
    if is_on_path("cargo-deny") {
        return Ok(PathBuf::from("cargo-deny"));
    }
    let root = workspace::target("xtask/cargo-deny");
    let program = root.join("bin/cargo-deny");
    if !program.exists() {
        let mut cargo = workspace::cargo();
        cargo.args(["install", "cargo-deny", "--version", VERSION, "--root"]).arg(&root);
        log.run(&mut cargo)
            .map_err(|e| format!("{e}\ncargo-deny cannot be compiled; install it on the path"))?;
    }
    Ok(program)
}
