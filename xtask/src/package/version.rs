//! The version number of the workspace. Cargo and maturin read it there; npm and Maven need copies in their own files, and
//! documents show it. This module checks that all are equal.

use std::fs;

use serde_json::Value;

use crate::process::Outcome;
use crate::workspace;

const POM: &str = "bindings/kotlin/pom.xml";
const PYPROJECT: &str = "bindings/python/pyproject.toml";
/// Other files: the text before each of our versions in them, and the marks around the version.
const PLACES: &[(&str, &str, [&str; 2])] = &[
    (POM, MAVEN, ["<version>", "</version>"]),
    ("examples/clients/watch/kotlin/pom.xml", MAVEN, ["<version>", "</version>"]),
    ("bindings/kotlin/README.md", MAVEN, ["<version>", "</version>"]),
    ("bindings/kotlin/README.md", "`target/", ["quorate-", ".jar"]),
    ("bindings/javascript/common/version.ts", "VERSION", ["'", "'"]),
];
/// Maven's name of one of our packages.
const MAVEN: &str = "<artifactId>quorate";

/// The version of the core, which is the workspace's.
pub(crate) fn workspace_version() -> Outcome<String> {
    let metadata = workspace::metadata(false)?;
    packages(&metadata)
        .find(|package| text(package, "name") == "quorate")
        .map(|package| text(package, "version").to_owned())
        .ok_or_else(|| "the workspace has no package `quorate`".to_owned())
}

/// The version of Kotlin's compiler that the binding is compiled with.
pub(crate) fn kotlin_version() -> Outcome<String> {
    between(&fs_text(POM)?, "<kotlin.version>", "</kotlin.version>")
}

/// Checks that every file with one of our versions has the workspace's.
pub(crate) fn check() -> Outcome<String> {
    let wanted = workspace_version()?;
    let stated = stated()?;
    let wrong: Vec<String> = stated
        .iter()
        .filter(|(_, version)| *version != wanted)
        .map(|(place, version)| {
            format!("{place}: expected version {wanted} of the workspace, found {version}")
        })
        .collect();
    if wrong.is_empty() { Ok(format!("{wanted} in {} places", stated.len())) } else { Err(wrong.join("\n")) }
}

/// Every place and its version.
fn stated() -> Outcome<Vec<(String, String)>> {
    let metadata = workspace::metadata(false)?;
    let mut all = Vec::new();
    for package in packages(&metadata) {
        all.push((format!("crate {}", text(package, "name")), text(package, "version").to_owned()));
    }
    let root = fs_text("Cargo.toml")?;
    let dependency = root.lines().find(|line| line.starts_with("quorate = ")).unwrap_or_default();
    all.push(("Cargo.toml, dependency quorate".to_owned(), between(dependency, "version = \"", "\"")?));
    for folder in ["bindings/node", "bindings/wasm"] {
        for name in ["package.json", "package-lock.json"] {
            let file = format!("{folder}/{name}");
            if !workspace::root().join(&file).exists() {
                continue;
            }
            let manifest = json(&file)?;
            all.push((file.clone(), text(&manifest, "version").to_owned()));
            if let Some(own) = manifest.pointer("/packages/") {
                all.push((format!("{file}, packages"), text(own, "version").to_owned()));
            }
        }
    }
    for (file, before, marks) in PLACES {
        let versions = after_each(&fs_text(file)?, before, *marks).map_err(|e| format!("{file}: {e}"))?;
        all.extend(versions.into_iter().map(|version| ((*file).to_owned(), version)));
    }
    // maturin takes it from Cargo.toml where it is declared dynamic.
    if workspace::root().join(PYPROJECT).exists() {
        let project: toml::Table = fs_text(PYPROJECT)?.parse().map_err(|e| format!("{PYPROJECT}: {e}"))?;
        let version = project.get("project").and_then(|project| project.get("version"));
        if let Some(version) = version {
            all.push((PYPROJECT.to_owned(), version.as_str().unwrap_or_default().to_owned()));
        }
    }
    Ok(all)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata.get("packages").and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn fs_text(name: &str) -> Outcome<String> {
    fs::read_to_string(workspace::root().join(name)).map_err(|e| format!("{name}: {e}"))
}

fn json(name: &str) -> Outcome<Value> {
    serde_json::from_str(&fs_text(name)?).map_err(|e| format!("{name}: {e}"))
}

/// The text between two marks, the first time after each occurrence of `place`; fails if there is none.
fn after_each(text: &str, place: &str, [start, end]: [&str; 2]) -> Outcome<Vec<String>> {
    let found: Vec<String> =
        text.split(place).skip(1).map(|rest| between(rest, start, end)).collect::<Outcome<_>>()?;
    if found.is_empty() { Err(format!("`{place}` was not found")) } else { Ok(found) }
}

/// The first text between two marks.
fn between(text: &str, before: &str, after: &str) -> Outcome<String> {
    text.split_once(before)
        .and_then(|(_, rest)| rest.split_once(after))
        .map(|(found, _)| found.to_owned())
        .ok_or_else(|| format!("`{before}…{after}` was not found"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_manifests_state_the_workspace_version() {
        check().unwrap();
    }

    #[test]
    fn every_place_counts_and_there_must_be_one() {
        let text = "<v>9</v> ours <v>1</v> theirs <v>2</v> ours <v>3</v>";
        assert_eq!(after_each(text, "ours", ["<v>", "</v>"]).unwrap(), ["1", "3"]);
        after_each(text, "missing", ["<v>", "</v>"]).unwrap_err();
    }

    #[test]
    fn files_of_npm_maven_and_documents_are_checked() {
        let stated = stated().unwrap();
        let times = |file: &str| stated.iter().filter(|(place, _)| place == file).count();
        assert_eq!(times("examples/clients/watch/kotlin/pom.xml"), 3);
        assert_eq!(times("bindings/kotlin/README.md"), 2);
        assert_eq!(times("bindings/javascript/common/version.ts"), 1);
    }

    #[test]
    fn the_first_mark_counts() {
        assert_eq!(between("<a>1</a><a>2</a>", "<a>", "</a>").unwrap(), "1");
        assert!(between("<a>1", "<a>", "</a>").is_err());
    }
}
