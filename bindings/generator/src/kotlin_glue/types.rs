//! How each type crosses to Kotlin: its type in exported functions, and the conversions on both ways.

use crate::model::{Block, Class, Kind, Type};
use crate::names::closure;

/// The type in exported functions and records.
pub(super) fn crossing(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::SecretBytes => "Arc<Secret>".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 | Type::Suite => "u8".to_owned(),
        Type::U16 | Type::NonZeroU16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length => "u32".to_owned(),
        Type::U64 | Type::AnyLength => "u64".to_owned(),
        Type::U128 => "Uint128".to_owned(),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Encoded) => "Vec<u8>".to_owned(),
            Some(Kind::Names) => "String".to_owned(),
            Some(Kind::Object) => format!("Arc<{}>", native(block, name)),
            _ => native(block, name),
        },
        Type::Bound(name) => match handle(name) {
            Some(handle) => format!("Arc<{handle}>"),
            None => "Vec<u8>".to_owned(),
        },
        Type::Failure => "Failure".to_owned(),
        Type::Attested => "Arc<Attestations>".to_owned(),
        // No block that Kotlin takes from the declaration has these.
        Type::Tuple(_) | Type::Verdict(_) | Type::Duration => "()".to_owned(),
        Type::List(item) => format!("Vec<{}>", crossing(block, item)),
        Type::Optional(inner) => format!("Option<{}>", crossing(block, inner)),
    }
}

/// The path of the type in this crate that crosses for a class.
pub(super) fn native(block: &Block, name: &str) -> String {
    let own = |class: &Class| class.home.block == block.name;
    match block.class(name).filter(|class| !own(class)) {
        Some(class) => format!("crate::{}::{}", class.home.block, class.native),
        None => block.native(name),
    }
}

/// The path of the type of the interface.
fn rust(block: &Block, name: &str) -> String {
    block.class(name).map_or_else(|| name.to_owned(), |class| class.rust(block))
}

/// The native object of a class that this binding writes by hand; the other ones cross as their encoding.
fn handle(bound: &str) -> Option<&'static str> {
    match bound {
        "Committee" => Some("crate::committees::Committee"),
        "Guard" => Some("crate::guard::Guard"),
        "PublicKey" => Some("crate::keys::PublicKey"),
        "SecretKey" => Some("crate::keys::SecretKey"),
        "Signature" => Some("crate::keys::Signature"),
        _ => None,
    }
}

/// True for what crosses as a native object.
pub(crate) fn is_object(block: &Block, kind: &Type) -> bool {
    match kind {
        Type::Class(name) => block.kind(name) == Some(Kind::Object),
        Type::Bound(name) => handle(name).is_some(),
        _ => false,
    }
}

/// True for a key that a guard can take: only a closure has access to it.
pub(crate) fn is_secret_key(kind: &Type) -> bool {
    matches!(kind, Type::Bound(name) if name == "SecretKey")
}

/// The conversion of a parameter that crossed to a value of the interface, which may fail; `None` if it needs none.
pub(super) fn opened(block: &Block, kind: &Type, value: &str) -> Option<String> {
    match kind {
        Type::Class(name) => {
            let class = rust(block, name);
            match block.kind(name)? {
                Kind::Encoded => {
                    let (decode, _) = block.class(name)?.plain_encoding()?;
                    Some(format!("{class}::{}(&{value})", decode.name))
                }
                Kind::Names => Some(format!("{class}::from_name(&{value})")),
                Kind::Value | Kind::Record => Some(format!("{value}.open()")),
                Kind::Object | Kind::Data | Kind::Union | Kind::Module => None,
            }
        }
        Type::Bound(name) if name == "ChainId" => Some(format!("chain_id(&{value})")),
        Type::Bound(name) if name == "CommitteeId" => Some(format!("committee_id(&{value})")),
        Type::NonZeroU16 => Some(format!("non_zero({value})")),
        Type::Suite => Some(format!("Suite::from_number({value})")),
        _ => None,
    }
}

/// The type of an opened value.
pub(super) fn opened_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Class(name) => rust(block, name),
        Type::Bound(name) if ["ChainId", "CommitteeId"].contains(&name.as_str()) => {
            format!("quorate::committee::{name}")
        }
        Type::Bound(name) => format!("quorate::any::{name}"),
        Type::Suite => "Suite".to_owned(),
        Type::Bytes => "[u8]".to_owned(),
        Type::Text => "str".to_owned(),
        other => other.integer().unwrap_or_default().to_owned(),
    }
}

/// A reference to what is inside a native object.
pub(super) fn inside(kind: &Type, object: &str) -> String {
    match kind {
        Type::Bound(name) if name == "Guard" => format!("&mut lock(&{object}.0)"),
        kind if is_secret_key(kind) => object.to_owned(),
        _ => format!("&{object}.0"),
    }
}

/// A result in the form that crosses.
pub(super) fn converted(block: &Block, result: &Type, value: &str) -> String {
    match result {
        Type::Bytes => format!("owned({value})"),
        Type::SecretBytes => format!("Secret::new(&{value})"),
        Type::Size | Type::Length => format!("{value} as u32"),
        Type::U128 => format!("Uint128({value})"),
        Type::Suite => format!("{value}.number()"),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Encoded) => {
                let encode = block.class(name).and_then(Class::plain_encoding).map(|(_, encode)| encode);
                format!("owned({value}.{}())", encode.map_or("encode", |encode| encode.name.as_str()))
            }
            Some(Kind::Names) => format!("{value}.to_string()"),
            Some(Kind::Object) => format!("Arc::new({}({value}))", native(block, name)),
            _ => format!("{value}.into()"),
        },
        Type::Bound(name) => match (name.as_str(), handle(name)) {
            (_, Some(handle)) => format!("Arc::new({handle}({value}))"),
            ("ChainId" | "CommitteeId", None) => format!("owned({value}.0)"),
            (_, None) => format!("quorate::wire::Encode::encode(&{value})"),
        },
        Type::Failure => format!("{value}.into()"),
        Type::List(item) | Type::Optional(item) => {
            let list = result.is_list();
            match converted(block, item, "item").as_str() {
                "item" => value.to_owned(),
                item if list => format!("{value}.into_iter().map({}).collect()", closure(item)),
                item => format!("{value}.map({})", closure(item)),
            }
        }
        Type::Text
        | Type::Bool
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::AnyLength
        | Type::Attested
        | Type::NonZeroU16
        | Type::Duration
        | Type::Tuple(_)
        | Type::Verdict(_) => value.to_owned(),
    }
}
