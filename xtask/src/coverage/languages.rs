//! The languages of the bindings, and the declarations of each.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_generator::typescript::Package;

use super::declarations::{self, Declared};
use crate::bindings::generated::{self, Files};
use crate::bindings::stub;
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// The declarations of one language.
pub(super) struct Language {
    /// Its column, and its key in `coverage.toml`.
    pub(super) name: &'static str,
    pub(super) declared: Declared,
}

/// Reads the declarations of every language.
pub(super) fn languages(log: &Log) -> Outcome<Vec<Language>> {
    let bindings = workspace::root().join("bindings");
    let read = |folders: &[&str], extensions: &[&str], parse: fn(&str) -> Declared| -> Outcome<Declared> {
        let mut declared = Declared::new();
        for folder in folders {
            for path in files(&bindings.join(folder), extensions)? {
                let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                for (block, names) in parse(&text) {
                    declared.entry(block).or_default().extend(names);
                }
            }
        }
        if declared.is_empty() { Err(format!("bindings/{folders:?} declare nothing")) } else { Ok(declared) }
    };
    let with = |mut declared: Declared, files: Files, parse: fn(&str) -> Declared| {
        for (block, names) in files.iter().flat_map(|(_, text)| parse(text)) {
            declared.entry(block).or_default().extend(names);
        }
        declared
    };
    let python = read(&["python/python/quorate"], &["py"], declarations::python)?;
    let modules = [stub::native_stub(log)?, generated::python_modules()?].concat();
    let python = with(python, modules, declarations::python);
    let kotlin = read(&["kotlin/src/main/kotlin"], &["kt"], declarations::kotlin)?;
    let kotlin = with(kotlin, generated::kotlin_classes()?, declarations::kotlin);
    let javascript = |own: &str, package: Package| {
        let folders = ["javascript/common", "javascript/certificate", "javascript/whole", own];
        let read = read(&folders, &["ts"], declarations::typescript)?;
        let written = [generated::typescript_classes(package)?, generated::typescript_errors()?].concat();
        Ok::<_, String>(with(read, written, declarations::typescript))
    };
    let node = javascript("javascript/node", Package::Node)?;
    let web = javascript("javascript/web", Package::Web)?;
    Ok(vec![
        Language { name: "Python", declared: python },
        Language { name: "Node", declared: node },
        Language { name: "Kotlin", declared: kotlin },
        Language { name: "WebAssembly", declared: web },
    ])
}

/// Files of a folder with one of these extensions, without those of installed packages.
fn files(folder: &Path, extensions: &[&str]) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir()
            && !["node_modules", "target", "test", "tests", "dist", "pkg"].contains(&name.as_str())
        {
            found.extend(files(&path, extensions)?);
        } else if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
