//! Reads a module of the interface from its source.

use syn::{Attribute, FnArg, ImplItem, Item, ItemImpl, Meta, Pat, ReturnType, Signature, Visibility};

use crate::docs;
use crate::expand::Macros;
use crate::marks::{Marks, Scope, inside, is_full, is_native, last_name, number_of, text_of};
use crate::model::{
    Answer, Block, Choice, Class, Constant, Cost, Docs, Field, Function, Home, Kind, Parameter, Role, Traits,
    Type, Variant,
};
use crate::names::{commas, pascal, snake};

type Outcome<T> = Result<T, String>;

/// Reads a block from the source of its module, or from those of its files, of which the first is `mod.rs`. `path` is that
/// of the module. `macros` are the sources of macros that the files may call. The classes that it imports are not yet
/// known: see [`crate::link`].
///
/// # Errors
/// A text that names the item outside the form that `quorate-interface` describes.
pub fn block(path: &str, sources: &[&str], macros: &[&str]) -> Outcome<Block> {
    let parse = |source: &&str| syn::parse_file(source).map_err(|error| error.to_string());
    let macros = Macros::read(&macros.iter().map(parse).collect::<Outcome<Vec<_>>>()?);
    let mut files = sources.iter().map(parse).collect::<Outcome<Vec<syn::File>>>()?;
    for file in &mut files {
        macros.expand(file)?;
    }
    let mut block = Block { name: path.replace("::", "_"), path: path.to_owned(), ..Block::default() };
    if let Some(first) = files.first() {
        block.docs = described(&first.attrs)?;
        block.module = Marks::read(&first.attrs)?.text("module");
    }
    let full = full_files(&files);
    let items = || {
        let with = |(file, full): (_, bool)| {
            let file: &syn::File = file;
            file.items.iter().map(move |item| (item, full))
        };
        files.iter().zip(full.iter().copied()).flat_map(with)
    };
    for (item, full) in items() {
        match item {
            Item::Struct(item) if is_public(&item.vis) => {
                let class = class(&block, &item.ident, &item.attrs, Kind::Data)?;
                block.classes.push(Class { full: full || class.full, ..class });
            }
            Item::Enum(item) if is_public(&item.vis) => {
                let has_fields = item.variants.iter().any(|variant| !variant.fields.is_empty());
                let kind = if has_fields { Kind::Union } else { Kind::Names };
                let class = class(&block, &item.ident, &item.attrs, kind)?;
                block.classes.push(Class { full: full || class.full, ..class });
            }
            Item::Const(item) if is_public(&item.vis) => {
                block.constants.push(constant(&item.attrs, &item.ident, &item.expr)?);
            }
            Item::Use(item) => imports(&mut block.imports, &item.tree, Vec::new()),
            _ => {}
        }
    }
    let names: Vec<String> = classes(&block);
    for (item, full) in items() {
        match item {
            Item::Impl(item) => implementation(&mut block, &names, item, full)?,
            Item::Struct(item) if is_public(&item.vis) => data(&mut block, &names, item)?,
            Item::Enum(item) if is_public(&item.vis) => variants(&mut block, &names, item)?,
            Item::Fn(item) if is_public(&item.vis) => free(&mut block, &names, item)?,
            _ => {}
        }
    }
    block.classes.iter().try_for_each(check)?;
    Ok(block)
}

/// The names of the block's classes and of those that it imports.
fn classes(block: &Block) -> Vec<String> {
    let own = block.classes.iter().map(|class| class.name.clone());
    own.chain(block.imports.iter().map(|(_, name)| name.clone())).collect()
}

/// Adds the classes of other blocks: `use crate::block::Class`.
fn imports(found: &mut Vec<(String, String)>, tree: &syn::UseTree, mut path: Vec<String>) {
    match tree {
        syn::UseTree::Path(one) => {
            path.push(one.ident.to_string());
            imports(found, &one.tree, path);
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| imports(found, tree, path.clone()));
        }
        syn::UseTree::Name(one) => {
            let name = one.ident.to_string();
            let is_class = name.starts_with(char::is_uppercase) && !name.chars().all(is_constant_letter);
            if let ["crate", block @ ..] = path.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
                && !block.is_empty()
                && is_class
            {
                found.push((block.join("::"), name));
            }
        }
        _ => {}
    }
}

