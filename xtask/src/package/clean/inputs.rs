//! The inputs of an installation: built files, and versions of development tools.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::Outcome;
use crate::workspace;

/// The one file of a package with this ending. Fails if there are none or several.
pub(super) fn only_file<'a>(files: &'a [PathBuf], ending: &str) -> Outcome<&'a Path> {
    let mut found = files.iter().filter(|file| file.to_string_lossy().ends_with(ending));
    match (found.next(), found.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(format!("expected one file *{ending}, found: {files:?}")),
    }
}

/// The versions of development tools in one of our `package.json`, as `name@version`.
pub(super) fn tools(manifest: &str, names: &[&str]) -> Outcome<Vec<String>> {
    let file = workspace::root().join(manifest);
    let text = fs::read_to_string(&file).map_err(|e| format!("{manifest}: {e}"))?;
    let manifest: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let tools = manifest.get("devDependencies").and_then(Value::as_object);
    let wanted = tools.into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    Ok(wanted.filter_map(|(name, version)| Some(format!("{name}@{}", version.as_str()?))).collect())
}
