//! Calls of native functions from Kotlin.

use super::types::{lifted, lowered};
use crate::kotlin_glue::{is_lent, is_object, is_secret_key};
use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{camel, free_function};
use crate::python::candidates;

/// The call of a function, with the conversion to `result`. Native objects stay alive meanwhile.
pub(super) fn call(block: &Block, class: &Class, function: &Function, result: Option<&Type>) -> String {
    let receiver = function.has_receiver().then_some(match class.kind {
        Kind::Value | Kind::Record | Kind::Names => "native",
        Kind::Encoded => "raw",
        Kind::Object | Kind::Data | Kind::Union | Kind::Module => "receiver",
    });
    let given = function.parameters.iter().map(|one| argument(block, class, function, one));
    let arguments: Vec<String> = receiver.map(str::to_owned).into_iter().chain(given).collect();
    let native = camel(&free_function(&class.native, &function.name));
    let call = format!("{native}({})", arguments.join(", "));
    let value = result.map_or(call.clone(), |result| lifted(block, result, &call));
    let held = held(block, class, function);
    if held.is_empty() {
        let call = format!("translated {{ {call} }}");
        return result.map_or(call.clone(), |result| lifted(block, result, &call));
    }
    format!("{}{value}{}", held.concat(), " }".repeat(held.len()))
}

/// The beginnings of the blocks around a call, in which native objects and lent bytes stay alive.
fn held(block: &Block, class: &Class, function: &Function) -> Vec<String> {
    let parameters = || function.parameters.iter().map(|one| (one, camel(&one.name)));
    // The user's function is called afterwards, when nothing is held.
    let mut held: Vec<String> = parameters()
        .filter(|(one, _)| one.kind == Type::Attested)
        .map(|(_, name)| format!("{name}.asked {{ {name}Native -> "))
        .collect();
    let before = held.len();
    if function.has_receiver() && class.kind == Kind::Object {
        held.push("cell.call { receiver -> ".to_owned());
    }
    held.extend(parameters().filter_map(|(one, name)| match &one.kind {
        kind if is_secret_key(kind) => Some(format!("{name}.call {{ {name}Native -> ")),
        kind if is_object(block, kind) => Some(format!("{name}.cell.call {{ {name}Native -> ")),
        Type::List(item) if is_object(block, item) => {
            Some(format!("callAll({name}.map {{ it.cell }}) {{ {name}Native -> "))
        }
        Type::Optional(inner) if is_object(block, inner) => {
            Some(format!("callOptional({name}?.cell) {{ {name}Native -> "))
        }
        _ => None,
    }));
    let lent: Vec<String> = parameters()
        .filter(|(one, _)| is_lent(class, function, one))
        .map(|(_, name)| format!("{name}.borrowed {{ {name}Native -> "))
        .collect();
    if held.len() == before && (before > 0 || !lent.is_empty()) {
        held.push("translated { ".to_owned());
    }
    held.extend(lent);
    held
}

/// An argument of a native function.
pub(super) fn argument(block: &Block, class: &Class, function: &Function, parameter: &Parameter) -> String {
    let name = camel(&parameter.name);
    if let (Type::List(item), Some(choice)) = (&parameter.kind, &parameter.choice) {
        let candidates = candidates(function, &camel(&choice.among), |one| camel(&one.name));
        let item = lowered(block, item, "it", &name);
        return format!("{candidates}.filter {{ {name}.test(it) }}.map {{ {item} }}");
    }
    let inner = parameter.kind.inner().unwrap_or(&parameter.kind);
    if is_object(block, inner) || *inner == Type::Attested || is_lent(class, function, parameter) {
        return format!("{name}Native");
    }
    let each = lowered(block, inner, "it", &name);
    match &parameter.kind {
        Type::List(_) | Type::Optional(_) if each == "it" => name,
        Type::List(_) => format!("{name}.map {{ {each} }}"),
        Type::Optional(_) => format!("{name}?.let {{ {each} }}"),
        kind => lowered(block, kind, &name, &name),
    }
}