fn is_constant_letter(letter: char) -> bool {
    letter.is_uppercase() || letter.is_ascii_digit() || letter == '_'
}

/// The names of the files of a block's `mod.rs`.
/// The modules that are public are blocks of their own.
///
/// # Errors
/// The source is not Rust.
pub fn files(source: &str) -> Outcome<Vec<String>> {
    let private = modules(source)?.into_iter().filter(|module| !is_public(&module.vis));
    Ok(private.map(|module| module.ident.to_string()).collect())
}

/// A block in the list of those within another, or within the whole interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its name.
    pub name: String,
    /// True if only the whole package has it.
    pub full: bool,
    /// True if WebAssembly does not have it.
    pub native: bool,
}

/// The blocks within a block, or within the whole interface.
///
/// # Errors
/// The source is not Rust.
pub fn blocks(source: &str) -> Outcome<Vec<Listing>> {
    let public = modules(source)?.into_iter().filter(|module| is_public(&module.vis));
    let listing = |module: syn::ItemMod| Listing {
        name: module.ident.to_string(),
        full: is_full(&module.attrs),
        native: is_native(&module.attrs),
    };
    Ok(public.map(listing).collect())
}

/// The modules in other files.
fn modules(source: &str) -> Outcome<Vec<syn::ItemMod>> {
    let file = syn::parse_file(source).map_err(|error| error.to_string())?;
    let modules = file.items.into_iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() => Some(item),
        _ => None,
    });
    Ok(modules.collect())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn constant(attributes: &[Attribute], name: &syn::Ident, value: &syn::Expr) -> Outcome<Constant> {
    let value = number_of(value).ok_or_else(|| format!("{name}: expected an integer literal"))?;
    let within = Marks::read(attributes)?.text("within");
    Ok(Constant { name: name.to_string(), docs: described(attributes)?, value, within })
}

/// A class of the kind that is marked, or of `other`.
fn class(block: &Block, name: &syn::Ident, attributes: &[Attribute], other: Kind) -> Outcome<Class> {
    let name = name.to_string();
    let marks = Marks::read(attributes)?;
    let kinds = [
        ("value", Kind::Value),
        ("encoded", Kind::Encoded),
        ("record", Kind::Record),
        ("object", Kind::Object),
    ];
    let mut marked = kinds.into_iter().filter(|(mark, _)| marks.has(mark)).map(|(_, kind)| kind);
    let kind = marked.next().unwrap_or(other);
    if marked.next().is_some() {
        return Err(format!("{name}: expected one of {}", commas(kinds.map(|(name, _)| name))));
    }
    let derives = |wanted: &str| {
        attributes.iter().any(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => {
                list.tokens.to_string().split(',').any(|derived| derived.trim() == wanted)
            }
            _ => false,
        })
    };
    Ok(Class {
        docs: described(attributes)?,
        kind,
        traits: Traits {
            equality: derives("PartialEq"),
            order: derives("PartialOrd"),
            hash: derives("Hash"),
        },
        within: marks.text("within"),
        instead: marks.text("instead"),
        secret: marks.has("secret"),
        hex: marks.has("hex"),
        plain: marks.has("plain"),
        set: marks.has("set"),
        stateful: marks.has("stateful"),
        full: is_full(attributes),
        ..empty(block, name)
    })
}

/// A class without functions.
fn empty(block: &Block, name: String) -> Class {
    let prefix = if block.module.is_some() { pascal(&block.name) } else { String::new() };
    Class {
        native: prefix + &name,
        name,
        home: Home { block: block.name.clone(), path: block.path.clone(), module: block.module.clone() },
        ..Class::default()
    }
}

