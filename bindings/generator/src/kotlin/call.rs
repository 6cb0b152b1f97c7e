//! Calls of native functions from Kotlin.

use super::hooks;
use super::types::{lifted, lowered};
use crate::kotlin_glue::{is_lent, is_object};
use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{camel, commas, free_function};
use crate::python::candidates;

/// The parts of a pair or a triple in Kotlin.
const PARTS: [&str; 3] = ["first", "second", "third"];

/// The call of a function, with the conversion to `result`. Native objects stay alive meanwhile.
pub(super) fn call(block: &Block, class: &Class, function: &Function, result: Option<&Type>) -> String {
    let receiver = function.has_receiver().then_some(match class.kind {
        Kind::Value | Kind::Record | Kind::Names => "native",
        Kind::Encoded => "raw",
        Kind::Object | Kind::Data | Kind::Union | Kind::Module => "receiver",
    });
    let given = function.parameters.iter().flat_map(|one| arguments(block, class, function, one));
    let arguments = commas(receiver.map(str::to_owned).into_iter().chain(given));
    let native = camel(&free_function(&class.native, &function.name));
    let call = format!("{native}({arguments})");
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
    // Hooks are called before, and a function that verifies attestations afterwards, when nothing is held. A list of
    // tuples is read once: one that changes meanwhile must not separate their parts.
    let mut held = hooks::asked(function);
    held.extend(parameters().filter_map(|(one, name)| match &one.kind {
        Type::Attested => Some(format!("{name}.asked {{ {name}Native -> ")),
        Type::List(item) if matches!(**item, Type::Tuple(_)) => {
            let items = limited(one, &name).unwrap_or_else(|| format!("{name}.toList()"));
            Some(format!("{items}.let {{ {name}Items -> "))
        }
        _ => None,
    }));
    let before = held.len();
    // Whatever fails, an object that the function takes is closed.
    let owned = parameters().filter(|(one, _)| one.owned);
    held.extend(owned.map(|(_, name)| format!("{name}.cell.handOver {{ {name}Native -> ")));
    if function.has_receiver() && class.kind == Kind::Object {
        held.push("cell.call { receiver -> ".to_owned());
    }
    held.extend(
        parameters().filter(|(one, _)| !one.owned).flat_map(|(one, name)| objects(block, one, &name)),
    );
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

/// The beginnings of the blocks in which the native objects of an argument stay alive.
fn objects(block: &Block, parameter: &Parameter, name: &str) -> Vec<String> {
    match &parameter.kind {
        kind if is_object(block, kind) => vec![format!("{name}.cell.call {{ {name}Native -> ")],
        Type::List(item) if is_object(block, item) => {
            let items = limited(parameter, name).unwrap_or_else(|| name.to_owned());
            vec![format!("callAll({items}.map {{ it.cell }}) {{ {name}Native -> ")]
        }
        Type::List(item) => {
            let parts = item.parts().iter().zip(PARTS).filter(|(part, _)| is_object(block, part));
            let one = |(_, at)| format!("callAll({name}Items.map {{ it.{at}.cell }}) {{ {name}Native -> ");
            parts.map(one).collect()
        }
        Type::Optional(inner) if is_object(block, inner) => {
            vec![format!("callOptional({name}?.cell) {{ {name}Native -> ")]
        }
        _ => Vec::new(),
    }
}

/// The first items of a list with a limit: one more, so that the core reports the error.
fn limited(parameter: &Parameter, name: &str) -> Option<String> {
    parameter.limit.map(|limit| format!("{name}.take({})", limit + 1))
}

/// The arguments of a native function for a parameter: for a tuple its parts, and for a list of tuples a list of each part.
fn arguments(block: &Block, class: &Class, function: &Function, parameter: &Parameter) -> Vec<String> {
    let name = camel(&parameter.name);
    let item = match &parameter.kind {
        Type::Tuple(parts) => {
            let part = |(part, at)| lowered(block, part, &format!("{name}.{at}"), &name);
            return parts.iter().zip(PARTS).map(part).collect();
        }
        Type::List(item) => &**item,
        kind => kind,
    };
    let Type::Tuple(parts) = item else { return vec![argument(block, class, function, parameter)] };
    let part = |(part, at): (&Type, &str)| {
        if is_object(block, part) {
            return format!("{name}Native");
        }
        format!("{name}Items.map {{ {} }}", lowered(block, part, &format!("it.{at}"), &name))
    };
    parts.iter().zip(PARTS).map(part).collect()
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
    match &parameter.kind {
        Type::List(item) => items(block, parameter, item, &name),
        Type::Optional(inner) if parameter.default.is_some() => lowered(block, inner, &name, &name),
        Type::Optional(inner) => {
            let each = match &**inner {
                Type::List(item) => items(block, parameter, item, "it"),
                inner => lowered(block, inner, "it", &name),
            };
            if each == "it" { name } else { format!("{name}?.let {{ {each} }}") }
        }
        kind => lowered(block, kind, &name, &name),
    }
}

/// The items of a list in the form that crosses; of each list up to the limit.
fn items(block: &Block, parameter: &Parameter, item: &Type, list: &str) -> String {
    let each = match item {
        Type::List(item) => items(block, parameter, item, "it"),
        item => lowered(block, item, "it", &camel(&parameter.name)),
    };
    let list = limited(parameter, list).unwrap_or_else(|| list.to_owned());
    if each == "it" { list } else { format!("{list}.map {{ {each} }}") }
}
