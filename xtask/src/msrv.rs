//! The oldest supported toolchain: the workspace states one, and the crates that users compile must compile with it: the
//! core, and the Python binding with what it builds on, because pip compiles its source distribution.
//!
//! The other bindings, which users get compiled, the examples, which are programs, and the repository's own tools state
//! none: contributors run them with a current toolchain, and they take long to compile.

use std::process::Command;

use serde_json::Value;

use crate::process::{Outcome, output_of};
use crate::steps::{Log, Steps};
use crate::toolchain::C_QUICKLY;
use crate::{environment, workspace};

/// Adds the step.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add_background("oldest toolchain", |log| {
        let metadata = workspace::metadata(false)?;
        let all: Vec<&str> = with_stated_toolchain(&metadata).flat_map(|name| ["--package", name]).collect();
        by_compiling(log, "quorate", &all)
    });
}

/// The crates of the workspace that state a `rust-version`.
fn with_stated_toolchain(metadata: &Value) -> impl Iterator<Item = &str> {
    let ours = packages(metadata).filter(|package| package.get("source").is_none_or(Value::is_null));
    ours.filter(|package| !text(package, "rust_version").is_empty()).map(|package| text(package, "name"))
}

/// Compiles with the toolchain that `package` states. If rustup cannot install it, compares cargo's metadata instead and
/// reports that.
fn by_compiling(log: &Log, package: &str, selection: &[&str]) -> Outcome<String> {
    let version = stated(&workspace::metadata(false)?, package)?;
    let toolchain = version.text();
    if !is_installed(&toolchain) {
        let install = ["toolchain", "install", "--profile", "minimal", "--no-self-update", &toolchain];
        // The check afterwards decides, not rustup's exit code.
        let _ = environment::rustup(log, &install);
    }
    if !is_installed(&toolchain) {
        return by_metadata()
            .map(|said| format!("rustup cannot install {toolchain}; NOT compiled with it. {said}"));
    }
    log.run(
        workspace::cargo_with_toolchain(&toolchain)
            .args(["check", "--config", C_QUICKLY])
            .args(selection)
            .arg("--target-dir")
            .arg(workspace::target(&format!("msrv-{toolchain}"))),
    )?;
    Ok(format!("compiled by {toolchain}"))
}

/// Checks that no dependency states a newer toolchain than the crate of ours that uses it.
pub(crate) fn by_metadata() -> Outcome<String> {
    let metadata = workspace::metadata(true)?;
    let mut wrong = Vec::new();
    let mut checked = 0usize;
    for package in with_stated_toolchain(&metadata) {
        let ours = stated(&metadata, package)?;
        for (name, theirs) in dependencies_of(&metadata, package) {
            checked += 1;
            if theirs.is_some_and(|theirs| theirs > ours) {
                wrong.push(format!("{name} requires a newer Rust than {package} states ({})", ours.text()));
            }
        }
    }
    if wrong.is_empty() {
        Ok(format!("{checked} stated rust-versions compared"))
    } else {
        Err(wrong.join("\n"))
    }
}

fn is_installed(toolchain: &str) -> bool {
    output_of(Command::new("rustup").args(["run", toolchain, "rustc", "--version"])).is_some()
}

/// A Rust version: major, minor, patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32, u32);

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        Some(Self(parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)))
    }

    fn text(self) -> String {
        if self.2 == 0 {
            format!("{}.{}", self.0, self.1)
        } else {
            format!("{}.{}.{}", self.0, self.1, self.2)
        }
    }
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata.get("packages").and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn stated(metadata: &Value, name: &str) -> Outcome<Version> {
    packages(metadata)
        .find(|package| text(package, "name") == name)
        .and_then(|package| Version::parse(text(package, "rust_version")))
        .ok_or_else(|| format!("`{name}` states no rust-version in its Cargo.toml"))
}

/// Every crate that a build of `name` compiles (without dependencies of tests), with the Rust version that it states.
fn dependencies_of(metadata: &Value, name: &str) -> Vec<(String, Option<Version>)> {
    let nodes = || metadata.pointer("/resolve/nodes").and_then(Value::as_array).into_iter().flatten();
    let by_id = |id: &str| packages(metadata).find(|package| text(package, "id") == id);
    let Some(start) = packages(metadata).find(|package| text(package, "name") == name) else {
        return Vec::new();
    };
    let mut waiting = vec![text(start, "id").to_owned()];
    let mut seen = Vec::new();
    while let Some(id) = waiting.pop() {
        if seen.contains(&id) {
            continue;
        }
        let edges = nodes().find(|node| text(node, "id") == id).and_then(|node| node.get("deps")?.as_array());
        for edge in edges.into_iter().flatten() {
            let kinds = edge.get("dep_kinds").and_then(Value::as_array);
            let built = kinds.into_iter().flatten().any(|kind| text(kind, "kind") != "dev");
            if built {
                waiting.push(text(edge, "pkg").to_owned());
            }
        }
        seen.push(id);
    }
    seen.iter()
        .filter_map(|id| by_id(id))
        .map(|package| (text(package, "name").to_owned(), Version::parse(text(package, "rust_version"))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(Version::parse("1.9") < Version::parse("1.85.1"));
        assert_eq!(Version::parse("1.85").unwrap().text(), "1.85");
        assert_eq!(Version::parse("soon"), None);
    }

    #[test]
    fn crates_without_a_stated_toolchain_are_not_checked() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "core", "rust_version": "1.85", "source": null },
            { "name": "tool", "rust_version": null, "source": null },
            { "name": "theirs", "rust_version": "1.99", "source": "registry" },
        ] });
        assert!(with_stated_toolchain(&metadata).eq(["core"]));
    }

    #[test]
    fn indirect_dependencies_count_and_those_of_tests_do_not() {
        let metadata = serde_json::json!({
            "packages": [
                { "id": "a", "name": "a", "rust_version": "1.85" },
                { "id": "b", "name": "b", "rust_version": null },
                { "id": "c", "name": "c", "rust_version": "1.99" },
                { "id": "d", "name": "d", "rust_version": "1.99" },
            ],
            "resolve": { "nodes": [
                { "id": "a", "deps": [
                    { "pkg": "b", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "d", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "b", "deps": [{ "pkg": "c", "dep_kinds": [{ "kind": "build" }] }] },
            ] },
        });
        let names: Vec<String> = dependencies_of(&metadata, "a").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
