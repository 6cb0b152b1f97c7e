//! The Python package `quorate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quorate_generator::operations::Language;

use super::{generated, stub};
use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::{environment, workspace};

/// Packages that the tests need.
const REQUIREMENTS: &[&str] = &["pytest==9.0.2", "mypy==2.4.1"];
/// The first version whose stable interface has the buffer protocol.
const OLDEST: (u32, u32) = (3, 11);

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("python binding", |log| {
        let python = environment(log)?;
        let package = assemble(log)?;
        let tests = workspace::root().join("bindings/python/tests");
        let output = log.run(
            Command::new(&python)
                .args(["-m", "pytest", "--import-mode=importlib", "-p", "no:cacheprovider", "-s"])
                .arg(&tests)
                .current_dir(&package)
                .env("PYTHONPATH", &package)
                .env("PYTHONDONTWRITEBYTECODE", "1"),
        )?;
        check_types(log, &python, &package)?;
        let cases: u64 = output.lines().filter_map(cases_in).sum();
        let passed = output.lines().rev().find(|line| line.contains(" passed")).unwrap_or_default();
        if cases < 1000 {
            return Err(format!("expected at least 1000 vector cases, but {cases} ran"));
        }
        Ok(format!("{}; {cases} vector cases", passed.trim()))
    });
}

/// Checks the stubs against the library, and the types of the package and its examples against the stubs.
fn check_types(log: &Log, python: &Path, package: &Path) -> Outcome {
    let source = workspace::root().join("bindings/python");
    let mypy = |arguments: &[&str]| {
        let mut command = Command::new(python);
        command.current_dir(&source).env("PYTHONPATH", package).env("MYPYPATH", package);
        command.env("MYPY_CACHE_DIR", workspace::target("xtask/mypy")).env("PYTHONDONTWRITEBYTECODE", "1");
        log.run(command.arg("-m").args(arguments))
    };
    let stubs = ["mypy.stubtest", "quorate", "--allowlist", "tests/stubtest.txt"];
    mypy(&[stubs.as_slice(), &["--mypy-config-file", "pyproject.toml"]].concat())?;
    mypy(&["mypy", "--strict", "--package", "quorate"])?;
    let tests = ["bad_input", "blocks", "collecting", "dsig", "dsig_hooks", "idioms", "journal"]
        .map(|name| format!("tests/test_{name}.py"));
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    mypy(&[&["mypy", "--strict", "examples"], tests.as_slice()].concat()).map(drop)
}

/// The number in a line `….312 cases of vote.json` of the vector test.
fn cases_in(line: &str) -> Option<u64> {
    let (before, _) = line.split_once(" cases of ")?;
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Creates a virtual environment with the packages of the tests; returns its interpreter.
pub(crate) fn environment(log: &Log) -> Outcome<PathBuf> {
    virtual_environment(log, "python", REQUIREMENTS)
}

/// Creates a virtual environment with these packages; returns its interpreter.
pub(crate) fn virtual_environment(log: &Log, name: &str, requirements: &[&str]) -> Outcome<PathBuf> {
    let folder = workspace::target("xtask").join(name);
    let python = folder.join("bin/python");
    let ready = folder.join("ready");
    let wanted = requirements.join("\n");
    if fs::read_to_string(&ready).is_ok_and(|made_of| made_of == wanted) && version(&python).is_some() {
        return Ok(python);
    }
    // Remains of an interrupted attempt.
    let _ = fs::remove_dir_all(&folder);
    let found = version(Path::new("python3"));
    if found.is_none_or(|version| version < OLDEST) {
        return Err(format!(
            "expected python3 {}.{} or newer, found {found:?}; install it",
            OLDEST.0, OLDEST.1
        ));
    }
    venv(log, &mut Command::new("python3"), &folder)?;
    log.run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--disable-pip-version-check", "-q"])
            .args(requirements),
    )?;
    fs::write(&ready, wanted).map_err(|e| format!("{}: {e}", ready.display()))?;
    Ok(python)
}

/// Creates an empty virtual environment. On Debian this needs the package python3-venv.
pub(crate) fn venv(log: &Log, python: &mut Command, folder: &Path) -> Outcome {
    if output_of(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        environment::install(log, &["python3-venv"])?;
    }
    log.run(python.args(["-m", "venv"]).arg(folder)).map(drop)
}

/// Assembles the package as if installed: its Python files beside the library in the tests' profile. The operations of the
/// tests are a module beside it.
pub(crate) fn assemble(log: &Log) -> Outcome<PathBuf> {
    crate::build::libraries(log)?;
    let folder = workspace::target("xtask/python-package");
    let package = folder.join("quorate");
    // Remains of an earlier build.
    let _ = fs::remove_dir_all(&package);
    put_package(&package, &crate::build::library("debug", "quorate-python"))?;
    generated::write_below(&package, stub::native_stub(log)?)?;
    generated::put_operations(Language::Python, &folder.join("vector_operations.py"))?;
    Ok(folder)
}

/// Puts the package into a folder as if installed: its modules, the generated ones, and a library.
pub(crate) fn put_package(package: &Path, library: &Path) -> Outcome {
    workspace::copy(&workspace::root().join("bindings/python/python/quorate"), package)?;
    generated::write_below(package, generated::python_modules()?)?;
    workspace::copy(library, &package.join("_native.abi3.so"))
}

fn version(python: &Path) -> Option<(u32, u32)> {
    let text = output_of(Command::new(python).args(["-c", "import sys; print(*sys.version_info[:2])"]))?;
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn cases_are_counted_after_other_output() {
        assert_eq!(super::cases_in(".312 cases of vote.json"), Some(312));
        assert_eq!(super::cases_in("7 passed in 3 s"), None);
    }
}
