//! The rules of `bindings/coverage.toml`: reasons for missing items, and names that differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::languages::Language;
use crate::process::Outcome;

/// Reason for a missing item: for all languages, or by language.
pub(super) struct Reason {
    everywhere: Option<String>,
    by_language: BTreeMap<String, String>,
}

impl Reason {
    pub(super) fn from_value(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let by = value.as_object().into_iter().flatten();
        Self {
            everywhere: value.as_str().map(str::to_owned),
            by_language: by.map(|(language, reason)| (language.clone(), text(reason))).collect(),
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
        let table = |name: &str| value.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| match value {
            Value::Array(list) => list.iter().map(text).collect(),
            one => vec![text(one)],
        };
        let by_language = |value: &Value| {
            value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(language, names)| (language.clone(), list(names)))
                .collect()
        };
        Ok(Self {
            unbound: table("unbound")
                .iter()
                .map(|(path, reason)| (path.clone(), Reason::from_value(reason)))
                .collect(),
            names: table("names").iter().map(|(path, names)| (path.clone(), by_language(names))).collect(),
        })
    }

    /// Names that a language may use: by the rules for the path or for the name, and by its case.
    pub(super) fn names(&self, path: &str, name: &str, language: &Language) -> Vec<String> {
        let rules = |key| self.names.get(key).and_then(|by| by.get(language.name)).into_iter().flatten();
        let mut names: Vec<String> = rules(path).chain(rules(name)).cloned().collect();
        names.extend([if language.camel { camel(name) } else { name.to_owned() }, name.to_owned()]);
        names
    }
}

/// `sign_unguarded` as `signUnguarded`; constants and types as they are.
fn camel(name: &str) -> String {
    if name.starts_with(char::is_uppercase) {
        return name.to_owned();
    }
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        all + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_case_of_the_language() {
        assert_eq!(camel("sign_unguarded"), "signUnguarded");
        assert_eq!(camel("verify"), "verify");
        assert_eq!(camel("MAX_MEMBERS"), "MAX_MEMBERS");
    }
}
