//! `cargo xtask coverage`: the items of the core that the bindings offer. The table in `bindings/README.md` compares the core's
//! source with the interface, from which all bindings are generated; each missing item needs a reason in
//! `bindings/coverage.toml`.

mod core_api;
mod interface;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;
use core_api::Api;
use interface::Interface;
use rules::Rules;

/// Compares the core's public API with the interface of the bindings.
///
/// Fails if the interface lacks an item of the core without a reason in bindings/coverage.toml, or if the table in
/// bindings/README.md is not the generated one.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Writes the table.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(args: &CoverageArgs) -> Outcome {
    println!("{}", if args.write { write() } else { compare() }?);
    Ok(())
}

/// Modules of the core whose types the bindings offer through `any`.
const TYPED: &[&str] =
    &["scheme", "committee", "certificate", "gossip", "guard", "bls", "ed25519", "light", "sortition"];
const BEGIN: &str = "<!-- made by `cargo xtask coverage --write` -->\n";
const END: &str = "<!-- end -->";
/// The cell of items that the interface lacks.
const ABSENT: &str = "–";
/// The cell of items that the interface has under their own names.
const OWN: &str = "+";

/// Compares the interface with the core and returns the counts.
pub(crate) fn check(_: &Log) -> Outcome<String> {
    compare()
}

fn compare() -> Outcome<String> {
    let report = Report::make()?;
    let text = fs::read_to_string(readme()).map_err(|e| format!("bindings/README.md: {e}"))?;
    if text != with_table(&text, &report.table)? {
        return Err("the table in bindings/README.md is not up to date; run `cargo xtask coverage --write`"
            .to_owned());
    }
    Ok(report.summary)
}

fn write() -> Outcome<String> {
    let report = Report::make()?;
    let text = fs::read_to_string(readme()).map_err(|e| format!("bindings/README.md: {e}"))?;
    fs::write(readme(), with_table(&text, &report.table)?).map_err(|e| format!("bindings/README.md: {e}"))?;
    Ok(report.summary)
}

struct Report {
    table: String,
    summary: String,
}

impl Report {
    fn make() -> Outcome<Self> {
        let api = core_api::read(&workspace::root().join("core/src"))?;
        let rules = Rules::read(&workspace::root().join("bindings/coverage.toml"))?;
        let interface = Interface::read()?;
        let mut comparison = Comparison::new(&rules);
        for (item, members) in &api {
            match typed_twin(item, &api) {
                Some(twin) => comparison.twin(item, members, twin),
                None => comparison.item(item, members, &interface),
            }
        }
        comparison.finish()
    }
}

/// The type of `any` or of dynamic suites that stands for this one in the bindings.
fn typed_twin<'a>(item: &str, api: &'a Api) -> Option<&'a BTreeSet<String>> {
    let (module, name) = item.split_once("::")?;
    if module == "dsig" {
        let twins = [format!("dsig::dynamic::Dyn{name}"), format!("dsig::dynamic::{name}")];
        twins.iter().find_map(|twin| api.get(twin))
    } else if TYPED.contains(&module) {
        api.get(&format!("any::{name}")).or_else(|| api.get(&format!("any::bls::{name}")))
    } else {
        None
    }
}

struct Comparison<'a> {
    rules: &'a Rules,
    /// The items of each row of the table, and its other cells.
    rows: Vec<(Vec<String>, String)>,
    missing: Vec<String>,
    used: BTreeSet<String>,
    names: usize,
}

impl<'a> Comparison<'a> {
    fn new(rules: &'a Rules) -> Self {
        Self { rules, rows: Vec::new(), missing: Vec::new(), used: BTreeSet::new(), names: 0 }
    }

    /// Checks that the counterpart in `any` has all members of a typed block.
    fn twin(&mut self, item: &str, members: &BTreeSet<String>, twin: &BTreeSet<String>) {
        for member in members.difference(twin) {
            if self.reason(&format!("{item}::{member}")).is_none() {
                self.missing.push(format!("{item}::{member} has no counterpart for any suite"));
            }
        }
    }

