//! The classes of the package for Kotlin and Java: one file per block.

use crate::docs::Style;
use crate::kotlin_glue::crosses;
use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{camel, free_function, pascal};

/// Writes the file of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let head = "package org.quorate\n\nimport org.quorate.internal.*\n".to_owned();
    let top = block.classes.iter().filter(|class| class.within.is_none());
    top.fold(head, |all, one| all + "\n" + &class(block, one))
}

fn class(block: &Block, class: &Class) -> String {
    let docs = Style::Kotlin.comment(&class.docs, 0);
    let (head, members) = match class.kind {
        Kind::Value => value(class),
        Kind::Encoded => encoded(class),
    };
    let crossing = class.functions.iter().filter(|function| crosses(class, function));
    let (statics, methods): (Vec<_>, Vec<_>) = crossing.partition(|function| function.role == Role::Static);
    let mut parts = members;
    parts.extend(methods.iter().map(|one| function(block, class, one, "")));
    if class.kind == Kind::Encoded {
        parts.extend(comparison(class));
    }
    parts.extend(
        block
            .classes
            .iter()
            .filter(|one| one.within.as_ref() == Some(&class.name))
            .map(|one| self::class(block, one)),
    );
    let mut shared: Vec<String> =
        statics.iter().map(|one| function(block, class, one, "@JvmStatic\n")).collect();
    if let Some(decode) =
        class.functions.iter().find(|one| class.kind == Kind::Encoded && one.name == "decode")
    {
        let docs = Style::Kotlin.function(decode, 0);
        let name = &class.name;
        shared.push(format!(
            "{docs}@JvmStatic\npublic fun decode(bytes: ByteArray): {name} = {name}(bytes.clone())\n"
        ));
    }
    if !shared.is_empty() {
        parts.push(format!("public companion object {{\n{}}}\n", indented(&shared.join("\n"))));
    }
    format!("{docs}{head} {{\n{}}}\n", indented(&parts.join("\n")))
}

/// A data class of the constructor's arguments.
fn value(class: &Class) -> (String, Vec<String>) {
    let parameters =
        class.constructor().map(|constructor| constructor.parameters.as_slice()).unwrap_or_default();
    let properties: Vec<String> = parameters
        .iter()
        .map(|one| format!("public val {}: {}", camel(&one.name), result_type(&one.kind)))
        .collect();
    let checks: String = parameters
        .iter()
        .filter(|one| argument(one) != camel(&one.name))
        .map(|one| format!("    {}\n", argument(one)))
        .collect();
    let names: Vec<String> = parameters.iter().map(|one| camel(&one.name)).collect();
    let name = &class.name;
    let native = format!(
        "@get:JvmSynthetic\ninternal val native: org.quorate.internal.{name}\n    \
         get() = org.quorate.internal.{name}({})\n",
        names.join(", ")
    );
    let mut members = vec![native];
    if !checks.is_empty() {
        members.insert(0, format!("init {{\n{checks}}}\n"));
    }
    (format!("public data class {name}({})", properties.join(", ")), members)
}

/// A class of its encoding, whose properties are read once.
fn encoded(class: &Class) -> (String, Vec<String>) {
    let name = &class.name;
    let head =
        format!("public class {name} private constructor(@get:JvmSynthetic internal val raw: ByteArray)");
    let fields = camel(&free_function(name, "fields"));
    let mut members = vec![format!("private val fields = translated {{ {fields}(raw) }}\n")];
    members.extend(class.getters().filter_map(|getter| {
        let result = getter.result.as_ref()?;
        let property = camel(&getter.name);
        let value = copied(result, &format!("fields.{property}"));
        let docs = Style::Kotlin.function(getter, 0);
        // Kotlin gives a function with an unsigned type a name that Java cannot call.
        let name = match result {
            Type::U64 => format!("@get:JvmName(\"get{}\")\n", pascal(&getter.name)),
            _ => String::new(),
        };
        Some(format!("{docs}{name}public val {property}: {} get() = {value}\n", result_type(result)))
    }));
    (head, members)
}

