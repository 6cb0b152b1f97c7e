//! How arguments and results cross between Rust and Node.

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{closure, free_function, tuple};

/// Where a result is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a function that Node called, which can write into Node's memory.
    Call,
    /// On another thread, or within plain data.
    Elsewhere,
}

/// The content of a handle: native objects are shared with threads; all others are copied to them.
pub(super) fn held(block: &Block, name: &str) -> String {
    let path = block.rust(name);
    match block.kind(name) {
        Some(Kind::Object) => format!("Arc<{path}>"),
        _ => path,
    }
}

/// The parameters of the native function: a list of tuples is a list of each part.
pub(super) fn declared(block: &Block, parameter: &Parameter) -> Vec<String> {
    let Parameter { name, kind, .. } = parameter;
    let columns = parameter.columns();
    if !columns.is_empty() {
        let (start, end) = if kind.is_list() { ("Vec<", ">") } else { ("", "") };
        let declared = |(column, part)| format!("{column}: {start}{}{end}", parameter_type(block, part));
        return columns.into_iter().map(declared).collect();
    }
    vec![match kind {
        Type::Class(class) if parameter.owned => format!("{name}: Taken<{}>", held(block, class)),
        kind => format!("{name}: {}", parameter_type(block, kind)),
    }]
}

pub(super) fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text | Type::Suite => "String".to_owned(),
        Type::Bytes | Type::SecretBytes => "&[u8]".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 | Type::NonZeroU16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length | Type::AnyLength => "u32".to_owned(),
        Type::U64 | Type::U128 | Type::Duration => "BigInt".to_owned(),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Names) => "String".to_owned(),
            _ => format!("&External<{}>", held(block, name)),
        },
        Type::List(item) => format!("Vec<{}>", parameter_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", parameter_type(block, inner)),
        // Only lists contain tuples, only results contain errors, and a function of the user's is called by the classes.
        Type::Tuple(_) | Type::Verdict(_) | Type::Failure | Type::Attested => String::new(),
    }
}

/// A statement before the call: the items of a list, as the interface takes them.
pub(super) fn list(block: &Block, parameter: &Parameter) -> String {
    listed(parameter, |kind, name| value(block, kind, name))
}

/// A statement that converts the items of a list.
pub(super) fn listed(parameter: &Parameter, convert: impl Fn(&Type, &str) -> String) -> String {
    let Parameter { name, kind: Type::List(item), .. } = parameter else { return String::new() };
    let (items, pattern, converted) = match &**item {
        Type::Tuple(parts) => {
            let columns = parameter.columns().into_iter();
            let zipped: String = columns.skip(1).map(|(column, _)| format!(".zip({column})")).collect();
            let names = ["a", "b", "c"];
            let others = names.iter().take(parts.len()).skip(1);
            let pattern = others.fold("a".to_owned(), |all, one| format!("({all}, {one})"));
            let cells = parts.iter().zip(names).map(|(part, name)| convert(part, name));
            (format!("{name}_0.into_iter(){zipped}"), pattern, tuple(cells))
        }
        item => (format!("{name}.into_iter()"), "one".to_owned(), convert(item, "one")),
    };
    let mapped = if pattern == converted { String::new() } else { format!(".map(|{pattern}| {converted})") };
    // The list itself has the items.
    if items == format!("{name}.into_iter()") && mapped.is_empty() {
        return String::new();
    }
    format!("    let {name}: Vec<_> = {items}{mapped}.collect();\n")
}

/// The argument of the interface's function.
pub(super) fn argument(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::Attested => "attested".to_owned(),
        Type::Tuple(_) => tuple(parameter.columns().into_iter().map(|(column, _)| column)),
        Type::Class(_) if parameter.owned => format!("{name}.value()?"),
        Type::List(_) => format!("&{name}"),
        // The compiler takes the reference out of the handle.
        Type::Class(class) if block.kind(class) != Some(Kind::Names) => name.clone(),
        Type::Optional(inner) => match &**inner {
            Type::List(_) => format!("{name}.as_deref()"),
            Type::NonZeroU16 => format!("{name}.and_then(NonZeroU16::new)"),
            inner => match block.name_parser(inner) {
                Some(parse) => format!("{name}.as_deref().map({parse}).transpose().throw()?.as_ref()"),
                None => {
                    let converted = value(block, inner, "one");
                    if converted == "one" { name.clone() } else { format!("{name}.map(|one| {converted})") }
                }
            },
        },
        other => value(block, other, name),
    }
}

