//! Rust that napi-rs exports to Node: one function per method, on handles.

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{closure, free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let interface = format!("use quorate_interface::{} as interface;\n", block.path);
    let glue = ["Bytes", "Flag", "Promised", "Result", "Throw", "bytes", "number", "queue"];
    let heads = [
        import("std::sync", &["Arc"], &code),
        import("napi", &["Env"], &code),
        import("napi::bindgen_prelude", &["BigInt", "Uint8Array"], &code),
        "use napi_derive::napi;\n".to_owned(),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        interface,
        "\n".to_owned(),
        import("crate::glue", &glue, &code),
        import("crate::handle", &["External"], &code),
    ];
    heads.concat() + &code
}

/// Native objects are shared with threads; all others are copied to them.
fn held(block: &Block, class: &str) -> String {
    match block.kind(class) {
        Some(Kind::Object) => format!("Arc<interface::{class}>"),
        _ => format!("interface::{class}"),
    }
}

fn class(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let functions: String = class.functions.iter().map(|one| function(block, class, one)).collect();
    let sized = if class.size.is_some() { made(block, class) } else { String::new() };
    let text = free_function(native, "text");
    let equality = free_function(native, "equals");
    let held = held(block, name);
    let equality = format!(
        "\n#[napi(catch_unwind)]\npub fn {equality}(receiver: &External<{held}>, other: &External<{held}>) -> bool {{\n    **receiver == **other\n}}\n"
    );
    format!(
        "{sized}{functions}\n#[napi(catch_unwind)]\npub fn {text}(receiver: &External<{held}>) -> String {{\n    receiver.to_string()\n}}\n{}",
        if class.traits.equality { equality.as_str() } else { "" }
    )
}

/// A function that makes handles of a class whose objects hold much memory, which V8 is told.
fn made(block: &Block, class: &Class) -> String {
    let (name, size) = (&class.name, class.size.as_deref().unwrap_or_default());
    let (value, make) = match class.kind {
        Kind::Object => ("Arc::new(value)", free_function(&class.native, "handle")),
        _ => ("value", free_function(&class.native, "handle")),
    };
    format!(
        "\nfn {make}(value: interface::{name}) -> External<{}> {{\n    let size = value.{size}();\n    External::sized({value}, size)\n}}\n",
        held(block, name)
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let receiver =
        function.has_receiver().then(|| format!("receiver: &External<{}>", held(block, &class.name)));
    let target =
        if function.has_receiver() { "receiver.".to_owned() } else { format!("interface::{}::", class.name) };
    let makes_bytes = function.result.as_ref().is_some_and(|result| result.mentions(&Type::Bytes));
    let (lifetime, env) =
        if makes_bytes { ("<'env>", Some("env: &'env Env".to_owned())) } else { ("", None) };
    let parameters =
        function.parameters.iter().map(|one| format!("{}: {}", one.name, parameter_type(block, &one.kind)));
    let parameters: Vec<String> = env.into_iter().chain(receiver).chain(parameters).collect();
    let lists: String = function.parameters.iter().map(|one| list(block, one)).collect();
    let arguments: Vec<String> = function.parameters.iter().map(|one| argument(block, one)).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}.throw()?") } else { call };
    let (result, value) = match &function.result {
        None => ("()".to_owned(), format!("{call};\n    Ok(())")),
        Some(Type::Bytes) => ("Bytes<'env>".to_owned(), format!("bytes(env, {call})")),
        Some(Type::List(item)) if **item == Type::Bytes => (
            "Vec<Bytes<'env>>".to_owned(),
            format!("{call}.into_iter().map(|item| bytes(env, item)).collect()"),
        ),
        Some(result) => (result_type(block, result), format!("Ok({})", converted(block, result, &call))),
    };
    let name = free_function(&class.native, &function.name);
    format!(
        "\n#[napi(catch_unwind)]\npub fn {name}{lifetime}({parameters}) -> Result<{result}> {{\n{lists}    {value}\n}}\n{slow}",
        parameters = parameters.join(", "),
        slow = if function.is_slow() { off_thread(block, class, function) } else { String::new() },
    )
}

