//! Wheel and source distribution, by maturin.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::Order;
use crate::bindings::python::virtual_environment;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// The version that pyproject.toml asks for as well.
const MATURIN: &str = "maturin>=1.16,<2";

/// Both, from the same sources.
pub(super) fn build(log: &Log, order: &Order) -> Outcome<Vec<PathBuf>> {
    // Its folder has the program beside the interpreter.
    let maturin = virtual_environment(log, "maturin", &[MATURIN])?.with_file_name("maturin");
    let made = workspace::target("xtask/python-packages");
    // What an earlier version left must not be taken for this one's.
    let _ = fs::remove_dir_all(&made);
    let run = |arguments: &[&str]| {
        // It builds where cargo builds everything else.
        let mut command = Command::new(&maturin);
        command.current_dir(workspace::root().join("bindings/python")).args(arguments);
        workspace::compiling_as_here(&mut command);
        log.run(command.arg("--out").arg(&made)).map(drop)
    };
    run(&["sdist"])?;
    run(&["build", "--profile", order.profile.name()])?;
    let mut files = Vec::new();
    for file in fs::read_dir(&made).map_err(|e| format!("{}: {e}", made.display()))?.flatten() {
        let to = order.out.join(file.file_name());
        workspace::copy(&file.path(), &to)?;
        files.push(to);
    }
    files.sort();
    Ok(files)
}
