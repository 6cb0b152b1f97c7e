//! The npm package `quorate-wasm`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::javascript;
use crate::process::Outcome;
use crate::steps::{Log, Once, Steps};
use crate::wasm::{self, Pack};
use crate::{environment, npm, workspace};

/// The build of both modules in this process.
static BUILT: Once = Once::new();

/// Adds a background step that builds the modules: optimising them takes minutes of one processor.
pub(crate) fn add_build_to(steps: &mut Steps) {
    steps.add_background("wasm modules", |log| build(log).map(|()| String::new()));
}

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("wasm binding", |log| {
        let package = package();
        let chromium = environment::chromium(log)?;
        build(log)?;
        npm::install(log, &package)?;
        let types = package.join("node_modules/typescript/bin/tsc");
        for project in ["test/types", "test/types/tsconfig.page.json"] {
            log.run(node(&package).arg(&types).args(["--project", project]))?;
        }
        let tests = ["--test", "--test-timeout=600000", "--test-reporter=tap"];
        let output = log.run(node(&package).args(tests).args(test_files(&package)?))?;
        let tools = wasm::tools(log)?;
        log.run(node(&package).arg("test/browser.mjs").arg(&chromium).arg(&tools))?;
        npm::install(log, &package.join("test/bundlers"))?;
        let mut bundlers = node(&package);
        bundlers.arg("test/bundlers/build.mjs").arg(&chromium).arg(&tools);
        log.run(bundlers.arg(workspace::target("xtask/bundlers")))?;
        Ok(format!("{}, in Node, Chromium, and pages of Vite and webpack", summary(&output)))
    });
}

/// Builds both modules of the package into its `dist`.
pub(crate) fn build(log: &Log) -> Outcome {
    let dist = package().join("dist");
    let full = Pack { name: "quorate", ..Pack::new("quorate-wasm") };
    let certificate = Pack { name: "certificate", default_features: false, ..full.clone() };
    BUILT.run(|| {
        wasm::build(log, &full, &dist)?;
        wasm::build(log, &certificate, &dist)?;
        javascript::web(log)
    })
}

/// The package's folder.
fn package() -> PathBuf {
    workspace::root().join("bindings/wasm")
}

fn node(package: &Path) -> Command {
    let mut node = Command::new("node");
    node.current_dir(package);
    node
}

fn test_files(package: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(package.join("test")).map_err(|e| e.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    Ok(files)
}

/// Summary of the tests' output.
fn summary(output: &str) -> String {
    let mut parts: Vec<String> =
        output.lines().filter_map(|line| Some(format!("{} tests", line.strip_prefix("# pass ")?))).collect();
    parts.extend(output.lines().filter_map(|line| {
        let (name, rest) = line.trim_start_matches(['#', ' ']).strip_prefix("size of ")?.split_once(": ")?;
        let bytes: u64 = rest.split_once(", ")?.1.trim_end_matches(" gzipped").parse().ok()?;
        Some(format!("{name} {} kB gzipped", bytes / 1000))
    }));
    let cases: Vec<&str> =
        output.lines().filter_map(|line| line.strip_prefix("# ")?.strip_suffix(" cases")).collect();
    parts.push(format!("{} cases", cases.join(" and ")));
    parts.join(", ")
}
