//! The rules of `bindings/coverage.toml`: reasons for missing items, and names that differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quorate_generator::names::snake;
use serde_json::Value;

use crate::process::Outcome;

/// `bindings/coverage.toml`.
#[derive(Default)]
pub(super) struct Rules {
    /// The reason for each path that the interface lacks.
    pub(super) absent: BTreeMap<String, String>,
    /// Another name of a path, or of a member anywhere.
    pub(super) names: BTreeMap<String, String>,
}

impl Rules {
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| problem(&error))?;
        let value: Value = toml::from_str(&text).map_err(|error| problem(&error))?;
        let table = |name: &str| value.get(name).and_then(Value::as_object).into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut absent = BTreeMap::new();
        for (reason, items) in table("absent") {
            for path in items.as_array().into_iter().flatten().flat_map(|items| expanded(&text(items))) {
                absent.insert(path, reason.clone());
            }
        }
        let names = table("names").map(|(path, name)| (path.clone(), text(name))).collect();
        Ok(Self { absent, names })
    }

    /// The names that the interface may have for the item or member `name` of a path.
    pub(super) fn names(&self, path: &str, name: &str) -> Vec<String> {
        let others = [path, name].into_iter().filter_map(|key| self.names.get(key).cloned());
        // The blocks that are values in the interface are types in the core, beside those of dynamic suites. A variant may be
        // a function that makes it.
        let own = [name.to_owned(), name.strip_prefix("Dyn").unwrap_or(name).to_owned(), snake(name)];
        others.chain(own).collect()
    }
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
    fn a_name_can_be_another_one() {
        let rules = Rules { names: [("len".to_owned(), "size".to_owned())].into(), ..Rules::default() };
        assert!(rules.names("Committee::len", "len").contains(&"size".to_owned()));
        assert!(rules.names("dsig::dynamic::DynSigner", "DynSigner").contains(&"Signer".to_owned()));
    }
}
