//! Builds wheel and source distribution with maturin.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::order::{BuildOrder, Profile};
use crate::bindings::generated::{self, Files};
use crate::bindings::python::virtual_environment;
use crate::bindings::stub;
use crate::build::{STUB_FEATURE, library};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// The same version as in pyproject.toml.
pub(crate) const MATURIN: &str = "maturin>=1.16,<2";

/// Builds both from the same sources; in the tests' profile only the source distribution.
pub(super) fn build(log: &Log, order: &BuildOrder) -> Outcome<Vec<PathBuf>> {
    // The program is beside the interpreter.
    let maturin = virtual_environment(log, "maturin", &[MATURIN])?.with_file_name("maturin");
    let made = workspace::target("xtask/python-packages");
    // Files of an earlier version.
    let _ = fs::remove_dir_all(&made);
    let run = |arguments: &[&str]| {
        // In the target folder of all other builds.
        let mut command = Command::new(&maturin);
        command.current_dir(workspace::root().join("bindings/python")).args(arguments);
        workspace::set_incremental(&mut command);
        log.run(command.arg("--out").arg(&made)).map(drop)
    };
    match order.profile {
        // `clean` compiles the source distribution into a wheel: the same files, compiled once less.
        Profile::Tests => with_stub(stub::native_stub(log)?, || run(&["sdist"])),
        Profile::Release => {
            let mut cargo = workspace::cargo();
            cargo.args(["build", "--release", "--package", "quorate-python", "--features", STUB_FEATURE]);
            log.run(&mut cargo)?;
            with_stub(stub::described_in(&library("release", "quorate-python"))?, || {
                run(&["sdist"])?;
                run(&["build", "--profile", "release", "--features", "stub"])
            })
        }
    }?;
    let mut files = Vec::new();
    for file in fs::read_dir(&made).map_err(|e| format!("{}: {e}", made.display()))?.flatten() {
        let to = order.out.join(file.file_name());
        workspace::copy(&file.path(), &to)?;
        files.push(to);
    }
    files.sort();
    Ok(files)
}

/// Does work while the stub of the native module is beside the Python modules, where maturin finds it: it belongs to wheel
/// and source distribution. Afterwards it would be out of date with the next change of the library.
pub(crate) fn with_stub(stub: Files, work: impl FnOnce() -> Outcome) -> Outcome {
    let modules = workspace::root().join("bindings/python/python/quorate");
    let written: Vec<PathBuf> = stub.iter().map(|(name, _)| modules.join(name)).collect();
    generated::write_below(&modules, stub)?;
    let outcome = work();
    for file in written {
        fs::remove_file(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    outcome
}
