//! The files of a Rust crate, and which file uses items of which.
//!
//! Names are resolved as the compiler does, as far as source text allows: through the tree of modules, `use`
//! declarations, re-exports and globs. A use leads to the file that defines the item, not to the file that re-exports
//! it. Methods are not resolved; code under `#[cfg(test)]` is not read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::graph::Graph;
use super::tokens::{Token, tokens_of};
use crate::process::Outcome;

/// Index of a module in its crate.
type ModuleId = usize;

/// A crate's tree of modules, from one root file.
#[derive(Debug, Default)]
pub(crate) struct Crate {
    modules: Vec<Module>,
}

#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    parent: Option<ModuleId>,
    children: BTreeMap<String, ModuleId>,
    /// Items that the module defines.
    items: BTreeSet<String>,
    /// Imported names and the paths they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths of glob imports.
    globs: Vec<Vec<String>>,
    /// Paths in the module's code and in its private `use` declarations. A public one is a re-export, and no use unless
    /// the code names it.
    paths: BTreeSet<Vec<String>>,
    /// Names within calls of macros at module level: a macro may define items by them.
    macro_names: BTreeSet<String>,
}

/// Meaning of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Module(ModuleId),
    Item(ModuleId, String),
}

/// Names looked up on the way to a definition, with the module of each. A repeated one leads nowhere.
type Visited = BTreeSet<(ModuleId, String)>;

const ITEM_KEYWORDS: &[&str] = &["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

impl Crate {
    /// Reads the modules of the crate whose root is `root`.
    pub(crate) fn read(root: &Path) -> Outcome<Self> {
        let mut read = Self::default();
        read.modules.push(Module { file: root.to_path_buf(), ..Module::default() });
        let folder = root.parent().unwrap_or(root).to_path_buf();
        read.read_file(0, &folder)?;
        Ok(read)
    }

    /// Reads the file of a module; `folder` is where the files of its children are.
    fn read_file(&mut self, module: ModuleId, folder: &Path) -> Outcome {
        let Some(file) = self.modules.get(module).map(|module| module.file.clone()) else { return Ok(()) };
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let tokens = tokens_of(&text);
        Parser { read: self, tokens: &tokens, at: 0 }.module(module, folder)
    }

    fn child(&mut self, parent: ModuleId, name: &str, file: PathBuf) -> ModuleId {
        let id = self.modules.len();
        self.modules.push(Module { file, parent: Some(parent), ..Module::default() });
        if let Some(parent) = self.modules.get_mut(parent) {
            parent.children.insert(name.to_owned(), id);
        }
        id
    }

    /// The uses of one file by another.
    pub(crate) fn graph(&self, name_of: impl Fn(&Path) -> String) -> Graph {
        let mut graph = Graph::default();
        for (id, module) in self.modules.iter().enumerate() {
            let from = name_of(&module.file);
            for path in &module.paths {
                if let Some(Target::Item(owner, item)) = self.resolve(id, path, &mut Visited::new())
                    && let Some(owner) = self.modules.get(owner)
                {
                    graph.add(&from, &name_of(&owner.file), &item);
                }
            }
        }
        graph
    }

    fn resolve(&self, from: ModuleId, path: &[String], visited: &mut Visited) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let module = self.modules.get(from)?;
        match first.as_str() {
            "crate" => self.walk(0, rest, visited),
            "self" => self.walk(from, rest, visited),
            "super" => self.walk(module.parent?, rest, visited),
            _ => self.walk(from, path, visited),
        }
    }

    /// Follows `path` from a module.
    fn walk(&self, from: ModuleId, path: &[String], visited: &mut Visited) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else { return Some(Target::Module(from)) };
        let module = self.modules.get(from)?;
        if first == "super" {
            return self.walk(module.parent?, rest, visited);
        }
        if let Some(child) = module.children.get(first) {
            return self.walk(*child, rest, visited);
        }
        if module.items.contains(first) {
            return Some(Target::Item(from, first.clone()));
        }
        if !visited.insert((from, first.clone())) {
            return None;
        }
        if let Some(import) = module.imports.get(first) {
            // `use name::name` of another crate would resolve to itself.
            if import.first() == Some(first) && !module.children.contains_key(first) {
                return None;
            }
            return match self.resolve(from, import, visited)? {
                Target::Module(id) => self.walk(id, rest, visited),
                item @ Target::Item(..) => Some(item),
            };
        }
        let through_globs = module.globs.iter().find_map(|glob| match self.resolve(from, glob, visited)? {
            Target::Module(id) if id != from => self.walk(id, path, visited),
            _ => None,
        });
        let by_macro = || module.macro_names.contains(first).then(|| Target::Item(from, first.clone()));
        through_globs.or_else(by_macro)
    }
}

