//! The dependencies between crates, and the rules they obey.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::graph::Graph;
use super::rules::{CRATE_EXCEPTIONS, CRATE_RULES, CrateRule, Forbidden};
use crate::process::Outcome;
use crate::workspace;

/// A crate of this workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: PathBuf,
    /// All crates it uses directly: for building, in its build script and in its tests.
    pub(crate) uses: BTreeSet<String>,
    /// Those of them that its users get with it.
    pub(crate) built_with: BTreeSet<String>,
    /// The root files of its library, programs, tests, benchmarks and examples.
    pub(crate) roots: Vec<PathBuf>,
}

/// The crates of this workspace by name.
pub(crate) fn packages() -> Outcome<BTreeMap<String, Package>> {
    let metadata = workspace::metadata(false)?;
    let packages = list(&metadata, "packages").iter().map(package);
    Ok(packages.map(|package| (package.name.clone(), package)).collect())
}

fn package(value: &Value) -> Package {
    let dependencies = list(value, "dependencies");
    let is_built = |dependency: &&Value| dependency.get("kind").is_none_or(Value::is_null);
    let manifest = PathBuf::from(text(value, "manifest_path"));
    let folder = manifest.parent().unwrap_or(&manifest);
    Package {
        name: text(value, "name"),
        folder: folder.strip_prefix(workspace::root()).unwrap_or(folder).to_path_buf(),
        uses: dependencies.iter().map(|dependency| text(dependency, "name")).collect(),
        built_with: dependencies.iter().filter(is_built).map(|dependency| text(dependency, "name")).collect(),
        roots: list(value, "targets").iter().map(|target| text(target, "src_path").into()).collect(),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The uses of our crates by each other, of all kinds.
pub(crate) fn crate_graph(packages: &BTreeMap<String, Package>) -> Graph {
    let mut graph = Graph::default();
    for package in packages.values() {
        graph.add(&package.name, &package.name, "");
        for used in package.uses.iter().filter(|used| packages.contains_key(*used)) {
            graph.add(&package.name, used, used);
        }
    }
    graph
}

/// The violations of [`CRATE_RULES`], one sentence each.
pub(crate) fn violations(packages: &BTreeMap<String, Package>) -> Vec<String> {
    let mut violations = Vec::new();
    for rule in CRATE_RULES {
        for package in packages.values().filter(|package| package.folder.starts_with(rule.folder)) {
            for (used, through) in reached_from(package, packages) {
                if is_forbidden(rule, &used, packages) && !is_exception(&package.name, &used, &through) {
                    let way = through.map_or_else(String::new, |through| format!(" through `{through}`"));
                    violations.push(format!("`{}` depends on `{used}`{way}: {}", package.name, rule.reason));
                }
            }
        }
    }
    violations
}

fn is_forbidden(rule: &CrateRule, used: &str, packages: &BTreeMap<String, Package>) -> bool {
    match &rule.forbidden {
        Forbidden::Workspace => packages.contains_key(used),
        Forbidden::Named(names) => names.contains(&used),
        Forbidden::Folder { folder, except } => {
            let is_below = |package: &Package| package.folder.starts_with(Path::new(folder));
            packages.get(used).is_some_and(is_below) && !except.contains(&used)
        }
    }
}

/// An exception for a crate holds for those that get it through that crate.
fn is_exception(package: &str, used: &str, through: &Option<String>) -> bool {
    let owner = through.as_deref().unwrap_or(package);
    CRATE_EXCEPTIONS.iter().any(|(excepted, dependency, _)| *excepted == owner && *dependency == used)
}

/// The crates that a package uses, and for an indirect use the crate of ours that brings it.
fn reached_from(package: &Package, packages: &BTreeMap<String, Package>) -> BTreeMap<String, Option<String>> {
    let mut reached: BTreeMap<String, Option<String>> =
        package.uses.iter().map(|used| (used.clone(), None)).collect();
    let mut waiting: Vec<&Package> = package.uses.iter().filter_map(|used| packages.get(used)).collect();
    while let Some(next) = waiting.pop() {
        for used in &next.built_with {
            if !reached.contains_key(used) {
                reached.insert(used.clone(), Some(next.name.clone()));
                waiting.extend(packages.get(used));
            }
        }
    }
    reached
}
