//! Rust that uniffi exports to Kotlin: functions on records and encodings, which need no closing, and on objects.

mod structures;
mod types;

use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{closure, free_function, import};
use types::{converted, crossing, inside, opened, opened_type};

pub(crate) use types::{is_object, is_secret_key};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let glue = ["Failure", "Result", "Uint128", "chain_id", "committee_id", "lock", "non_zero", "owned"];
    let imports = [
        import("std::sync", &["Arc"], &code),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        format!("use quorate_interface::{} as interface;\n\n", block.path),
        import("crate::attestations", &["Attestations"], &code),
        import("crate::glue", &glue, &code),
        import("crate::secret", &["Secret"], &code),
    ];
    imports.concat() + &code
}

fn class(block: &Block, class: &Class) -> String {
    let own = match class.kind {
        Kind::Value => structures::value(block, class),
        Kind::Encoded => structures::encoded(block, class),
        Kind::Record => structures::record(block, class),
        Kind::Object => structures::object(class),
        Kind::Data => structures::data(block, class),
        Kind::Union => structures::union(block, class),
        Kind::Names => structures::names(block, class),
        Kind::Module => String::new(),
    };
    let crossing = class.functions.iter().filter(|function| crosses(class, function));
    crossing.fold(own, |all, one| all + &function(block, class, one))
}

/// True if Kotlin calls the function: not for a property of which it has the value, and not for the coding of a class
/// that is its encoding.
pub(crate) fn crosses(class: &Class, function: &Function) -> bool {
    let is_coding = class
        .plain_encoding()
        .is_some_and(|(decode, encode)| [&decode.name, &encode.name].contains(&&function.name));
    match (class.kind, function.role) {
        (_, Role::Constructor) => matches!(class.kind, Kind::Object | Kind::Encoded) || is_completed(class),
        (Kind::Encoded, Role::Static | Role::Method) => !is_coding,
        (Kind::Record, Role::Method) => false,
        (_, Role::Static | Role::Variant | Role::Method) => true,
        (Kind::Object | Kind::Names, Role::Getter) => true,
        (Kind::Value, Role::Getter) => !is_field(class, function),
        (_, Role::Getter) => false,
    }
}

/// True if the constructor of a value has parameters whose defaults only native code knows, or that Java cannot pass to
/// a constructor.
pub(crate) fn is_completed(class: &Class) -> bool {
    let parameters = class.constructor().map(|constructor| constructor.parameters.as_slice());
    let is_special = |one: &Parameter| matches!(one.kind, Type::Optional(_) | Type::U64);
    class.kind == Kind::Value && parameters.unwrap_or_default().iter().any(is_special)
}

/// True for the property that is a parameter of a value's constructor.
pub(crate) fn is_field(class: &Class, function: &Function) -> bool {
    let constructor = class.constructor();
    constructor.is_some_and(|one| one.parameters.iter().any(|parameter| parameter.name == function.name))
}

/// True for an object that is equal to others of the same encoding.
pub(crate) fn is_encoded_object(class: &Class) -> bool {
    let encode = class.function("encode").is_some_and(|encode| encode.parameters.is_empty());
    class.kind == Kind::Object && class.traits.equality && encode
}

/// True for bytes of a secret, which Kotlin lends instead of copying.
pub(crate) fn is_lent(class: &Class, function: &Function, parameter: &Parameter) -> bool {
    let is_secret = class.secret && !function.has_receiver();
    parameter.kind == Type::Bytes && (is_secret || parameter.secret)
}

/// The properties of a record, and the results of its methods.
pub(crate) fn properties(class: &Class) -> impl Iterator<Item = (&Function, &Type)> {
    let crossing = class.functions.iter().filter(|function| function.has_receiver());
    crossing.filter_map(|function| Some((function, function.result.as_ref()?)))
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let kind = Type::Class(class.name.clone());
    let receiver = function.has_receiver().then(|| Parameter::new("receiver", kind));
    let all: Vec<&Parameter> = receiver.iter().chain(&function.parameters).collect();
    let parameters = all.iter().map(|one| {
        let lent = is_lent(class, function, one);
        let kind = if lent { "&[u8]".to_owned() } else { crossing(block, &one.kind) };
        format!("{}: {kind}", one.name)
    });
    let parameters: Vec<String> = parameters.collect();
    let prepared: String = all.iter().map(|one| prepared(block, one)).collect();
    let target = match (&receiver, class.kind) {
        (None, _) => class.scope(),
        (Some(_), Kind::Object) => "receiver.0.".to_owned(),
        (Some(_), _) => "receiver.".to_owned(),
    };
    let arguments = function
        .parameters
        .iter()
        .map(|one| if is_lent(class, function, one) { one.name.clone() } else { argument(block, one) });
    let call = format!("{target}{}({})", function.name, arguments.collect::<Vec<_>>().join(", "));
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = function.result.as_ref().map_or(call.clone(), |result| converted(block, result, &call));
    let result = function.result.as_ref().map_or("()".to_owned(), |result| crossing(block, result));
    let key = function.parameters.iter().find(|one| is_secret_key(&one.kind)).map(|one| &one.name);
    let body = match key {
        None => format!("{prepared}    Ok({value})\n"),
        Some(key) => format!("{prepared}    {key}.with(|{key}| Ok({value}))?\n"),
    };
    format!(
        "\n#[uniffi::export]\nfn {name}({parameters}) -> Result<{result}> {{\n{body}}}\n",
        name = free_function(&class.native, &function.name),
        parameters = parameters.join(", "),
    )
}

/// A statement before the call.
fn prepared(block: &Block, parameter: &Parameter) -> String {
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

fn argument(block: &Block, parameter: &Parameter) -> String {
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
