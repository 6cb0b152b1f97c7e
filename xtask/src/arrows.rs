//! Arrows point down only: between our crates, and between the modules of the core. A circle, or an arrow that
//! points up, is an error that names the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::Outcome;
use crate::workspace;

/// The rooms of the core, from the ground up. A module may use those of lower floors, never its neighbours.
const FLOORS: &[&[&str]] = &[
    &["error"],
    &["wire"],
    &["machine", "merkle"],
    &["scheme", "erasure"],
    &["field"],
    &["bls", "ed25519", "committee"],
    &["certificate", "dsig", "sortition"],
    &["guard", "gossip"],
    &["threshold"],
    &["any"],
    &["serde_impls"],
];

/// Checks both graphs and answers with their sizes.
pub(crate) fn check() -> Outcome<String> {
    let crates = crate_graph(&workspace::metadata(false)?);
    if crates.get("quorate").is_some_and(|uses| !uses.is_empty()) {
        return Err("the core depends on another crate of this workspace; it must stand alone".to_owned());
    }
    if let Some(circle) = circle_in(&crates) {
        return Err(format!("crates depend on each other in a circle: {}", circle.join(" → ")));
    }
    let arrows = module_arrows(&workspace::root().join("core/src"))?;
    let wrong: BTreeSet<String> = arrows.iter().filter_map(Arrow::objection).collect();
    if !wrong.is_empty() {
        return Err(wrong.into_iter().collect::<Vec<_>>().join("\n"));
    }
    let distinct: BTreeSet<_> = arrows.iter().map(|arrow| (&arrow.from, &arrow.to)).collect();
    Ok(format!("{} crates, {} arrows between the core's modules", crates.len(), distinct.len()))
}

/// Our crates and which of ours each uses, for building, testing or in its build script.
fn crate_graph(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let packages = metadata.get("packages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let name = |value: &Value| value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let ours: BTreeSet<String> = packages.iter().map(name).collect();
    packages
        .iter()
        .map(|package| {
            let uses =
                package.get("dependencies").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            (name(package), uses.iter().map(name).filter(|used| ours.contains(used)).collect())
        })
        .collect()
}

fn circle_in(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        graph: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        let at = path.last()?.clone();
        for next in graph.get(&at).into_iter().flatten() {
            if let Some(start) = path.iter().position(|seen| seen == next) {
                let mut circle = path.split_off(start);
                circle.push(next.clone());
                return Some(circle);
            }
            if !done.contains(next) {
                path.push(next.clone());
                if let Some(circle) = walk(graph, path, done) {
                    return Some(circle);
                }
                path.pop();
            }
        }
        done.insert(at);
        None
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| walk(graph, &mut vec![start.clone()], &mut done))
}

/// One use of a module by another.
#[derive(Debug, PartialEq, Eq)]
struct Arrow {
    file: PathBuf,
    from: String,
    to: String,
}

impl Arrow {
    fn objection(&self) -> Option<String> {
        let floor = |module: &str| FLOORS.iter().position(|floor| floor.contains(&module));
        let unknown = |module: &str| {
            Some(format!("core module `{module}` has no floor yet: give it one in FLOORS of {}", file!()))
        };
        match (floor(&self.from), floor(&self.to)) {
            (None, _) => unknown(&self.from),
            (_, None) => unknown(&self.to),
            (Some(from), Some(to)) if to < from => None,
            _ => Some(format!(
                "{}: `{}` uses `{}`, which does not stand below it",
                self.file.display(),
                self.from,
                self.to
            )),
        }
    }
}

