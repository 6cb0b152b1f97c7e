//! `cargo xtask coverage`: the items of the core that each binding offers. The table in `bindings/README.md` is generated
//! from the core's source and from the declarations of the bindings; each missing item needs a reason in
//! `bindings/coverage.toml`.

mod core_api;
mod declarations;
mod languages;
mod rules;

use std::collections::BTreeSet;
use std::fs;

use clap::Args;
use quorate_generator::names::camel;

use crate::process::Outcome;
use crate::steps::Log;
use crate::workspace;
use core_api::Api;
use languages::{Language, languages};
use rules::{Reason, Rules};

/// Compares the core's public API with the declarations of the four bindings.
///
/// Fails if a binding lacks an item of the core without a reason in bindings/coverage.toml, or if the table in
/// bindings/README.md is not the generated one.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Writes the table.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(args: &CoverageArgs) -> Outcome {
    crate::build::bindings_alone();
    let log = Log::new("bindings' coverage");
    println!("{}", if args.write { write(&log) } else { check(&log) }?);
    Ok(())
}

/// Modules of the core whose types the bindings offer through `any`.
const TYPED: &[&str] =
    &["scheme", "committee", "certificate", "gossip", "guard", "bls", "ed25519", "light", "sortition"];
const BEGIN: &str = "<!-- made by `cargo xtask coverage --write` -->\n";
/// The cell of a language that lacks an item.
const ABSENT: &str = "–";
/// The cell of a language that has the items of a row under their own names.
const OWN: &str = "+";
const END: &str = "<!-- end -->";

/// Compares the bindings with the core and returns the counts.
pub(crate) fn check(log: &Log) -> Outcome<String> {
    let report = Report::make(log)?;
    let text = fs::read_to_string(readme()).map_err(|e| format!("bindings/README.md: {e}"))?;
    if text != with_table(&text, &report.table)? {
        return Err("the table in bindings/README.md is not up to date; run `cargo xtask coverage --write`"
            .to_owned());
    }
    Ok(report.summary)
}

fn write(log: &Log) -> Outcome<String> {
    let report = Report::make(log)?;
    let text = fs::read_to_string(readme()).map_err(|e| format!("bindings/README.md: {e}"))?;
    fs::write(readme(), with_table(&text, &report.table)?).map_err(|e| format!("bindings/README.md: {e}"))?;
    Ok(report.summary)
}

struct Report {
    table: String,
    summary: String,
}

impl Report {
    fn make(log: &Log) -> Outcome<Self> {
        let api = core_api::read(&workspace::root().join("core/src"))?;
        let rules = Rules::read(&workspace::root().join("bindings/coverage.toml"))?;
        let languages = languages(log)?;
        let mut comparison = Comparison::new(&rules);
        for (item, members) in &api {
            match typed_twin(item, &api) {
                Some(twin) => comparison.twin(item, members, twin),
                None => comparison.item(item, members, &languages),
            }
        }
        comparison.finish(&languages)
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

    fn item(&mut self, item: &str, members: &BTreeSet<String>, languages: &[Language]) {
        let absent = self.reason(item);
        let mut notes: Vec<String> = absent.map(|reason| reason.note("")).into_iter().collect();
        let mut cells = Vec::new();
        for language in languages {
            if absent.is_some_and(|reason| reason.covers(language)) {
                cells.push(ABSENT.to_owned());
                continue;
            }
            let names = self.rules.names(item, last(item), language);
            let Some(name) = names.into_iter().find(|name| is_declared(name, item, language)) else {
                self.missing.push(format!("{}: no `{item}`", language.name));
                continue;
            };
            for member in members {
                self.member(&name, item, member, language);
            }
            self.names += 1;
            cells.push(format!("`{name}`"));
        }
        if !absent.is_some_and(|reason| languages.iter().all(|language| reason.covers(language))) {
            let members = members.iter().map(|member| (member, self.reason(&format!("{item}::{member}"))));
            let members: Vec<_> = members.collect();
            notes.extend(members.iter().filter_map(|(name, reason)| Some((*reason)?.note(name))));
        }
        let constants = format!("{}::CONSTANTS", item.rsplit_once("::").map_or("", |(module, _)| module));
        let shown = match is_constant(last(item)) && self.rules.unbound.contains_key(&constants) {
            true => format!("constants of `{}`", constants.trim_end_matches("::CONSTANTS")),
            false => format!("`{item}`"),
        };
        self.row(shown, &cells, &notes.join("; "));
    }

    /// A row of the table. Items that all languages lack for the same reason share one; so do those of a module that all
    /// languages have under their own names.
    fn row(&mut self, item: String, cells: &[String], notes: &str) {
        let (module, name) = parted(&item);
        let own = [format!("`{name}`"), format!("`{}`", camel(name))];
        let is_plain = notes.is_empty() && cells.iter().all(|cell| own.contains(cell));
        let cells: Vec<&str> = cells.iter().map(|cell| if is_plain { OWN } else { cell.as_str() }).collect();
        let rest = format!("{} | {notes}", cells.join(" | "));
        let is_absent = cells.iter().all(|cell| *cell == ABSENT);
        let same = |(items, known): &&mut (Vec<String>, String)| {
            let of_module = |one: &String| parted(one).0 == module;
            *known == rest && (is_absent || is_plain && items.iter().all(of_module))
        };
        match self.rows.iter_mut().find(same) {
            Some((items, _)) if items.contains(&item) => {}
            Some((items, _)) => items.push(item),
            None => self.rows.push((vec![item], rest)),
        }
    }

    /// The member `member` of `item` in a language's type `name`. A variant may be a class of its own.
    fn member(&mut self, name: &str, item: &str, member: &str, language: &Language) {
        self.names += 1;
        let path = format!("{item}::{member}");
        if self.reason(&path).is_some_and(|reason| reason.covers(language)) {
            return;
        }
        let own = language.declared.get(name);
        let among_own = |name: &String| name == "constructor()" || own.is_some_and(|own| own.contains(name));
        let class =
            |name: &str| member.starts_with(char::is_uppercase) && language.declared.contains_key(name);
        let known = self.rules.names(&path, member, language).iter().any(among_own)
            || class(member)
            || is_constant(member) && is_declared(member, item, language)
            || class(&format!("{member}{}", last(item)));
        if !known {
            self.missing.push(format!("{}: no `{path}`", language.name));
        }
    }

    fn reason(&mut self, path: &str) -> Option<&'a Reason> {
        let (key, reason) = self.rules.unbound.get_key_value(path).or_else(|| {
            let (module, name) = path.rsplit_once("::")?;
            is_constant(name)
                .then(|| self.rules.unbound.get_key_value(&format!("{module}::CONSTANTS")))
                .flatten()
        })?;
        self.used.insert(key.clone());
        Some(reason)
    }

