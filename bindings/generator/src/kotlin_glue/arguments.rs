//! What the parameters become in the call of a function.

use super::types::{crossing, inside, is_object, is_taken, opened, opened_type};
use crate::model::{Block, Parameter, Type};
use crate::names::{closure, tuple};

/// The parameters of the exported function: a tuple is its parts, and a list of tuples a list of each part.
pub(super) fn declared(block: &Block, parameter: &Parameter) -> Vec<String> {
    let columns = parameter.columns();
    if columns.is_empty() {
        return vec![format!("{}: {}", parameter.name, crossing(block, &parameter.kind))];
    }
    let (start, end) = if parameter.kind.is_list() { ("Vec<", ">") } else { ("", "") };
    columns.iter().map(|(name, part)| format!("{name}: {start}{}{end}", crossing(block, part))).collect()
}

/// A statement before the call.
pub(super) fn prepared(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::List(item) => list(block, name, item),
        Type::Optional(inner) => match opened(block, inner, "item") {
            Some(opened) => format!("    let {name} = {name}.map({}).transpose()?;\n", closure(&opened)),
            None => String::new(),
        },
        // It is passed by value.
        Type::Suite => String::new(),
        other => match opened(block, other, name) {
            Some(opened) => format!("    let {name} = {opened}?;\n"),
            None => String::new(),
        },
    }
}

fn list(block: &Block, name: &str, item: &Type) -> String {
    if let Type::Tuple(parts) = item {
        let (mut items, mut pattern, mut values) =
            (format!("{name}_0.iter()"), "part_0".to_owned(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            values.push(inside_part(block, part, &format!("part_{at}")));
            if at > 0 {
                items += &format!(".zip(&{name}_{at})");
                pattern = format!("({pattern}, part_{at})");
            }
        }
        let values = values.join(", ");
        return format!("    let {name}: Vec<_> = {items}.map(|{pattern}| ({values})).collect();\n");
    }
    let kind = opened_type(block, item);
    match (item, opened(block, item, "one")) {
        (_, Some(opened)) => format!(
            "    let {name}: Vec<{kind}> = {name}.into_iter().map(|one| Ok({opened}?)).collect::<Result<_>>()?;\n    \
             let {name}: Vec<&{kind}> = {name}.iter().collect();\n"
        ),
        (one, None) if is_object(block, one) => {
            let inner = inside(block, one, "one");
            format!("    let {name}: Vec<&{kind}> = {name}.iter().map(|one| {inner}).collect();\n")
        }
        (Type::Bytes, None) => {
            format!("    let {name}: Vec<&[u8]> = {name}.iter().map(Vec::as_slice).collect();\n")
        }
        (Type::Size | Type::Length, None) => {
            format!("    let {name}: Vec<usize> = {name}.iter().map(|one| *one as usize).collect();\n")
        }
        (_, None) => String::new(),
    }
}

/// A part of a tuple, from a reference to what crossed.
fn inside_part(block: &Block, part: &Type, name: &str) -> String {
    match part {
        kind if is_object(block, kind) => inside(block, kind, name),
        Type::Bytes => format!("{name}.as_slice()"),
        Type::U128 => format!("{name}.0"),
        _ => format!("*{name}"),
    }
}

/// The argument of the call.
pub(super) fn argument(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        kind if parameter.owned && is_taken(block, kind) => format!("{name}.0.take()?"),
        kind if is_object(block, kind) => inside(block, kind, name),
        Type::Suite => format!("Suite::from_number({name})?"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::U128 => format!("{name}.0"),
        Type::Bytes | Type::List(_) | Type::Class(_) => format!("&{name}"),
        Type::Attested => {
            format!("&mut |member, bytes, attestation| {name}.ask(member, bytes, attestation)")
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().enumerate();
            let values = parts.map(|(at, part)| inside_part(block, part, &format!("{name}_{at}")));
            tuple(values)
        }
        Type::Optional(inner) => match &**inner {
            kind if is_object(block, kind) => {
                format!("{name}.as_ref().map(|one| {})", inside(block, kind, "one"))
            }
            Type::Class(_) => format!("{name}.as_ref()"),
            Type::Bytes | Type::List(_) => format!("{name}.as_deref()"),
            Type::Size | Type::Length => format!("{name}.map(|one| one as usize)"),
            Type::U128 => format!("{name}.map(|one| one.0)"),
            _ => name.clone(),
        },
        _ => name.clone(),
    }
}
