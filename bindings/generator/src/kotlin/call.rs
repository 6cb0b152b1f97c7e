//! Calls of native functions from Kotlin: what each argument becomes, and what the result becomes.

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{camel, free_function};
use crate::python::candidates;

/// The call of a function, with the conversion to `result`. Native objects stay alive meanwhile.
pub(super) fn call(block: &Block, class: &Class, function: &Function, result: Option<&Type>) -> String {
    let is_object = |kind: &Type| matches!(kind, Type::Class(name) if block.kind(name) == Some(Kind::Object));
    let receiver = function.has_receiver().then_some(match class.kind {
        Kind::Value | Kind::Record => "native",
        Kind::Encoded => "raw",
        _ => "receiver",
    });
    let given = function.parameters.iter().map(|one| argument(block, function, one));
    let arguments: Vec<String> = receiver.map(str::to_owned).into_iter().chain(given).collect();
    let native = camel(&free_function(&class.native, &function.name));
    let call = format!("{native}({})", arguments.join(", "));
    let lift = |value: &str| result.map_or(value.to_owned(), |result| lifted(block, result, value));
    let mut held: Vec<String> = Vec::new();
    if function.has_receiver() && class.kind == Kind::Object {
        held.push("cell.call { receiver -> ".to_owned());
    }
    for parameter in &function.parameters {
        let name = camel(&parameter.name);
        match &parameter.kind {
            kind if is_object(kind) => held.push(format!("{name}.cell.call {{ {name}Native -> ")),
            Type::List(item) if is_object(item) => {
                held.push(format!("callAll({name}.map {{ it.cell }}) {{ {name}Native -> "));
            }
            _ => {}
        }
    }
    if held.is_empty() {
        return lift(&format!("translated {{ {call} }}"));
    }
    let closing = " }".repeat(held.len());
    format!("{}{}{closing}", held.concat(), lift(&call))
}

/// An argument, checked by its name where Kotlin's type has more values than the native one.
pub(super) fn argument(block: &Block, function: &Function, parameter: &Parameter) -> String {
    let name = camel(&parameter.name);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            let candidates = candidates(function, &camel(&choice.among), |one| camel(&one.name));
            format!(
                "{candidates}.filter {{ {name}.test(it) }}.map {{ {} }}",
                lowered(block, item, "it", &name)
            )
        }
        (Type::List(item), None) => match &**item {
            Type::Class(class) if block.kind(class) == Some(Kind::Object) => format!("{name}Native"),
            Type::Class(_) => format!("{name}.map {{ {} }}", lowered(block, item, "it", &name)),
            _ => name,
        },
        (Type::Class(class), _) if block.kind(class) == Some(Kind::Object) => format!("{name}Native"),
        (Type::Optional(inner), _) => match lowered(block, inner, "it", &name).as_str() {
            "it" => name,
            lowered => format!("{name}?.let {{ {lowered} }}"),
        },
        (kind, _) => lowered(block, kind, &name, &name),
    }
}

fn lowered(block: &Block, kind: &Type, value: &str, name: &str) -> String {
    match kind {
        Type::Text => format!("{value}.text(\"{name}\")"),
        Type::U8 => format!("{value}.u8(\"{name}\")"),
        Type::U16 => format!("{value}.u16(\"{name}\")"),
        Type::U32 => format!("{value}.u32(\"{name}\")"),
        Type::Size | Type::Length | Type::AnyLength => format!("{value}.natural(\"{name}\")"),
        Type::Suite => format!("{value}.native"),
        Type::Class(class) => match block.kind(class) {
            Some(Kind::Encoded) => format!("{value}.raw"),
            _ => format!("{value}.native"),
        },
        _ => value.to_owned(),
    }
}

/// A native value as the user sees it.
pub(super) fn lifted(block: &Block, kind: &Type, value: &str) -> String {
    match kind {
        Type::U32 | Type::AnyLength => format!("{value}.toLong()"),
        Type::U8 | Type::U16 | Type::Size | Type::Length => format!("{value}.toInt()"),
        Type::Suite => format!("Suite.fromNative({value})"),
        Type::Class(name) => match block.class(name) {
            Some(class) if class.kind == Kind::Encoded => format!("{name}.decode({value})"),
            Some(class) if class.kind == Kind::Value && !crate::kotlin_glue::is_completed(class) => {
                format!("{name}.fromNative({value})")
            }
            _ => format!("{name}({value})"),
        },
        Type::List(item) => match lifted(block, item, "it").as_str() {
            "it" => value.to_owned(),
            lifted => format!("{value}.map {{ {lifted} }}"),
        },
        Type::Optional(inner) => match lifted(block, inner, "it").as_str() {
            "it" => value.to_owned(),
            lifted => format!("{value}?.let {{ {lifted} }}"),
        },
        _ => value.to_owned(),
    }
}

/// The type of a parameter: of a nested class, with the class around it.
pub(super) fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Class(name) => {
            let within = block.class(name).and_then(|class| class.within.as_ref());
            within.map_or(name.clone(), |outer| format!("{outer}.{name}"))
        }
        other => type_name(other),
    }
}

/// The type of a result.
pub(super) fn type_name(kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "ByteArray".to_owned(),
        Type::Bool => "Boolean".to_owned(),
        Type::U8 | Type::U16 | Type::Size | Type::Length => "Int".to_owned(),
        Type::U32 | Type::AnyLength => "Long".to_owned(),
        Type::U64 => "ULong".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
        Type::List(item) => format!("List<{}>", type_name(item)),
        Type::Optional(inner) => format!("{}?", type_name(inner)),
        _ => String::new(),
    }
}
