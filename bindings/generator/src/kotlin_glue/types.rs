//! How each type crosses to Kotlin: its type in exported functions, and the conversions on both ways.

use crate::model::{Block, Class, Kind, Type};
use crate::names::closure;

/// The type in exported functions and records.
pub(super) fn crossing(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::SecretBytes => "Arc<Secret>".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 | Type::Suite => "u8".to_owned(),
        Type::U16 | Type::NonZeroU16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length => "u32".to_owned(),
        Type::U64 | Type::AnyLength => "u64".to_owned(),
        Type::U128 => "Uint128".to_owned(),
        Type::Duration => "Duration".to_owned(),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Encoded) => "Vec<u8>".to_owned(),
            Some(Kind::Names) => "String".to_owned(),
            Some(Kind::Object) | None => format!("Arc<{}>", native(block, name)),
            _ => native(block, name),
        },
        Type::Failure => "Failure".to_owned(),
        Type::Attested => "Arc<Attestations>".to_owned(),
        Type::List(item) => format!("Vec<{}>", crossing(block, item)),
        Type::Optional(inner) => format!("Option<{}>", crossing(block, inner)),
        Type::Verdict(inner) => verdict_path(block, inner),
        // It crosses as its parts, and a list of tuples as a list of each part.
        Type::Tuple(_) => String::new(),
    }
}

/// The path of the type in this crate that crosses for a class.
pub(super) fn native(block: &Block, name: &str) -> String {
    block.class(name).map_or_else(|| name.to_owned(), |class| class.glue(block, &class.native))
}

/// The name of the enumeration that crosses for a verdict: a value or an error.
pub(crate) fn verdict(block: &Block, inner: &Type) -> String {
    match inner {
        Type::Class(name) => format!("{}Verdict", block.native(name)),
        _ => "NumberVerdict".to_owned(),
    }
}

/// The path of that enumeration in this crate: the block of a class has it.
fn verdict_path(block: &Block, inner: &Type) -> String {
    let name = verdict(block, inner);
    match verdict_home(block, inner) {
        Some(home) => format!("crate::{home}::{name}"),
        None => name,
    }
}

/// The block that has the enumeration for a verdict, if it is another one.
pub(crate) fn verdict_home<'a>(block: &'a Block, inner: &Type) -> Option<&'a str> {
    let Type::Class(name) = inner else { return None };
    block.class(name).map(|class| class.home.block.as_str()).filter(|home| *home != block.name)
}

/// True for what crosses as a native object.
pub(crate) fn is_object(block: &Block, kind: &Type) -> bool {
    match kind {
        Type::Class(name) => block.kind(name).is_none_or(|kind| kind == Kind::Object),
        _ => false,
    }
}

/// True for an object whose content a function may take, so that only a closure has access to it.
pub(super) fn is_taken(block: &Block, kind: &Type) -> bool {
    match kind {
        Type::Class(name) => block.class(name).is_some_and(|class| class.taken),
        _ => false,
    }
}

/// The conversion of a parameter that crossed to a value of the interface, which may fail; `None` if it needs none.
pub(super) fn opened(block: &Block, kind: &Type, value: &str) -> Option<String> {
    match kind {
        Type::Class(name) => {
            let class = block.rust(name);
            match block.kind(name)? {
                Kind::Encoded => {
                    let (decode, _) = block.class(name)?.plain_encoding()?;
                    Some(format!("{class}::{}(&{value})", decode.name))
                }
                Kind::Names => Some(format!("{class}::from_name(&{value})")),
                Kind::Value | Kind::Record => Some(format!("{value}.open()")),
                Kind::Object | Kind::Data | Kind::Union | Kind::Module => None,
            }
        }
        Type::NonZeroU16 => Some(format!("non_zero({value})")),
        Type::Suite => Some(format!("Suite::from_number({value})")),
        _ => None,
    }
}

/// The type of an opened value.
pub(super) fn opened_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Class(name) => block.rust(name),
        Type::Suite => "Suite".to_owned(),
        _ => "_".to_owned(),
    }
}

/// A reference to the interface's object inside a native one.
pub(super) fn inside(block: &Block, kind: &Type, object: &str) -> String {
    if is_taken(block, kind) { object.to_owned() } else { format!("&{object}.0") }
}

/// A result in the form that crosses.
pub(super) fn converted(block: &Block, result: &Type, value: &str) -> String {
    match result {
        Type::Bytes => format!("owned({value})"),
        Type::SecretBytes => format!("Secret::new(&{value})"),
        Type::Size | Type::Length => format!("{value} as u32"),
        Type::U128 => format!("Uint128({value})"),
        Type::Suite => format!("{value}.number()"),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Encoded) => {
                let encode = block.class(name).and_then(Class::plain_encoding).map(|(_, encode)| encode);
                format!("owned({value}.{}())", encode.map_or("encode", |encode| encode.name.as_str()))
            }
            Some(Kind::Names) => format!("{value}.to_string()"),
            Some(Kind::Object) | None => {
                format!("Arc::new({}({}))", native(block, name), held(block, result, value))
            }
            _ => format!("{value}.into()"),
        },
        Type::Failure => format!("{value}.into()"),
        Type::Verdict(inner) => {
            let (name, good) = (verdict_path(block, inner), converted(block, inner, "value"));
            format!(
                "match {value} {{ Ok(value) => {name}::Valid {{ value: {good} }}, Err(error) => {name}::Invalid {{ error: error.into() }} }}"
            )
        }
        Type::List(item) | Type::Optional(item) => {
            let list = result.is_list();
            match converted(block, item, "item").as_str() {
                "item" => value.to_owned(),
                item if list => format!("{value}.into_iter().map({}).collect()", closure(item)),
                item => format!("{value}.map({})", closure(item)),
            }
        }
        _ => value.to_owned(),
    }
}

/// What a native object contains.
fn held(block: &Block, kind: &Type, value: &str) -> String {
    match kind {
        Type::Class(name) if is_taken(block, kind) => format!("Owned::new(\"{name}\", {value})"),
        _ => value.to_owned(),
    }
}