/// The members of a class that is equal to its encoding.
fn comparison(class: &Class) -> Vec<String> {
    let encode = class.functions.iter().find(|function| function.name == "encode");
    let docs = encode.map(|encode| Style::Kotlin.function(encode, 0)).unwrap_or_default();
    vec![
        format!("{docs}public fun encode(): ByteArray = raw.clone()\n"),
        format!(
            "override fun equals(other: Any?): Boolean = other is {} && raw.contentEquals(other.raw)\n",
            class.name
        ),
        "override fun hashCode(): Int = raw.contentHashCode()\n".to_owned(),
        "override fun toString(): String = fields.text\n".to_owned(),
    ]
}

fn function(block: &Block, class: &Class, function: &Function, annotation: &str) -> String {
    let docs = Style::Kotlin.function(function, 0);
    let receiver = match (function.role, class.kind) {
        (Role::Method, Kind::Value) => Some("native".to_owned()),
        (Role::Method, Kind::Encoded) => Some("raw".to_owned()),
        _ => None,
    };
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|one| format!("{}: {}", camel(&one.name), parameter_of(block, one)))
        .collect();
    let given = function.parameters.iter().map(|one| match &one.kind {
        Type::Class(name) => format!("{}.{}", camel(&one.name), crossing(block, name)),
        _ => argument(one),
    });
    let arguments: Vec<String> = receiver.into_iter().chain(given).collect();
    let native = camel(&free_function(&class.name, &function.name));
    let call = format!("translated {{ {native}({}) }}", arguments.join(", "));
    let (result, value) = match &function.result {
        None => ("Unit".to_owned(), call),
        Some(Type::Class(name)) => (name.clone(), format!("{name}.decode({call})")),
        Some(kind @ (Type::U8 | Type::U32 | Type::Size | Type::Suite)) => {
            (result_type(kind), copied(kind, &call))
        }
        Some(kind) => (result_type(kind), call),
    };
    let head = format!("public fun {}({}): {result} =", camel(&function.name), parameters.join(", "));
    format!("{docs}{annotation}{head}\n    {value}\n")
}

/// The property of an object that crosses the boundary.
fn crossing(block: &Block, class: &str) -> &'static str {
    match block.class(class).map(|class| class.kind) {
        Some(Kind::Encoded) => "raw",
        _ => "native",
    }
}

fn parameter_of(block: &Block, parameter: &Parameter) -> String {
    match &parameter.kind {
        Type::Class(name) => {
            let within = block.class(name).and_then(|class| class.within.as_ref());
            within.map_or(name.clone(), |outer| format!("{outer}.{name}"))
        }
        other => result_type(other),
    }
}

fn result_type(kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "ByteArray".to_owned(),
        Type::BytesList => "List<ByteArray>".to_owned(),
        Type::U8 | Type::Size => "Int".to_owned(),
        Type::U32 => "Long".to_owned(),
        Type::U64 => "ULong".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
    }
}

/// An argument, checked by its name where Kotlin's type has more values than the native one.
fn argument(parameter: &Parameter) -> String {
    let name = camel(&parameter.name);
    match parameter.kind {
        Type::Text => format!("{name}.text(\"{name}\")"),
        Type::U8 => format!("{name}.u8(\"{name}\")"),
        Type::U32 => format!("{name}.u32(\"{name}\")"),
        Type::Size => format!("{name}.natural(\"{name}\")"),
        Type::Suite => format!("{name}.native"),
        Type::Bytes | Type::BytesList | Type::U64 | Type::Class(_) => name,
    }
}

/// A result that the caller may change.
fn copied(kind: &Type, value: &str) -> String {
    match kind {
        Type::Bytes => format!("{value}.clone()"),
        Type::BytesList => format!("{value}.map {{ it.clone() }}"),
        Type::U32 => format!("{value}.toLong()"),
        Type::U8 | Type::Size => format!("{value}.toInt()"),
        Type::Suite => format!("Suite.fromNative({value})"),
        Type::Text | Type::U64 | Type::Class(_) => value.to_owned(),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}
