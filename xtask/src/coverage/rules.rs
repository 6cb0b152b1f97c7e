//! The rules of `bindings/coverage.toml`: reasons for missing items, and names that differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quorate_generator::names::{camel, javascript, pascal, snake};
use serde_json::Value;

use super::languages::Language;
use crate::process::Outcome;

/// The table with the reasons that apply to all languages.
const EVERYWHERE: &str = "everywhere";
/// The table with the names.
const NAMES: &str = "names";

/// Reason for a missing item: for all languages, or by language.
#[derive(Default)]
pub(super) struct Reason {
    everywhere: Option<String>,
    by_language: BTreeMap<String, String>,
}

impl Reason {
    /// Adds the reason of a table, whose name lists languages.
    fn add(&mut self, table: &str, reason: &str) {
        if table == EVERYWHERE {
            self.everywhere = Some(reason.to_owned());
        } else {
            let languages = table.split(", ").map(|language| (language.to_owned(), reason.to_owned()));
            self.by_language.extend(languages);
        }
    }

    pub(super) fn covers(&self, language: &Language) -> bool {
        self.everywhere.is_some() || self.by_language.contains_key(language.name)
    }

    /// Note for the table: the languages that lack the member (the item itself if it is empty), and the reasons.
    pub(super) fn note(&self, member: &str) -> String {
        let member = if member.is_empty() { String::new() } else { format!("`{member}`") };
        if let Some(reason) = &self.everywhere {
            return if member.is_empty() { reason.clone() } else { format!("{member}: {reason}") };
        }
        let mut languages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (language, reason) in &self.by_language {
            languages.entry(reason).or_default().push(language);
        }
        let notes = languages.iter().map(|(reason, languages)| format!("{}: {reason}", languages.join(", ")));
        let notes = notes.collect::<Vec<_>>().join(", ");
        if member.is_empty() { notes } else { format!("{member} ({notes})") }
    }
}

/// `bindings/coverage.toml`.
pub(super) struct Rules {
    pub(super) unbound: BTreeMap<String, Reason>,
    /// Other names, per member, item or path, and per language.
    pub(super) names: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

impl Rules {
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let value: Value = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut rules = Self { unbound: BTreeMap::new(), names: BTreeMap::new() };
        for (table, entries) in objects(&value) {
            for (key, entry) in objects(entries) {
                if table == NAMES {
                    rules.names.insert(key.clone(), by_language(entry));
                    continue;
                }
                for path in list(entry).iter().flat_map(|items| expanded(items)) {
                    rules.unbound.entry(path).or_default().add(table, key);
                }
            }
        }
        Ok(rules)
    }

    /// Names that a language may use: by the rules for the path or for the name, and by its conventions.
    pub(super) fn names(&self, path: &str, name: &str, language: &Language) -> Vec<String> {
        let in_language = |by: &'_ BTreeMap<String, Vec<String>>| {
            [language.name, EVERYWHERE].into_iter().filter_map(|key| by.get(key)).flatten().cloned().collect()
        };
        let rules = |key| self.names.get(key).map_or_else(Vec::new, in_language);
        let mut names: Vec<String> = [rules(path), rules(name)].concat();
        let module = path.rsplit("::").nth(1).unwrap_or_default();
        // The blocks that are values in the bindings are types in the core, beside those of dynamic suites.
        let name = name.strip_prefix("Dyn").unwrap_or(name);
        match language.name {
            // Its native module is flat: a name that several modules use has the module as a prefix.
            "Python" => names.extend([pascal(module) + name, format!("{module}_{name}")]),
            "Kotlin" => names.push(camel(name)),
            _ => names.push(javascript(name)),
        }
        names.push(name.to_owned());
        if name.starts_with(char::is_uppercase) {
            let variant = snake(name);
            let kind = variant.replace('_', "-");
            names.extend([variant.to_uppercase(), camel(&variant), variant, kind]);
        }
        names
    }
}

fn objects(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn list(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        one => vec![text(one)],
    }
}

/// Names by language: those of a text or a list for all of them.
fn by_language(names: &Value) -> BTreeMap<String, Vec<String>> {
    if !names.is_object() {
        return [(EVERYWHERE.to_owned(), list(names))].into();
    }
    let languages = objects(names).flat_map(|(languages, names)| {
        languages.split(", ").map(|language| (language.to_owned(), list(names)))
    });
    languages.collect()
}

/// `{a, b}::c` as `a::c` and `b::c`.
fn expanded(items: &str) -> Vec<String> {
    let parts = items.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (choices, after))) = parts else { return vec![items.to_owned()] };
    choices.split(", ").flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_each_of_their_items() {
        assert_eq!(expanded("{a, b}::{C, D}"), ["a::C", "a::D", "b::C", "b::D"]);
        assert_eq!(expanded("a::C"), ["a::C"]);
    }

    #[test]
    fn names_take_the_form_of_the_language() {
        let rules = Rules { unbound: BTreeMap::new(), names: BTreeMap::new() };
        let has = |language: &'static str, path: &str, wanted: &str| {
            let language = Language { name: language, declared: BTreeMap::new() };
            let name = path.rsplit("::").next().unwrap_or_default();
            rules.names(path, name, &language).iter().any(|one| one == wanted)
        };
        assert!(has("Kotlin", "Vote::sign_unguarded", "signUnguarded"));
        assert!(has("Node", "Vote::encoded_len", "encodedLength"));
        assert!(has("Python", "any::threshold::ecdsa::Combiner", "EcdsaCombiner"));
        assert!(has("Python", "any::Suite::MinSigCounted", "MIN_SIG_COUNTED"));
        assert!(has("Node", "gossip::Received::NothingNew", "nothing-new"));
        assert!(!has("Python", "Vote::sign_unguarded", "signUnguarded"));
    }
}
