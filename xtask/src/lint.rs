//! Checks of the source that run none of it.

use clap::Args;

use crate::documents::CommandLine;
use crate::process::Outcome;
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
        log.run(cargo.env("RUSTDOCFLAGS", "-D warnings")).map(|_| "no warnings".to_owned())
    });
    steps.add("documents", move |_| documents::check(xtask, None));
}
