//! `examples/clients/ethereum-sync`: the Python program and the page in a browser, both compared with the Rust program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bindings::{python, wasm};
use crate::process::Outcome;
use crate::steps::{Log, Steps};
use crate::{environment, npm, workspace};

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("ethereum sync", |log| {
        let chromium = environment::chromium(log)?;
        let program = crate::build::binary(log, "ethereum-sync")?;
        let tests = in_python(log, &program)?;
        let page = in_a_browser(log, &program, &chromium)?;
        Ok(format!("Python: {tests}; page: {page}"))
    });
}

/// Builds the page and compares its output with that of the Rust program.
fn in_a_browser(log: &Log, program: &Path, chromium: &str) -> Outcome<String> {
    wasm::build(log)?;
    let source = workspace::root().join("examples/clients/ethereum-sync/browser");
    npm::install(log, &source)?;
    let page = workspace::target("xtask/ethereum-page");
    let node = || {
        let mut node = Command::new("node");
        node.current_dir(&source).env("ETHEREUM_SYNC", program);
        node
    };
    log.run(node().arg("build.mjs").arg(&page))?;
    let tools = crate::wasm::tools(log)?;
    let mut test = node();
    test.arg("tests/page.mjs").arg(chromium).arg(tools).arg(&page);
    let output = log.run(test.arg(workspace::target("xtask/ethereum-page-screenshots")))?;
    Ok(output.lines().last().unwrap_or_default().to_owned())
}

/// Runs the tests of the Python program, which compare it with the Rust program.
fn in_python(log: &Log, program: &Path) -> Outcome<String> {
    let interpreter = python::environment(log)?;
    let package = python::assemble(log)?;
    let source = workspace::root().join("examples/clients/ethereum-sync/python");
    let requirements = requirements(log, &interpreter)?;
    let path = std::env::join_paths([&source, &package, &requirements]).map_err(|e| e.to_string())?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&interpreter);
        command.current_dir(&source).env("PYTHONPATH", &path).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("MYPYPATH", &package).env("MYPY_CACHE_DIR", workspace::target("xtask/mypy"));
        log.run(command.env("ETHEREUM_SYNC", program).arg("-m").args(arguments))
    };
    let output = run(&["pytest", "-p", "no:cacheprovider"])?;
    run(&["mypy", "ethereum_sync", "tests"])?;
    let passed = output.lines().rev().find(|line| line.contains(" passed")).unwrap_or_default();
    Ok(passed.trim_matches([' ', '=']).to_owned())
}

/// Installs the Python program's dependencies other than quorate into a folder.
fn requirements(log: &Log, interpreter: &Path) -> Outcome<PathBuf> {
    let list = workspace::root().join("examples/clients/ethereum-sync/python/requirements.txt");
    let folder = workspace::target("xtask/ethereum-python");
    let ready = folder.join("ready.txt");
    let wanted = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    if fs::read_to_string(&ready).is_ok_and(|made_of| made_of == wanted) {
        return Ok(folder);
    }
    // Packages of an earlier list.
    let _ = fs::remove_dir_all(&folder);
    let mut pip = Command::new(interpreter);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "-q", "--target"]).arg(&folder);
    log.run(pip.arg("-r").arg(&list))?;
    fs::write(&ready, wanted).map_err(|e| format!("{}: {e}", ready.display()))?;
    Ok(folder)
}
