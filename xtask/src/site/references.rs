//! The references of the API in each language, made from its sources by the language's own tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::built::html_files;
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
/// Pages in Dokka's menus, with the texts of their links.
const DOKKA_MENU: [(&str, &str); 3] =
    [("package-summary.html", "Package"), ("package-tree.html", "Tree"), ("overview-tree.html", "Tree")];
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
    complete_rustdoc(out)?;
    Ok("rustdoc".to_owned())
}

/// Adds what rustdoc's pages link to and rustdoc does not write for one crate: the start page, and the scripts with the
/// implementations of traits that have none in other modules.
fn complete_rustdoc(folder: &Path) -> Outcome {
    let start =
        format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}/index.html\">", CRATE.0);
    write(&folder.join("index.html"), &start)?;
    let mut pages = Vec::new();
    html_files(folder, &mut pages)?;
    for page in pages {
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
    remove_dead_menu_links(out)?;
    Ok("Dokka".to_owned())
}

/// Dokka's menus link to pages beside the present one that exist in other folders only, or nowhere: their text stays.
fn remove_dead_menu_links(folder: &Path) -> Outcome {
    let mut pages = Vec::new();
    html_files(folder, &mut pages)?;
    for page in pages {
        let text = read(&page)?;
        let mut mended = text.clone();
        for (name, label) in DOKKA_MENU {
            if !page.with_file_name(name).is_file() {
                mended = mended.replace(&format!("<a href=\"{name}\">{label}</a>"), label);
            }
        }
        if mended != text {
            write(&page, &mended)?;
        }
    }
    Ok(())
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
    fn menus_link_to_existing_pages_only() {
        let folder = workspace::target("xtask/unit/menus");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("inner")).unwrap();
        let menu = "<li><a href=\"package-summary.html\">Package</a></li><a href=\"index.html\">Tree</a>";
        for page in ["index.html", "inner/index.html", "inner/package-summary.html"] {
            fs::write(folder.join(page), menu).unwrap();
        }
        remove_dead_menu_links(&folder).unwrap();
        let text = |page| fs::read_to_string(folder.join(page)).unwrap();
        assert_eq!(text("index.html"), "<li>Package</li><a href=\"index.html\">Tree</a>");
        assert_eq!(text("inner/index.html"), menu);
    }
}
