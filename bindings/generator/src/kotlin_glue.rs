//! Rust that uniffi exports to Kotlin: functions on records and encodings, which need no closing, and on objects.

use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{closure, free_function, import};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let code: String = block.classes.iter().map(|one| class(block, one)).collect();
    let imports = [
        import("std::sync", &["Arc"], &code),
        if block.mentions(&Type::Suite) { import("quorate::any", &["Suite"], &code) } else { String::new() },
        format!("use quorate_interface::{} as interface;\n\n", block.path),
        import("crate::glue", &["Result", "owned"], &code),
    ];
    imports.concat() + &code
}

fn class(block: &Block, class: &Class) -> String {
    let own = match class.kind {
        Kind::Value => value(block, class),
        Kind::Encoded => encoded(block, class),
        Kind::Record => record(block, class),
        _ => object(class),
    };
    let crossing = class.functions.iter().filter(|function| crosses(class, function));
    crossing.fold(own, |all, one| all + &function(block, class, one))
}

/// True if Kotlin calls the function: not for a property of which it has the value, and not for the coding of a class
/// that is its encoding.
pub(crate) fn crosses(class: &Class, function: &Function) -> bool {
    let is_coding = ["decode", "encode"].contains(&function.name.as_str());
    match (class.kind, function.role) {
        (_, Role::Constructor) => class.kind == Kind::Object || is_completed(class),
        (Kind::Encoded, Role::Static | Role::Method) => !is_coding,
        (Kind::Record, Role::Method) => false,
        (_, Role::Static | Role::Variant | Role::Method) => true,
        (Kind::Object, Role::Getter) => true,
        (Kind::Value, Role::Getter) => !is_field(class, function),
        (_, Role::Getter) => false,
    }
}

/// True if the constructor of a value has parameters whose defaults only native code knows.
pub(crate) fn is_completed(class: &Class) -> bool {
    let parameters = class.constructor().map(|constructor| constructor.parameters.as_slice());
    let is_optional = |one: &Parameter| matches!(one.kind, Type::Optional(_));
    class.kind == Kind::Value && parameters.unwrap_or_default().iter().any(is_optional)
}

/// True for the property that is a parameter of a value's constructor.
pub(crate) fn is_field(class: &Class, function: &Function) -> bool {
    let constructor = class.constructor();
    constructor.is_some_and(|one| one.parameters.iter().any(|parameter| parameter.name == function.name))
}

/// The fields of a value: the parameters of its constructor, each with its value.
fn fields(class: &Class) -> Vec<(String, &Type)> {
    let constructor = class.constructor().map(|constructor| constructor.parameters.as_slice());
    let field = |one: &'_ Parameter| {
        let kind = class.function(&one.name).and_then(|getter| getter.result.as_ref());
        Some((one.name.clone(), kind?))
    };
    constructor.unwrap_or_default().iter().filter_map(field).collect()
}

/// The properties of a record, and the results of its methods.
pub(crate) fn properties(class: &Class) -> impl Iterator<Item = (&Function, &Type)> {
    let crossing = class.functions.iter().filter(|function| function.has_receiver());
    crossing.filter_map(|function| Some((function, function.result.as_ref()?)))
}

fn structure(block: &Block, class: &Class, fields: &[(String, &Type)], text: bool) -> String {
    let native = &class.native;
    let declared: String =
        fields.iter().map(|(name, kind)| format!("    {name}: {},\n", crossing_type(block, kind))).collect();
    let filled: String = fields
        .iter()
        .map(|(name, kind)| {
            format!("            {name}: {},\n", converted(block, Some(kind), &format!("value.{name}()")))
        })
        .collect();
    let (declared_text, filled_text) =
        if text { ("    text: String,\n", "            text: value.to_string(),\n") } else { ("", "") };
    format!(
        "\n#[derive(uniffi::Record)]\npub(crate) struct {native} {{\n{declared}{declared_text}}}\n\n\
         impl From<interface::{name}> for {native} {{\n    fn from(value: interface::{name}) -> Self {{\n        \
         Self {{\n{filled}{filled_text}        }}\n    }}\n}}\n",
        name = class.name,
    )
}

