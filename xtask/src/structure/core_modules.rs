//! The order of the core's modules: a module uses only those of lower layers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::rust_files;
use super::rules::LAYERS;
use crate::process::Outcome;
use crate::workspace;

/// Checks the uses between the core's modules and returns how many there are.
pub(crate) fn check() -> Outcome<usize> {
    let uses = module_uses(&workspace::root().join("core/src"))?;
    let wrong: BTreeSet<String> = uses.iter().filter_map(ModuleUse::violation).collect();
    if !wrong.is_empty() {
        return Err(wrong.into_iter().collect::<Vec<_>>().join("\n"));
    }
    let distinct: BTreeSet<_> = uses.iter().map(|used| (&used.from, &used.to)).collect();
    Ok(distinct.len())
}

/// One use of a module by another.
#[derive(Debug, PartialEq, Eq)]
struct ModuleUse {
    file: PathBuf,
    from: String,
    to: String,
}

impl ModuleUse {
    /// Describes how the use breaks the order of layers.
    fn violation(&self) -> Option<String> {
        let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
        let unknown = |module: &str| {
            Some(format!(
                "core module `{module}` has no layer: add it to LAYERS in xtask/src/structure/rules.rs"
            ))
        };
        match (layer(&self.from), layer(&self.to)) {
            (None, _) => unknown(&self.from),
            (_, None) => unknown(&self.to),
            (Some(from), Some(to)) if to < from => None,
            _ => Some(format!(
                "core/src/{}: `{}` uses `{}`, which is not in a lower layer",
                self.file.display(),
                self.from,
                self.to
            )),
        }
    }
}

fn module_uses(src: &Path) -> Outcome<Vec<ModuleUse>> {
    let mut uses = Vec::new();
    for file in rust_files(src)? {
        let inside = file.strip_prefix(src).unwrap_or(&file).to_path_buf();
        let module = module_path(&inside);
        // The crate's root declares all modules.
        let Some(from) = module.first() else { continue };
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        for to in uses_in(&code_of(&text), module.len()) {
            if to != *from {
                uses.push(ModuleUse { file: inside.clone(), from: from.clone(), to });
            }
        }
    }
    Ok(uses)
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

/// The code without comments and without the tests at its end, which may use any module.
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
    fn a_use_of_the_same_or_a_higher_layer_is_refused() {
        let violation = |from: &str, to: &str| {
            ModuleUse { file: "x.rs".into(), from: from.into(), to: to.into() }.violation()
        };
        assert_eq!(violation("certificate", "committee"), None);
        assert!(violation("wire", "certificate").unwrap().contains("not in a lower layer"));
        assert!(violation("bls", "ed25519").is_some());
        assert!(violation("attic", "wire").unwrap().contains("no layer"));
    }

    #[test]
    fn this_repository_keeps_the_order() {
        check().unwrap();
    }
}
