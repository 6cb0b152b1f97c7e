//! `cargo xtask test`: everything that must hold. One target directory per toolchain, one profile, so that each
//! crate is compiled as few times as possible.

use clap::Args;

use crate::process::Outcome;
use crate::steps::{Log, Steps, tests_in};
use crate::{
    audited_redis, bindings, broadcast, documents, environment, ethereum, fuzz, lint, msrv, package,
    simulate, targets, threshold_signing, tla, vectors, watch, web, workspace,
};

/// Runs every check and every test, and ends with a line `steps: N passed, N failed`.
///
/// Sets up what it needs and is missing: rustfmt, clippy, the wasm32 targets and an older toolchain through rustup;
/// gcc, g++, clang, llvm, autoconf, automake, libtool, make, libclang, git, python3 with venv, Node 20 with npm, a JDK,
/// Maven, Chromium, Redis, OpenSSL and qemu-user through
/// apt-get when run as root on Debian or Ubuntu. Libraries and tools of the four languages, and TLC, come from crates.io,
/// PyPI, npm and Maven Central. What it cannot set up, it names. The output of each step stays in target/xtask/logs.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Leaves out what takes longest: packages, the oldest toolchain, guided fuzzing, most simulator seeds, and both models
    /// where nothing changed since they agreed.
    #[arg(long)]
    quick: bool,
    /// Runs only the steps whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Feature sets of the core that other crates build on; each must compile without warnings.
const FEATURE_SETS: &[&str] = &[
    "",
    "bls",
    "ed25519",
    "std",
    "bls,ed25519,serde",
    "std,bls",
    "std,ed25519",
    "dsig",
    "std,dsig",
    "driver",
    "threshold",
    "erasure",
    "std,erasure",
];

/// The erasure codes, their vectors and their fuzz targets, with the code that is not in every build: it is C, which has
/// to be compiled and linked.
fn with_jerasure(log: &Log) -> Outcome<String> {
    environment::for_jerasure(log)?;
    let mut cargo = workspace::cargo();
    // Both at once, so that the core is compiled once.
    cargo.args(["test", "--package", "quorate", "--package", "quorate-fuzz", "--no-default-features"]);
    cargo.args(["--features", "quorate/default,quorate/jerasure,quorate-fuzz/jerasure"]);
    let output = log.run(cargo.args(["--lib", "--test", "vectors", "--test", "brief", "--", "erasure"]))?;
    Ok(tests_in(&output))
}

pub(crate) fn run(options: &Options) -> Outcome {
    let mut steps = Steps::default();
    steps.add("environment", environment::prepare);
    // What compiles nothing of what the others need, and gives way to them: from the start, for they leave a processor
    // idle whenever one large crate is all that is compiled.
    steps.beside("vectors and model", if options.quick { vectors::check_if_changed } else { vectors::check });
    steps.beside("TLA+ model", if options.quick { tla::check_if_changed } else { tla::check });
    if !options.quick {
        msrv::add_to(&mut steps);
    }
    lint::add_to(&mut steps);
    steps.add("core's feature sets", |log| {
        for features in FEATURE_SETS {
            let mut clippy = workspace::cargo();
            clippy.args(["clippy", "--package", "quorate", "--no-default-features", "--features", features]);
            log.run(clippy.args(["--", "-D", "warnings"]))?;
        }
        Ok(format!("{} sets", FEATURE_SETS.len()))
    });
    steps.add("unit and integration tests", |log| {
        log.run(workspace::tests().arg("--no-fail-fast")).map(|output| tests_in(&output))
    });
    // A crate without the standard library runs where processes fork all the same.
    steps.add("DSig without std", |log| {
        let mut cargo = workspace::cargo();
        cargo.args(["test", "--package", "quorate", "--no-default-features", "--features", "dsig"]);
        log.run(cargo.args(["--lib", "--test", "dsig", "--", "dsig", "fork"])).map(|output| tests_in(&output))
    });
    steps.add("Jerasure", with_jerasure);
    steps.add("documentation examples", |log| {
        log.run(workspace::all("test").arg("--doc")).map(|output| tests_in(&output))
    });
    steps.add("documents' commands", |log| documents::check(Some(&workspace::binary(log, "quorate")?)));
    let seeds = if options.quick { 40 } else { 200 };
    steps.add("simulation", move |log| simulate::brief(log, simulate::Protocol::Jolteon, seeds));
    steps.add("simulation of Gosig", move |log| simulate::brief(log, simulate::Protocol::Gosig, seeds));
    broadcast::add_to(&mut steps, seeds);
    targets::add_to(&mut steps);
    // What follows waits for pages, Maven and linkers.
    if !options.quick {
        steps.beside("guided fuzzing", fuzz::brief);
    }
    bindings::add_to(&mut steps);
    watch::add_to(&mut steps);
    web::add_to(&mut steps);
    ethereum::add_to(&mut steps);
    audited_redis::add_to(&mut steps);
    threshold_signing::add_to(&mut steps);
    if options.quick {
        steps.add("oldest toolchain (stated)", |_| msrv::by_metadata());
    } else {
        package::add_to(&mut steps);
    }
    steps.keep(options.only.as_deref())?;
    steps.run("steps")
}