/// A record of the constructor's arguments.
fn value(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let Some(constructor) = class.constructor() else { return String::new() };
    let own = |one: &Parameter| match one.kind {
        // The field has the value that replaced the default.
        Type::Optional(ref inner) => Parameter { kind: (**inner).clone(), ..one.clone() },
        _ => one.clone(),
    };
    let parameters: Vec<Parameter> = constructor.parameters.iter().map(own).collect();
    let unpacked: String = parameters
        .iter()
        .map(|one| format!("        let {name} = self.{name};\n", name = one.name))
        .collect();
    let prepared: String = parameters
        .iter()
        .map(|one| prepared(block, one))
        .map(|line| line.replace("    let", "        let"))
        .collect();
    let arguments: Vec<String> = constructor
        .parameters
        .iter()
        .zip(&parameters)
        .map(|(declared, own)| {
            let value = argument(block, own);
            if matches!(declared.kind, Type::Optional(_)) { format!("Some({value})") } else { value }
        })
        .collect();
    let made = format!("interface::{name}::new({})", arguments.join(", "));
    let made = if constructor.fallible { format!("Ok({made}?)") } else { format!("Ok({made})") };
    let check = format!(
        "\n#[uniffi::export]\nfn {}(value: {native}) -> Result<()> {{\n    value.open().map(drop)\n}}\n",
        free_function(native, "check")
    );
    let check = if constructor.fallible && !is_completed(class) { check } else { String::new() };
    format!(
        "{}\nimpl {native} {{\n    pub(crate) fn open(self) -> Result<interface::{name}> {{\n{unpacked}{prepared}        {made}\n    }}\n}}\n{check}",
        structure(block, class, &fields(class), is_completed(class)),
    )
}

/// The fields of a class that crosses as its encoding.
fn encoded(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let getters: Vec<(&str, &Type)> =
        class.getters().filter_map(|getter| Some((getter.name.as_str(), getter.result.as_ref()?))).collect();
    let declared: String =
        getters.iter().map(|(name, kind)| format!("    {name}: {},\n", crossing_type(block, kind))).collect();
    let filled: String = getters
        .iter()
        .map(|(name, kind)| {
            format!("        {name}: {},\n", converted(block, Some(kind), &format!("value.{name}()")))
        })
        .collect();
    format!(
        "\n#[derive(uniffi::Record)]\nstruct {native}Fields {{\n{declared}    text: String,\n}}\n\n\
         #[uniffi::export]\nfn {fields}(bytes: Vec<u8>) -> Result<{native}Fields> {{\n    let value = interface::{name}::decode(&bytes)?;\n    \
         Ok({native}Fields {{\n{filled}        text: value.to_string(),\n    }})\n}}\n",
        fields = free_function(native, "fields"),
    )
}

/// All that Kotlin may ask an object for.
fn record(block: &Block, class: &Class) -> String {
    let fields: Vec<(String, &Type)> =
        properties(class).map(|(function, kind)| (function.name.clone(), kind)).collect();
    structure(block, class, &fields, true)
}

/// A native object.
fn object(class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    format!(
        "\n#[derive(uniffi::Object)]\npub(crate) struct {native}(pub(crate) interface::{name});\n\n\
         #[uniffi::export]\nfn {}(receiver: Arc<{native}>) -> String {{\n    receiver.0.to_string()\n}}\n",
        free_function(native, "text")
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let kind = Type::Class(class.name.clone());
    let receiver = function.has_receiver().then(|| Parameter::new("receiver", kind));
    let all: Vec<&Parameter> = receiver.iter().chain(&function.parameters).collect();
    let parameters: Vec<String> =
        all.iter().map(|one| format!("{}: {}", one.name, crossing_type(block, &one.kind))).collect();
    let prepared: String = all.iter().map(|one| prepared(block, one)).collect();
    let target = match (&receiver, class.kind) {
        (None, _) => format!("interface::{}::", class.name),
        (Some(_), Kind::Object) => "receiver.0.".to_owned(),
        (Some(_), _) => "receiver.".to_owned(),
    };
    let arguments: Vec<String> = function.parameters.iter().map(|one| argument(block, one)).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = converted(block, function.result.as_ref(), &call);
    let result = function.result.as_ref().map_or("()".to_owned(), |result| crossing_type(block, result));
    format!(
        "\n#[uniffi::export]\nfn {name}({parameters}) -> Result<{result}> {{\n{prepared}    Ok({value})\n}}\n",
        name = free_function(&class.native, &function.name),
        parameters = parameters.join(", "),
    )
}

fn crossing_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U8 | Type::Suite => "u8".to_owned(),
        Type::U16 => "u16".to_owned(),
        Type::U32 | Type::Size | Type::Length => "u32".to_owned(),
        Type::U64 | Type::AnyLength => "u64".to_owned(),
        Type::Class(name) => match block.kind(name) {
            Some(Kind::Encoded) => "Vec<u8>".to_owned(),
            Some(Kind::Object) => format!("Arc<{}>", block.native(name)),
            _ => block.native(name),
        },
        Type::List(item) => format!("Vec<{}>", crossing_type(block, item)),
        Type::Optional(inner) => format!("Option<{}>", crossing_type(block, inner)),
        _ => String::new(),
    }
}