/// The public fields of plain data.
fn data(block: &mut Block, names: &[String], item: &syn::ItemStruct) -> Outcome<()> {
    let name = item.ident.to_string();
    let Some(class) = block.classes.iter_mut().find(|class| class.name == name) else { return Ok(()) };
    if class.kind == Kind::Data {
        let fields = fields(&Scope { class: &name, classes: names }, &item.fields)
            .map_err(|problem| format!("{name}: {problem}"))?;
        class.variants = vec![Variant { text: snake(&name), name, docs: class.docs.clone(), fields }];
    }
    Ok(())
}

/// The variants of an enumeration.
fn variants(block: &mut Block, names: &[String], item: &syn::ItemEnum) -> Outcome<()> {
    let name = item.ident.to_string();
    let scope = Scope { class: &name, classes: names };
    let Some(class) = block.classes.iter_mut().find(|class| class.name == name) else { return Ok(()) };
    for variant in &item.variants {
        let at = |problem| format!("{name}::{}: {problem}", variant.ident);
        let name = variant.ident.to_string();
        let text = Marks::read(&variant.attrs).map_err(at)?.text("text");
        class.variants.push(Variant {
            text: text.unwrap_or_else(|| snake(&name).replace('_', "-")),
            name,
            docs: described(&variant.attrs).map_err(at)?,
            fields: fields(&scope, &variant.fields).map_err(at)?,
        });
    }
    Ok(())
}

fn fields(scope: &Scope<'_>, fields: &syn::Fields) -> Outcome<Vec<Field>> {
    let field = |field: &syn::Field| {
        let name = field.ident.as_ref().ok_or("expected a name for each field")?.to_string();
        Ok(Field { name, docs: described(&field.attrs)?, kind: scope.type_of(&field.ty)? })
    };
    fields.iter().map(field).collect()
}

/// Adds a function outside classes.
fn free(block: &mut Block, names: &[String], item: &syn::ItemFn) -> Outcome<()> {
    let last = block.path.rsplit("::").next().unwrap_or_default();
    let module = pascal(last);
    let scope = Scope { class: &module, classes: names };
    let function = function(&item.attrs, &item.sig, &scope)
        .map_err(|problem| format!("{}: {problem}", item.sig.ident))?;
    match block.classes.iter_mut().find(|class| class.kind == Kind::Module) {
        Some(class) => class.functions.push(function),
        None => {
            let class = Class { functions: vec![function], docs: block.docs.clone(), ..empty(block, module) };
            block.classes.push(class);
        }
    }
    Ok(())
}

/// For each file of a block, whether only the whole package has it; the first one lists the others.
fn full_files(files: &[syn::File]) -> Vec<bool> {
    let listed = files.first().map(|first| first.items.as_slice()).unwrap_or_default();
    let others = listed.iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() && !is_public(&item.vis) => Some(is_full(&item.attrs)),
        _ => None,
    });
    [false].into_iter().chain(others).collect()
}

