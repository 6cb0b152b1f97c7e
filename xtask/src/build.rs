//! Our libraries and programs, compiled as the tests compile them.

use std::path::PathBuf;

use crate::process::Outcome;
use crate::steps::{Log, Once};
use crate::workspace::{library_name, target, workspace_cargo};

/// Compiles, in the tests' profile, the targets that tests in other languages use: the libraries, the generator for
/// Kotlin, and the Rust examples that they are compared with. [`library`] and [`target`] return their paths.
pub(crate) fn libraries(log: &Log) -> Outcome {
    static BUILT: Once = Once::new();
    BUILT.run(|| build(log, &["--lib", "--bin", "uniffi-bindgen", "--example", "matrix"]))
}

/// Compiles some of our libraries and programs as the tests compile them.
fn build(log: &Log, wanted: &[&str]) -> Outcome {
    // An example may use dependencies of tests: with one in the list, the features are those of the tests.
    log.run(workspace_cargo("build").args(["--example", "tour"]).args(wanted)).map(drop)
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
