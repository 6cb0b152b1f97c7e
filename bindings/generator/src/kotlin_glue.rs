//! Rust that uniffi exports to Kotlin: functions on values and encodings, which need no closing.

use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let imports = [
        import("quorate::any", &["Suite"], &code),
        format!("use quorate_interface::{} as interface;\n\n", block.name),
        import("crate::glue", &["Result", "owned"], &code),
    ];
    imports.concat() + &code
}

fn class(block: &Block, class: &Class) -> String {
    let own = match class.kind {
        Kind::Value => value(class),
        Kind::Encoded => encoded(class),
    };
    let crossing = class.functions.iter().filter(|function| crosses(class, function));
    crossing.fold(own, |all, one| all + &function(block, class, one))
}

/// True if Kotlin calls the function: not for a property, and not for the coding of a class that is its encoding.
pub(crate) fn crosses(class: &Class, function: &Function) -> bool {
    let is_coding = class.kind == Kind::Encoded && ["decode", "encode"].contains(&function.name.as_str());
    matches!(function.role, Role::Static | Role::Method) && !is_coding
}

/// A record of the constructor's arguments.
fn value(class: &Class) -> String {
    let name = &class.name;
    let parameters =
        class.constructor().map(|constructor| constructor.parameters.as_slice()).unwrap_or_default();
    let fields: String =
        parameters.iter().map(|one| format!("    {}: {},\n", one.name, field_type(&one.kind))).collect();
    let arguments: Vec<String> = parameters.iter().map(|one| format!("self.{}", one.name)).collect();
    format!(
        "\n#[derive(uniffi::Record)]\npub(crate) struct {name} {{\n{fields}}}\n\n\
         impl {name} {{\n    pub(crate) fn open(self) -> interface::{name} {{\n        interface::{name}::new({})\n    }}\n}}\n",
        arguments.join(", ")
    )
}

/// The fields of a class that crosses as its encoding.
fn encoded(class: &Class) -> String {
    let name = &class.name;
    let declared: String = class
        .getters()
        .filter_map(|getter| Some(format!("    {}: {},\n", getter.name, field_type(getter.result.as_ref()?))))
        .collect();
    let filled: String = class
        .getters()
        .map(|getter| {
            let value = converted(getter.result.as_ref(), &format!("value.{}()", getter.name));
            format!("        {}: {value},\n", getter.name)
        })
        .collect();
    format!(
        "\n#[derive(uniffi::Record)]\nstruct {name}Fields {{\n{declared}    text: String,\n}}\n\n\
         #[uniffi::export]\nfn {fields}(bytes: Vec<u8>) -> Result<{name}Fields> {{\n    let value = interface::{name}::decode(&bytes)?;\n    \
         Ok({name}Fields {{\n{filled}        text: value.to_string(),\n    }})\n}}\n",
        fields = free_function(name, "fields"),
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let receiver = (function.role == Role::Method)
        .then(|| Parameter { name: "receiver".to_owned(), kind: Type::Class(class.name.clone()) });
    let all: Vec<&Parameter> = receiver.iter().chain(&function.parameters).collect();
    let parameters: Vec<String> =
        all.iter().map(|one| format!("{}: {}", one.name, parameter_type(block, &one.kind))).collect();
    let prepared: String = all.iter().map(|one| prepared(block, one)).collect();
    let target =
        if receiver.is_some() { "receiver.".to_owned() } else { format!("interface::{}::", class.name) };
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = match &function.result {
        Some(Type::Class(name)) if is_encoded(block, name) => format!("{call}.encode()"),
        result => converted(result.as_ref(), &call),
    };
    let result = function.result.as_ref().map_or("()".to_owned(), |result| parameter_type(block, result));
    format!(
        "\n#[uniffi::export]\nfn {name}({parameters}) -> Result<{result}> {{\n{prepared}    Ok({value})\n}}\n",
        name = free_function(&class.name, &function.name),
        parameters = parameters.join(", "),
    )
}

fn is_encoded(block: &Block, class: &str) -> bool {
    block.class(class).is_some_and(|class| class.kind == Kind::Encoded)
}

fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Class(name) if is_encoded(block, name) => "Vec<u8>".to_owned(),
        other => field_type(other),
    }
}

fn field_type(kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::BytesList => "Vec<Vec<u8>>".to_owned(),
        Type::U8 | Type::Suite => "u8".to_owned(),
        Type::U32 | Type::Size => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::Class(name) => name.clone(),
    }
}

/// A statement before the call.
fn prepared(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::BytesList => {
            format!("    let {name}: Vec<&[u8]> = {name}.iter().map(Vec::as_slice).collect();\n")
        }
        Type::Class(class) if is_encoded(block, class) => {
            format!("    let {name} = interface::{class}::decode(&{name})?;\n")
        }
        Type::Class(_) => format!("    let {name} = {name}.open();\n"),
        _ => String::new(),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Type::Text | Type::U8 | Type::U32 | Type::U64 => name.clone(),
        Type::Suite => format!("Suite::from_number({name})?"),
        Type::Bytes | Type::BytesList | Type::Class(_) => format!("&{name}"),
        Type::Size => format!("{name} as usize"),
    }
}

fn converted(result: Option<&Type>, call: &str) -> String {
    match result {
        Some(Type::Bytes) => format!("owned({call})"),
        Some(Type::BytesList) => format!("{call}.into_iter().map(owned).collect()"),
        Some(Type::Size) => format!("{call} as u32"),
        Some(Type::Suite) => format!("{call}.number()"),
        None | Some(Type::Text | Type::U8 | Type::U32 | Type::U64 | Type::Class(_)) => call.to_owned(),
    }
}
