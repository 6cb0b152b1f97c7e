//! Reads a module of the interface from its source.

use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Lit,
    Meta, Pat, PathArguments, ReturnType, Token, Visibility, punctuated::Punctuated,
};

use crate::docs;
use crate::model::{Block, Class, Docs, Function, Kind, Parameter, Role, Type};

type Outcome<T> = Result<T, String>;

/// Reads a block from the source of its module.
///
/// # Errors
/// A text that names the item outside the form that `quorate-interface` describes.
pub fn block(name: &str, source: &str) -> Outcome<Block> {
    let file = syn::parse_file(source).map_err(|error| error.to_string())?;
    let mut block = Block { name: name.to_owned(), docs: described(&file.attrs)?, classes: Vec::new() };
    for item in &file.items {
        match item {
            Item::Struct(item) if matches!(item.vis, Visibility::Public(_)) => {
                block.classes.push(class(item)?)
            }
            Item::Impl(item) if item.trait_.is_none() => functions(&mut block, item)?,
            _ => {}
        }
    }
    Ok(block)
}

fn class(item: &ItemStruct) -> Outcome<Class> {
    let name = item.ident.to_string();
    let marks = Marks::read(&item.attrs)?;
    let kind = match (marks.has("value"), marks.has("encoded")) {
        (true, false) => Kind::Value,
        (false, true) => Kind::Encoded,
        _ => return Err(format!("{name}: expected one of `value` and `encoded`")),
    };
    let equality = item.attrs.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("derive") => {
            list.tokens.to_string().split(',').any(|derived| derived.trim() == "PartialEq")
        }
        _ => false,
    });
    let within = marks.value("within");
    Ok(Class { name, docs: described(&item.attrs)?, kind, equality, within, functions: Vec::new() })
}

fn functions(block: &mut Block, item: &ItemImpl) -> Outcome<()> {
    let Some(name) = last_name(&item.self_ty) else { return Ok(()) };
    let Some(class) = block.classes.iter_mut().find(|class| class.name == name) else { return Ok(()) };
    for member in &item.items {
        if let ImplItem::Fn(member) = member
            && matches!(member.vis, Visibility::Public(_))
        {
            let read = function(member, &name)
                .map_err(|problem| format!("{name}::{}: {problem}", member.sig.ident))?;
            class.functions.push(read);
        }
    }
    Ok(())
}

fn function(item: &ImplItemFn, class: &str) -> Outcome<Function> {
    let name = item.sig.ident.to_string();
    let marks = Marks::read(&item.attrs)?;
    let has_receiver = item.sig.receiver().is_some();
    let role = match (has_receiver, marks.has("getter")) {
        (true, true) => Role::Getter,
        (true, false) => Role::Method,
        (false, _) if name == "new" => Role::Constructor,
        (false, _) => Role::Static,
    };
    let mut parameters = Vec::new();
    for input in &item.sig.inputs {
        if let FnArg::Typed(input) = input {
            let Pat::Ident(name) = &*input.pat else {
                return Err("expected a name for each parameter".to_owned());
            };
            parameters.push(Parameter { name: name.ident.to_string(), kind: type_of(&input.ty, class)? });
        }
    }
    let (result, fallible) = match &item.sig.output {
        ReturnType::Default => (None, false),
        ReturnType::Type(_, result) => match inside(result, "Result") {
            Some(inner) => (result_of(inner, class)?, true),
            None => (result_of(result, class)?, false),
        },
    };
    let quick = marks.has("quick") || role == Role::Getter;
    Ok(Function { name, docs: described(&item.attrs)?, role, parameters, result, fallible, quick })
}

fn result_of(written: &syn::Type, class: &str) -> Outcome<Option<Type>> {
    match written {
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(None),
        other => type_of(other, class).map(Some),
    }
}

fn type_of(written: &syn::Type, class: &str) -> Outcome<Type> {
    let is_byte = |written: &syn::Type| last_name(written).is_some_and(|name| name == "u8");
    match written {
        syn::Type::Reference(reference) => type_of(&reference.elem, class),
        syn::Type::Slice(slice) if is_byte(&slice.elem) => Ok(Type::Bytes),
        syn::Type::Array(array) if is_byte(&array.elem) => Ok(Type::Bytes),
        syn::Type::Slice(slice) => list_of(&slice.elem, class),
        _ => match inside(written, "Vec") {
            Some(item) if is_byte(item) => Ok(Type::Bytes),
            Some(item) => list_of(item, class),
            None => named_type(&last_name(written).unwrap_or_default(), class),
        },
    }
}

