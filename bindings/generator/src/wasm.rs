//! Rust that wasm-bindgen exports to JavaScript: one handle per structure, and functions of the same names as Node's.

use crate::model::{Block, Class, Function, Kind, Parameter, Type};
use crate::names::{camel, closure, free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let interface = format!("use quorate_interface::{} as interface;\n", block.path);
    let heads = [
        import("std::rc", &["Rc"], &code),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        interface,
        "use wasm_bindgen::prelude::wasm_bindgen;\n\n".to_owned(),
        import("crate::glue", &["JsResult", "OrThrow", "Uint8Array"], &code),
        import("crate::lists", &["ByteStrings", "byte_arrays", "owned"], &code),
    ];
    heads.concat() + &code
}

/// True if lists refer to objects of the class, which are then counted.
fn is_shared(block: &Block, class: &str) -> bool {
    block.kind(class) == Some(Kind::Object) && block.takes_several(class)
}

fn class(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let functions: String = class.functions.iter().map(|one| function(block, class, one)).collect();
    let text = free_function(native, "text");
    let equality = free_function(native, "equals");
    let equality = format!(
        "\n#[wasm_bindgen(js_name = {})]\npub fn {equality}(receiver: &{native}, other: &{native}) -> bool {{\n    receiver.0 == other.0\n}}\n",
        camel(&equality)
    );
    let held =
        if is_shared(block, name) { format!("Rc<interface::{name}>") } else { format!("interface::{name}") };
    format!(
        "\n#[wasm_bindgen]\npub struct {native}(pub(crate) {held});\n{several}{functions}\n\
         #[wasm_bindgen(js_name = {})]\npub fn {text}(receiver: &{native}) -> String {{\n    receiver.0.to_string()\n}}\n{}",
        camel(&text),
        if class.traits.equality { equality.as_str() } else { "" },
        several = if block.takes_several(name) { several(native, &held) } else { String::new() },
    )
}

/// A list of objects that JavaScript fills; also one or none, for which wasm-bindgen has no reference.
fn several(native: &str, held: &str) -> String {
    format!(
        "\n#[wasm_bindgen]\n#[derive(Default)]\npub struct {native}List(Vec<{held}>);\n\n\
         #[wasm_bindgen]\nimpl {native}List {{\n    pub fn empty() -> Self {{\n        Self::default()\n    }}\n\n    \
         pub fn add(&mut self, item: &{native}) {{\n        self.0.push(Clone::clone(&item.0));\n    }}\n}}\n"
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let receiver = function.has_receiver().then(|| format!("receiver: &{}", class.native));
    let target = if function.has_receiver() {
        "receiver.0.".to_owned()
    } else {
        format!("interface::{}::", class.name)
    };
    let parameters =
        function.parameters.iter().map(|one| format!("{}: {}", one.name, parameter_type(block, &one.kind)));
    let parameters: Vec<String> = receiver.into_iter().chain(parameters).collect();
    let lists: String = function.parameters.iter().map(|one| list(block, one)).collect();
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}.or_throw()") } else { call };
    let made = if function.fallible { format!("{call}?") } else { call.clone() };
    // A value that needs no conversion, or its conversion.
    let (result, converted) = match &function.result {
        None => ("()".to_owned(), None),
        Some(result) => (result_type(block, result), converted(block, result, &made)),
    };
    let value = match converted {
        Some(value) if function.fallible => format!("Ok({value})"),
        value => value.unwrap_or(call),
    };
    let result = if function.fallible { format!("JsResult<{result}>") } else { result };
    let name = free_function(&class.native, &function.name);
    format!(
        "\n#[wasm_bindgen(js_name = {js})]\npub fn {name}({parameters}) -> {result} {{\n{lists}    {value}\n}}\n",
        js = camel(&name),
        parameters = parameters.join(", "),
    )
}

fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text | Type::Suite => "String".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length | Type::AnyLength => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::Class(name) => format!("&{}", block.native(name)),
        Type::List(inner) | Type::Optional(inner) => match &**inner {
            Type::Class(name) => format!("{}List", block.native(name)),
            Type::Bytes if kind.is_list() => "ByteStrings".to_owned(),
            inner => format!("Option<{}>", parameter_type(block, inner)),
        },
        _ => String::new(),
    }
}

/// A statement before the call: the objects of a list.
fn list(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.kind.inner() {
        Some(Type::Class(class)) if parameter.kind.is_list() => {
            let shared = if is_shared(block, class) { ".map(|one| &**one)" } else { "" };
            format!("    let {name}: Vec<&interface::{class}> = {name}.0.iter(){shared}.collect();\n")
        }
        _ => String::new(),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::Suite => format!("Suite::from_name(&{name}).or_throw()?"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::AnyLength => format!("{name}.into()"),
        Type::Class(_) => format!("&{name}.0"),
        Type::List(item) if **item == Type::Bytes => format!("&{name}.slices()"),
        Type::List(_) => format!("&{name}"),
        Type::Optional(inner) => match &**inner {
            Type::Class(_) => format!("{name}.0.first()"),
            Type::Size | Type::Length => format!("{name}.map(|one| one as usize)"),
            _ => name.clone(),
        },
        _ => name.clone(),
    }
}

fn result_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Suite => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::Class(name) => block.native(name),
        Type::List(item) if **item == Type::Bytes => "Vec<Uint8Array>".to_owned(),
        Type::List(item) => format!("Vec<{}>", result_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", result_type(block, inner)),
        other => parameter_type(block, other),
    }
}

fn converted(block: &Block, kind: &Type, made: &str) -> Option<String> {
    match kind {
        Type::Suite => Some(format!("{made}.to_string()")),
        Type::Size | Type::Length | Type::AnyLength => Some(format!("{made} as u32")),
        Type::Bytes => Some(format!("owned({made})")),
        Type::Class(name) if is_shared(block, name) => {
            Some(format!("{}(Rc::new({made}))", block.native(name)))
        }
        Type::Class(name) => Some(format!("{}({made})", block.native(name))),
        Type::List(item) if **item == Type::Bytes => Some(format!("byte_arrays(&{made})")),
        Type::List(item) => {
            Some(format!("{made}.into_iter().map({}).collect()", closure(&converted(block, item, "item")?)))
        }
        Type::Optional(inner) => match converted(block, inner, "item") {
            Some(item) => Some(format!("{made}.map({})", closure(&item))),
            None => Some(made.to_owned()),
        },
        _ => None,
    }
}
