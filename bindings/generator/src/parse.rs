//! Reads a module of the interface from its source.

use syn::{
    Attribute, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Meta, Pat, ReturnType, Visibility,
};

use crate::docs;
use crate::marks::{Marks, inside, last_name, number_of, text_of, type_of};
use crate::model::{
    Block, Choice, Class, Constant, Cost, Docs, Function, Kind, Parameter, Role, Traits, Type,
};

type Outcome<T> = Result<T, String>;

/// Reads a block from the source of its module, or from those of its files, of which the first is `mod.rs`.
///
/// # Errors
/// A text that names the item outside the form that `quorate-interface` describes.
pub fn block(name: &str, sources: &[&str]) -> Outcome<Block> {
    let parsed: Result<Vec<syn::File>, _> = sources.iter().map(|source| syn::parse_file(source)).collect();
    let files = parsed.map_err(|error| error.to_string())?;
    let mut block = Block { name: name.to_owned(), ..Block::default() };
    if let Some(first) = files.first() {
        block.docs = described(&first.attrs)?;
        block.module = Marks::read(&first.attrs)?.text("module");
    }
    let items = || files.iter().flat_map(|file| &file.items);
    for item in items() {
        match item {
            Item::Struct(item) if is_public(&item.vis) => {
                let class = class(&block, item)?;
                block.classes.push(class);
            }
            Item::Const(item) if is_public(&item.vis) => {
                block.constants.push(constant(&item.attrs, &item.ident, &item.expr)?);
            }
            _ => {}
        }
    }
    for item in items() {
        if let Item::Impl(item) = item {
            implementation(&mut block, item)?;
        }
    }
    Ok(block)
}

/// The names of the files of a block's `mod.rs`.
///
/// # Errors
/// The source is not Rust.
pub fn files(source: &str) -> Outcome<Vec<String>> {
    let file = syn::parse_file(source).map_err(|error| error.to_string())?;
    let names = file.items.iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() => Some(item.ident.to_string()),
        _ => None,
    });
    Ok(names.collect())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn constant(attributes: &[Attribute], name: &syn::Ident, value: &syn::Expr) -> Outcome<Constant> {
    let value = number_of(value).ok_or_else(|| format!("{name}: expected an integer literal"))?;
    let within = Marks::read(attributes)?.text("within");
    Ok(Constant { name: name.to_string(), docs: described(attributes)?, value, within })
}

fn class(block: &Block, item: &ItemStruct) -> Outcome<Class> {
    let name = item.ident.to_string();
    let marks = Marks::read(&item.attrs)?;
    let kinds = [
        ("value", Kind::Value),
        ("encoded", Kind::Encoded),
        ("record", Kind::Record),
        ("object", Kind::Object),
    ];
    let marked: Vec<Kind> =
        kinds.into_iter().filter(|(mark, _)| marks.has(mark)).map(|(_, kind)| kind).collect();
    let [kind] = marked.as_slice() else {
        return Err(format!("{name}: expected one of `value`, `encoded`, `record` and `object`"));
    };
    let derives = |wanted: &str| {
        item.attrs.iter().any(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => {
                list.tokens.to_string().split(',').any(|derived| derived.trim() == wanted)
            }
            _ => false,
        })
    };
    Ok(Class {
        native: block.native(&name),
        docs: described(&item.attrs)?,
        kind: *kind,
        traits: Traits {
            equality: derives("PartialEq"),
            order: derives("PartialOrd"),
            hash: derives("Hash"),
        },
        ambiguous: marks.has("ambiguous"),
        within: marks.text("within"),
        constants: Vec::new(),
        functions: Vec::new(),
        size: None,
        name,
    })
}

fn implementation(block: &mut Block, item: &ItemImpl) -> Outcome<()> {
    let Some(name) = last_name(&item.self_ty) else { return Ok(()) };
    let own: Vec<String> = block.classes.iter().map(|class| class.name.clone()).collect();
    let Some(class) = block.classes.iter_mut().find(|class| class.name == name) else { return Ok(()) };
    if let Some((_, implemented, _)) = &item.trait_ {
        class.traits.equality |= implemented.is_ident("PartialEq");
        return Ok(());
    }
    for member in &item.items {
        match member {
            ImplItem::Const(member) if is_public(&member.vis) => {
                class.constants.push(constant(&member.attrs, &member.ident, &member.expr)?);
            }
            ImplItem::Fn(member) if is_public(&member.vis) => {
                let at = |problem| format!("{name}::{}: {problem}", member.sig.ident);
                if Marks::read(&member.attrs).map_err(at)?.has("size") {
                    class.size = Some(member.sig.ident.to_string());
                } else {
                    class.functions.push(function(member, &name, &own).map_err(at)?);
                }
            }
            _ => {}
        }
    }
    check(class)
}

/// What the types of Rust allow, but the other languages do not.
fn check(class: &Class) -> Outcome<()> {
    let name = &class.name;
    for function in &class.functions {
        if function.is_slow() && (function.role != Role::Method || class.kind != Kind::Object) {
            return Err(format!("{name}::{}: only a method of an `object` is `slow`", function.name));
        }
        let has_form = function.role != Role::Method || function.parameters.is_empty();
        if class.kind == Kind::Record && !has_form {
            return Err(format!("{name}::{}: a method of a `record` has no parameters", function.name));
        }
    }
    match class.kind {
        Kind::Value if class.constructor().is_none() => Err(format!("{name}: a `value` has a constructor")),
        Kind::Encoded if !class.is_plain_encoding() => {
            Err(format!("{name}: an `encoded` class has `decode` and `encode`"))
        }
        _ => Ok(()),
    }
}

