//! `cargo xtask test --changed`: the files that a change touches, and the steps that it can affect.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Outcome, output_of};
use crate::steps::Log;
use crate::structure::{Package, packages};
use crate::test_programs::{self, Repeat};
use crate::workspace;

/// Kind of change that makes a step necessary.
#[derive(Clone, Copy, Debug)]
enum Trigger {
    /// Every change.
    Always,
    /// A change of any crate.
    AnyCrate,
    /// A change of one of these crates, or of a crate that it depends on.
    Crates(&'static [&'static str]),
    /// A change below one of these paths.
    Paths(&'static [&'static str]),
    /// A change of a Markdown file.
    Markdown,
}

use Trigger::{Always, AnyCrate, Crates, Markdown, Paths};

/// The classes that both packages for JavaScript share.
const JAVASCRIPT: Trigger = Paths(&["bindings/javascript"]);

/// The bindings' crates.
const BINDINGS: &[&str] = &["quorate-kotlin", "quorate-napi", "quorate-python", "quorate-wasm"];

/// The steps of `cargo xtask test`, each with its triggers: any of them makes the step necessary. Steps that run whole
/// programs are triggered by the files of these programs alone, because they take long and the tests of their crates
/// run anyway. A step that is not listed runs in the whole test only.
const TRIGGERS: &[(&str, &[Trigger])] = &[
    ("environment", &[Always]),
    ("vectors and model", &[Paths(&["spec/model", "spec/vectors", "spec/conformance.json"])]),
    ("TLA+ model", &[Paths(&["spec/tla"])]),
    ("format", &[AnyCrate]),
    ("structure", &[Always]),
    ("dependencies", &[Paths(&["Cargo.toml", "Cargo.lock", "deny.toml"])]),
    ("clippy", &[AnyCrate]),
    ("documentation", &[AnyCrate]),
    ("documents", &[Always]),
    ("core's feature sets", &[Crates(&["quorate"])]),
    ("unit and integration tests", &[AnyCrate]),
    ("DSig without std", &[Paths(&["core/src/dsig", "core/tests/dsig"])]),
    ("Jerasure", &[Paths(&["core/src/erasure", "spec/vectors/jerasure.json"])]),
    ("documentation examples", &[AnyCrate, Markdown]),
    ("documents' commands", &[Markdown, Paths(&["examples/validator"])]),
    ("simulation", &[Crates(&["quorate-jolteon"])]),
    ("simulation of Gosig", &[Crates(&["quorate-gosig"])]),
    ("simulation of ABFT", &[Crates(&["quorate-abft"])]),
    ("broadcast", &[Paths(&["examples/protocols/broadcast"])]),
    ("wasm modules", &[Crates(&["quorate-wasm"]), JAVASCRIPT]),
    ("core on wasm32", &[Crates(&["quorate"])]),
    ("core as no_std", &[Crates(&["quorate"])]),
    ("vector code on 64-bit ARM", &[Paths(&["core/src/dsig", "core/src/erasure"])]),
    ("bindings' coverage", &[Paths(&["core/src", "bindings", "xtask/src/coverage"])]),
    ("javascript sources", &[JAVASCRIPT, Crates(&["quorate-generator"])]),
    ("kotlin binding", &[Crates(&["quorate-kotlin"])]),
    ("node binding", &[Crates(&["quorate-napi"]), JAVASCRIPT]),
    ("python binding", &[Crates(&["quorate-python"])]),
    ("wasm binding", &[Crates(&["quorate-wasm"]), JAVASCRIPT]),
    ("matrix of languages", &[Crates(BINDINGS)]),
    ("tour in all languages", &[Crates(BINDINGS), Paths(&["core/examples"])]),
    ("watch", &[Paths(&["examples/clients/watch"])]),
    ("browser page", &[Paths(&["examples/browser"])]),
    ("ethereum sync", &[Paths(&["examples/clients/ethereum-sync"])]),
    ("audited redis", &[Paths(&["examples/apps/audited-redis", "examples/apps/audit"])]),
    ("audited redis, python and node", &[Paths(&["examples/apps/audited-redis", "examples/apps/audit"])]),
    ("threshold signing", &[Paths(&["examples/apps/threshold-signing"])]),
    ("oldest toolchain (stated)", &[Paths(MANIFESTS)]),
];

/// Files that decide how every crate is compiled or checked.
const MANIFESTS: &[&str] = &["Cargo.toml", "Cargo.lock", ".cargo", "clippy.toml", "rustfmt.toml"];

/// Files outside the crates that tests of crates read.
const READ_BY_TESTS: &[(&str, &[&str])] = &[
    ("spec/vectors", &["quorate", "quorate-jolteon", "quorate-gosig", "quorate-fuzz"]),
    ("spec/conformance.json", &["quorate"]),
    ("bindings/interface", &["quorate-generator"]),
    ("examples/apps/threshold-signing/README.md", &["quorate-threshold-signing"]),
];

/// A set of changed files and the crates that it affects.
#[derive(Debug)]
pub(crate) struct Change {
    files: Vec<PathBuf>,
    /// Crates with a changed file, and all that depend on them.
    affected: BTreeSet<String>,
}

impl Change {
    /// The change of the working tree since `base`; by default, since it left the main branch.
    pub(crate) fn since(base: Option<&str>) -> Outcome<Self> {
        let base = base.map_or_else(default_base, |base| Ok(base.to_owned()))?;
        let tracked = git(&["diff", "--name-only", &base])?;
        let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
        let files = tracked.lines().chain(untracked.lines()).map(PathBuf::from).collect();
        let packages: Vec<Package> = packages()?.into_values().collect();
        Ok(Self::new(files, &packages))
    }

