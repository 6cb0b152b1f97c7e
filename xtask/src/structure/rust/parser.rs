//! Reads the tree of modules from the source files of a crate.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Crate, Module, ModuleId};
use crate::process::Outcome;
use crate::structure::tokens::{Token, tokens_of};

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
                Token::Name(_) => {
                    self.path(id);
                    if depth == 0 && self.is_mark(0, '!') {
                        self.macro_call(id);
                    }
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

    /// Reads the body of a macro's call at module level: its names may be those of items it defines. With `struct` in it,
    /// those are the names after that.
    fn macro_call(&mut self, id: ModuleId) {
        self.at += 1;
        let end = match self.peek(0) {
            Some(Token::Mark('{')) => self.end_of_group('{', '}'),
            Some(Token::Mark('(')) => self.end_of_group('(', ')'),
            Some(Token::Mark('[')) => self.end_of_group('[', ']'),
            _ => return,
        };
        let is_struct = |token: Option<&Token<'_>>| token == Some(&Token::Name("struct"));
        let has_struct = (self.at..end).any(|at| is_struct(self.tokens.get(at)));
        while self.at < end {
            if let Some(Token::Name(name)) = self.peek(0) {
                let name = name.to_owned();
                let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
                let may_be_defined = !has_struct || is_struct(before);
                self.path(id);
                if may_be_defined {
                    self.edit(id, |module| {
                        module.macro_names.insert(name);
                    });
                }
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

    /// Reads the tree of a `use` declaration behind `prefix`, and records the imported names.
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