fn list_of(item: &syn::Type, class: &str) -> Outcome<Type> {
    match type_of(item, class)? {
        Type::Bytes => Ok(Type::BytesList),
        other => Err(format!("a list of {other:?} does not cross the boundary; see `model::Type`")),
    }
}

fn named_type(name: &str, class: &str) -> Outcome<Type> {
    match name {
        "String" => Ok(Type::Text),
        "Hash" => Ok(Type::Bytes),
        "u8" => Ok(Type::U8),
        "u32" => Ok(Type::U32),
        "u64" => Ok(Type::U64),
        "Suite" => Ok(Type::Suite),
        "usize" => Ok(Type::Size),
        "Self" => Ok(Type::Class(class.to_owned())),
        name if name.starts_with(char::is_uppercase) => Ok(Type::Class(name.to_owned())),
        name => Err(format!("the type `{name}` does not cross the boundary; see `model::Type`")),
    }
}

/// The parameter `T` of a type `Outer<T>`.
fn inside<'a>(written: &'a syn::Type, outer: &str) -> Option<&'a syn::Type> {
    let syn::Type::Path(path) = written else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if last.ident == outer => Some(inner),
        _ => None,
    }
}

fn last_name(written: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = written else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}

fn described(attributes: &[Attribute]) -> Outcome<Docs> {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(pair) = &attribute.meta else { return None };
            text_of(&pair.value)
        });
    docs::read(&lines.collect::<Vec<_>>())
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// The attributes in `#[cfg_attr(binding, …)]`.
struct Marks(Vec<Meta>);

impl Marks {
    const KNOWN: &[&str] = &["value", "encoded", "within", "getter", "quick"];

    fn read(attributes: &[Attribute]) -> Outcome<Self> {
        let mut marks = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("cfg_attr")) {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let listed = attribute.parse_args_with(parse).map_err(|error| error.to_string())?;
            if listed.first().is_some_and(|first| first.path().is_ident("binding")) {
                marks.extend(listed.into_iter().skip(1));
            }
        }
        match marks.iter().find(|mark| !Self::KNOWN.iter().any(|known| mark.path().is_ident(known))) {
            None => Ok(Self(marks)),
            Some(_) => Err(format!("an attribute is none of {:?}", Self::KNOWN)),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|mark| mark.path().is_ident(name))
    }

    fn value(&self, name: &str) -> Option<String> {
        self.0.iter().find(|mark| mark.path().is_ident(name)).and_then(|mark| match mark {
            Meta::NameValue(pair) => text_of(&pair.value),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! A block.\n\n/// A tree.\n#[derive(Clone, PartialEq)]\n#[cfg_attr(binding, value)]\npub struct Tree(());\n\
        impl Tree {\n/// Reads it.\n///\n/// # Errors\n/// [`Error::Malformed`](quorate::Error) if it is not one.\n\
        pub fn decode(bytes: &[u8]) -> Result<Self> {}\n#[cfg_attr(binding, getter)]\npub fn siblings(&self) -> Vec<Hash> {}\n\
        fn hidden() {}\n}";

    #[test]
    fn a_module_becomes_a_block() {
        let block = block("tree", SOURCE).unwrap();
        let class = block.class("Tree").unwrap();
        assert_eq!((block.docs.text.as_str(), class.docs.text.as_str()), ("A block.", "A tree."));
        assert!(class.equality && class.kind == Kind::Value && class.within.is_none());
        let [decode, siblings] = class.functions.as_slice() else { panic!("{:?}", class.functions) };
        assert_eq!(decode.role, Role::Static);
        assert_eq!(decode.parameters, [Parameter { name: "bytes".to_owned(), kind: Type::Bytes }]);
        assert_eq!((decode.result.clone(), decode.fallible), (Some(Type::Class("Tree".to_owned())), true));
        assert_eq!(decode.docs.errors, [("Malformed".to_owned(), "if it is not one.".to_owned())]);
        assert_eq!((siblings.role, siblings.quick), (Role::Getter, true));
        assert_eq!(siblings.result, Some(Type::BytesList));
    }

    #[test]
    fn unknown_attributes_and_types_are_refused() {
        let unknown = SOURCE.replace("getter", "gettr");
        assert!(block("tree", &unknown).unwrap_err().contains("Tree::siblings"));
        let unknown = SOURCE.replace("Vec<Hash>", "f64");
        assert!(block("tree", &unknown).unwrap_err().contains("`f64` does not cross"));
        let none = SOURCE.replace("value", "quick");
        assert_eq!(block("tree", &none).unwrap_err(), "Tree: expected one of `value` and `encoded`");
    }
}
