//! The crates in the libraries and modules of a release: those that are compiled into them, not those that only build them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use super::platforms::PLATFORMS;
use crate::process::{Outcome, output_of};
use crate::toolchain::WASM;
use crate::workspace;

/// What users get: our crates with libraries, and that of WebAssembly.
const SHIPPED: &[&str] = &["quorate-python", "quorate-napi", "quorate-kotlin", "quorate-wasm"];

/// Name and version.
pub(super) type Id = (String, String);

/// A crate.
#[derive(Clone, Debug, Default)]
pub(super) struct Crate {
    /// An expression of SPDX.
    pub(super) licence: String,
    pub(super) folder: PathBuf,
    pub(super) repository: Option<String>,
    /// SHA-256 of its archive at the registry; our own have none.
    pub(super) checksum: Option<String>,
    pub(super) uses: BTreeSet<Id>,
}

/// All crates, with those that each uses.
pub(super) fn shipped() -> Outcome<BTreeMap<Id, Crate>> {
    let mut tree = BTreeMap::<Id, BTreeSet<Id>>::new();
    for name in SHIPPED {
        let mut cargo = workspace::cargo();
        cargo.args(["tree", "--package", name, "--edges", "normal,no-proc-macro"]);
        cargo.args(["--prefix", "depth", "--format", " {p}"]);
        let natives = PLATFORMS.iter().map(|platform| platform.target);
        let is_wasm = *name == "quorate-wasm";
        for target in natives.filter(|_| !is_wasm).chain(is_wasm.then_some(WASM)) {
            cargo.args(["--target", target]);
        }
        let text = output_of(&mut cargo).ok_or_else(|| format!("`cargo tree --package {name}` failed"))?;
        add_tree(&mut tree, &text)?;
    }
    let metadata = workspace::metadata(true)?;
    let checksums = checksums()?;
    tree.into_iter().map(|(id, uses)| crate_of(&metadata, &checksums, id, uses)).collect()
}

/// Adds the edges in the output of `cargo tree` with a depth before each crate.
fn add_tree(tree: &mut BTreeMap<Id, BTreeSet<Id>>, text: &str) -> Outcome {
    let mut path: Vec<Id> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let unread = || format!("unexpected line of `cargo tree`: {line}");
        let (depth, rest) = line.split_once(' ').ok_or_else(unread)?;
        let mut words = rest.split(' ');
        let (name, version) = (words.next(), words.next().and_then(|word| word.strip_prefix('v')));
        let id = (name.ok_or_else(unread)?.to_owned(), version.ok_or_else(unread)?.to_owned());
        path.truncate(depth.parse().map_err(|_| unread())?);
        tree.entry(id.clone()).or_default();
        if let Some(user) = path.last() {
            tree.entry(user.clone()).or_default().insert(id.clone());
        }
        path.push(id);
    }
    Ok(())
}

fn crate_of(
    metadata: &Value,
    checksums: &BTreeMap<Id, String>,
    id: Id,
    uses: BTreeSet<Id>,
) -> Outcome<(Id, Crate)> {
    let text = |package: &Value, field: &str| package.get(field).and_then(Value::as_str).map(str::to_owned);
    let packages = metadata.get("packages").and_then(Value::as_array);
    let found = packages.into_iter().flatten().find(|package| {
        text(package, "name").as_ref() == Some(&id.0) && text(package, "version").as_ref() == Some(&id.1)
    });
    let package = found.ok_or_else(|| format!("cargo's metadata has no crate {} {}", id.0, id.1))?;
    let manifest = PathBuf::from(text(package, "manifest_path").unwrap_or_default());
    let licence =
        text(package, "license").ok_or_else(|| format!("{} {}: it states no licence", id.0, id.1))?;
    let found = Crate {
        // An older form of the expression.
        licence: licence.replace('/', " OR "),
        folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
        repository: text(package, "repository"),
        checksum: checksums.get(&id).cloned(),
        uses,
    };
    Ok((id, found))
}

/// The checksums of `Cargo.lock`.
fn checksums() -> Outcome<BTreeMap<Id, String>> {
    let file = workspace::root().join("Cargo.lock");
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lock: toml::Table = text.parse().map_err(|e| format!("Cargo.lock: {e}"))?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let entry = |package: &toml::Value| {
        let text = |field: &str| package.get(field).and_then(toml::Value::as_str).map(str::to_owned);
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    Ok(packages.into_iter().flatten().filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_an_edge_per_use() {
        let id = |name: &str| (name.to_owned(), "1.0.0".to_owned());
        let mut tree = BTreeMap::new();
        let text =
            "0 a v1.0.0 (/folder)\n1 b v1.0.0\n2 c v1.0.0\n1 c v1.0.0 (*)\n\n0 d v1.0.0\n1 b v1.0.0 (*)\n";
        add_tree(&mut tree, text).unwrap();
        assert_eq!(tree[&id("a")], BTreeSet::from([id("b"), id("c")]));
        assert_eq!(tree[&id("b")], BTreeSet::from([id("c")]));
        assert_eq!(tree[&id("c")], BTreeSet::new());
        assert_eq!(tree[&id("d")], BTreeSet::from([id("b")]));
        add_tree(&mut tree, "warning: text").unwrap_err();
    }
}
