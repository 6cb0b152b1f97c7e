//! The references of the API in each language, made from its sources by the language's own tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bindings::{javascript, kotlin, python};
use crate::process::Outcome;
use crate::steps::Log;
use crate::{build, npm, workspace};

/// The languages, as the folders below `api`, each with its tool.
pub(super) const ALL: &[(&str, Tool)] =
    &[("rust", rust), ("typescript", typescript), ("python", python), ("kotlin", kotlin)];

/// Makes a reference in a folder.
pub(super) type Tool = fn(&Log, &Path) -> Outcome<String>;

/// The crate with a reference, and its folder.
const CRATE: (&str, &str) = ("quorate", "core");
/// The packages of the tool for Python.
const PDOC: &[&str] = &["pdoc==16.0.0"];

/// The folder of the crate with a reference, and the name of its library.
pub(super) fn crates() -> Vec<(PathBuf, String)> {
    let (name, folder) = CRATE;
    vec![(PathBuf::from(folder), name.replace('-', "_"))]
}

/// rustdoc.
fn rust(log: &Log, out: &Path) -> Outcome<String> {
    let made = workspace::target("doc");
    // Pages of other crates would get into the site.
    let _ = fs::remove_dir_all(&made);
    let mut cargo = workspace::cargo();
    cargo.args(["doc", "--no-deps", "--lib", "--package", CRATE.0, "--features", build::CORE_FEATURES]);
    log.run(&mut cargo)?;
    workspace::copy(&made, out)?;
    let _ = fs::remove_file(out.join(".lock"));
    Ok("rustdoc".to_owned())
}

/// TypeDoc, over the sources of the package for Node.
fn typescript(log: &Log, out: &Path) -> Outcome<String> {
    let tools = workspace::root().join("xtask/docs");
    npm::install(log, &tools)?;
    let (project, entry) = javascript::node_sources(log)?;
    let mut typedoc = Command::new("node");
    typedoc.arg(tools.join("node_modules/typedoc/bin/typedoc"));
    typedoc.args(["--name", "quorate for Node and the web", "--readme", "none", "--disableSources"]);
    typedoc.args(["--excludeInternal", "--excludePrivate", "--excludeExternals", "--githubPages", "false"]);
    typedoc.arg("--tsconfig").arg(project.join("tsconfig.json")).arg("--out").arg(out);
    log.run(typedoc.arg("--entryPoints").arg(entry).current_dir(&project))?;
    Ok("TypeDoc".to_owned())
}

/// pdoc, over the package as if installed.
fn python(log: &Log, out: &Path) -> Outcome<String> {
    let interpreter = python::virtual_environment(log, "pdoc", PDOC)?;
    let package = python::assemble(log)?;
    let mut pdoc = Command::new(interpreter);
    pdoc.current_dir(&package).env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1");
    pdoc.args(["-m", "pdoc", "quorate", "!quorate._native", "--no-search", "--no-show-source", "-o"]);
    log.run(pdoc.arg(out))?;
    Ok("pdoc".to_owned())
}

/// Dokka, through Maven: the contents of the package's documentation jar.
fn kotlin(log: &Log, out: &Path) -> Outcome<String> {
    let [_, jar] = kotlin::documentation_jars(log)?;
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    log.run(Command::new("jar").current_dir(out).arg("--extract").arg("--file").arg(jar))?;
    let _ = fs::remove_dir_all(out.join("META-INF"));
    Ok("Dokka".to_owned())
}
