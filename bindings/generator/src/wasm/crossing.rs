//! How arguments and results cross between Rust and a module of WebAssembly's host.

use crate::model::{Block, Class, Kind, Parameter, Type};
use crate::names::{closure, free_function, tuple};

/// True if lists refer to objects of the class, which are then counted.
pub(super) fn is_shared(class: &Class) -> bool {
    class.kind == Kind::Object && class.listed.is_some()
}

/// The content of a handle.
pub(super) fn held(block: &Block, class: &Class) -> String {
    let path = class.rust(block);
    if is_shared(class) { format!("Rc<{path}>") } else { path }
}

/// The path of a handle.
fn handle(block: &Block, name: &str) -> String {
    block.class(name).map_or_else(|| name.to_owned(), |class| class.glue(block, &class.native))
}

/// The parameters of the exported function: a list of tuples is a list of each part. `secret` is true if bytes may be
/// secret: those that wasm-bindgen lends are a copy in this memory, which is not wiped.
pub(super) fn declared(block: &Block, parameter: &Parameter, secret: bool) -> Vec<String> {
    let Parameter { name, kind, .. } = parameter;
    let columns = parameter.columns();
    if !columns.is_empty() {
        let written = if kind.is_list() { list_type } else { parameter_type };
        return columns
            .into_iter()
            .map(|(column, part)| format!("{column}: {}", written(block, part)))
            .collect();
    }
    vec![match kind {
        Type::Bytes if secret => format!("{name}: Vec<u8>"),
        Type::Class(class) if parameter.owned => format!("{name}: {}", handle(block, class)),
        kind => format!("{name}: {}", parameter_type(block, kind)),
    }]
}

/// The type of a list of these items.
fn list_type(block: &Block, item: &Type) -> String {
    match (block.object_class(item), item) {
        (Some(class), _) => format!("{}List", class.glue(block, &class.native)),
        (None, Type::Bytes) => "lists::ByteStrings".to_owned(),
        // The halves of each number.
        (None, Type::U128) => "Vec<u64>".to_owned(),
        (None, item) => format!("Vec<{}>", parameter_type(block, item)),
    }
}

fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Suite => "&str".to_owned(),
        Type::Bytes | Type::SecretBytes => "&[u8]".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 | Type::NonZeroU16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length | Type::AnyLength => "u32".to_owned(),
        Type::U64 | Type::Duration => "u64".to_owned(),
        Type::U128 => "u128".to_owned(),
        Type::Class(name) => match block.object_class(kind) {
            Some(_) => format!("&{}", handle(block, name)),
            None => "&str".to_owned(),
        },
        Type::Optional(inner) => match &**inner {
            // wasm-bindgen has no reference to one object or none.
            inner if block.object_class(inner).is_some() => list_type(block, inner),
            Type::Bytes => "Option<Vec<u8>>".to_owned(),
            Type::List(item) if item.is_list() => "lists::NumberLists".to_owned(),
            inner if *inner == Type::Suite || block.name_parser(inner).is_some() => {
                "Option<String>".to_owned()
            }
            inner => format!("Option<{}>", parameter_type(block, inner)),
        },
        Type::List(item) => list_type(block, item),
        // Only lists contain tuples, only results contain errors, and a function of the user's is called by the classes.
        Type::Tuple(_) | Type::Verdict(_) | Type::Failure | Type::Attested => String::new(),
    }
}

/// A statement before the call: the items of a list, as the interface takes them.
pub(super) fn list(block: &Block, parameter: &Parameter) -> String {
    let Parameter { name, kind: Type::List(item), .. } = parameter else { return String::new() };
    let items = match &**item {
        Type::Tuple(parts) => {
            let mut all = parameter.columns().into_iter().map(|(column, part)| items(block, part, &column));
            let first = all.next().unwrap_or_default();
            let zipped = all.map(|column| format!(".zip({})", column.trim_end_matches(".into_iter()")));
            let zipped: String = zipped.collect();
            let flat = if parts.len() > 2 { ".map(|((a, b), c)| (a, b, c))" } else { "" };
            format!("{first}{zipped}{flat}")
        }
        item => items(block, item, name),
    };
    // The list itself has the items.
    if items == format!("{name}.into_iter()") || items == format!("{name}.slices().into_iter()") {
        return String::new();
    }
    format!("    let {name}: Vec<_> = {items}.collect();\n")
}

/// An iterator over the items of one list.
fn items(block: &Block, item: &Type, name: &str) -> String {
    match (block.object_class(item), item) {
        (Some(class), _) if is_shared(class) => format!("{name}.0.iter().map(|one| &**one)"),
        (Some(_), _) => format!("{name}.0.iter()"),
        (None, Type::Bytes) => format!("{name}.slices().into_iter()"),
        (None, Type::U128) => format!("glue::wide(&{name})"),
        (None, Type::Size | Type::Length) => format!("{name}.into_iter().map(|one| one as usize)"),
        _ => format!("{name}.into_iter()"),
    }
}

/// True if the conversion of an argument may fail.
pub(super) fn may_fail(block: &Block, kind: &Type) -> bool {
    *kind == Type::Suite || block.name_parser(kind.inner().unwrap_or(kind)).is_some()
}

