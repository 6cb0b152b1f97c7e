//! The references of the API in each language, made from its sources by the language's own tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::built::files_with_extension;
use crate::bindings::{javascript, kotlin, python};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace::normal;
use crate::{build, npm, workspace};

/// The languages, as the folders below `api`, each with its tool.
pub(super) const ALL: &[(&str, Tool)] =
    &[("rust", rust), ("typescript", typescript), ("python", python), ("kotlin", kotlin)];

/// Makes a reference in a folder.
pub(super) type Tool = fn(&Log, &Path) -> Outcome<String>;

/// The crate with a reference, and its folder.
const CRATE: (&str, &str) = ("quorate", "core");
/// The packages of the tool for Python.
const PDOC: &[&str] = &["pdoc==16.0.0", "typing_extensions==4.16.0"];
/// The element of Dokka's pages that loads a program from another site, to run samples; the pages have none.
const DOKKA_PLAYGROUND: &str = "<script type=\"text/javascript\" \
    src=\"https://unpkg.com/kotlin-playground@1/dist/playground.min.js\" async=\"async\"></script>";

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
    complete_rustdoc(out)?;
    Ok("rustdoc".to_owned())
}

/// Adds what rustdoc's pages link to and rustdoc does not write for one crate: the start page, and the scripts with the
/// implementations of traits that have none in other modules.
fn complete_rustdoc(folder: &Path) -> Outcome {
    let start =
        format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}/index.html\">", CRATE.0);
    write(&folder.join("index.html"), &start)?;
    for page in files_with_extension(folder, "html")? {
        let text = read(&page)?;
        for part in text.split("<script src=\"").skip(1) {
            let script = part.split('"').next().filter(|script| script.contains("/trait.impl/"));
            let Some(file) = script.and_then(|script| Some(normal(&page.parent()?.join(script)))) else {
                continue;
            };
            if !file.exists() {
                fs::create_dir_all(file.parent().unwrap_or(folder)).map_err(|e| e.to_string())?;
                write(&file, "")?;
            }
        }
    }
    Ok(())
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

/// pdoc, over the package as if installed. Modules with an underscore have no pages.
fn python(log: &Log, out: &Path) -> Outcome<String> {
    let interpreter = python::virtual_environment(log, "pdoc", PDOC)?;
    let package = workspace::target("xtask/pdoc-package");
    let _ = fs::remove_dir_all(&package);
    workspace::copy(&python::assemble(log)?, &package)?;
    for stub in files_with_extension(&package, "pyi")? {
        write(&stub, &executable_stub(&read(&stub)?))?;
    }
    let mut pdoc = Command::new(interpreter);
    pdoc.current_dir(&package).env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1");
    pdoc.args(["-m", "pdoc", "quorate", "!quorate\\._.*", "--no-search", "--no-show-source"]);
    pdoc.arg("--template-directory").arg(workspace::root().join("xtask/docs/pdoc"));
    log.run(pdoc.arg("-o").arg(out))?;
    Ok("pdoc".to_owned())
}

/// A type stub for pdoc, which takes signatures from stubs by executing them: annotations are not evaluated, because they name
/// classes before their definition. What converts to an integer is shown as `int`.
fn executable_stub(stub: &str) -> String {
    let mut text = String::new();
    let mut is_first = true;
    for line in stub.lines() {
        let is_import = line.starts_with("from ") || line.starts_with("import ");
        if is_import && std::mem::take(&mut is_first) {
            text += "from __future__ import annotations\n";
        }
        text += &if is_import { line.to_owned() } else { line.replace("SupportsIndex", "int") };
        text.push('\n');
    }
    text
}

/// Dokka, through Maven.
fn kotlin(log: &Log, out: &Path) -> Outcome<String> {
    workspace::copy(&kotlin::documentation_pages(log)?, out)?;
    for page in files_with_extension(out, "html")? {
        write(&page, &read(&page)?.replace(DOKKA_PLAYGROUND, ""))?;
    }
    Ok("Dokka".to_owned())
}

fn read(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn write(file: &Path, text: &str) -> Outcome {
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stubs_are_made_executable() {
        let stub = "\"\"\"Text.\"\"\"\n\nimport builtins\nfrom typing import SupportsIndex\n\nclass A:\n    def b(self, at: SupportsIndex) -> A: ...\n";
        let expected = "\"\"\"Text.\"\"\"\n\nfrom __future__ import annotations\nimport builtins\nfrom typing import SupportsIndex\n\n\
                        class A:\n    def b(self, at: int) -> A: ...\n";
        assert_eq!(executable_stub(stub), expected);
        assert_eq!(executable_stub("A = int\n"), "A = int\n");
    }
}
