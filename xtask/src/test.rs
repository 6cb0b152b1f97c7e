//! `cargo xtask test`: all checks and tests. One target directory per toolchain and one profile, so that each crate is
//! compiled as few times as possible.

use std::process::Command;

use clap::Args;

use crate::changed::Change;
use crate::documents::CommandLine;
use crate::fingerprint::Fingerprint;
use crate::process::Outcome;
use crate::steps::{Log, Steps, tests_in};
use crate::test_programs::Repeat;
use crate::{
    audited_redis, bindings, broadcast, build, documents, environment, ethereum, fuzz, lint, msrv, package,
    simulate, targets, test_programs, threshold_signing, tla, vectors, watch, web, workspace,
};

/// Runs all checks and tests, and ends with a line `steps: N passed, N failed`.
///
/// Installs missing tools: rustfmt, clippy, the wasm32 targets and an older toolchain through rustup; gcc, g++, clang,
/// llvm, autoconf, automake, libtool, make, libclang, git, python3 with venv, Node 20 with npm, a JDK, Maven, Chromium,
/// Redis, OpenSSL and qemu-user through apt-get when run as root on Debian or Ubuntu. Libraries and tools of the four
/// languages, and TLC, come from crates.io, PyPI, npm and Maven Central. A tool that cannot be installed is named. The
/// output of each step is kept in target/xtask/logs.
///
/// --changed is for the work on one change, --quick for each push, and neither option for the continuous integration.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Leaves out the slowest steps: packages, the oldest toolchain, guided fuzzing, emulated ARM, Jerasure, the programs
    /// with their networks and pages (watch, browser page, ethereum sync, audited redis, threshold signing), and two thirds of the
    /// simulator's seeds. Models, simulations, the tests of the bindings and single test programs do not run again if their
    /// files did not change since they last passed in this clone.
    #[arg(long)]
    quick: bool,
    /// Runs only the steps that the change can affect: the files changed since the branch left `main`, committed or not.
    /// Prints what it runs and what it leaves out. Never more than --quick, but for programs whose own files changed.
    #[arg(long, conflicts_with = "quick")]
    changed: bool,
    /// The commit to compare with, instead of the point where the branch left `main`.
    #[arg(long, value_name = "COMMIT", requires = "changed")]
    since: Option<String>,
    /// Runs only the steps whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Steps that `--quick` leaves out, beside those that it does not add at all.
const NOT_QUICK: &[&str] = &[
    "Jerasure",
    "vector code on 64-bit ARM",
    "watch",
    "browser page",
    "ethereum sync",
    "audited redis",
    "audited redis, python and node",
    "threshold signing",
];

/// Steps that only the whole test has.
const ONLY_WHOLE: &str =
    "packages, oldest toolchain (compiled), guided fuzzing, two thirds of the simulator's seeds";

/// Feature sets of the core that other crates build on; each must compile without warnings. Those with `std` are listed
/// for the blocks whose code depends on it: in all others it changes nothing.
const FEATURE_SETS: &[&str] = &[
    "",
    "bls",
    "std,bls",
    "group-sums",
    "memo",
    "memo,threshold",
    "ed25519",
    "std",
    "bls,ed25519,serde",
    "dsig",
    "std,dsig",
    "driver",
    "light",
    "threshold",
    "erasure",
    "std,erasure",
    "journal",
    "slashing-protection",
];

pub(crate) fn run(args: &TestArgs, xtask: CommandLine) -> Outcome {
    if args.changed {
        return run_changed(args, xtask);
    }
    let repeat = if args.quick { Repeat::IfChanged } else { Repeat::Always };
    let mut steps = if args.quick { reduced_steps(xtask, repeat) } else { whole_steps(xtask) };
    if args.quick {
        let left_out = steps.retain(|name| !NOT_QUICK.contains(&name));
        println!("--quick leaves out: {}, {ONLY_WHOLE}", left_out.join(", "));
    }
    steps.keep(args.only.as_deref())?;
    if args.only.is_some() {
        build::bindings_alone();
    }
    steps.run("steps")
}

fn run_changed(args: &TestArgs, xtask: CommandLine) -> Outcome {
    let change = Change::since(args.since.as_deref())?;
    let mut steps = reduced_steps(xtask, Repeat::IfChanged);
    let left_out = steps.retain(|name| change.needs(name));
    println!("{}", change.summary());
    println!("runs: {}", steps.names().join(", "));
    println!("leaves out: {}, {ONLY_WHOLE}", left_out.join(", "));
    steps.replace("unit and integration tests", move |log| change.run_tests(log));
    steps.keep(args.only.as_deref())?;
    steps.run("steps")
}

/// The steps of the whole test. Steps in the background compile nothing of what the others need; they start early,
/// because a processor is idle whenever one large crate is all that is compiled.
fn whole_steps(xtask: CommandLine) -> Steps {
    let mut steps = Steps::default();
    steps.add("environment", environment::prepare);
    steps.add_background("vectors and model", vectors::check);
    steps.add_background("TLA+ model", tla::check);
    msrv::add_to(&mut steps);
    bindings::wasm::add_build_to(&mut steps);
    steps.add_background("module of the page", |log| web::engine(log).map(|_| String::new()));
    targets::add_to(&mut steps);
    steps.add_background("guided fuzzing", fuzz::brief);
    lint::add_to(&mut steps, xtask);
    add_tests(&mut steps, xtask, 120, Repeat::Always);
    add_languages_and_programs(&mut steps);
    package::add_to(&mut steps);
    remember(&mut steps, Repeat::Always);
    steps
}