/// The value of an argument that has another type in JavaScript.
pub(super) fn value(block: &Block, kind: &Type, name: &str) -> String {
    match kind {
        Type::U64 => format!("glue::number(&{name})"),
        Type::U128 => format!("glue::large(&{name})"),
        Type::Duration => format!("Duration::from_micros(glue::number(&{name}))"),
        Type::NonZeroU16 => format!("NonZeroU16::new({name}).unwrap_or(NonZeroU16::MIN)"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::AnyLength => format!("{name}.into()"),
        Type::Suite => format!("Suite::from_name(&{name}).throw()?"),
        Type::Class(class) => match (block.name_parser(kind), block.kind(class)) {
            (Some(parse), _) => format!("&{parse}(&{name}).throw()?"),
            (None, Some(Kind::Object)) => format!("&***{name}"),
            (None, _) => format!("&**{name}"),
        },
        _ => name.to_owned(),
    }
}

/// A call whose argument is a user's function: it collects what that function is to be asked about.
pub(super) fn accusing(function: &Function, call: &str) -> String {
    if function.asks() { format!("glue::accuse(|attested| {call})") } else { call.to_owned() }
}

/// The type of a function's result.
pub(super) fn result_type(block: &Block, function: &Function, place: Place) -> String {
    match &function.result {
        _ if function.asks() => "Accusation".to_owned(),
        Some(result) => type_of(block, result, place),
        None => "()".to_owned(),
    }
}

/// The type of a value for Node.
pub(super) fn type_of(block: &Block, kind: &Type, place: Place) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes if place == Place::Call => "Bytes<'env>".to_owned(),
        Type::Bytes | Type::SecretBytes => "Uint8Array".to_owned(),
        Type::Suite => "&'static str".to_owned(),
        Type::U64 | Type::Duration => "u64".to_owned(),
        Type::U128 => "u128".to_owned(),
        Type::Class(name) => match block.class(name) {
            Some(class) if matches!(class.kind, Kind::Data | Kind::Union) => class.glue(block, &class.native),
            Some(class) if class.kind == Kind::Names => "String".to_owned(),
            _ => format!("External<{}>", held(block, name)),
        },
        Type::Failure => "String".to_owned(),
        Type::List(item) => format!("Vec<{}>", type_of(block, item, place)),
        Type::Verdict(item) => format!("Verdict<{}>", type_of(block, item, place)),
        Type::Optional(inner) => format!("Option<{}>", type_of(block, inner, place)),
        other => parameter_type(block, other),
    }
}

/// The value for Node; in a call, bytes are a result, since Node may lack memory.
pub(super) fn converted(block: &Block, kind: &Type, value: &str, place: Place) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes if place == Place::Call => format!("glue::bytes(env, {value})"),
        Type::Bytes => format!("glue::owned({value})"),
        Type::SecretBytes => format!("glue::revealed({value})"),
        Type::Suite => format!("{value}.name()"),
        Type::Size | Type::Length | Type::AnyLength => format!("{value} as u32"),
        Type::Duration => format!("{value}.as_micros() as u64"),
        Type::Class(name) => match block.class(name) {
            Some(class) => object(block, class, value),
            None => format!("External::new({value})"),
        },
        Type::Failure => format!("glue::failure(&{value})"),
        Type::Verdict(item) => {
            format!("glue::verdict({value}, {})", closure(&converted(block, item, "item", place)))
        }
        Type::List(item) | Type::Optional(item) => {
            let item = converted(block, item, "item", place);
            let end = match kind {
                Type::List(_) => ".collect()",
                _ if item.starts_with("glue::bytes(") => ".transpose()",
                _ => "",
            };
            let items = if kind.is_list() { ".into_iter()" } else { "" };
            if item == "item" {
                value.to_owned()
            } else {
                format!("{value}{items}.map({}){end}", closure(&item))
            }
        }
        _ => value.to_owned(),
    }
}

fn object(block: &Block, class: &Class, value: &str) -> String {
    match class.kind {
        Kind::Data | Kind::Union => format!("{}::from({value})", class.glue(block, &class.native)),
        Kind::Names => format!("{value}.to_string()"),
        _ if class.size.is_some() => {
            format!("{}({value})", class.glue(block, &free_function(&class.native, "handle")))
        }
        Kind::Object => format!("External::new(Arc::new({value}))"),
        _ => format!("External::new({value})"),
    }
}

/// What a function is called on.
pub(super) fn target(class: &Class, function: &Function) -> String {
    if function.has_receiver() { "receiver.".to_owned() } else { class.scope() }
}

/// A value as a result; the call itself, if nothing was converted, has one already.
pub(super) fn succeeding(value: &str, call: &str) -> String {
    match call.strip_suffix('?') {
        Some(result) if value == call => result.to_owned(),
        _ => format!("Ok({value})"),
    }
}