struct Parser<'a> {
    read: &'a mut Crate,
    tokens: &'a [Token<'a>],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Option<Token<'_>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(Token::Mark(mark))
    }

    fn name(&self, ahead: usize) -> Option<String> {
        match self.peek(ahead) {
            Some(Token::Name(name)) => Some(name.to_owned()),
            _ => None,
        }
    }

    /// Reads a module's tokens up to the brace that closes it, or to the end of the file.
    fn module(&mut self, id: ModuleId, folder: &Path) -> Outcome {
        let mut depth = 0usize;
        let mut path_attribute = None;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Mark('#') if self.is_attribute() => {
                    let (is_test, path) = self.attribute();
                    path_attribute = path.or(path_attribute);
                    if is_test {
                        self.skip_item();
                    }
                    continue;
                }
                Token::Mark('}') if depth == 0 => return Ok(()),
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => depth -= 1,
                Token::Name("use") if !matches!(self.peek(1), Some(Token::Mark('<'))) => {
                    let is_public = self.follows_visibility();
                    self.at += 1;
                    self.use_tree(id, &[], is_public);
                    continue;
                }
                Token::Name("mod") if self.name(1).is_some() => {
                    self.submodule(id, folder, path_attribute.take())?;
                    continue;
                }
                Token::Name(keyword) if depth == 0 && ITEM_KEYWORDS.contains(&keyword) => self.item(id),
                Token::Name("macro_rules") if self.is_mark(1, '!') => {
                    let name = self.name(2);
                    self.edit(id, |module| module.items.extend(name));
                    self.at += 2;
                }
                Token::Name(_) if depth == 0 && self.is_mark(1, '!') => {
                    self.path(id);
                    self.macro_call(id);
                    continue;
                }
                Token::Name(_) => {
                    self.path(id);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    fn edit(&mut self, id: ModuleId, change: impl FnOnce(&mut Module)) {
        if let Some(module) = self.read.modules.get_mut(id) {
            change(module);
        }
    }

    /// Returns true if the current token follows `pub` or `pub(…)`.
    fn follows_visibility(&self) -> bool {
        let before = self.tokens.get(..self.at).unwrap_or_default();
        matches!(
            before,
            [.., Token::Name("pub")] | [.., Token::Name("pub"), Token::Mark('('), _, Token::Mark(')')]
        )
    }

    fn is_attribute(&self) -> bool {
        self.is_mark(1, '[') || (self.is_mark(1, '!') && self.is_mark(2, '['))
    }

    /// Reads an attribute: whether it limits its item to tests, and the file that it gives a module.
    fn attribute(&mut self) -> (bool, Option<String>) {
        let start = self.at;
        while !self.is_mark(0, '[') {
            self.at += 1;
        }
        self.skip_group('[', ']');
        let inside = self.tokens.get(start..self.at).unwrap_or_default();
        let has = |name| inside.contains(&Token::Name(name));
        let is_test = has("cfg") && has("test") && !has("not") && !has("any");
        let path = inside.iter().find_map(|token| match token {
            // `#[path = "…"]`
            Token::Text(text) if has("path") && inside.len() == 6 => Some((*text).to_owned()),
            _ => None,
        });
        (is_test, path)
    }

    /// Moves behind the group that begins at the current token.
    fn skip_group(&mut self, open: char, close: char) {
        let mut depth = 0usize;
        while let Some(token) = self.peek(0) {
            depth = match token {
                Token::Mark(mark) if mark == open => depth + 1,
                Token::Mark(mark) if mark == close => depth - 1,
                _ => depth,
            };
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Moves behind the item that begins at the current token, with its attributes.
    fn skip_item(&mut self) {
        while let Some(token) = self.peek(0) {
            match token {
                Token::Mark('#') if self.is_attribute() => {
                    self.attribute();
                }
                Token::Mark('(') => self.skip_group('(', ')'),
                Token::Mark('[') => self.skip_group('[', ']'),
                Token::Mark('{') => {
                    self.skip_group('{', '}');
                    // `use a::{b};` and `const A: B = { … };` end behind their braces.
                    if self.is_mark(0, ';') {
                        self.at += 1;
                    }
                    return;
                }
                // A field or a variant of an enum ends so; its surroundings close behind it.
                Token::Mark(';' | ',') => {
                    self.at += 1;
                    return;
                }
                Token::Mark('}') => return,
                _ => self.at += 1,
            }
        }
    }

    fn submodule(&mut self, parent: ModuleId, folder: &Path, path: Option<String>) -> Outcome {
        let Some(name) = self.name(1) else { return Ok(()) };
        self.at += 2;
        if self.is_mark(0, '{') {
            self.at += 1;
            let file = self.read.modules.get(parent).map(|module| module.file.clone()).unwrap_or_default();
            let id = self.read.child(parent, &name, file);
            self.module(id, &folder.join(&name))?;
            self.at += 1;
            return Ok(());
        }
        let (file, inside) = match path {
            Some(path) => {
                let base = self.read.modules.get(parent).and_then(|module| module.file.parent());
                let file = base.unwrap_or(folder).join(path);
                (file.clone(), file.parent().unwrap_or(folder).to_path_buf())
            }
            None => {
                let inside = folder.join(&name);
                let flat = folder.join(format!("{name}.rs"));
                (if flat.is_file() { flat } else { inside.join("mod.rs") }, inside)
            }
        };
        // A module that a build script writes is not there.
        if file.is_file() {
            let id = self.read.child(parent, &name, file);
            self.read.read_file(id, &inside)?;
        }
        Ok(())
    }

    /// Records the name of an item at a keyword.
    fn item(&mut self, id: ModuleId) {
        let name = if self.name(1).as_deref() == Some("mut") { self.name(2) } else { self.name(1) };
        if let Some(name) = name.filter(|name| !ITEM_KEYWORDS.contains(&name.as_str()) && name != "unsafe") {
            self.edit(id, |module| {
                module.items.insert(name);
            });
        }
    }

    /// Reads the body of a macro's call at module level: its names may be those of items it defines.
    fn macro_call(&mut self, id: ModuleId) {
        self.at += 1;
        let end = match self.peek(0) {
            Some(Token::Mark('{')) => self.end_of_group('{', '}'),
            Some(Token::Mark('(')) => self.end_of_group('(', ')'),
            Some(Token::Mark('[')) => self.end_of_group('[', ']'),
            _ => return,
        };
        while self.at < end {
            if let Some(Token::Name(name)) = self.peek(0) {
                let name = name.to_owned();
                self.path(id);
                self.edit(id, |module| {
                    module.macro_names.insert(name);
                });
            } else {
                self.at += 1;
            }
        }
    }

    fn end_of_group(&mut self, open: char, close: char) -> usize {
        let start = self.at;
        self.skip_group(open, close);
        std::mem::replace(&mut self.at, start)
    }

    /// Records the path that begins at the current token.
    fn path(&mut self, id: ModuleId) {
        let dot_before = |count: usize| {
            self.at.checked_sub(count).and_then(|at| self.tokens.get(at)) == Some(&Token::Mark('.'))
        };
        // Two dots are a range or the update of a struct, not a field or a method.
        let is_member = dot_before(1) && !dot_before(2);
        let mut path: Vec<String> = self.name(0).into_iter().collect();
        self.at += 1;
        while self.peek(0) == Some(Token::Separator) {
            let Some(next) = self.name(1) else { break };
            path.push(next);
            self.at += 2;
        }
        if !is_member {
            self.edit(id, |module| {
                module.paths.insert(path);
            });
        }
    }

    /// Reads the tree of a `use` declaration behind `prefix`, and records what it imports.
    fn use_tree(&mut self, id: ModuleId, prefix: &[String], is_public: bool) {
        let mut path = prefix.to_vec();
        loop {
            match self.peek(0) {
                Some(Token::Separator) => self.at += 1,
                Some(Token::Name("as")) => {
                    let alias = self.name(1).unwrap_or_default();
                    self.at += 2;
                    self.import(id, alias, path, is_public);
                    break;
                }
                Some(Token::Name(name)) => {
                    path.push(name.to_owned());
                    self.at += 1;
                }
                Some(Token::Mark('*')) => {
                    self.at += 1;
                    self.edit(id, |module| module.globs.push(path));
                    break;
                }
                Some(Token::Mark('{')) => {
                    self.at += 1;
                    while self.peek(0).is_some() && !self.is_mark(0, '}') {
                        self.use_tree(id, &path, is_public);
                        // A comma; or, in a macro, a token that no declaration has.
                        if !self.is_mark(0, '}') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    break;
                }
                _ => {
                    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                        path.pop();
                    }
                    let name = path.last().cloned().unwrap_or_default();
                    self.import(id, name, path, is_public);
                    break;
                }
            }
        }
        if prefix.is_empty() && self.is_mark(0, ';') {
            self.at += 1;
        }
    }

    fn import(&mut self, id: ModuleId, name: String, path: Vec<String>, is_public: bool) {
        self.edit(id, |module| {
            if !is_public {
                module.paths.insert(path.clone());
            }
            module.imports.insert(name, path);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a crate's files and returns the uses between them that lie on circles.
    fn circles_of(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = std::env::temp_dir().join(format!("quorate-xtask-{}-{name}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let read = Crate::read(&folder.join("lib.rs")).unwrap();
        let graph = read.graph(|file| file.strip_prefix(&folder).unwrap().display().to_string());
        fs::remove_dir_all(&folder).unwrap();
        let uses = graph.circles().into_iter().flat_map(|circle| circle.uses);
        uses.map(|(from, to, names)| format!("{from} {to} {}", names.join(" "))).collect()
    }

    #[test]
    fn siblings_that_use_each_other_are_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use super::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f() -> Option<crate::A> { None }"),
        ];
        assert_eq!(circles_of("siblings", &files), ["a.rs b.rs B", "b.rs a.rs A"]);
    }

    #[test]
    fn a_folder_that_only_re_exports_is_no_circle() {
        let files = [
            ("lib.rs", "mod m;"),
            ("m/mod.rs", "mod a; mod b; pub use a::A; pub(crate) use b::*;"),
            ("m/a.rs", "use super::B; pub struct A(B);"),
            ("m/b.rs", "pub struct B;"),
        ];
        assert_eq!(circles_of("re-exports", &files), [""; 0]);
    }

    #[test]
    fn an_item_of_mod_rs_used_below_is_a_circle() {
        let files = [
            ("lib.rs", "mod m;"),
            ("m/mod.rs", "mod a; use a::{A, other as o}; pub struct M(A); mod inline { use super::*; }"),
            ("m/a.rs", "use super::M; pub struct A; fn f(_: M) {}"),
        ];
        assert_eq!(circles_of("mod-rs", &files), ["m/a.rs m/mod.rs M", "m/mod.rs m/a.rs A"]);
    }

    #[test]
    fn code_of_tests_and_comments_does_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use super::b::B; pub struct A(B);"),
            (
                "b.rs",
                "// super::a::A\npub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; fn f(_: A) {} }",
            ),
        ];
        assert_eq!(circles_of("tests", &files), [""; 0]);
    }
}
