//! The wheel in a fresh virtual environment, and the source distribution, which another environment compiles.

use std::path::{Path, PathBuf};

use super::the;
use crate::bindings::python::venv;
use crate::package::sandbox::{self, Sandbox};
use crate::package::{Order, old, smoke};
use crate::process::Outcome;
use crate::steps::Log;

pub(super) fn install(log: &Log, order: &Order, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("python")?;
    sandbox.put("tour.py", smoke::PYTHON)?;
    let mut said = vec!["wheel in a fresh environment".to_owned(), sandbox::said().to_owned()];
    let wheel = sandbox.bring(the(files, ".whl")?)?;
    let python = environment(log, &sandbox, "wheel")?;
    // From nowhere else: it needs nothing.
    let mut pip = sandbox.command(&python);
    log.run(pip.args(PIP).arg("--no-index").arg(&wheel))?;
    let tour = || sandbox.path("tour.py");
    smoke::went(&log.run(sandbox.command(&python).arg(tour()))?, &order.version)?;
    if let Some(emulator) = old::emulator(log)? {
        let output = log.run(emulator.command(&sandbox, &python).arg(tour()))?;
        smoke::went(&output, &order.version)?;
        said.push(emulator.said());
    }
    from_source(log, order, the(files, ".tar.gz")?, &sandbox)?;
    said.push("sdist compiled and used".to_owned());
    Ok(said.join(", "))
}

const PIP: &[&str] = &["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];

/// Compiles the source distribution, in the tests' profile and with the dependencies that they have compiled: what is
/// to be shown is that nothing is missing in it, and for that minutes are too many.
fn from_source(log: &Log, order: &Order, sdist: &Path, sandbox: &Sandbox) -> Outcome {
    let sdist = sandbox.bring(sdist)?;
    // With the present time on each file, or cargo would take what it finds compiled of the same name for this.
    log.run(sandbox.command("tar").arg("--touch").arg("-xzf").arg(&sdist))?;
    let python = environment(log, sandbox, "source")?;
    let mut pip = sandbox.building(&python)?;
    pip.args(PIP).arg("--config-settings").arg(format!("build-args=--profile=dev {APART}"));
    log.run(pip.arg(sandbox.path(format!("quorate-{}", order.version))))?;
    smoke::went(&log.run(sandbox.command(&python).arg(sandbox.path("tour.py")))?, &order.version)
}

/// Options that change the hash by which cargo knows our two crates, for those of the source distribution are not to be
/// mixed up with the repository's; and that compile them quickly, for a tour is all that they run.
const APART: &str = "--config=profile.dev.package.quorate.opt-level=0 --config=profile.dev.package.quorate-python.opt-level=0";

fn environment(log: &Log, sandbox: &Sandbox, name: &str) -> Outcome<PathBuf> {
    let home = sandbox.path(name);
    venv(log, &mut sandbox.command("python3"), &home)?;
    Ok(home.join("bin/python"))
}
