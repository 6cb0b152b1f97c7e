//! Paths of the workspace, and cargo commands that all tasks share.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;

use crate::process::{Outcome, output_of};

/// Features beyond the defaults with which everything is tested. Every command uses the same, so that nothing is compiled
/// twice.
pub(crate) const FEATURES: &str = "quorate/serde,quorate/driver,quorate/threshold,quorate/erasure,quorate-protocol/simulate,quorate-jolteon/simulate,quorate-gosig/simulate,quorate-abft/simulate";

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

/// File name of the library of one of our packages on this system.
pub(crate) fn library_name(package: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"))
}

/// The path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Copies a file, or a folder with its contents, and creates the parent folders.
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

/// Cargo in the root, without the variables that the outer `cargo run` sets: build scripts that watch them would run again
/// whenever a developer alternates between `cargo` and `cargo xtask`.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command
}

/// Cargo for the whole workspace. A command that needs only some crates uses it too: the set of crates decides the features
/// of dependencies, and with other features they are compiled again.
pub(crate) fn workspace_cargo(subcommand: &str) -> Command {
    let mut command = cargo();
    command.args([subcommand, "--workspace", "--features", FEATURES]);
    // It has no tests, and only `cargo xtask web` needs it.
    command.args(["--exclude", "quorate-wasm-pack"]);
    command
}

/// All tests except those in documentation. Libraries and programs whose manifest says that they have no tests are left
/// out: `--lib` and `--bins` would compile them.
pub(crate) fn test_command() -> Command {
    let mut command = workspace_cargo("test");
    command.arg("--tests");
    command
}

/// Disables incremental compilation, unless the core was compiled incrementally in this target folder before. It costs time
/// in a build that happens once, as in the continuous integration.
pub(crate) fn set_incremental(command: &mut Command) {
    static INCREMENTAL: OnceLock<bool> = OnceLock::new();
    let has_core = |folder: fs::ReadDir| {
        folder.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("quorate-"))
    };
    if !INCREMENTAL.get_or_init(|| fs::read_dir(target("debug/incremental")).is_ok_and(has_core)) {
        command.env("CARGO_INCREMENTAL", "0");
    }
}

/// Cargo of another toolchain, through rustup.
pub(crate) fn cargo_with_toolchain(toolchain: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    clean(&mut command);
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("RUSTDOC");
    command
}

/// The output of `cargo metadata` for the workspace; with all dependencies if `whole`.
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
    set_incremental(command);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"].iter().any(|p| text.starts_with(p))
        {
            command.env_remove(&name);
        }
    }
}
