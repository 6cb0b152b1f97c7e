//! Rust that wasm-bindgen exports to JavaScript: one handle per structure, and functions of the same names as Node's.

use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::{camel, free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(class).collect();
    let interface = format!("use quorate_interface::{} as interface;\n", block.name);
    let heads = [
        import("quorate::any", &["Suite"], &code),
        interface,
        "use wasm_bindgen::prelude::wasm_bindgen;\n\n".to_owned(),
        import("crate::glue", &["JsResult", "OrThrow", "Uint8Array"], &code),
        import("crate::lists", &["ByteStrings", "byte_arrays", "owned"], &code),
    ];
    heads.concat() + &code
}

fn class(class: &Class) -> String {
    let name = &class.name;
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    let text = free_function(name, "text");
    let equality = free_function(name, "equals");
    let equality = format!(
        "\n#[wasm_bindgen(js_name = {})]\npub fn {equality}(receiver: &{name}, other: &{name}) -> bool {{\n    receiver.0 == other.0\n}}\n",
        camel(&equality)
    );
    format!(
        "\n#[wasm_bindgen]\npub struct {name}(pub(crate) interface::{name});\n{functions}\n\
         #[wasm_bindgen(js_name = {})]\npub fn {text}(receiver: &{name}) -> String {{\n    receiver.0.to_string()\n}}\n{}",
        camel(&text),
        if class.equality { equality.as_str() } else { "" }
    )
}

fn function(class: &Class, function: &Function) -> String {
    let (receiver, target) = match function.role {
        Role::Constructor | Role::Static => (None, format!("interface::{}::", class.name)),
        Role::Method | Role::Getter => (Some(format!("receiver: &{}", class.name)), "receiver.0.".to_owned()),
    };
    let parameters =
        function.parameters.iter().map(|one| format!("{}: {}", one.name, parameter_type(&one.kind)));
    let parameters: Vec<String> = receiver.into_iter().chain(parameters).collect();
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}.or_throw()") } else { call };
    let made = if function.fallible { format!("{call}?") } else { call.clone() };
    // A value that needs no conversion, or its conversion.
    let (result, converted) = match &function.result {
        None => ("()".to_owned(), None),
        Some(Type::Text) => ("String".to_owned(), None),
        Some(Type::U8) => ("u8".to_owned(), None),
        Some(Type::U32) => ("u32".to_owned(), None),
        Some(Type::U64) => ("u64".to_owned(), None),
        Some(Type::Suite) => ("String".to_owned(), Some(format!("{made}.to_string()"))),
        Some(Type::Size) => ("u32".to_owned(), Some(format!("{made} as u32"))),
        Some(Type::Bytes) => ("Vec<u8>".to_owned(), Some(format!("owned({made})"))),
        Some(Type::BytesList) => ("Vec<Uint8Array>".to_owned(), Some(format!("byte_arrays(&{made})"))),
        Some(Type::Class(name)) => (name.clone(), Some(format!("{name}({made})"))),
    };
    let value = match converted {
        Some(value) if function.fallible => format!("Ok({value})"),
        value => value.unwrap_or(call),
    };
    let result = if function.fallible { format!("JsResult<{result}>") } else { result };
    let name = free_function(&class.name, &function.name);
    format!(
        "\n#[wasm_bindgen(js_name = {js})]\npub fn {name}({parameters}) -> {result} {{\n    {value}\n}}\n",
        js = camel(&name),
        parameters = parameters.join(", "),
    )
}

fn parameter_type(kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::BytesList => "ByteStrings".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U32 | Type::Size => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::Suite => "String".to_owned(),
        Type::Class(name) => format!("&{name}"),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind {
        Type::Text | Type::Bytes | Type::U8 | Type::U32 | Type::U64 => name.clone(),
        Type::Suite => format!("Suite::from_name(&{name}).or_throw()?"),
        Type::BytesList => format!("&{name}.slices()"),
        Type::Size => format!("{name} as usize"),
        Type::Class(_) => format!("&{name}.0"),
    }
}