/// The steps without those that take longest.
fn reduced_steps(xtask: CommandLine, repeat: Repeat) -> Steps {
    let mut steps = Steps::default();
    steps.add("environment", environment::prepare);
    steps.add_background("vectors and model", vectors::check);
    steps.add_background("TLA+ model", tla::check);
    bindings::wasm::add_build_to(&mut steps);
    targets::add_to(&mut steps);
    lint::add_to(&mut steps, xtask);
    add_tests(&mut steps, xtask, 40, repeat);
    add_languages_and_programs(&mut steps);
    steps.add("oldest toolchain (stated)", |_| msrv::by_metadata());
    remember(&mut steps, repeat);
    steps
}

/// Files on which the tests of the bindings depend.
const OF_BINDINGS: &[&str] =
    &["Cargo.toml", "Cargo.lock", ".cargo", "core", "bindings", "spec/vectors", "xtask"];
/// Files on which the simulations depend.
const OF_SIMULATIONS: &[&str] =
    &["Cargo.toml", "Cargo.lock", "core/src", "examples/protocols", "examples/simulator", "examples/support"];
/// Steps of which the reduced test skips those that passed with the same files, each with these files.
const REMEMBERED: &[(&str, &[&str])] = &[
    ("vectors and model", &["spec/model", "spec/vectors", "spec/conformance.json"]),
    ("TLA+ model", &["spec/tla"]),
    ("core on wasm32", &["Cargo.toml", "Cargo.lock", "core"]),
    ("core as no_std", &["Cargo.toml", "Cargo.lock", "core"]),
    ("simulation", OF_SIMULATIONS),
    ("simulation of Gosig", OF_SIMULATIONS),
    ("simulation of ABFT", OF_SIMULATIONS),
    ("broadcast", OF_SIMULATIONS),
    ("wasm modules", OF_BINDINGS),
    ("kotlin binding", OF_BINDINGS),
    ("node binding", OF_BINDINGS),
    ("python binding", OF_BINDINGS),
    ("wasm binding", OF_BINDINGS),
    ("matrix of languages", OF_BINDINGS),
    ("tour in all languages", OF_BINDINGS),
];

fn remember(steps: &mut Steps, repeat: Repeat) {
    for (name, inputs) in REMEMBERED {
        steps.remember(Fingerprint { name, inputs }, repeat == Repeat::IfChanged);
    }
}

/// Adds the tests in Rust and the simulations, with this number of seeds.
fn add_tests(steps: &mut Steps, xtask: CommandLine, seeds: u64, repeat: Repeat) {
    steps.add("core's feature sets", check_feature_sets);
    steps.add("unit and integration tests", move |log| test_programs::run(log, |_| true, repeat));
    // A crate without the standard library runs where processes fork all the same.
    steps.add("DSig without std", |log| {
        let mut cargo = test_core_with("dsig");
        log.run(cargo.args(["--lib", "--test", "dsig", "--", "dsig", "fork"])).map(|output| tests_in(&output))
    });
    steps.add("Jerasure", test_jerasure);
    steps.add("documentation examples", |log| {
        log.run(workspace::workspace_cargo("test").arg("--doc")).map(|output| tests_in(&output))
    });
    steps.add("documents' commands", move |log| {
        documents::check(xtask, Some(&build::binary(log, "quorate")?))
    });
    steps.add("simulation", move |log| simulate::brief(log, simulate::Protocol::Jolteon, seeds));
    steps.add("simulation of Gosig", move |log| simulate::brief(log, simulate::Protocol::Gosig, seeds));
    steps.add("simulation of ABFT", move |log| simulate::brief(log, simulate::Protocol::Abft, seeds));
    broadcast::add_to(steps, seeds);
}

fn add_languages_and_programs(steps: &mut Steps) {
    bindings::add_to(steps);
    watch::add_to(steps);
    web::add_to(steps);
    ethereum::add_to(steps);
    audited_redis::add_to(steps);
    threshold_signing::add_to(steps);
}

/// Tests of the core with one feature. They are few, so that compiling the core with optimisation would take longer than
/// running them without.
fn test_core_with(feature: &str) -> Command {
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--config", "profile.dev.package.quorate.opt-level=0"]);
    cargo.args(["--package", "quorate", "--no-default-features", "--features", feature]);
    cargo
}

fn check_feature_sets(log: &Log) -> Outcome<String> {
    for features in FEATURE_SETS {
        let mut clippy = workspace::cargo();
        clippy.args(["clippy", "--package", "quorate", "--no-default-features", "--features", features]);
        log.run(clippy.args(["--", "-D", "warnings"]))?;
    }
    Ok(format!("{} sets", FEATURE_SETS.len()))
}

/// Tests the erasure codes and their vectors with the feature `jerasure`, which only this build and that of `cargo xtask
/// fuzz` have: it is C, which has to be compiled and linked. The core has no other block, because it is compiled for
/// this step.
fn test_jerasure(log: &Log) -> Outcome<String> {
    environment::for_jerasure(log)?;
    let mut cargo = test_core_with("jerasure");
    let output = log.run(cargo.args(["--lib", "--test", "jerasure", "--", "erasure"]))?;
    Ok(tests_in(&output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed::triggered_steps;

    fn xtask() -> clap::Command {
        clap::Command::new("xtask")
    }

    #[test]
    fn every_step_of_the_reduced_test_has_a_trigger() {
        let mut names = reduced_steps(xtask, Repeat::IfChanged).names();
        let mut triggered = triggered_steps();
        names.sort_unstable();
        triggered.sort_unstable();
        assert_eq!(names, triggered);
    }

    #[test]
    fn quick_leaves_out_only_steps_that_exist() {
        let names = reduced_steps(xtask, Repeat::IfChanged).names();
        assert!(NOT_QUICK.iter().all(|name| names.contains(name)));
        assert!(REMEMBERED.iter().all(|(name, _)| names.contains(name)));
    }
}
