//! Types in Kotlin, and the conversions of native values.

use crate::kotlin_glue::{is_completed, native_verdict};
use crate::model::{Block, Class, Kind, Type};
use crate::names::{camel, commas};

/// The type of a parameter, a result or a property.
pub(super) fn type_name(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes | Type::SecretBytes => "ByteArray".to_owned(),
        Type::Bool => "Boolean".to_owned(),
        Type::U8 | Type::U16 | Type::NonZeroU16 | Type::Size | Type::Length => "Int".to_owned(),
        Type::U32 | Type::AnyLength => "Long".to_owned(),
        Type::U64 => "ULong".to_owned(),
        Type::U128 => "BigInteger".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Duration => "Duration".to_owned(),
        Type::Class(name) => class_name(block, name),
        Type::Failure => "QuorateException".to_owned(),
        Type::Attested => "Attested".to_owned(),
        Type::Tuple(parts) => {
            let name = if parts.len() == 2 { "Pair" } else { "Triple" };
            format!("{name}<{}>", commas(parts.iter().map(|part| type_name(block, part))))
        }
        Type::Verdict(value) => format!("Verdict<{}>", type_name(block, value)),
        Type::List(item) => format!("List<{}>", type_name(block, item)),
        Type::Optional(inner) => format!("{}?", type_name(block, inner)),
    }
}

/// The name of a class: of a nested one, with the class around it.
pub(super) fn class_name(block: &Block, name: &str) -> String {
    let within = block.class(name).and_then(|class| class.within.as_ref());
    within.map_or(name.to_owned(), |outer| format!("{outer}.{name}"))
}

/// True for a type whose functions Kotlin gives names that Java cannot call, unless an annotation gives them others.
pub(super) fn is_unsigned(kind: &Type) -> bool {
    match kind {
        Type::U64 => true,
        Type::Optional(inner) => **inner == Type::U64,
        _ => false,
    }
}

/// An argument in the form that crosses, checked by its name where Kotlin's type has more values than the native one.
pub(super) fn lowered(block: &Block, kind: &Type, value: &str, name: &str) -> String {
    match kind {
        Type::Text => format!("{value}.text(\"{name}\")"),
        Type::U8 => format!("{value}.u8(\"{name}\")"),
        Type::U16 => format!("{value}.u16(\"{name}\")"),
        Type::NonZeroU16 => format!("{value}.nonZero(\"{name}\")"),
        Type::U32 => format!("{value}.u32(\"{name}\")"),
        Type::U128 => format!("{value}.u128(\"{name}\")"),
        Type::Size | Type::Length | Type::AnyLength => format!("{value}.natural(\"{name}\")"),
        Type::Suite => format!("{value}.native"),
        Type::Duration => format!("{value}.notNegative(\"{name}\")"),
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
        Type::U8 | Type::U16 | Type::NonZeroU16 | Type::Size | Type::Length => format!("{value}.toInt()"),
        Type::SecretBytes => format!("{value}.bytes()"),
        Type::Suite => format!("Suite.fromNative({value})"),
        Type::Failure => format!("QuorateException.fromNative({value})"),
        Type::Class(name) => {
            let maker = block.class(name).map_or(String::new(), maker);
            format!("{}{maker}({value})", class_name(block, name))
        }
        Type::Verdict(inner) => {
            let native = format!("org.quorate.internal.{}", native_verdict(block, inner));
            let good = lifted(block, inner, "verdict.value");
            format!(
                "{value}.let {{ verdict -> when (verdict) {{ is {native}.Valid -> Verdict.Valid({good}); is {native}.Invalid -> Verdict.Invalid(QuorateException.fromNative(verdict.error)) }} }}"
            )
        }
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

/// What makes an object of its native form: its constructor, or a function of the class.
fn maker(class: &Class) -> String {
    match class.kind {
        Kind::Encoded => {
            class.plain_encoding().map_or(String::new(), |(decode, _)| format!(".{}", camel(&decode.name)))
        }
        Kind::Value if !is_completed(class) => ".fromNative".to_owned(),
        Kind::Union | Kind::Names => ".fromNative".to_owned(),
        Kind::Value | Kind::Record | Kind::Object | Kind::Data | Kind::Module => String::new(),
    }
}

/// A result that the caller may change.
pub(super) fn copied(block: &Block, kind: &Type, value: &str) -> String {
    match kind {
        Type::Bytes => format!("{value}.clone()"),
        Type::List(item) if **item == Type::Bytes => format!("{value}.map {{ it.clone() }}"),
        other => lifted(block, other, value),
    }
}
