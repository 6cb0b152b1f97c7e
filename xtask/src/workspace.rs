//! Where things are, and cargo as every task calls it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{Outcome, output_of};
use crate::steps::Log;

/// What is tested beyond the default features. Always the same ones, so that nothing is compiled twice.
pub(crate) const FEATURES: &str = "quorate/serde,quorate-jolteon/simulate";

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

/// Cargo in the root, without the variables that the outer `cargo run` left: build scripts that watch them would
/// run again each time a developer changes between `cargo` and `cargo xtask`.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command
}

/// All tests but those in documentation.
pub(crate) fn tests() -> Command {
    let mut command = cargo();
    command.args(["test", "--workspace", "--lib", "--bins", "--tests", "--features", FEATURES]);
    command
}

/// One of our programs, as the tests compiled it: in their profile and with their features, so that nothing is
/// compiled for it alone.
pub(crate) fn binary(log: &Log, name: &str) -> Outcome<PathBuf> {
    log.run(tests().arg("--no-run"))?;
    Ok(target("debug").join(name))
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
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"].iter().any(|p| text.starts_with(p))
        {
            command.env_remove(&name);
        }
    }
}
