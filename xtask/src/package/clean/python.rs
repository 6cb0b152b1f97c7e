//! Compiles the source distribution into a wheel, and installs wheels in fresh virtual environments.

use std::fs;
use std::path::{Path, PathBuf};

use super::inputs::only_file;
use crate::bindings::python::venv;
use crate::package::old_processor::{self, Emulator};
use crate::package::order::{BuildOrder, Profile};
use crate::package::sandbox::{self, Sandbox};
use crate::package::smoke;
use crate::process::Outcome;
use crate::steps::Log;

/// Installs each wheel in an environment of its own, and uses it there: the one that the source distribution is compiled
/// into, and the one for users, which a build in the tests' profile leaves out.
pub(super) fn install(log: &Log, order: &BuildOrder, files: &[PathBuf]) -> Outcome<String> {
    let sandbox = Sandbox::new("python")?;
    sandbox.put("tour.py", smoke::PYTHON)?;
    let mut notes =
        vec!["sdist compiled, wheel in a fresh environment".to_owned(), sandbox::isolation().to_owned()];
    let emulator = old_processor::emulator(log)?;
    let mut wheels = vec![("compiled", compile(log, only_file(files, ".tar.gz")?, &sandbox)?)];
    if let Profile::Release = order.profile {
        wheels.push(("for-users", sandbox.bring(only_file(files, ".whl")?)?));
    }
    for (name, wheel) in wheels {
        let python = environment(log, &sandbox, name)?;
        // Without an index: the wheel has no dependencies.
        log.run(sandbox.command(&python).args(PIP).args(["install", "--no-index"]).arg(&wheel))?;
        let tour = || sandbox.path("tour.py");
        smoke::check_tour(&log.run(sandbox.command(&python).arg(tour()))?, &order.version)?;
        if let Some(emulator) = emulator {
            let output = log.run(emulator.command(&sandbox, &python).arg(tour()))?;
            smoke::check_tour(&output, &order.version)?;
        }
    }
    notes.extend(emulator.map(Emulator::description));
    Ok(notes.join(", "))
}

const PIP: &[&str] = &["-m", "pip", "--disable-pip-version-check", "--quiet"];

/// Compiles the source distribution into a wheel, in the tests' profile, with dependencies that are already compiled. The
/// check is that no file is missing, which is not worth minutes of compilation.
fn compile(log: &Log, sdist: &Path, sandbox: &Sandbox) -> Outcome<PathBuf> {
    let sdist = sandbox.bring(sdist)?;
    // With the present time on each file: otherwise cargo would reuse compiled crates of the same name.
    log.run(sandbox.command("tar").arg("--touch").arg("-xzf").arg(&sdist))?;
    let python = environment(log, sandbox, "source")?;
    let wheels = sandbox.path("wheels");
    let mut pip = sandbox.building(&python)?;
    pip.args(PIP).args(["wheel", "--no-deps", "--wheel-dir"]).arg(&wheels);
    pip.arg("--config-settings").arg(format!("build-args=--profile=dev {DISTINCT_PROFILE}"));
    let name = sdist.file_name().unwrap_or_default().to_string_lossy();
    log.run(pip.arg(sandbox.path(name.trim_end_matches(".tar.gz"))))?;
    let made = fs::read_dir(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
    let made: Vec<PathBuf> = made.flatten().map(|entry| entry.path()).collect();
    only_file(&made, ".whl").map(Path::to_path_buf)
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