    fn new(files: Vec<PathBuf>, packages: &[Package]) -> Self {
        let mut affected = BTreeSet::new();
        for file in &files {
            affected.extend(crates_of(file, packages));
        }
        loop {
            let uses_affected = |package: &&Package| package.uses.iter().any(|used| affected.contains(used));
            let users: Vec<String> =
                packages.iter().filter(uses_affected).map(|package| package.name.clone()).collect();
            let before = affected.len();
            affected.extend(users);
            if affected.len() == before {
                return Self { files, affected };
            }
        }
    }

    /// Returns true if the change can affect a step.
    pub(crate) fn needs(&self, step: &str) -> bool {
        let triggers =
            TRIGGERS.iter().find(|(name, _)| *name == step).map_or(&[] as &[Trigger], |(_, list)| list);
        triggers.iter().any(|trigger| match trigger {
            Always => true,
            AnyCrate => !self.affected.is_empty(),
            Crates(names) => names.iter().any(|name| self.affected.contains(*name)),
            Paths(paths) => self.touches(paths),
            Markdown => self.files.iter().any(|file| is_markdown(file)),
        })
    }

    fn touches(&self, paths: &[&str]) -> bool {
        self.files.iter().any(|file| paths.iter().any(|path| file.starts_with(path)))
    }

    /// The size of the change, for the first line of the output.
    pub(crate) fn summary(&self) -> String {
        let crates: Vec<&str> = self.affected.iter().map(String::as_str).collect();
        let crates = if crates.is_empty() { "none".to_owned() } else { crates.join(", ") };
        format!("{} changed files; affected crates: {crates}", self.files.len())
    }

    /// Runs the unit and integration tests of the affected crates.
    pub(crate) fn run_tests(&self, log: &Log) -> Outcome<String> {
        test_programs::run(log, |package| self.affected.contains(package), Repeat::IfChanged)
    }
}

/// The names of all steps that have a trigger.
#[cfg(test)]
pub(crate) fn triggered_steps() -> Vec<&'static str> {
    TRIGGERS.iter().map(|(name, _)| *name).collect()
}

/// The crates that a changed file belongs to, or whose tests read it.
fn crates_of(file: &Path, packages: &[Package]) -> Vec<String> {
    if MANIFESTS.iter().any(|manifest| file.starts_with(manifest)) {
        return packages.iter().map(|package| package.name.clone()).collect();
    }
    if let Some((_, readers)) = READ_BY_TESTS.iter().find(|(path, _)| file.starts_with(path)) {
        return readers.iter().map(|name| (*name).to_owned()).collect();
    }
    if is_markdown(file) {
        return Vec::new();
    }
    let owners = packages.iter().filter(|package| file.starts_with(&package.folder));
    let owner = owners.max_by_key(|package| package.folder.components().count());
    owner.map(|package| package.name.clone()).into_iter().collect()
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

/// The commit at which this branch left the main branch; on the main branch itself, the commit of its remote.
fn default_base() -> Outcome<String> {
    let candidates = match git(&["rev-parse", "--abbrev-ref", "HEAD"])?.as_str() {
        "main" => ["origin/main", "HEAD"],
        _ => ["main", "origin/main"],
    };
    let found = candidates.iter().find_map(|branch| git(&["merge-base", "HEAD", branch]).ok());
    found.ok_or_else(|| "there is no branch `main` to compare with; name a commit with --since".to_owned())
}

fn git(arguments: &[&str]) -> Outcome<String> {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(workspace::root());
    output_of(&mut git).ok_or_else(|| format!("`git {}` failed; run it to see why", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(files: &[&str]) -> Change {
        let packages: Vec<Package> = packages().unwrap().into_values().collect();
        Change::new(files.iter().map(PathBuf::from).collect(), &packages)
    }

    #[test]
    fn a_change_of_documents_needs_no_tests_of_crates() {
        let change = change(&["README.md", "examples/node/README.md"]);
        assert!(change.affected.is_empty());
        assert!(change.needs("documents") && change.needs("documentation examples"));
        assert!(!change.needs("unit and integration tests") && !change.needs("clippy"));
    }

    #[test]
    fn a_change_of_a_protocol_reaches_its_users_only() {
        let change = change(&["examples/protocols/gosig/src/lib.rs"]);
        assert!(change.affected.contains("quorate-validator") && !change.affected.contains("quorate"));
        assert!(change.needs("simulation of Gosig") && !change.needs("simulation"));
        assert!(!change.needs("python binding") && !change.needs("browser page"));
    }

    #[test]
    fn a_change_of_the_core_reaches_all_bindings() {
        let change = change(&["core/src/lib.rs"]);
        for step in
            ["python binding", "kotlin binding", "matrix of languages", "simulation", "core as no_std"]
        {
            assert!(change.needs(step), "{step}");
        }
        assert!(!change.needs("watch") && !change.needs("packages, crate"));
    }

    #[test]
    fn vectors_and_manifests_reach_the_crates_that_read_them() {
        assert!(change(&["spec/vectors/bls.json"]).affected.contains("quorate-validator"));
        assert!(change(&["Cargo.lock"]).affected.contains("xtask"));
        assert!(change(&["spec/tla/gosig/Gosig.tla"]).affected.is_empty());
    }
}
