//! The files of a Rust crate, and the uses of items between them.
//!
//! Names are resolved as the compiler does, as far as source text allows: through the tree of modules, `use`
//! declarations, re-exports and globs. A use leads to the file that defines the item, not to the file that re-exports
//! it. Methods are not resolved; code under `#[cfg(test)]` is not read.

mod parser;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::graph::Graph;

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

impl Crate {
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

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn a_macro_with_a_structure_defines_no_other_name() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; class! { struct A(B); fn check() -> Made {} }"),
            ("b.rs", "use crate::a::Made; pub struct B;"),
        ];
        assert_eq!(circles_of("structures", &files), [""; 0]);
    }

    #[test]
    fn a_macro_called_by_its_path_defines_the_names_in_it() {
        let files = [
            ("lib.rs", "mod a; mod b; mod made;"),
            ("a.rs", "use crate::b::B; crate::made::made! { A, B }"),
            ("b.rs", "use crate::a::A; pub struct B;"),
            ("made.rs", "macro_rules! made { () => {} } pub(crate) use made;"),
        ];
        assert_eq!(circles_of("paths", &files), ["a.rs b.rs B", "b.rs a.rs A"]);
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
