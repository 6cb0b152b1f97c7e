//! Where things are, and cargo as every task calls it.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;

use crate::process::{Outcome, output_of};
use crate::steps::{Log, Once};

/// What is tested beyond the default features. Always the same ones, so that nothing is compiled twice.
pub(crate) const FEATURES: &str = "quorate/serde,quorate/driver,quorate/threshold,quorate/erasure,quorate-protocol/simulate,quorate-jolteon/simulate,quorate-gosig/simulate";

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A folder under the target directory.
pub(crate) fn target(name: &str) -> PathBuf {
    let base = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    base.join(name)
}

/// What cargo calls the library of a package of ours on this system.
pub(crate) fn library_name(package: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"))
}

/// Copies a file, or a folder with all that is in it, and makes the folders above.
pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    let problem = |e: std::io::Error| format!("{}: {e}", from.display());
    if from.is_dir() {
        for entry in fs::read_dir(from).map_err(problem)?.flatten() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(problem)?;
    }
    fs::copy(from, to).map(drop).map_err(problem)
}

/// Cargo in the root, without the variables that the outer `cargo run` left: build scripts that watch them would
/// run again each time a developer changes between `cargo` and `cargo xtask`.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command
}

/// Cargo on all that is tested. Always all of it, whatever is needed of it: what cargo is asked for at once decides on
/// the features of dependencies, and with others they are compiled again.
pub(crate) fn all(subcommand: &str) -> Command {
    let mut command = cargo();
    command.args([subcommand, "--workspace", "--features", FEATURES]);
    // It has no tests, and `cargo xtask web` needs it alone.
    command.args(["--exclude", "quorate-wasm-pack"]);
    command
}

/// All tests but those in documentation. Libraries and programs too, but for those whose manifest says that they have
/// none: `--lib` and `--bins` would compile them all the same.
pub(crate) fn tests() -> Command {
    let mut command = all("test");
    command.arg("--tests");
    command
}

/// Compiles what tests in other languages use: the libraries, the generator for Kotlin, and the examples in Rust that
/// they are compared with. In the tests' profile; they are then where [`library`] and [`target`] say.
pub(crate) fn libraries(log: &Log) -> Outcome {
    static BUILT: Once = Once::new();
    BUILT.run(|| build(log, &["--lib", "--bin", "uniffi-bindgen", "--example", "matrix"]))
}

/// Compiles some of our libraries and programs just as the tests compile them.
fn build(log: &Log, wanted: &[&str]) -> Outcome {
    // Examples may use what only tests depend on: with one of them wanted, the features are those of the tests.
    log.run(all("build").args(["--example", "tour"]).args(wanted)).map(drop)
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

/// Tells cargo, or what calls it, whether to keep what makes the next time short. Who compiles everything once pays for
/// that and has nothing of it: so only where somebody compiled the core that way in this target folder.
pub(crate) fn compiling_as_here(command: &mut Command) {
    static INCREMENTAL: OnceLock<bool> = OnceLock::new();
    let has_core = |folder: fs::ReadDir| {
        folder.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("quorate-"))
    };
    if !INCREMENTAL.get_or_init(|| fs::read_dir(target("debug/incremental")).is_ok_and(has_core)) {
        command.env("CARGO_INCREMENTAL", "0");
    }
}

/// Cargo of another toolchain, through rustup.
pub(crate) fn cargo_of(toolchain: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    clean(&mut command);
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("RUSTDOC");
    command
}

/// What `cargo metadata` says about the workspace; with all dependencies if `whole`.
pub(crate) fn metadata(whole: bool) -> Outcome<Value> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1"]);
    if !whole {
        command.arg("--no-deps");
    }
    let text = output_of(&mut command).ok_or("`cargo metadata` failed; run it to see why")?;
    serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))
}

fn clean(command: &mut Command) {
    command.current_dir(root()).env("CARGO_TERM_COLOR", "never");
    compiling_as_here(command);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"].iter().any(|p| text.starts_with(p))
        {
            command.env_remove(&name);
        }
    }
}