    fn item(&mut self, item: &str, members: &BTreeSet<String>, interface: &Interface) {
        let (module, own) = parted(item);
        if let Some(reason) = self.reason(item) {
            let constants = format!("{module}::CONSTANTS");
            let is_one_of = is_constant(own) && self.rules.absent.contains_key(&constants);
            let shown = if is_one_of { format!("constants of `{module}`") } else { format!("`{item}`") };
            return self.row(shown, ABSENT, reason);
        }
        let names = self.rules.names(item, own);
        let found = names.iter().find_map(|name| Some((name, interface.find(module, name)?)));
        let Some((name, (declared, is_everywhere))) = found else {
            return self.missing.push(format!("no `{item}`"));
        };
        let mut notes = if is_everywhere { Vec::new() } else { vec!["not in WebAssembly".to_owned()] };
        for member in members {
            let path = format!("{item}::{member}");
            match self.reason(&path) {
                Some(reason) => notes.push(format!("`{member}`: {reason}")),
                None if self.rules.names(&path, member).iter().any(|one| declared.contains(one.as_str())) => {
                }
                None if is_constant(member) && interface.find(module, member).is_some() => {}
                None => self.missing.push(format!("no `{path}`")),
            }
        }
        self.names += members.len() + 1;
        let cell = if name == own { OWN.to_owned() } else { format!("`{name}`") };
        self.row(format!("`{item}`"), &cell, &notes.join("; "));
    }

    /// A row of the table. Items that are absent for the same reason share one; so do those of a module that the interface
    /// has under their own names.
    fn row(&mut self, item: String, cell: &str, notes: &str) {
        let rest = format!("{cell} | {notes}");
        let module = |item: &str| parted(item.trim_matches('`')).0.to_owned();
        let is_plain = cell == OWN && notes.is_empty();
        let same = |(items, known): &&mut (Vec<String>, String)| {
            let is_together =
                cell == ABSENT || is_plain && items.iter().all(|one| module(one) == module(&item));
            *known == rest && is_together
        };
        match self.rows.iter_mut().find(same) {
            Some((items, _)) if items.contains(&item) => {}
            Some((items, _)) => items.push(item),
            None => self.rows.push((vec![item], rest)),
        }
    }

    fn reason(&mut self, path: &str) -> Option<&'a str> {
        let (module, name) = parted(path);
        let constants = format!("{module}::CONSTANTS");
        let keys = [Some(path), is_constant(name).then_some(constants.as_str())];
        let mut found = keys.into_iter().flatten().filter_map(|key| self.rules.absent.get_key_value(key));
        let (key, reason) = found.next()?;
        self.used.insert(key.clone());
        Some(reason)
    }

    fn finish(mut self) -> Outcome<Report> {
        for path in self.rules.absent.keys().filter(|path| !self.used.contains(*path)) {
            self.missing
                .push(format!("coverage.toml gives a reason for `{path}`, which the core does not have"));
        }
        if !self.missing.is_empty() {
            self.missing.sort();
            return Err(format!(
                "{}\nDeclare them in bindings/interface, or give a reason in bindings/coverage.toml.",
                self.missing.join("\n")
            ));
        }
        let row = |(items, rest): &(Vec<String>, String)| format!("| {} | {rest} |\n", items.join(", "));
        let rows: String = self.rows.iter().map(row).collect();
        let table = format!("| core | bindings | note |\n|---|---|---|\n{rows}");
        let items: usize = self.rows.iter().map(|(items, _)| items.len()).sum();
        Ok(Report {
            table,
            summary: format!("{items} items of the core, {} names in the interface", self.names),
        })
    }
}

fn is_constant(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The module and the name of an item.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once("::").unwrap_or(("", path))
}

fn readme() -> PathBuf {
    workspace::root().join("bindings/README.md")
}

fn with_table(text: &str, table: &str) -> Outcome<String> {
    let (before, rest) = text.split_once(BEGIN).ok_or("bindings/README.md has lost the mark of its table")?;
    let (_, after) = rest.split_once(END).ok_or("bindings/README.md has lost the end of its table")?;
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_grows_and_a_reason_that_is_stale_are_noticed() {
        let absent = [("gone".to_owned(), "a reason".to_owned())].into();
        let rules = Rules { absent, ..Rules::default() };
        let interface = Interface::read().unwrap();
        let mut comparison = Comparison::new(&rules);
        comparison.item("any::Vote", &["signer".to_owned(), "sign_off".to_owned()].into(), &interface);
        comparison.item("any::New", &BTreeSet::new(), &interface);
        let complaint = comparison.finish().err().unwrap();
        assert!(complaint.contains("no `any::Vote::sign_off`") && complaint.contains("no `any::New`"));
        assert!(complaint.contains("`gone`") && !complaint.contains("signer"), "{complaint}");
    }
}