fn function(item: &ImplItemFn, class: &str, own: &[String]) -> Outcome<Function> {
    let name = item.sig.ident.to_string();
    let marks = Marks::read(&item.attrs)?;
    let has_receiver = item.sig.receiver().is_some();
    let role = match (has_receiver, marks.has("getter")) {
        (true, true) => Role::Getter,
        (true, false) => Role::Method,
        (false, _) if name == "new" => Role::Constructor,
        (false, _) if marks.has("variant") => Role::Variant,
        (false, _) => Role::Static,
    };
    let mut parameters = Vec::new();
    for input in &item.sig.inputs {
        if let FnArg::Typed(input) = input {
            let Pat::Ident(name) = &*input.pat else {
                return Err("expected a name for each parameter".to_owned());
            };
            let marks = Marks::read(&input.attrs)?;
            parameters.push(Parameter {
                name: name.ident.to_string(),
                kind: type_of(&input.ty, class, own)?,
                limit: marks.number("limit"),
                choice: choice(&marks),
            });
        }
    }
    let (result, fallible) = match &item.sig.output {
        ReturnType::Default => (None, false),
        ReturnType::Type(_, result) => match inside(result, "Result") {
            Some(inner) => (result_of(inner, class, own)?, true),
            None => (result_of(result, class, own)?, false),
        },
    };
    let cost = match (marks.has("quick") || role == Role::Getter, marks.has("slow")) {
        (true, _) => Cost::Quick,
        (false, true) => Cost::Slow,
        (false, false) => Cost::Usual,
    };
    let computed = marks.has("computed");
    Ok(Function { name, docs: described(&item.attrs)?, role, parameters, result, fallible, cost, computed })
}

fn choice(marks: &Marks) -> Option<Choice> {
    Some(Choice { among: marks.text("among")?, default: marks.text("default")? })
}

fn result_of(written: &syn::Type, class: &str, own: &[String]) -> Outcome<Option<Type>> {
    match written {
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(None),
        other => type_of(other, class, own).map(Some),
    }
}

fn described(attributes: &[Attribute]) -> Outcome<Docs> {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(pair) = &attribute.meta else { return None };
            text_of(&pair.value)
        });
    docs::read(&lines.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! A block.\n\n/// A tree.\n#[derive(Clone, PartialEq)]\n#[cfg_attr(binding, value)]\npub struct Tree(());\n\
        impl Tree {\n/// Reads it.\n///\n/// # Errors\n/// [`Error::Malformed`](quorate::Error) if it is not one.\n\
        pub fn decode(bytes: &[u8]) -> Result<Self> {}\n#[cfg_attr(binding, getter)]\npub fn siblings(&self) -> Vec<Hash> {}\n\
        pub fn new(leaf: Option<u16>) -> Self {}\nfn hidden() {}\n}\n/// Most.\npub const MOST: u32 = 1_024;";

    fn parameter(name: &str, kind: Type) -> Parameter {
        Parameter { name: name.to_owned(), kind, limit: None, choice: None }
    }

    #[test]
    fn a_module_becomes_a_block() {
        let block = block("tree", &[SOURCE]).unwrap();
        let class = block.class("Tree").unwrap();
        assert_eq!((block.docs.text.as_str(), class.docs.text.as_str()), ("A block.", "A tree."));
        assert!(
            class.traits.equality
                && !class.traits.hash
                && class.kind == Kind::Value
                && class.within.is_none()
        );
        let [decode, siblings, new] = class.functions.as_slice() else { panic!("{:?}", class.functions) };
        assert_eq!(decode.role, Role::Static);
        assert_eq!(decode.parameters, [parameter("bytes", Type::Bytes)]);
        assert_eq!((decode.result.clone(), decode.fallible), (Some(Type::Class("Tree".to_owned())), true));
        assert_eq!(decode.docs.errors, [("Malformed".to_owned(), "if it is not one.".to_owned())]);
        assert_eq!((siblings.role, siblings.cost), (Role::Getter, Cost::Quick));
        assert_eq!(siblings.result, Some(Type::List(Box::new(Type::Bytes))));
        assert_eq!(new.parameters, [parameter("leaf", Type::Optional(Box::new(Type::U16)))]);
        let [most] = block.constants.as_slice() else { panic!("{:?}", block.constants) };
        assert_eq!((most.name.as_str(), most.value, most.docs.text.as_str()), ("MOST", 1024, "Most."));
    }

    #[test]
    fn unknown_attributes_and_types_are_refused() {
        let unknown = SOURCE.replace("getter", "gettr");
        assert!(block("tree", &[&unknown]).unwrap_err().contains("Tree::siblings"));
        let unknown = SOURCE.replace("Vec<Hash>", "f64");
        assert!(block("tree", &[&unknown]).unwrap_err().contains("`f64` does not cross"));
        let none = SOURCE.replace("value", "quick");
        assert_eq!(
            block("tree", &[&none]).unwrap_err(),
            "Tree: expected one of `value`, `encoded`, `record` and `object`"
        );
    }
}