    fn finish(mut self, languages: &[Language]) -> Outcome<Report> {
        for path in self.rules.unbound.keys().filter(|path| !self.used.contains(*path)) {
            self.missing
                .push(format!("coverage.toml gives a reason for `{path}`, which the core does not have"));
        }
        if !self.missing.is_empty() {
            self.missing.sort();
            return Err(format!(
                "{}\nBind them, or give a reason in bindings/coverage.toml.",
                self.missing.join("\n")
            ));
        }
        let row = |(items, rest): &(Vec<String>, String)| format!("| {} | {rest} |", items.join(", "));
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        let columns: Vec<_> = languages.iter().map(|language| language.name).collect();
        let table = format!(
            "| core | {} | note |\n|---|{}---|\n{}\n",
            columns.join(" | "),
            "---|".repeat(columns.len()),
            rows.join("\n")
        );
        let summary = format!(
            "{} items of the core, {} names in {} languages",
            self.rows.iter().map(|(items, _)| items.len()).sum::<usize>(),
            self.names,
            columns.len()
        );
        Ok(Report { table, summary })
    }
}

/// Returns true if a type, function or constant exists, at the top level or in the namespace of its module.
fn is_declared(name: &str, item: &str, language: &Language) -> bool {
    let module = item.rsplit("::").nth(1).unwrap_or_default();
    let places = ["", "wire", "bls", "dsig", "gossip", "sortition", "Wire", "Bls", "Dsig", "Quorate", module];
    let has = |place: &str| language.declared.get(place).is_some_and(|names| names.contains(name));
    // Kotlin nests a constant in the class that it is about.
    let is_nested = || language.declared.values().any(|names| names.contains(name));
    places.into_iter().any(has) || language.name == "Kotlin" && is_constant(name) && is_nested()
}

fn is_constant(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The module and the name of an item in the table.
fn parted(item: &str) -> (&str, &str) {
    let path = item.trim_matches('`');
    path.rsplit_once("::").unwrap_or(("", path))
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn readme() -> std::path::PathBuf {
    workspace::root().join("bindings/README.md")
}

fn with_table(text: &str, table: &str) -> Outcome<String> {
    let (before, rest) = text.split_once(BEGIN).ok_or("bindings/README.md has lost the mark of its table")?;
    let (_, after) = rest.split_once(END).ok_or("bindings/README.md has lost the end of its table")?;
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_core_that_grows_and_a_reason_that_is_stale_are_noticed() {
        let rules =
            Rules { unbound: [("gone".to_owned(), Reason::default())].into(), names: BTreeMap::new() };
        let declared =
            [(String::new(), ["Vote".to_owned()].into()), ("Vote".to_owned(), ["signer".to_owned()].into())];
        let languages = [Language { name: "Node", declared: declared.into() }];
        let mut comparison = Comparison::new(&rules);
        comparison.item("any::Vote", &["signer".to_owned(), "sign_off".to_owned()].into(), &languages);
        comparison.item("any::New", &BTreeSet::new(), &languages);
        let complaint = comparison.finish(&languages).err().unwrap();
        assert!(complaint.contains("no `any::Vote::sign_off`") && complaint.contains("no `any::New`"));
        assert!(complaint.contains("`gone`") && !complaint.contains("signer"), "{complaint}");
    }
}
