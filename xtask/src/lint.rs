//! Checks of the source that run none of it.

use std::env;
use std::path::Path;
use std::process::Command;

use clap::Args;
use serde_json::{Value, json};

use crate::documents::CommandLine;
use crate::process::{Outcome, output_of};
use crate::steps::Steps;
use crate::{documents, environment, release, structure, workspace};

/// Checks format, structure, dependencies, clippy, documentation, and the links of the documents.
///
/// The rules for dependencies are in `deny.toml`. The advisories about them are checked where their database can be fetched;
/// the step's line says if it cannot.
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
    steps.add("dependencies", release::policy::check);
    steps.add("clippy", |log| {
        let mut cargo = checking("clippy");
        log.run(cargo.args(["--all-targets", "--", "-D", "warnings"])).map(|_| "no warnings".to_owned())
    });
    steps.add("documentation", |log| {
        let mut cargo = checking("doc");
        reuse_checks_of_clippy(cargo.arg("--no-deps"))?;
        log.run(cargo.env("RUSTDOCFLAGS", "-D warnings")).map(|_| "no warnings".to_owned())
    });
    steps.add("documents", move |_| documents::check(xtask, None));
}

/// A command of cargo that checks the workspace. It leaves out one program, which calls one function: the compiler needs a
/// minute for the borrows of that function's crate.
fn checking(subcommand: &str) -> Command {
    let mut cargo = workspace::cargo();
    cargo.args([subcommand, "--workspace", "--exclude", "uniffi-bindgen", "--features", workspace::FEATURES]);
    cargo
}

/// Lets cargo find the crates as the step "clippy" checked them, instead of checking them again: with the same features,
/// compiler and arguments. If they differ in another version of clippy, the step only takes longer.
fn reuse_checks_of_clippy(cargo: &mut Command) -> Outcome {
    // Without a target that has test dependencies, cargo leaves out their features. Naming some targets excludes the others,
    // so all are named.
    cargo.args(["--lib", "--examples"]);
    for name in documented_programs(&workspace::metadata(false)?) {
        cargo.args(["--bin", &name]);
    }
    let Some(sysroot) = output_of(Command::new("rustc").args(["--print", "sysroot"])) else { return Ok(()) };
    let driver =
        Path::new(sysroot.trim()).join("bin").join(format!("clippy-driver{}", env::consts::EXE_SUFFIX));
    if driver.exists() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", driver);
        cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    }
    Ok(())
}

/// The programs whose manifest does not exclude them from the documentation.
fn documented_programs(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let programs = targets.filter(|target| target["kind"] == json!(["bin"]) && target["doc"] == true);
    programs.filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_share_a_librarys_name_are_left_out() {
        let found = documented_programs(&workspace::metadata(false).unwrap());
        assert!(found.contains(&"xtask".to_owned()), "{found:?}");
        assert!(!found.contains(&"quorate-broadcast".to_owned()), "{found:?}");
    }
}
