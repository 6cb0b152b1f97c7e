//! What the parameters become in the call of a function.

use super::types::{inside, is_object, opened, opened_type};
use crate::model::{Block, Parameter, Type};
use crate::names::closure;

/// A statement before the call.
pub(super) fn prepared(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::List(item) => {
            let kind = opened_type(block, item);
            match (&**item, opened(block, item, "one")) {
                (_, Some(opened)) => format!(
                    "    let {name}: Vec<{kind}> = {name}.into_iter().map(|one| Ok({opened}?)).collect::<Result<_>>()?;\n    \
                     let {name}: Vec<&{kind}> = {name}.iter().collect();\n"
                ),
                (one, None) if is_object(block, one) => {
                    format!("    let {name}: Vec<&{kind}> = {name}.iter().map(|one| &one.0).collect();\n")
                }
                (Type::Bytes, None) => {
                    format!("    let {name}: Vec<&[u8]> = {name}.iter().map(Vec::as_slice).collect();\n")
                }
                (Type::Size | Type::Length, None) => {
                    format!(
                        "    let {name}: Vec<usize> = {name}.iter().map(|one| *one as usize).collect();\n"
                    )
                }
                (_, None) => String::new(),
            }
        }
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

/// The argument of the call.
pub(super) fn argument(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        kind if is_object(block, kind) => inside(kind, name),
        Type::Suite => format!("Suite::from_number({name})?"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::U128 => format!("{name}.0"),
        Type::Bytes | Type::List(_) | Type::Class(_) | Type::Bound(_) => format!("&{name}"),
        Type::Attested => {
            format!("&mut |member, bytes, attestation| {name}.ask(member, bytes, attestation)")
        }
        Type::Optional(inner) => match &**inner {
            kind if is_object(block, kind) => format!("{name}.as_ref().map(|one| {})", inside(kind, "one")),
            Type::Class(_) | Type::Bound(_) => format!("{name}.as_ref()"),
            Type::Bytes | Type::List(_) => format!("{name}.as_deref()"),
            Type::Size | Type::Length => format!("{name}.map(|one| one as usize)"),
            Type::U128 => format!("{name}.map(|one| one.0)"),
            _ => name.clone(),
        },
        Type::Text
        | Type::SecretBytes
        | Type::Bool
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::AnyLength
        | Type::Failure
        | Type::NonZeroU16
        | Type::Duration
        | Type::Tuple(_)
        | Type::Verdict(_) => name.clone(),
    }
}
