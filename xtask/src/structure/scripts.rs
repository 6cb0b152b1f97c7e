//! Relative imports between the JavaScript, TypeScript and Python modules of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::graph::Graph;
use crate::workspace::normal;

/// The relative imports of JavaScript and TypeScript modules. `files` maps paths in the repository to their text.
pub(crate) fn javascript_graph(files: &BTreeMap<PathBuf, String>) -> Graph {
    let mut graph = Graph::default();
    for (file, text) in files.iter().filter(|(file, _)| has_extension(file, &["js", "mjs", "ts", "mts"])) {
        for import in relative_imports(text) {
            let base = normal(&file.parent().unwrap_or(file).join(import));
            if let Some(target) = module_at(&base, files) {
                graph.add(&shown(file), &shown(&target), import);
            }
        }
    }
    graph
}

/// The module that an import of `base` names: the file itself, its declarations, or a folder's index.
fn module_at(base: &Path, files: &BTreeMap<PathBuf, String>) -> Option<PathBuf> {
    let stem = if has_extension(base, &["js", "mjs"]) { base.with_extension("") } else { base.to_path_buf() };
    let with = |end: &str| PathBuf::from(format!("{}{end}", stem.display()));
    let index = |end: &str| base.join(format!("index{end}"));
    let candidates = [base.to_path_buf(), with(".js"), with(".mjs"), with(".ts"), with(".d.ts")];
    candidates
        .into_iter()
        .chain([index(".js"), index(".ts"), index(".d.ts")])
        .find(|path| files.contains_key(path))
}

/// The quoted paths that begin with a dot and stand behind `from`, `import`, `import(` or `require(`.
fn relative_imports(text: &str) -> Vec<&str> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('*'));
    code.flat_map(|line| {
        ["'", "\""].into_iter().flat_map(move |quote| {
            let parts: Vec<&str> = line.split(quote).collect();
            let quoted = parts.windows(2).step_by(2).filter_map(|pair| match pair {
                [before, inside] => Some((before.trim_end(), *inside)),
                _ => None,
            });
            let imports = quoted.filter(|(before, inside)| {
                let keyword = ["from", "import", "import(", "require("];
                inside.starts_with('.') && keyword.iter().any(|keyword| before.ends_with(keyword))
            });
            imports.map(|(_, inside)| inside).collect::<Vec<_>>()
        })
    })
    .collect()
}

/// The relative imports of Python modules, and those that name a package by its full path below one of `roots`.
pub(crate) fn python_graph(files: &BTreeMap<PathBuf, String>) -> Graph {
    let mut graph = Graph::default();
    for (file, text) in files.iter().filter(|(file, _)| has_extension(file, &["py"])) {
        for (module, names) in python_imports(text) {
            let Some(base) = python_base(file, &module) else { continue };
            for name in &names {
                if let Some(target) = python_module(&base, name, files, 0) {
                    graph.add(&shown(file), &shown(&target), name);
                }
            }
        }
    }
    graph
}

/// The folder or module that `..a.b` means in a file.
fn python_base(file: &Path, module: &str) -> Option<PathBuf> {
    let name = module.trim_start_matches('.');
    let mut base = file.to_path_buf();
    for _ in 0..module.len() - name.len() {
        base.pop();
    }
    (module.starts_with('.')).then(|| name.split('.').fold(base, |path, part| path.join(part)))
}

/// The file that defines `name` of the module `base`: a submodule, or where the package imports the name from.
fn python_module(base: &Path, name: &str, files: &BTreeMap<PathBuf, String>, hops: usize) -> Option<PathBuf> {
    let existing = |path: PathBuf| files.contains_key(&path).then_some(path);
    let module = |base: &Path| {
        existing(PathBuf::from(format!("{}.py", base.display())))
            .or_else(|| existing(base.join("__init__.py")))
    };
    if let Some(submodule) = module(&base.join(name)) {
        return Some(submodule);
    }
    let found = module(&normal(base))?;
    let is_package = found.ends_with("__init__.py");
    if is_package && hops < 8 {
        for (from, names) in python_imports(files.get(&found)?) {
            if names.iter().any(|imported| imported == name) {
                return python_module(&python_base(&found, &from)?, name, files, hops + 1);
            }
        }
    }
    Some(found)
}

/// The `from module import names` of a file, outside blocks that only type checkers read.
fn python_imports(text: &str) -> Vec<(String, Vec<String>)> {
    let mut imports = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((module, names)) =
            line.trim().strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        else {
            continue;
        };
        let mut names = names.to_owned();
        while names.contains('(') && !names.contains(')') {
            let Some(next) = lines.next() else { break };
            names += next.split('#').next().unwrap_or_default();
        }
        let name = |part: &str| part.split_whitespace().next().map(str::to_owned);
        let names: BTreeSet<String> = names.replace(['(', ')'], " ").split(',').filter_map(name).collect();
        imports.push((module.trim().to_owned(), names.into_iter().collect()));
    }
    imports
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> BTreeMap<PathBuf, String> {
        files.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect()
    }

    fn nodes(graph: &Graph) -> Vec<String> {
        graph.circles().iter().map(|circle| circle.nodes.join(" ")).collect()
    }

    #[test]
    fn javascript_modules_that_import_each_other_are_found() {
        let files = files(&[
            ("lib/a.js", "import { b } from './b.js'\nimport fs from 'fs'"),
            ("lib/b.js", "export * from './folder'"),
            ("lib/folder/index.js", "const a = require('../a')"),
            ("lib/c.js", "// import './d.js'"),
            ("lib/d.js", "import './c.js'"),
        ]);
        assert_eq!(nodes(&javascript_graph(&files)), ["lib/a.js lib/b.js lib/folder/index.js"]);
    }

    #[test]
    fn a_name_that_a_package_re_exports_leads_to_its_module() {
        let files = files(&[
            ("p/__init__.py", "from .a import A\nfrom .b import (\n    B,\n)\nC = 1"),
            ("p/a.py", "from . import B"),
            ("p/b.py", ""),
            ("q/__init__.py", "from .a import A\nC = 1"),
            ("q/a.py", "from . import C"),
        ]);
        assert_eq!(nodes(&python_graph(&files)), ["q/__init__.py q/a.py"]);
    }
}