/// The conversion of an object that crossed, which may fail.
fn opened(block: &Block, class: &str, value: &str) -> Option<String> {
    match block.kind(class) {
        Some(Kind::Encoded) => Some(format!("interface::{class}::decode(&{value})")),
        Some(Kind::Value | Kind::Record) => Some(format!("{value}.open()")),
        _ => None,
    }
}

/// A statement before the call.
fn prepared(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    match &parameter.kind {
        Type::List(item) => match &**item {
            Type::Class(class) => match opened(block, class, "one") {
                Some(opened) => format!(
                    "    let {name}: Vec<interface::{class}> = {name}.into_iter().map(|one| Ok({opened}?)).collect::<Result<_>>()?;\n    \
                     let {name}: Vec<&interface::{class}> = {name}.iter().collect();\n"
                ),
                None => {
                    format!(
                        "    let {name}: Vec<&interface::{class}> = {name}.iter().map(|one| &one.0).collect();\n"
                    )
                }
            },
            _ => format!("    let {name}: Vec<&[u8]> = {name}.iter().map(Vec::as_slice).collect();\n"),
        },
        Type::Optional(inner) => match &**inner {
            Type::Class(class) => match opened(block, class, "one") {
                Some(opened) => format!("    let {name} = {name}.map(|one| {opened}).transpose()?;\n"),
                None => String::new(),
            },
            _ => String::new(),
        },
        Type::Class(class) => match opened(block, class, name) {
            Some(opened) => format!("    let {name} = {opened}?;\n"),
            None => String::new(),
        },
        _ => String::new(),
    }
}

fn argument(block: &Block, parameter: &Parameter) -> String {
    let name = &parameter.name;
    let is_object = |class: &str| block.kind(class) == Some(Kind::Object);
    match &parameter.kind {
        Type::Class(class) if is_object(class) => format!("&{name}.0"),
        Type::Suite => format!("Suite::from_number({name})?"),
        Type::Size | Type::Length => format!("{name} as usize"),
        Type::Bytes | Type::List(_) | Type::Class(_) => format!("&{name}"),
        Type::Optional(inner) => match &**inner {
            Type::Class(class) if is_object(class) => format!("{name}.as_ref().map(|one| &one.0)"),
            Type::Class(_) => format!("{name}.as_ref()"),
            Type::Bytes => format!("{name}.as_deref()"),
            Type::Size | Type::Length => format!("{name}.map(|one| one as usize)"),
            _ => name.clone(),
        },
        _ => name.clone(),
    }
}

fn converted(block: &Block, result: Option<&Type>, call: &str) -> String {
    match result {
        Some(Type::Bytes) => format!("owned({call})"),
        Some(Type::Size | Type::Length) => format!("{call} as u32"),
        Some(Type::Suite) => format!("{call}.number()"),
        Some(Type::Class(name)) => match block.kind(name) {
            Some(Kind::Encoded) => format!("{call}.encode()"),
            Some(Kind::Object) => format!("Arc::new({}({call}))", block.native(name)),
            _ => format!("{call}.into()"),
        },
        Some(Type::List(item)) if **item == Type::Bytes => format!("{call}.into_iter().map(owned).collect()"),
        Some(Type::List(item)) => {
            format!("{call}.into_iter().map({}).collect()", closure(&converted(block, Some(item), "item")))
        }
        Some(Type::Optional(inner)) => match converted(block, Some(inner), "item").as_str() {
            "item" => call.to_owned(),
            item => format!("{call}.map({})", closure(item)),
        },
        _ => call.to_owned(),
    }
}
