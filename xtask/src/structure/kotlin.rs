//! Uses of top-level declarations between Kotlin files.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::tokens::{Token, tokens_of};

/// Top-level declarations of a Kotlin file, and the names that it uses.
#[derive(Debug, Default)]
struct KotlinFile {
    package: String,
    /// Classes, objects, interfaces, type aliases, properties.
    types: BTreeSet<String>,
    functions: BTreeSet<String>,
    /// Functions and properties with a receiver.
    extensions: BTreeSet<String>,
    /// Qualified names that the file imports, by the name they have in it; `*` imports by their package.
    imports: BTreeMap<String, String>,
    packages: BTreeSet<String>,
    /// Names in the code: how each is used.
    uses: BTreeSet<(Use, String)>,
    /// Names that the file declares at any depth: they hide those of other files.
    own: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// A name alone.
    Name,
    /// A name that is called or referred to as a function.
    Call,
    /// A name behind a dot.
    Member,
}

const DECLARATIONS: &[&str] = &["class", "object", "interface", "typealias", "fun", "val", "var"];

/// The uses of top-level declarations between files. `files` maps names of files to their text.
pub(crate) fn kotlin_graph(files: &BTreeMap<String, String>) -> Graph {
    let read: BTreeMap<&String, KotlinFile> =
        files.iter().map(|(name, text)| (name, KotlinFile::read(text))).collect();
    let mut graph = Graph::default();
    for (from, user) in &read {
        for (to, used) in &read {
            // The code of a package does not see its tests.
            let is_visible = !to.contains("/src/test/") || from.contains("/src/test/");
            for (kind, name) in &user.uses {
                if from != to
                    && is_visible
                    && user.sees(name, used)
                    && used.declares(*kind, user.original(name))
                {
                    graph.add(from, to, name);
                }
            }
        }
    }
    graph
}

impl KotlinFile {
    fn read(text: &str) -> Self {
        let mut file = Self::default();
        for line in text.lines() {
            if let Some(package) = line.strip_prefix("package ") {
                package.trim().clone_into(&mut file.package);
            } else if let Some(import) = line.strip_prefix("import ") {
                file.import(import.trim());
            }
        }
        let code: String = text
            .lines()
            .filter(|line| !line.starts_with("import ") && !line.starts_with("package "))
            .fold(String::new(), |code, line| code + line + "\n");
        file.scan(&tokens_of(&code));
        file
    }

    fn import(&mut self, import: &str) {
        if let Some(package) = import.strip_suffix(".*") {
            self.packages.insert(package.to_owned());
            return;
        }
        let (path, alias) = import.split_once(" as ").unwrap_or((import, ""));
        let name = if alias.is_empty() { path.rsplit('.').next().unwrap_or(path) } else { alias.trim() };
        self.imports.insert(name.to_owned(), path.to_owned());
    }

    fn scan(&mut self, tokens: &[Token<'_>]) {
        let mut depth = 0usize;
        for (at, token) in tokens.iter().enumerate() {
            let before = |count: usize| at.checked_sub(count).and_then(|at| tokens.get(at)).copied();
            match token {
                Token::Mark('{' | '(') => depth += 1,
                Token::Mark('}' | ')') => depth = depth.saturating_sub(1),
                // `Name::class` declares nothing.
                Token::Name(keyword)
                    if DECLARATIONS.contains(keyword)
                        && !matches!(before(1), Some(Token::Separator | Token::Mark('.'))) =>
                {
                    self.declare(keyword, tokens.get(at + 1..).unwrap_or_default(), depth);
                }
                Token::Name(name) => {
                    let called = matches!(tokens.get(at + 1), Some(Token::Mark('(')));
                    let kind = match before(1) {
                        Some(Token::Mark('.')) => Use::Member,
                        Some(Token::Separator) => Use::Call,
                        _ if called => Use::Call,
                        _ => Use::Name,
                    };
                    self.uses.insert((kind, (*name).to_owned()));
                }
                _ => {}
            }
        }
    }

    /// Records the declaration whose tokens follow a keyword.
    fn declare(&mut self, keyword: &str, tokens: &[Token<'_>], depth: usize) {
        let mut angle = 0usize;
        let mut name = None;
        let (mut has_receiver, mut follows_dot) = (false, false);
        for token in tokens {
            match token {
                Token::Mark('<') => angle += 1,
                Token::Mark('>') => angle = angle.saturating_sub(1),
                _ if angle > 0 => {}
                Token::Name(part) => {
                    if name.is_some() && !follows_dot {
                        break;
                    }
                    name = Some((*part).to_owned());
                    follows_dot = false;
                }
                Token::Mark('.') => (has_receiver, follows_dot) = (true, true),
                Token::Mark('?') => {}
                _ => break,
            }
        }
        let Some(name) = name else { return };
        self.own.insert(name.clone());
        if depth > 0 {
            return;
        }
        match keyword {
            "fun" | "val" | "var" if has_receiver => self.extensions.insert(name),
            "fun" => self.functions.insert(name),
            _ => self.types.insert(name),
        };
    }

    /// Returns true if `name` in this file can mean a declaration of `other`.
    fn sees(&self, name: &str, other: &Self) -> bool {
        if self.own.contains(name) {
            return false;
        }
        match self.imports.get(name) {
            Some(path) => path.rsplit_once('.').is_some_and(|(package, _)| package == other.package),
            None => self.package == other.package || self.packages.contains(&other.package),
        }
    }

    /// The name that an import has where it is declared.
    fn original<'a>(&'a self, name: &'a str) -> &'a str {
        self.imports.get(name).and_then(|path| path.rsplit('.').next()).unwrap_or(name)
    }

    fn declares(&self, kind: Use, name: &str) -> bool {
        match kind {
            Use::Name => self.types.contains(name),
            Use::Call => self.types.contains(name) || self.functions.contains(name),
            Use::Member => self.extensions.contains(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_use_each_others_declarations_are_found() {
        let files = [
            ("A.kt", "package p\nclass A(val b: B) { fun f(x: C?) = x }"),
            ("B.kt", "package p\nimport q.C\nclass B { fun g() = make() ; fun h(c: C) = c.check() }"),
            ("D.kt", "package p\nimport p.A as Other\ninternal fun make(): Other? = null"),
            ("C.kt", "package q\nimport p.B\nclass C\nfun C.check() = Unit"),
        ];
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let circles = kotlin_graph(&files).circles();
        let nodes: Vec<_> = circles.iter().map(|circle| circle.nodes.join(" ")).collect();
        assert_eq!(nodes, ["A.kt B.kt D.kt"]);
        let uses: Vec<_> = circles
            .iter()
            .flat_map(|circle| &circle.uses)
            .map(|(from, to, _)| format!("{from} {to}"))
            .collect();
        assert_eq!(uses, ["A.kt B.kt", "B.kt D.kt", "D.kt A.kt"]);
    }
}
