//! The public API of the core: every public item and its public members, read from the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::{Attribute, ImplItem, Item, Meta, TraitItem, UseTree, Visibility};

use crate::process::Outcome;

/// Items by path (`certificate::Vote`), each with the names of its methods, fields, variants and constants.
pub(crate) type Api = BTreeMap<String, BTreeSet<String>>;

/// Reads the source of the core.
pub(crate) fn read(source: &Path) -> Outcome<Api> {
    let mut api = Api::new();
    let root = parse(&source.join("lib.rs"))?;
    for item in &root.items {
        match item {
            Item::Mod(module) if is_public(&module.vis) => {
                let name = module.ident.to_string();
                Module::load(source, &name)?.publish(source, &name, &mut api)?;
            }
            Item::Use(reexport) if is_public(&reexport.vis) => {
                let (module, names) = paths(&reexport.tree);
                let module = Module::load(source, &module)?;
                for name in names {
                    api.insert(name.clone(), module.members.get(&name).cloned().unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(api)
}

/// A module with the items of its private submodules, and its public submodules.
#[derive(Default)]
struct Module {
    /// Items that other crates can name.
    public: BTreeSet<String>,
    /// Members of all items, public or not.
    members: BTreeMap<String, BTreeSet<String>>,
    modules: Vec<String>,
}

impl Module {
    fn load(parent: &Path, name: &str) -> Outcome<Self> {
        let (file, folder) = (parent.join(format!("{name}.rs")), parent.join(name));
        let path = if file.exists() { file } else { folder.join("mod.rs") };
        let mut module = Self::default();
        for item in parse(&path)?.items {
            module.take(item, &folder)?;
        }
        Ok(module)
    }

    fn publish(self, parent: &Path, path: &str, api: &mut Api) -> Outcome {
        for name in &self.public {
            api.insert(format!("{path}::{name}"), self.members.get(name).cloned().unwrap_or_default());
        }
        let folder = parent.join(path.rsplit("::").next().unwrap_or(path));
        for name in &self.modules {
            Self::load(&folder, name)?.publish(&folder, &format!("{path}::{name}"), api)?;
        }
        Ok(())
    }

    fn take(&mut self, item: Item, folder: &Path) -> Outcome {
        match item {
            Item::Mod(module) if is_test(&module.attrs) || module.content.is_some() => {}
            Item::Mod(module) if is_public(&module.vis) => self.modules.push(module.ident.to_string()),
            Item::Mod(module) => {
                let hidden = Self::load(folder, &module.ident.to_string())?;
                for (name, members) in hidden.members {
                    self.members.entry(name).or_default().extend(members);
                }
            }
            Item::Use(reexport) if is_public(&reexport.vis) => self.public.extend(paths(&reexport.tree).1),
            Item::Impl(block) if block.trait_.is_none() => {
                if let Some(name) = last_name(&block.self_ty) {
                    let members = block.items.iter().filter_map(public_member);
                    self.members.entry(name).or_default().extend(members);
                }
            }
            Item::Macro(invocation) => self.take_macro(&invocation),
            item => self.define(item),
        }
        Ok(())
    }

    /// `per! { family: … Name, TypeOf }` defines an enum with a method that returns its suite or group, and
    /// `methods! { family: self, Name, … => … }` public methods of one. For any other macro, records the items that its
    /// definition names.
    fn take_macro(&mut self, invocation: &syn::ItemMacro) {
        let tokens = invocation.mac.tokens.to_string();
        let words = words(&tokens);
        let called = |name| invocation.mac.path.is_ident(name);
        if called("macro_rules") {
            self.take_definition(&words);
        } else if called("per")
            && let [.., name, _] = words.as_slice()
        {
            let method = match words.iter().find(|word| **word != "secret") {
                // The enum is defined without the macro.
                Some(&"conversions") => return,
                Some(&"group" | &"class") => "group",
                _ => "suite",
            };
            self.public.insert((*name).to_owned());
            self.members.entry((*name).to_owned()).or_default().insert(method.to_owned());
        } else if called("methods")
            && let [_, _, name, methods @ ..] = words.as_slice()
        {
            let methods = methods.windows(3).filter(|words| words.starts_with(&["pub", "fn"]));
            let methods = methods.filter_map(|words| words.last()).map(|name| (*name).to_owned());
            self.members.entry((*name).to_owned()).or_default().extend(methods);
        }
    }

    fn take_definition(&mut self, words: &[&str]) {
        let mut whose = None;
        for (at, word) in words.iter().enumerate() {
            // Names that are known only where the macro is used begin with `$`.
            let Some(name) = words.get(at + 1).filter(|name| !name.starts_with('$')) else { continue };
            let public = at > 0 && words.get(at - 1) == Some(&"pub");
            match *word {
                "enum" | "struct" if public => {
                    self.public.insert((*name).to_owned());
                    self.members.entry((*name).to_owned()).or_default();
                }
                "impl" => whose = Some(*name).filter(|name| self.public.contains(*name)),
                "fn" | "const" if public => {
                    if let Some(members) = whose.and_then(|whose| self.members.get_mut(whose)) {
                        members.insert((*name).to_owned());
                    }
                }
                _ => {}
            }
        }
    }

    fn define(&mut self, item: Item) {
        let (name, visibility, members): (_, _, Vec<String>) = match item {
            Item::Struct(item) => {
                let fields = item.fields.iter().filter(|field| is_public(&field.vis));
                (
                    item.ident,
                    item.vis,
                    fields.filter_map(|field| Some(field.ident.as_ref()?.to_string())).collect(),
                )
            }
            Item::Enum(item) => {
                (item.ident, item.vis, item.variants.iter().map(|v| v.ident.to_string()).collect())
            }
            Item::Trait(item) => {
                let method = |item: &TraitItem| match item {
                    TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
                    _ => None,
                };
                (item.ident, item.vis, item.items.iter().filter_map(method).collect())
            }
            Item::Fn(item) => (item.sig.ident, item.vis, Vec::new()),
            Item::Const(item) => (item.ident, item.vis, Vec::new()),
            Item::Type(item) => (item.ident, item.vis, Vec::new()),
            _ => return,
        };
        if is_public(&visibility) {
            self.public.insert(name.to_string());
        }
        self.members.entry(name.to_string()).or_default().extend(members);
    }
}

/// The identifiers in a text of tokens, with the `$` before them.
fn words(tokens: &str) -> Vec<&str> {
    let words = tokens.split(|c: char| !(c.is_alphanumeric() || "_$".contains(c)));
    words.filter(|word| !word.is_empty()).collect()
}

fn parse(path: &Path) -> Outcome<syn::File> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

fn public_member(item: &ImplItem) -> Option<String> {
    match item {
        ImplItem::Fn(method) if is_public(&method.vis) => Some(method.sig.ident.to_string()),
        ImplItem::Const(constant) if is_public(&constant.vis) => Some(constant.ident.to_string()),
        _ => None,
    }
}

fn last_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// The first segment of a `use` declaration and the names that it imports.
fn paths(tree: &UseTree) -> (String, Vec<String>) {
    fn names(tree: &UseTree, found: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => names(&path.tree, found),
            UseTree::Name(name) => found.push(name.ident.to_string()),
            UseTree::Rename(rename) => found.push(rename.rename.to_string()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, found)),
            UseTree::Glob(_) => {}
        }
    }
    let mut found = Vec::new();
    names(tree, &mut found);
    let first = match tree {
        UseTree::Path(path) => path.ident.to_string(),
        _ => String::new(),
    };
    (first, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn items_and_members_of_the_core_are_found() {
        let api = read(&workspace::root().join("core/src")).unwrap();
        let has = |item: &str, member: &str| api.get(item).is_some_and(|members| members.contains(member));
        assert!(has("any::Vote", "suite") && has("any::Vote", "statement"), "of a macro");
        assert!(has("any::Vote", "sign_unguarded"), "of an impl beside a macro");
        assert!(has("any::threshold::ecdsa::Signing", "group"), "of a macro for groups");
        assert!(has("certificate::Vote", "verify"), "of a private module");
        assert!(has("Error", "details") && has("Error", "Malformed"), "of the root");
        assert!(has("committee::Committee", "signer_set"), "of an impl in another file");
        assert!(has("machine::Machine", "handle"), "of a trait");
        assert!(has("scheme::SignerSet", "insert") && api.contains_key("wire::domain::hash"));
        assert!(has("dsig::dynamic::SuiteId", "signature_len"), "of a macro's definition");
        assert!(!api.contains_key("certificate::Tally") && !has("certificate::Vote", "into_signature"));
    }
}
