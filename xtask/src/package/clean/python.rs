//! Installs the wheel in a fresh virtual environment, and compiles the source distribution in another.

use std::path::{Path, PathBuf};

use super::inputs::only_file;
use crate::bindings::python::venv;
use crate::package::order::BuildOrder;
use crate::package::sandbox::{self, Sandbox};
use crate::package::{old_processor, smoke};
use crate::process::Outcome;
use crate::steps::Log;

pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("python")?;
    sandbox.put("tour.py", smoke::PYTHON)?;
    let mut notes = vec!["wheel in a fresh environment".to_owned(), sandbox::isolation().to_owned()];
    let wheel = sandbox.bring(only_file(files, ".whl")?)?;
    let python = environment(log, &sandbox, "wheel")?;
    // Without an index: the wheel has no dependencies.
    let mut pip = sandbox.command(&python);
    log.run(pip.args(PIP).arg("--no-index").arg(&wheel))?;
    let tour = || sandbox.path("tour.py");
    smoke::check_tour(&log.run(sandbox.command(&python).arg(tour()))?, &order.version)?;
    if let Some(emulator) = old_processor::emulator(log)? {
        let output = log.run(emulator.command(&sandbox, &python).arg(tour()))?;
        smoke::check_tour(&output, &order.version)?;
        notes.push(emulator.description());
    }
    from_source(log, order, only_file(files, ".tar.gz")?, &sandbox)?;
    notes.push("sdist compiled and used".to_owned());
    Ok(notes.join(", "))
}

const PIP: &[&str] = &["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];

/// Compiles the source distribution in the tests' profile, with dependencies that are already compiled. The check is that
/// no file is missing, which is not worth minutes of compilation.
fn from_source(log: &Log, order: &BuildOrder, sdist: &Path, sandbox: &Sandbox) -> Outcome {
    let sdist = sandbox.bring(sdist)?;
    // With the present time on each file: otherwise cargo would reuse compiled crates of the same name.
    log.run(sandbox.command("tar").arg("--touch").arg("-xzf").arg(&sdist))?;
    let python = environment(log, sandbox, "source")?;
    let mut pip = sandbox.building(&python)?;
    pip.args(PIP).arg("--config-settings").arg(format!("build-args=--profile=dev {DISTINCT_PROFILE}"));
    log.run(pip.arg(sandbox.path(format!("quorate-{}", order.version))))?;
    smoke::check_tour(&log.run(sandbox.command(&python).arg(sandbox.path("tour.py")))?, &order.version)
}

/// Options that change cargo's hash of our crates, so that those of the source distribution are not confused with the
/// repository's, and that compile them quickly, because they run only a tour.
const DISTINCT_PROFILE: &str = "--config=profile.dev.package.quorate.opt-level=0 --config=profile.dev.package.quorate-python.opt-level=0 \
                                --config=profile.dev.package.quorate-interface.opt-level=0 \
                                --config=profile.dev.package.quorate-generator.opt-level=0";

fn environment(log: &Log, sandbox: &Sandbox, name: &str) -> Outcome<PathBuf> {
    let home = sandbox.path(name);
    venv(log, &mut sandbox.command("python3"), &home)?;
    Ok(home.join("bin/python"))
}