/// The argument of the interface's function.
pub(super) fn argument(block: &Block, parameter: &Parameter, secret: bool) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::Attested => "attested".to_owned(),
        Type::Bytes if secret => format!("&Zeroizing::new({name})"),
        Type::Tuple(_) => tuple(parameter.columns().into_iter().map(|(column, _)| column)),
        Type::Class(_) if parameter.owned => format!("{name}.0"),
        Type::List(item) if **item == Type::Bytes => format!("&{name}.slices()"),
        Type::List(_) => format!("&{name}"),
        Type::Optional(inner) => match (block.object_class(inner), &**inner) {
            (Some(class), _) if is_shared(class) => format!("{name}.0.first().map(|one| &**one)"),
            (Some(_), _) => format!("{name}.0.first()"),
            (None, Type::List(item)) if item.is_list() => format!("Some(&{name}.0)"),
            (None, Type::Bytes | Type::List(_)) => format!("{name}.as_deref()"),
            (None, Type::NonZeroU16) => format!("{name}.and_then(NonZeroU16::new)"),
            (None, inner) => match block.name_parser(inner) {
                Some(parse) => format!("{name}.as_deref().map({parse}).transpose().or_throw()?.as_ref()"),
                None => {
                    let converted = value(block, inner, "one");
                    if converted == "one" { name.clone() } else { format!("{name}.map(|one| {converted})") }
                }
            },
        },
        kind => value(block, kind, name),
    }
}

/// The value of an argument that has another type in JavaScript.
fn value(block: &Block, kind: &Type, name: &str) -> String {
    match kind {
        Type::Suite => format!("glue::suite({name})?"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::AnyLength => format!("{name}.into()"),
        Type::Duration => format!("Duration::from_micros({name})"),
        Type::NonZeroU16 => format!("NonZeroU16::new({name}).unwrap_or(NonZeroU16::MIN)"),
        Type::Class(_) => match block.name_parser(kind) {
            Some(parse) => format!("&{parse}({name}).or_throw()?"),
            None => format!("&{name}.0"),
        },
        _ => name.to_owned(),
    }
}

pub(super) fn result_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Suite => "JsValue".to_owned(),
        Type::Bytes | Type::SecretBytes => "Uint8Array".to_owned(),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Data | Kind::Union | Kind::Names) => "JsValue".to_owned(),
            _ => handle(block, name),
        },
        Type::Failure | Type::Verdict(_) => "JsValue".to_owned(),
        Type::List(item) if **item == Type::Bytes => "Vec<Uint8Array>".to_owned(),
        Type::List(item) if is_maybe(item) => "Vec<JsValue>".to_owned(),
        Type::List(item) => format!("Vec<{}>", result_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", result_type(block, inner)),
        other => parameter_type(block, other),
    }
}

/// True for an item of a list that wasm-bindgen has no type for.
fn is_maybe(item: &Type) -> bool {
    matches!(item, Type::Optional(_))
}

/// The result of a function; `None` if it is the value itself.
pub(super) fn converted(block: &Block, kind: &Type, made: &str) -> Option<String> {
    match kind {
        Type::Suite => Some(format!("glue::text(&{made})")),
        Type::Size | Type::Length | Type::AnyLength => Some(format!("{made} as u32")),
        Type::Duration => Some(format!("{made}.as_micros() as u64")),
        // A list of WebAssembly's own would leave an unwiped copy of a secret, and take more code.
        Type::Bytes | Type::SecretBytes => Some(format!("glue::byte_array({made}.as_ref())")),
        Type::Class(name) => Some(object(block, block.class(name)?, made)),
        Type::Failure => Some(format!("glue::error(&{made})")),
        Type::Verdict(item) => {
            Some(format!("glue::verdict({made}.map({}))", closure(&field(block, item, "item"))))
        }
        Type::List(item) if **item == Type::Bytes => Some(format!("lists::byte_arrays(&{made})")),
        Type::List(item) => {
            let item =
                if is_maybe(item) { field(block, item, "item") } else { converted(block, item, "item")? };
            Some(format!("{made}.into_iter().map({}).collect()", closure(&item)))
        }
        Type::Optional(inner) => Some(format!("{made}.map({})", closure(&converted(block, inner, "item")?))),
        _ => None,
    }
}

fn object(block: &Block, class: &Class, made: &str) -> String {
    match class.kind {
        Kind::Data | Kind::Union => {
            format!("{}({made})", class.glue(block, &free_function(&class.native, "data")))
        }
        Kind::Names => format!("glue::text(&{made})"),
        _ if is_shared(class) => format!("{}(Rc::new({made}))", class.glue(block, &class.native)),
        _ => format!("{}({made})", class.glue(block, &class.native)),
    }
}

/// A field of plain data, as JavaScript's value.
pub(super) fn field(block: &Block, kind: &Type, value: &str) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes => format!("JsValue::from(glue::byte_array({value}.as_ref()))"),
        Type::List(item) => {
            format!("glue::list({value}.into_iter().map({}))", closure(&field(block, item, "item")))
        }
        Type::Optional(inner) => {
            format!("glue::maybe({value}.map({}))", closure(&field(block, inner, "item")))
        }
        other => {
            let made = converted(block, other, value).unwrap_or_else(|| value.to_owned());
            if result_type(block, other) == "JsValue" { made } else { format!("JsValue::from({made})") }
        }
    }
}
