//! The structure lint: the permitted uses between modules, files and crates.

mod core_modules;
mod crates;
mod files;
mod graph;
mod kotlin;
mod rules;
mod rust;
mod scripts;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::process::Outcome;
use crate::workspace;
use graph::{Circle, Graph};

pub(crate) use crates::{Package, packages};

/// Findings of the structure lint.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Uses of a crate or of a core module that a rule forbids, one sentence each.
    violations: Vec<String>,
    /// Circles of files or crates.
    circles: Vec<Circle>,
    /// Numbers of checked crates, files and uses.
    checked: String,
}

/// Checks all rules and returns the numbers of checked crates, files and uses.
pub(crate) fn check() -> Outcome<String> {
    let findings = find()?;
    if !findings.violations.is_empty() || !findings.circles.is_empty() {
        return Err(findings.shown());
    }
    Ok(findings.checked)
}

/// All violations and circles as text.
pub(crate) fn report() -> Outcome<String> {
    Ok(find()?.shown())
}

fn find() -> Outcome<Findings> {
    let packages = crates::packages()?;
    let mut findings = Findings::default();
    let module_uses = core_modules::check().unwrap_or_else(|violations| {
        findings.violations.extend(violations.lines().map(str::to_owned));
        0
    });
    findings.violations.extend(crates::violations(&packages));
    let crate_graph = crates::crate_graph(&packages);
    findings.add_circles(&crate_graph);
    let mut checked_files = BTreeSet::new();
    for graph in file_graphs(&packages)? {
        checked_files.extend(graph.nodes().map(str::to_owned));
        findings.add_circles(&graph);
    }
    findings.checked = format!(
        "{} crates, {} files, {module_uses} uses between the core's modules",
        crate_graph.nodes().count(),
        checked_files.len(),
    );
    Ok(findings)
}

/// One graph for each Rust target, and one for each other language.
fn file_graphs(packages: &BTreeMap<String, Package>) -> Outcome<Vec<Graph>> {
    let root = workspace::root();
    let root = root.canonicalize().unwrap_or(root);
    // A module that another crate's test shares has a path with `..`.
    let name_of = |file: &Path| {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        file.strip_prefix(&root).unwrap_or(&file).display().to_string()
    };
    let mut graphs = Vec::new();
    for source in packages.values().flat_map(|package| &package.roots) {
        graphs.push(rust::Crate::read(source)?.graph(name_of));
    }
    let mut files = files::repository_files()?;
    files.retain(|file| !rules::UNCHECKED_FOLDERS.iter().any(|folder| file.starts_with(folder)));
    graphs
        .push(scripts::javascript_graph(&files::read_with_extensions(&files, &["js", "mjs", "ts", "mts"])?));
    graphs.push(scripts::python_graph(&files::read_with_extensions(&files, &["py"])?));
    let kotlin = files::read_with_extensions(&files, &["kt"])?;
    let shown = |(file, text): (PathBuf, String)| (file.display().to_string(), text);
    graphs.push(kotlin::kotlin_graph(&kotlin.into_iter().map(shown).collect()));
    Ok(graphs)
}

impl Findings {
    /// Adds the circles of a graph. Files shared by several targets count once.
    fn add_circles(&mut self, graph: &Graph) {
        for circle in graph.circles() {
            if !self.circles.contains(&circle) {
                self.circles.push(circle);
            }
        }
    }

    fn shown(&self) -> String {
        let mut text = String::new();
        for violation in &self.violations {
            text += &format!("{violation}\n");
        }
        for circle in &self.circles {
            let _ = writeln!(text, "circle of {}:", circle.nodes.len());
            for (from, to, names) in &circle.uses {
                let _ = writeln!(text, "    {from} uses {} of {to}", names.join(", "));
            }
        }
        let counts = (self.violations.len(), self.circles.len());
        let _ = write!(text, "{}: {} violations, {} circles", self.checked, counts.0, counts.1);
        text
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_repository_obeys_the_rules() {
        super::check().unwrap();
    }
}
