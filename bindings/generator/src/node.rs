//! Rust that napi-rs exports to Node: one function per method, on handles.

use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::{free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(class).collect();
    let interface = format!("use quorate_interface::{} as interface;\n", block.name);
    let heads = [
        import("napi", &["Env"], &code),
        import("napi::bindgen_prelude", &["BigInt"], &code),
        "use napi_derive::napi;\n".to_owned(),
        import("quorate::any", &["Suite"], &code),
        interface,
        "\n".to_owned(),
        import("crate::glue", &["Bytes", "Result", "Throw", "bytes", "number"], &code),
        import("crate::handle", &["External"], &code),
    ];
    heads.concat() + &code
}

fn class(class: &Class) -> String {
    let name = &class.name;
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    let text = free_function(name, "text");
    let equality = free_function(name, "equals");
    let equality = format!(
        "\n#[napi(catch_unwind)]\npub fn {equality}(receiver: &External<interface::{name}>, other: &External<interface::{name}>) -> bool {{\n    **receiver == **other\n}}\n"
    );
    format!(
        "{functions}\n#[napi(catch_unwind)]\npub fn {text}(receiver: &External<interface::{name}>) -> String {{\n    receiver.to_string()\n}}\n{}",
        if class.equality { equality.as_str() } else { "" }
    )
}

fn function(class: &Class, function: &Function) -> String {
    let (receiver, target) = match function.role {
        Role::Constructor | Role::Static => (None, format!("interface::{}::", class.name)),
        Role::Method | Role::Getter => {
            (Some(format!("receiver: &External<interface::{}>", class.name)), "receiver.".to_owned())
        }
    };
    let makes_bytes = matches!(function.result, Some(Type::Bytes | Type::BytesList));
    let (lifetime, env) =
        if makes_bytes { ("<'env>", Some("env: &'env Env".to_owned())) } else { ("", None) };
    let parameters =
        function.parameters.iter().map(|one| format!("{}: {}", one.name, parameter_type(&one.kind)));
    let parameters: Vec<String> = env.into_iter().chain(receiver).chain(parameters).collect();
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let thrown = if function.fallible { format!("{call}.throw()") } else { format!("Ok({call})") };
    let call = if function.fallible { format!("{call}.throw()?") } else { call };
    let (result, value) = match &function.result {
        None if !function.fallible => ("()".to_owned(), format!("{call};\n    Ok(())")),
        None => ("()".to_owned(), thrown),
        Some(Type::Text) => ("String".to_owned(), thrown),
        Some(Type::U8) => ("u8".to_owned(), thrown),
        Some(Type::U32) => ("u32".to_owned(), thrown),
        Some(Type::U64) => ("u64".to_owned(), thrown),
        Some(Type::Suite) => ("&'static str".to_owned(), format!("Ok({call}.name())")),
        Some(Type::Bytes) => ("Bytes<'env>".to_owned(), format!("bytes(env, {call})")),
        Some(Type::BytesList) => (
            "Vec<Bytes<'env>>".to_owned(),
            format!("{call}.into_iter().map(|item| bytes(env, item)).collect()"),
        ),
        Some(Type::Size) => ("u32".to_owned(), format!("Ok({call} as u32)")),
        Some(Type::Class(name)) => {
            (format!("External<interface::{name}>"), format!("Ok(External::new({call}))"))
        }
    };
    format!(
        "\n#[napi(catch_unwind)]\npub fn {name}{lifetime}({parameters}) -> Result<{result}> {{\n    {value}\n}}\n",
        name = free_function(&class.name, &function.name),
        parameters = parameters.join(", "),
    )
}

fn parameter_type(kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::BytesList => "Vec<&[u8]>".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U32 | Type::Size => "u32".to_owned(),
        Type::U64 => "BigInt".to_owned(),
        Type::Suite => "String".to_owned(),
        Type::Class(name) => format!("&External<interface::{name}>"),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Type::Text | Type::Bytes | Type::U8 | Type::U32 | Type::Class(_) => name.clone(),
        Type::U64 => format!("number(&{name})"),
        Type::Suite => format!("Suite::from_name(&{name}).throw()?"),
        Type::BytesList => format!("&{name}"),
        Type::Size => format!("{name} as usize"),
    }
}
