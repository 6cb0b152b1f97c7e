//! Installs each package as a stranger would, in an empty folder outside the repository, and uses it there.

mod kotlin;
mod node;
mod python;
mod rust;
mod wasm;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Order, Part};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Installs and uses a package, given the files that were built of it; answers with where it went.
pub(super) fn install(part: Part, log: &Log, order: &Order, files: &[PathBuf]) -> Outcome<String> {
    match part {
        Part::Crate => rust::install(log, order, files),
        Part::Python => python::install(log, order, files),
        Part::Node => node::install(log, order, files),
        Part::Wasm => wasm::install(log, order, files),
        Part::Kotlin => kotlin::install(log, order, files),
    }
}

/// The file of this kind among those of a package. Not by its name: the folder may hold others of an earlier build.
fn the<'a>(files: &'a [PathBuf], ending: &str) -> Outcome<&'a Path> {
    let mut found = files.iter().filter(|file| file.to_string_lossy().ends_with(ending));
    match (found.next(), found.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(format!("one …{ending} was to be built, but that is not so: {files:?}")),
    }
}

/// The development tools in a `package.json` of ours of these names, as `name@version`.
fn tools(manifest: &str, names: &[&str]) -> Outcome<Vec<String>> {
    let file = workspace::root().join(manifest);
    let text = fs::read_to_string(&file).map_err(|e| format!("{manifest}: {e}"))?;
    let manifest: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let tools = manifest.get("devDependencies").and_then(Value::as_object);
    let wanted = tools.into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    Ok(wanted.filter_map(|(name, version)| Some(format!("{name}@{}", version.as_str()?))).collect())
}