fn module_arrows(src: &Path) -> Outcome<Vec<Arrow>> {
    let mut arrows = Vec::new();
    let mut files = Vec::new();
    rust_files(src, &mut files)?;
    for file in files {
        let inside = file.strip_prefix(src).unwrap_or(&file).to_path_buf();
        let module = module_path(&inside);
        // The crate's root names all modules; that is what a root is for.
        let Some(from) = module.first() else { continue };
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        for to in uses_in(&code_of(&text), module.len()) {
            if to != *from {
                arrows.push(Arrow { file: inside.clone(), from: from.clone(), to });
            }
        }
    }
    Ok(arrows)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// `bls/keys.rs` is `[bls, keys]`, `bls/mod.rs` is `[bls]`, `lib.rs` is the root.
fn module_path(file: &Path) -> Vec<String> {
    let stem = file.with_extension("");
    let mut parts: Vec<String> = stem.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// The code without comments and without the tests at its end, which may use what they like.
fn code_of(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(
            |pair| matches!(pair, [a, b] if a.trim() == "#[cfg(test)]" && b.trim_start().starts_with("mod ")),
        )
        .unwrap_or(lines.len());
    let code = lines.into_iter().take(tests);
    code.map(|line| line.split_once("//").map_or(line, |(code, _)| code)).collect::<Vec<_>>().join("\n")
}

/// The root's modules that code in a module `depth` deep names, by `crate::` or by enough `super::`.
fn uses_in(code: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for prefix in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in code.match_indices(&prefix) {
            let before = code.get(..at).and_then(|before| before.chars().next_back());
            // `$crate::`, or a longer chain of `super::` that an earlier match already covers.
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':')) {
                continue;
            }
            found.extend(heads_of(code.get(at + prefix.len()..).unwrap_or_default()));
        }
    }
    found
}

/// The first names behind a path: one, or each of a `{…}` group.
fn heads_of(rest: &str) -> Vec<String> {
    let name = |text: &str| {
        let name: String =
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        match name.chars().next() {
            Some(first) if first.is_uppercase() => Some("error".to_owned()), // the root's own `Error` and `Result`
            Some(_) if name != "self" && name != "super" => Some(name),
            _ => None,
        }
    };
    let Some(group) = rest.strip_prefix('{') else { return name(rest).into_iter().collect() };
    let mut heads = Vec::new();
    let mut depth = 0usize;
    let mut item = String::new();
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => heads.extend(name(&std::mem::take(&mut item))),
            _ => {
                depth = match c {
                    '{' => depth + 1,
                    '}' => depth - 1,
                    _ => depth,
                };
                item.push(c);
            }
        }
    }
    heads.extend(name(&item));
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_found_in_groups_paths_and_through_super() {
        let code = "use crate::{Error, wire::{Reader, Writer}, committee::Committee};\n\
                    fn f() { crate::guard::g(); super::super::bls::h(); super::own(); }";
        assert_eq!(uses_in(code, 2), ["error", "wire", "committee", "guard", "bls"]);
        assert_eq!(uses_in("use super::wire::Reader;", 1), ["wire"]);
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        let text = "use crate::wire; // not crate::guard\n#[cfg(test)]\nmod tests {\n use crate::guard;\n}\n";
        assert_eq!(uses_in(&code_of(text), 1), ["wire"]);
    }

    #[test]
    fn an_arrow_up_or_sideways_is_refused() {
        let arrow = |from: &str, to: &str| Arrow { file: "x.rs".into(), from: from.into(), to: to.into() };
        assert_eq!(arrow("certificate", "committee").objection(), None);
        assert!(arrow("wire", "certificate").objection().unwrap().contains("does not stand below"));
        assert!(arrow("bls", "ed25519").objection().is_some());
        assert!(arrow("attic", "wire").objection().unwrap().contains("no floor yet"));
    }

    #[test]
    fn a_circle_of_crates_is_found() {
        let graph = |edges: &[(&str, &str)]| {
            let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in edges {
                graph.entry((*from).into()).or_default().insert((*to).into());
            }
            graph
        };
        assert_eq!(circle_in(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
        assert_eq!(circle_in(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap(), ["b", "c", "b"]);
    }

    #[test]
    fn this_repository_holds_it() {
        check().unwrap();
    }
}
