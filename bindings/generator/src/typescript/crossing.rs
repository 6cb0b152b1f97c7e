//! How values cross between JavaScript and the backend.

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{camel, commas, javascript, snake};
use crate::python::candidates;

/// Names that are written by hand, with their modules.
pub(super) const OTHERS: &[(&str, &str)] = &[("./suites.js", "Suite")];

pub(super) fn type_name(kind: &Type) -> String {
    match kind {
        Type::Text => "string".to_owned(),
        Type::Bytes | Type::SecretBytes => "Uint8Array".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::U64 | Type::U128 | Type::Duration => "bigint".to_owned(),
        Type::U8 | Type::U16 | Type::NonZeroU16 | Type::U32 | Type::Size | Type::Length | Type::AnyLength => {
            "number".to_owned()
        }
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
        Type::Failure => "QuorateError".to_owned(),
        Type::Attested => "Attested".to_owned(),
        Type::Tuple(parts) => format!("readonly [{}]", commas(parts.iter().map(type_name))),
        Type::Verdict(item) => format!("{} | QuorateError", type_name(item)),
        Type::List(item) => match &**item {
            Type::Verdict(_) | Type::Optional(_) => format!("({})[]", type_name(item)),
            item => format!("{}[]", type_name(item)),
        },
        Type::Optional(inner) => format!("{} | undefined", type_name(inner)),
    }
}

/// The name of a parameter; `public` is a word of the language.
pub(super) fn parameter_name(parameter: &Parameter) -> String {
    match parameter.name.as_str() {
        "public" => "publicKey".to_owned(),
        name => javascript(name),
    }
}

/// The value that the caller gets for a result of the backend.
pub(super) fn converted(block: &Block, kind: &Type, value: &str) -> String {
    let inner = kind.inner().unwrap_or(kind);
    match (kind, crossing(block, inner)) {
        (_, Crossing::Handle(class)) => {
            let wrap = match kind {
                Type::List(_) => "wrapAll",
                Type::Optional(_) => "wrapMaybe",
                _ => "wrap",
            };
            format!("{wrap}({class}, {value})")
        }
        (Type::List(item), _) if **item == Type::Optional(Box::new(Type::Failure)) => {
            format!("{value}.map(errorOf)")
        }
        (Type::List(_), Crossing::Converted(convert)) => format!("{value}.map({convert})"),
        (Type::Optional(_), Crossing::Converted(convert)) => format!("maybe({convert}, {value})"),
        (Type::Failure, _) => format!("errorOf({value})!"),
        (_, Crossing::Converted(convert)) => format!("{convert}({value})"),
        // The web's backend returns typed arrays.
        (Type::List(_), Crossing::Same) if inner.integer().is_some() => format!("Array.from({value})"),
        (Type::Optional(_), Crossing::Same) => format!("{value} ?? undefined"),
        (_, Crossing::Same) => value.to_owned(),
    }
}

/// What a result of the backend becomes.
enum Crossing {
    /// An object of a class, with the handle.
    Handle(String),
    /// The result of a function.
    Converted(String),
    /// It stays as it is.
    Same,
}

fn crossing(block: &Block, kind: &Type) -> Crossing {
    match kind {
        Type::Failure => Crossing::Converted("errorOf".to_owned()),
        Type::Verdict(item) => match crossing(block, item) {
            Crossing::Handle(class) => Crossing::Converted(format!("verdict((raw) => wrap({class}, raw))")),
            Crossing::Converted(convert) => Crossing::Converted(format!("verdict({convert})")),
            Crossing::Same => Crossing::Converted("verdict((raw) => raw)".to_owned()),
        },
        Type::Class(name) => match block.class(name) {
            Some(class) if class.kind == Kind::Names || is_unchanged(block, class) => Crossing::Same,
            Some(class) if class.plain || matches!(class.kind, Kind::Data | Kind::Union) => {
                Crossing::Converted(converter(class))
            }
            _ => Crossing::Handle(name.clone()),
        },
        _ => Crossing::Same,
    }
}

/// True if the backend's result is the caller's value.
pub(super) fn is_same(block: &Block, kind: &Type) -> bool {
    converted(block, kind, "value") == "value"
}

