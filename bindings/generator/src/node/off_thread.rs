//! Functions that return promises of work on one of Node's worker threads.

use super::crossing::{
    Place, argument, converted, declared, held, listed, parameter_type, result_type, succeeding, target,
    value,
};
use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{commas, free_function, tuple};

/// The same function on another thread, which owns the arguments.
pub(super) fn function(block: &Block, class: &Class, function: &Function) -> String {
    let given: String =
        function.crossing().flat_map(|one| declared(block, one)).map(|one| one + ", ").collect();
    let parameters = function.parameters.iter();
    let taken: String = parameters.clone().map(|one| owned(block, one)).collect();
    let lists: String = parameters.clone().map(|one| list(block, one)).collect();
    let arguments = commas(parameters.map(|one| lent(block, one)));
    let call = format!("{}{}({arguments})", target(class, function), function.name);
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = match &function.result {
        None => call.clone(),
        Some(result) => converted(block, result, &call, Place::Elsewhere),
    };
    let value = succeeding(&value, &call);
    let early = early(block, class, function);
    let held = held(block, &class.name);
    let (receiver, kept) = if function.has_receiver() {
        (format!("receiver: &External<{held}>, "), format!("    let receiver = <{held}>::clone(receiver);\n"))
    } else {
        (String::new(), String::new())
    };
    format!(
        "\n#[napi(catch_unwind)]\npub fn {name}_async({receiver}{given}cancelled: Option<&External<Flag>>) -> Result<Promised<{result}>> {{\n\
         {kept}{early}{taken}    Ok(glue::queue(cancelled, move || {{\n{lists}        {value}\n    }}))\n}}\n",
        name = free_function(&class.native, &function.name),
        result = result_type(block, function, Place::Elsewhere),
    )
}

/// A statement that hands over the result of a hook, before later calls have newer ones.
fn early(block: &Block, class: &Class, function: &Function) -> String {
    let (Some(early), Some((one, ..))) = (&class.early, function.answers().next()) else {
        return String::new();
    };
    let name = &one.name;
    let value = argument(block, one);
    format!(
        "    if let Some({name}) = {value} {{\n        receiver.{early}({name});\n    }}\n    let {name}: {} = None;\n",
        parameter_type(block, &one.kind)
    )
}

/// A statement that makes an argument one that a thread can own.
fn owned(block: &Block, parameter: &Parameter) -> String {
    let Parameter { name, kind, .. } = parameter;
    let value = match kind {
        Type::List(_) => return listed(parameter, |kind, name| kept(block, kind, name)),
        Type::Optional(inner) if is_kept(block, inner) => {
            format!("{name}.map(|one| {})", kept(block, inner, "one"))
        }
        Type::Optional(inner) if block.name_parser(inner).is_some() => {
            argument(block, parameter).replace(".as_ref()", "")
        }
        Type::Suite | Type::Bytes | Type::Class(_) => kept(block, kind, name),
        _ => return String::new(),
    };
    format!("    let {name} = {value};\n")
}

/// True for bytes and for objects, which the thread needs for itself.
fn is_kept(block: &Block, kind: &Type) -> bool {
    block.object_class(kind).is_some() || *kind == Type::Bytes
}

/// A value that the thread owns. Copies of bytes are wiped where they may be secret.
fn kept(block: &Block, kind: &Type, name: &str) -> String {
    match kind {
        Type::Bytes if block.classes.iter().any(|class| class.secret) => {
            format!("Zeroizing::new({name}.to_vec())")
        }
        Type::Bytes => format!("{name}.to_vec()"),
        kind if is_kept(block, kind) => {
            let handle = parameter_type(block, kind);
            let content = handle.strip_prefix("&External<").and_then(|rest| rest.strip_suffix('>'));
            format!("<{}>::clone({name})", content.unwrap_or(&handle))
        }
        kind => value(block, kind, name).trim_start_matches('&').to_owned(),
    }
}

/// A statement on the thread: what the interface takes of the items of a list.
fn list(block: &Block, parameter: &Parameter) -> String {
    let Parameter { name, kind: Type::List(item), .. } = parameter else { return String::new() };
    let cell = |kind: &Type, name: &str| match kind {
        Type::Bytes => format!("{name}.as_slice()"),
        Type::Class(class) if block.kind(class) == Some(Kind::Object) => format!("&**{name}"),
        Type::Class(_) => name.to_owned(),
        _ => format!("*{name}"),
    };
    let (pattern, cells) = match &**item {
        Type::Tuple(parts) => {
            let names: Vec<&str> = ["a", "b", "c"].into_iter().take(parts.len()).collect();
            let cells = tuple(parts.iter().zip(&names).map(|(part, name)| cell(part, name)));
            (tuple(&names), cells)
        }
        item if is_kept(block, item) => ("one".to_owned(), cell(item, "one")),
        // The list itself has the items.
        _ => return String::new(),
    };
    let mapped = if pattern == cells { String::new() } else { format!(".map(|{pattern}| {cells})") };
    format!("        let {name}: Vec<_> = {name}.iter(){mapped}.collect();\n")
}

/// The argument, which the thread owns.
fn lent(block: &Block, parameter: &Parameter) -> String {
    let Parameter { name, kind, .. } = parameter;
    match kind {
        Type::Suite => name.clone(),
        Type::Bytes | Type::Class(_) => format!("&{name}"),
        Type::Optional(inner) => match &**inner {
            Type::Class(class) if block.kind(class) == Some(Kind::Object) => format!("{name}.as_deref()"),
            Type::Class(_) => format!("{name}.as_ref()"),
            Type::Bytes => format!("{name}.as_ref().map(|one| one.as_slice())"),
            _ => argument(block, parameter),
        },
        _ => argument(block, parameter),
    }
}
