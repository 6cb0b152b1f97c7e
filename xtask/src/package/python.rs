//! Wheel and source distribution, by maturin.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Order;
use crate::process::{Outcome, output_of};
use crate::steps::Log;
use crate::{environment, workspace};

/// The version that pyproject.toml asks for as well.
const MATURIN: &str = "maturin>=1.16,<2";

/// Both, from the same sources.
pub(super) fn build(log: &Log, order: &Order) -> Outcome<Vec<PathBuf>> {
    let maturin = maturin(log)?;
    let made = workspace::target("xtask/python-packages");
    // What an earlier version left must not be taken for this one's.
    let _ = fs::remove_dir_all(&made);
    let run = |arguments: &[&str]| {
        // It builds where cargo builds everything else.
        let mut command = Command::new(&maturin);
        command.current_dir(workspace::root().join("bindings/python")).args(arguments);
        log.run(command.arg("--out").arg(&made)).map(drop)
    };
    run(&["sdist"])?;
    run(&["build", "--profile", order.profile.name()])?;
    let sdist = format!("quorate-{}.tar.gz", order.version);
    let wheel = super::file_in(&made, &wheel_prefix(&order.version), ".whl")?;
    [wheel, made.join(sdist)].iter().map(|file| moved(file, &order.out)).collect()
}

/// How the names of wheels of a version begin; the rest tells for which systems they are.
pub(super) fn wheel_prefix(version: &str) -> String {
    format!("quorate-{version}-")
}

/// Makes a virtual environment; Debian keeps a part of Python that this needs in a package of its own.
pub(super) fn venv(log: &Log, python: &mut Command, home: &Path) -> Outcome {
    if output_of(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        environment::install(log, &["python3-venv"])?;
    }
    log.run(python.args(["-m", "venv"]).arg(home)).map(drop)
}

/// maturin in an environment of its own.
fn maturin(log: &Log) -> Outcome<PathBuf> {
    let home = workspace::target("xtask/maturin");
    let program = home.join("bin/maturin");
    if output_of(Command::new(&program).arg("--version")).is_none() {
        // What an earlier, interrupted attempt left.
        let _ = fs::remove_dir_all(&home);
        venv(log, &mut Command::new("python3"), &home)?;
        let mut pip = Command::new(home.join("bin/python"));
        log.run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", MATURIN]))?;
    }
    Ok(program)
}

fn moved(file: &Path, folder: &Path) -> Outcome<PathBuf> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(to)
}