/// The checked argument for the backend; `what` is its name in errors, as an expression. That of an optional list was
/// [`read`].
pub(super) fn argument(block: &Block, function: &Function, parameter: &Parameter, what: &str) -> String {
    let name = parameter_name(parameter);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            let candidates = candidates(function, &choice.among, |one| javascript(&one.name));
            let chosen = format!("this.{candidates}.filter(check.callable({name}, {what}))");
            several(block, item, &chosen, what, None)
        }
        (Type::List(item), None) => several(block, item, &name, what, parameter.limit),
        (Type::Tuple(parts), _) => {
            let parts = commas(parts.iter().map(|part| check(block, part, None)));
            format!("...check.pair({name}, {what}, {parts})")
        }
        (Type::Class(class), _) if parameter.owned => format!("take({name}, {class}, {what})"),
        (Type::Optional(inner), _) if inner.is_list() => {
            let items = format!("{name}Items");
            if inner.inner().is_some_and(Type::is_list) { format!("numberLists({items})") } else { items }
        }
        (Type::Optional(inner), _) => {
            let checked = format!("check.optional({})({name}, {what})", check(block, inner, None));
            match block.object_class(inner) {
                Some(class) => format!("optionalObject('{}', {checked})", native_name(class)),
                None => checked,
            }
        }
        (Type::Suite, _) => format!("check.suite({name})"),
        (other, _) => match block.object_class(other).filter(|class| !class.plain) {
            Some(class) => format!("open({name}, {}, {what})", class.name),
            None => format!("{}({name}, {what})", check(block, other, None)),
        },
    }
}

/// Statements that read optional lists before all else: the user's iterators could use or close the objects of the call.
pub(super) fn read(block: &Block, function: &Function) -> Vec<String> {
    let lists = function.passed().filter(|one| one.kind.inner().is_some_and(Type::is_list));
    let line = |one: &Parameter| {
        let name = parameter_name(one);
        let what = if one.option { format!("options.{name}") } else { name.clone() };
        let check = check(block, &one.kind, one.limit);
        format!("const {name}Items = check.optional({check})({name}, '{what}');")
    };
    lists.map(line).collect()
}

fn several(block: &Block, item: &Type, value: &str, what: &str, limit: Option<u64>) -> String {
    let most = limit.map(|limit| format!(", {limit}")).unwrap_or_default();
    if let Type::Tuple(parts) = item {
        let column = |part: &Type| {
            let check = check(block, part, None);
            match (block.object_class(part), part) {
                (Some(class), _) => format!("[{check}, objectsOf('{}')]", native_name(class)),
                (None, Type::Bytes) => format!("[{check}, byteStrings]"),
                (None, Type::U128) => format!("[{check}, wide]"),
                _ => format!("[{check}]"),
            }
        };
        let columns = commas(parts.iter().map(column));
        let limit = limit.map_or("undefined".to_owned(), |limit| limit.to_string());
        return format!("...check.columns({value}, {what}, {limit}, {columns})");
    }
    let checked = format!("check.list({value}, {what}, {}{most})", check(block, item, None));
    match (block.object_class(item), item) {
        (Some(class), _) => format!("objects('{}', {checked})", native_name(class)),
        (None, Type::Bytes) => format!("byteStrings({checked})"),
        _ => checked,
    }
}

/// The name of a native class, as the names of its functions begin.
fn native_name(class: &Class) -> String {
    camel(&snake(&class.native))
}

/// The function that checks a value.
pub(super) fn check(block: &Block, kind: &Type, limit: Option<u64>) -> String {
    match kind {
        Type::Text => "check.string".to_owned(),
        Type::Suite => "check.suite".to_owned(),
        Type::Class(name) => match block.object_class(kind) {
            Some(class) if class.plain => reader(class),
            Some(_) => format!("opener({name})"),
            None => "check.string".to_owned(),
        },
        Type::Bool => "check.boolean".to_owned(),
        Type::U8 => "check.u8".to_owned(),
        Type::U16 => "check.u16".to_owned(),
        Type::NonZeroU16 => "check.nonZeroU16".to_owned(),
        Type::U32 | Type::Size => "check.u32".to_owned(),
        Type::U64 | Type::Duration => "check.u64".to_owned(),
        Type::U128 => "check.u128".to_owned(),
        Type::Length | Type::AnyLength => "check.length".to_owned(),
        Type::Bytes | Type::SecretBytes => "check.bytes".to_owned(),
        Type::Attested => "check.callable".to_owned(),
        Type::List(item) => {
            let most = limit.map(|limit| format!(", {limit}")).unwrap_or_default();
            let within = limit.filter(|_| item.is_list());
            format!("(value, what) => check.list(value, what, {}{most})", check(block, item, within))
        }
        Type::Optional(item) => check(block, item, limit),
        // Only lists contain tuples, and only results contain errors.
        Type::Tuple(_) | Type::Verdict(_) | Type::Failure => String::new(),
    }
}

/// True if the backend's object is the caller's: it has no handles.
pub(super) fn is_unchanged(block: &Block, class: &Class) -> bool {
    class.kind == Kind::Data
        && class
            .fields()
            .iter()
            .all(|field| javascript(&field.name) == camel(&field.name) && is_same(block, &field.kind))
}

/// The name of the function that makes plain data.
pub(super) fn converter(class: &Class) -> String {
    format!("to{}", class.name)
}

/// The name of the function that makes a handle from the caller's plain object.
pub(super) fn reader(class: &Class) -> String {
    format!("from{}", class.name)
}
