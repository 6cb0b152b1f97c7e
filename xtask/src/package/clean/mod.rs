//! Installs each package as a stranger would, in an empty folder outside the repository, and uses it there.

mod kotlin;
mod node;
mod python;
mod rust;
mod wasm;

use std::fs;

use serde_json::Value;

use super::{Order, Part};
use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;

/// Installs and uses a package that was built; answers with where it went.
pub(super) fn install(part: Part, log: &Log, order: &Order) -> Outcome<String> {
    match part {
        Part::Crate => rust::install(log, order),
        Part::Python => python::install(log, order),
        Part::Node => node::install(log, order),
        Part::Wasm => wasm::install(log, order),
        Part::Kotlin => kotlin::install(log, order),
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