fn implementation(block: &mut Block, names: &[String], item: &ItemImpl, full: bool) -> Outcome<()> {
    let Some(name) = last_name(&item.self_ty) else { return Ok(()) };
    let Some(class) = block.classes.iter_mut().find(|class| class.name == name) else { return Ok(()) };
    if let Some((_, implemented, _)) = &item.trait_ {
        class.traits.equality |= implemented.is_ident("PartialEq");
        class.traits.hash |= implemented.is_ident("Hash");
        return Ok(());
    }
    let scope = Scope { class: &name, classes: names };
    let full = full || is_full(&item.attrs);
    for member in &item.items {
        match member {
            ImplItem::Const(member) if is_public(&member.vis) => {
                class.constants.push(constant(&member.attrs, &member.ident, &member.expr)?);
            }
            ImplItem::Fn(member) if is_public(&member.vis) => {
                let at = |problem| format!("{name}::{}: {problem}", member.sig.ident);
                if class.kind == Kind::Names && member.sig.ident == "from_name" {
                    // Each language takes the text in its own way.
                    continue;
                }
                let marks = Marks::read(&member.attrs).map_err(at)?;
                if marks.has("size") {
                    class.size = Some(member.sig.ident.to_string());
                } else if marks.has("spent") {
                    class.spent = Some(member.sig.ident.to_string());
                } else if marks.has("early") {
                    class.early = Some(member.sig.ident.to_string());
                } else {
                    let function = function(&member.attrs, &member.sig, &scope).map_err(at)?;
                    class.functions.push(Function { full: full || function.full, ..function });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What the types of Rust allow, but the other languages do not.
fn check(class: &Class) -> Outcome<()> {
    let name = &class.name;
    for function in &class.functions {
        let off_thread = match function.role {
            Role::Static => true,
            role => role == Role::Method && matches!(class.kind, Kind::Object | Kind::Encoded),
        };
        if function.is_slow() && !off_thread {
            let what = "only a static function, or a method of an `object` or an `encoded` class, is `slow`";
            return Err(format!("{name}::{}: {what}", function.name));
        }
        let has_form = function.role != Role::Method || function.parameters.is_empty();
        if class.kind == Kind::Record && !has_form {
            return Err(format!("{name}::{}: a method of a `record` has no parameters", function.name));
        }
    }
    let mut answers = class.functions.iter().flat_map(Function::answers);
    let has_form = |kind: &Type, has_argument: bool| {
        *kind.inner().unwrap_or(kind) == if has_argument { Type::Bool } else { Type::U64 }
    };
    if let Some((one, ..)) = answers.find(|(one, _, asked)| !has_form(&one.kind, asked.is_some())) {
        return Err(format!("{name}: the answer {} is `u64`, or `bool` with `of`", one.name));
    }
    if class.functions.iter().filter(|function| function.hook).count() > 1 {
        return Err(format!("{name}: an object has one `hook` at most"));
    }
    if class.plain && class.kind != Kind::Value {
        return Err(format!("{name}: only a `value` is `plain`"));
    }
    if class.secret && class.kind != Kind::Object {
        return Err(format!("{name}: only an `object` is `secret`"));
    }
    match class.kind {
        Kind::Value if class.constructor().is_none() => Err(format!("{name}: a `value` has a constructor")),
        Kind::Encoded if !class.is_plain_encoding() => {
            Err(format!("{name}: an `encoded` class has `decode` and `encode`, or `from_bytes` and `bytes`"))
        }
        _ => Ok(()),
    }
}

fn function(attributes: &[Attribute], signature: &Signature, scope: &Scope<'_>) -> Outcome<Function> {
    let name = signature.ident.to_string();
    let marks = Marks::read(attributes)?;
    let has_receiver = signature.receiver().is_some();
    let role = match (has_receiver, marks.has("getter")) {
        (true, true) => Role::Getter,
        (true, false) => Role::Method,
        (false, _) if name == "new" => Role::Constructor,
        (false, _) if marks.has("variant") => Role::Variant,
        (false, _) => Role::Static,
    };
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input {
            let Pat::Ident(name) = &*input.pat else {
                return Err("expected a name for each parameter".to_owned());
            };
            let marks = Marks::read(&input.attrs)?;
            let kind = scope.type_of(&input.ty)?;
            parameters.push(Parameter {
                name: name.ident.to_string(),
                limit: marks.number("limit"),
                choice: choice(&marks),
                owned: matches!((&kind, &*input.ty), (Type::Class(_), syn::Type::Path(_))),
                option: marks.has("option"),
                positional: marks.text("option").is_some_and(|text| text == "positional"),
                default: marks.number("default"),
                now: name.ident == "now" && *kind.innermost() == Type::U64,
                secret: marks.has("secret"),
                answer: marks.text("answer").map(|hook| Answer { hook, of: marks.text("of") }),
                kind,
            });
        }
    }
    let (result, fallible) = match &signature.output {
        ReturnType::Default => (None, false),
        ReturnType::Type(_, result) => match inside(result, "Result") {
            Some(inner) => (result_of(inner, scope)?, true),
            None => (result_of(result, scope)?, false),
        },
    };
    let cost = match (marks.has("quick") || role == Role::Getter, marks.has("slow")) {
        (true, _) => Cost::Quick,
        (false, true) => Cost::Slow,
        (false, false) => Cost::Usual,
    };
    Ok(Function {
        name,
        docs: described(attributes)?,
        role,
        parameters,
        result,
        fallible,
        cost,
        computed: marks.has("computed"),
        fields: marks.has("fields"),
        hook: marks.has("hook"),
        overload: marks.text("overload"),
        full: is_full(attributes),
    })
}

fn choice(marks: &Marks) -> Option<Choice> {
    Some(Choice { among: marks.text("among")?, default: marks.text("default")? })
}

fn result_of(written: &syn::Type, scope: &Scope<'_>) -> Outcome<Option<Type>> {
    match written {
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(None),
        other => scope.type_of(other).map(Some),
    }
}

/// The description in the comment of an item.
pub(crate) fn described(attributes: &[Attribute]) -> Outcome<Docs> {
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
        impl Tree {\n/// Reads it.\n/// [`Error::Malformed`](quorate::Error) if it is not one.\n\
        pub fn decode(bytes: &[u8]) -> Result<Self> {}\n#[cfg_attr(binding, getter)]\npub fn siblings(&self) -> Vec<Hash> {}\n\
        pub fn new(leaf: Option<u16>) -> Self {}\nfn hidden() {}\n}\n/// Most.\npub const MOST: u32 = 1_024;";

    #[test]
    fn a_module_becomes_a_block() {
        let block = block("tree", &[SOURCE], &[]).unwrap();
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
        assert_eq!(decode.parameters, [Parameter::new("bytes", Type::Bytes)]);
        assert_eq!((decode.result.clone(), decode.fallible), (Some(Type::Class("Tree".to_owned())), true));
        assert_eq!(decode.docs.errors, [("Malformed".to_owned(), "if it is not one.".to_owned())]);
        assert_eq!((siblings.role, siblings.cost), (Role::Getter, Cost::Quick));
        assert_eq!(siblings.result, Some(Type::List(Box::new(Type::Bytes))));
        assert_eq!(new.parameters, [Parameter::new("leaf", Type::Optional(Box::new(Type::U16)))]);
        let [most] = block.constants.as_slice() else { panic!("{:?}", block.constants) };
        assert_eq!((most.name.as_str(), most.value, most.docs.text.as_str()), ("MOST", 1024, "Most."));
    }

    #[test]
    fn blocks_that_webassembly_lacks_are_marked() {
        let source = "#[cfg(feature = \"full\")]\npub mod trees;\npub mod keys;\n\
            #[cfg(all(feature = \"full\", not(target_family = \"wasm\")))]\npub mod files;";
        let listed: Vec<_> =
            blocks(source).unwrap().into_iter().map(|one| (one.name, one.full, one.native)).collect();
        let expected = [("trees", true, false), ("keys", false, false), ("files", true, true)];
        assert_eq!(listed, expected.map(|(name, full, native)| (name.to_owned(), full, native)));
    }

    #[test]
    fn a_file_of_the_whole_package_marks_its_classes() {
        let module = "//! A block.\n#[cfg(feature = \"full\")]\nmod sealed;\npub use sealed::Seal;";
        let file = "#[cfg_attr(binding, object)]\npub struct Seal(());\nimpl Seal { pub fn new() {} }";
        let block = block("seals", &[module, file], &[]).unwrap();
        assert!(block.classes.iter().all(|class| class.full && class.functions.iter().all(|one| one.full)));
    }

    #[test]
    fn unknown_attributes_and_types_are_refused() {
        let unknown = SOURCE.replace("getter", "gettr");
        assert!(block("tree", &[&unknown], &[]).unwrap_err().contains("Tree::siblings"));
        let unknown = SOURCE.replace("Vec<Hash>", "f64");
        assert!(block("tree", &[&unknown], &[]).unwrap_err().contains("`f64` does not cross"));
        let both = SOURCE.replace("value", "value, record");
        let expected = "Tree: expected one of value, encoded, record, object";
        assert_eq!(block("tree", &[&both], &[]).unwrap_err(), expected);
    }
}
