//! Our libraries and programs, compiled as the tests compile them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::process::Outcome;
use crate::steps::{Log, Once};
use crate::workspace::{cargo, library_name, target, workspace_cargo};

/// The crates of [`libraries`], and the core with the features of the whole workspace.
const BINDINGS: &[&str] = &["quorate", "quorate-kotlin", "quorate-napi", "quorate-python", "uniffi-bindgen"];
/// Features of the core, as in [`workspace::FEATURES`](crate::workspace::FEATURES).
pub(crate) const CORE_FEATURES: &str =
    "quorate/serde,quorate/driver,quorate/threshold,quorate/erasure,quorate/slashing-protection";
/// The feature with which Python's library describes itself: see [`stub`](crate::bindings::stub).
pub(crate) const STUB_FEATURE: &str = "quorate-python/stub";

/// True if this run compiles nothing but bindings.
static ALONE: AtomicBool = AtomicBool::new(false);

/// Makes [`libraries`] compile the bindings without the rest of the workspace. That is far quicker where nothing is
/// compiled yet, and slower where the workspace is: with fewer crates cargo chooses other features of dependencies.
pub(crate) fn bindings_alone() {
    ALONE.store(true, Ordering::Relaxed);
}

/// Compiles, in the tests' profile, the targets that tests in other languages use: the libraries, the generator for
/// Kotlin, and the Rust examples that they are compared with. [`library`] and [`target`] return their paths.
pub(crate) fn libraries(log: &Log) -> Outcome {
    static BUILT: Once = Once::new();
    let wanted = ["--lib", "--bin", "uniffi-bindgen", "--example", "matrix"];
    BUILT.run(|| {
        if ALONE.load(Ordering::Relaxed) {
            let mut build = cargo();
            build.args(["build", "--features", CORE_FEATURES, "--features", STUB_FEATURE]);
            build.args(["--example", "tour"]).args(wanted);
            BINDINGS.iter().for_each(|package| {
                build.args(["--package", package]);
            });
            log.run(&mut build).map(drop)
        } else {
            build(log, &wanted)
        }
    })
}

/// Compiles some of our libraries and programs as the tests compile them.
fn build(log: &Log, wanted: &[&str]) -> Outcome {
    // An example may use dependencies of tests: with one in the list, the features are those of the tests.
    let mut build = workspace_cargo("build");
    log.run(build.args(["--features", STUB_FEATURE, "--example", "tour"]).args(wanted)).map(drop)
}

/// The library of a package of ours, in the folder of a profile.
pub(crate) fn library(folder: &str, package: &str) -> PathBuf {
    target(folder).join(library_name(package))
}

/// One of our programs, as the tests compile it.
pub(crate) fn binary(log: &Log, name: &str) -> Outcome<PathBuf> {
    build(log, &["--bin", name])?;
    Ok(target("debug").join(name))
}
