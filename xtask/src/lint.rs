//! Checks of the source that run none of it.

use std::env;
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::documents::CommandLine;
use crate::process::{Outcome, output_of};
use crate::steps::Steps;
use crate::{documents, environment, structure, workspace};

/// Checks format, structure, clippy, documentation, and the links of the documents.
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Formats the code first.
    #[arg(long)]
    fix: bool,
    /// Only prints the violations of the structure rules and the circles of files.
    #[arg(long, conflicts_with = "fix")]
    structure: bool,
}

pub(crate) fn run(args: &LintArgs, xtask: CommandLine) -> Outcome {
    if args.structure {
        println!("{}", structure::report()?);
        return Ok(());
    }
    if args.fix {
        crate::process::run_in_terminal(workspace::cargo().args(["fmt", "--all"]))?;
    }
    let mut steps = Steps::default();
    steps.add("environment", environment::prepare);
    add_to(&mut steps, xtask);
    steps.run("lint steps")
}

/// Adds the lint steps to a list.
pub(crate) fn add_to(steps: &mut Steps, xtask: CommandLine) {
    steps.add("format", |log| {
        log.run(workspace::cargo().args(["fmt", "--all", "--check"]))
            .map(|_| String::new())
            .map_err(|e| format!("{e}\nrun `cargo xtask lint --fix`"))
    });
    steps.add("structure", |_| structure::check());
    steps.add("clippy", |log| {
        let mut cargo = workspace::cargo();
        cargo.args(["clippy", "--workspace", "--all-targets", "--features", workspace::FEATURES]);
        log.run(cargo.args(["--", "-D", "warnings"])).map(|_| "no warnings".to_owned())
    });
    steps.add("documentation", |log| {
        let mut cargo = workspace::cargo();
        cargo.args(["doc", "--workspace", "--no-deps", "--features", workspace::FEATURES]);
        reuse_checks_of_clippy(&mut cargo);
        log.run(cargo.env("RUSTDOCFLAGS", "-D warnings")).map(|_| "no warnings".to_owned())
    });
    steps.add("documents", move |_| documents::check(xtask, None));
}

/// Lets cargo find the workspace's crates as the step "clippy" checked them, instead of checking them again: with the same
/// compiler and arguments. If they differ in another version of clippy, the step only takes longer.
fn reuse_checks_of_clippy(cargo: &mut Command) {
    let Some(sysroot) = output_of(Command::new("rustc").args(["--print", "sysroot"])) else { return };
    let driver =
        Path::new(sysroot.trim()).join("bin").join(format!("clippy-driver{}", env::consts::EXE_SUFFIX));
    if driver.exists() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", driver);
        cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    }
}