/// The same on another thread, which owns the arguments.
fn off_thread(block: &Block, class: &Class, function: &Function) -> String {
    let parameters: String = function
        .parameters
        .iter()
        .map(|one| format!("{}: {}, ", one.name, parameter_type(block, &one.kind)))
        .collect();
    let owned: String = function.parameters.iter().map(|one| owned(block, one)).collect();
    let arguments: Vec<String> = function
        .parameters
        .iter()
        .map(|one| match one.kind {
            Type::Bytes | Type::Class(_) => format!("&{}", one.name),
            _ => argument(block, one),
        })
        .collect();
    let lists: String = function
        .parameters
        .iter()
        .filter(|one| one.kind.is_list())
        .map(|one| {
            format!(
                "        let {name}: Vec<_> = {name}.iter().map(|one| &**one).collect();\n",
                name = one.name
            )
        })
        .collect();
    let call = format!("receiver.{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}?") } else { call };
    let (result, value) = match &function.result {
        None => ("()".to_owned(), call),
        Some(Type::Bytes) => ("Uint8Array".to_owned(), format!("Uint8Array::from({call})")),
        Some(result) => (result_type(block, result), converted(block, result, &call)),
    };
    format!(
        "\n#[napi(catch_unwind)]\npub fn {name}_async(receiver: &External<{held}>, {parameters}cancelled: Option<&External<Flag>>) -> Result<Promised<{result}>> {{\n    \
         let receiver = Arc::<interface::{class}>::clone(receiver);\n{owned}    \
         Ok(queue(cancelled, move || {{\n{lists}        Ok({value})\n    }}))\n}}\n",
        name = free_function(&class.native, &function.name),
        held = held(block, &class.name),
        class = class.name,
    )
}

/// A statement that makes an argument one that a thread can own.
fn owned(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::Bytes => format!("    let {name} = {name}.to_vec();\n"),
        Type::Class(class) => format!("    let {name} = <{}>::clone({name});\n", held(block, class)),
        Type::List(item) => match &**item {
            Type::Class(class) => format!(
                "    let {name}: Vec<_> = {name}.iter().map(|one| <{}>::clone(one)).collect();\n",
                held(block, class)
            ),
            _ => format!("    let {name}: Vec<_> = {name}.iter().map(|one| one.to_vec()).collect();\n"),
        },
        _ => String::new(),
    }
}

fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text | Type::Suite => "String".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length | Type::AnyLength => "u32".to_owned(),
        Type::U64 => "BigInt".to_owned(),
        Type::Class(name) => format!("&External<{}>", held(block, name)),
        Type::List(item) => format!("Vec<{}>", parameter_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", parameter_type(block, inner)),
        _ => String::new(),
    }
}

/// A statement before the call: the objects of a list.
fn list(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind.inner() {
        Some(Type::Class(class)) if parameter.kind.is_list() => {
            let stars = if block.kind(class) == Some(Kind::Object) { "****" } else { "***" };
            format!(
                "    let {name}: Vec<&interface::{class}> = {name}.iter().map(|one| &{stars}one).collect();\n"
            )
        }
        _ => String::new(),
    }
}

fn argument(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::List(_) => format!("&{name}"),
        Type::Optional(inner) => match &**inner {
            Type::Class(class) if block.kind(class) == Some(Kind::Object) => {
                format!("{name}.map(|one| &***one)")
            }
            Type::Class(_) => format!("{name}.map(|one| &**one)"),
            inner => match number(inner, "one") {
                Some(converted) => format!("{name}.map(|one| {converted})"),
                None => name.clone(),
            },
        },
        other => number(other, name).unwrap_or_else(|| name.clone()),
    }
}

/// The conversion of a value that has another type in JavaScript.
fn number(kind: &Type, name: &str) -> Option<String> {
    match kind {
        Type::U64 => Some(format!("number(&{name})")),
        Type::Suite => Some(format!("Suite::from_name(&{name}).throw()?")),
        Type::Size | Type::Length => Some(format!("{name} as usize")),
        Type::AnyLength => Some(format!("{name}.into()")),
        _ => None,
    }
}

fn result_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Suite => "&'static str".to_owned(),
        Type::Bytes => "Bytes<'env>".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length | Type::AnyLength => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::Class(name) => format!("External<{}>", held(block, name)),
        Type::List(item) => format!("Vec<{}>", result_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", result_type(block, inner)),
        _ => String::new(),
    }
}

fn converted(block: &Block, kind: &Type, call: &str) -> String {
    match kind {
        Type::Suite => format!("{call}.name()"),
        Type::Size | Type::Length | Type::AnyLength => format!("{call} as u32"),
        Type::Class(name) => match block.class(name) {
            Some(class) if class.size.is_some() => {
                format!("{}({call})", free_function(&class.native, "handle"))
            }
            Some(class) if class.kind == Kind::Object => format!("External::new(Arc::new({call}))"),
            _ => format!("External::new({call})"),
        },
        Type::List(item) => {
            format!("{call}.into_iter().map({}).collect()", closure(&converted(block, item, "item")))
        }
        Type::Optional(inner) => format!("{call}.map({})", closure(&converted(block, inner, "item"))),
        _ => call.to_owned(),
    }
}
