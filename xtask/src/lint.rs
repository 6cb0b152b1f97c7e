//! What can be said about the code without running it.

use clap::Args;

use crate::process::Outcome;
use crate::steps::Steps;
use crate::{documents, environment, structure, workspace};

/// Format, dependency direction, clippy, documentation and the documents' links.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Reformat the code instead of complaining about it.
    #[arg(long)]
    fix: bool,
    /// Only print the violations of the structure rules and the circles of files, and exit.
    #[arg(long, conflicts_with = "fix")]
    structure: bool,
}

pub(crate) fn run(options: &Options) -> Outcome {
    if options.structure {
        println!("{}", structure::report()?);
        return Ok(());
    }
    if options.fix {
        crate::process::loud(workspace::cargo().args(["fmt", "--all"]))?;
    }
    let mut steps = Steps::default();
    steps.add("environment", environment::prepare);
    add_to(&mut steps);
    steps.run("lint steps")
}

/// Adds the lint steps to a list.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("format", |log| {
        log.run(workspace::cargo().args(["fmt", "--all", "--check"]))
            .map(|_| String::new())
            .map_err(|e| format!("{e}\nrun `cargo xtask lint --fix`"))
    });
    steps.add("structure", |_| structure::check());
    steps.add("clippy", |log| {
        log.run(workspace::cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            workspace::FEATURES,
            "--",
            "-D",
            "warnings",
        ]))
        .map(|_| "no warnings".to_owned())
    });
    steps.add("documentation", |log| {
        log.run(
            workspace::cargo()
                .args(["doc", "--workspace", "--no-deps", "--features", workspace::FEATURES])
                .env("RUSTDOCFLAGS", "-D warnings"),
        )
        .map(|_| "no broken link, nothing undocumented".to_owned())
    });
    steps.add("documents", |_| documents::check(None));
}
