//! The types that cross for a class: records, enumerations and native objects.

use super::arguments::{argument, prepared};
use super::forms::{is_completed, is_encoded_object, properties};
use super::types::{converted, crossing, is_taken, opened};
use crate::model::{Block, Class, Parameter, Type};
use crate::names::{commas, free_function};

/// A record with these fields, each with its value of the interface's `value`.
fn structure(block: &Block, class: &Class, fields: &[(String, &Type, String)], text: bool) -> String {
    let native = &class.native;
    let declared: String =
        fields.iter().map(|(name, kind, _)| format!("    {name}: {},\n", crossing(block, kind))).collect();
    let filled: String = fields
        .iter()
        .map(|(name, kind, value)| format!("            {name}: {},\n", converted(block, kind, value)))
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

/// The fields of a value: the parameters of its constructor, each with its value.
fn value_fields(class: &Class) -> Vec<(String, &Type, String)> {
    let field = |one: &'_ Parameter| {
        let kind = class.function(&one.name).and_then(|getter| getter.result.as_ref());
        Some((one.name.clone(), kind?, format!("value.{}()", one.name)))
    };
    class.made_of().iter().filter_map(field).collect()
}

/// A record of the constructor's arguments.
pub(super) fn value(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let Some(constructor) = class.constructor() else { return String::new() };
    let own = |one: &Parameter| match one.kind {
        // The field has the value that replaced the default.
        Type::Optional(ref inner) => Parameter { kind: (**inner).clone(), ..one.clone() },
        _ => one.clone(),
    };
    let parameters: Vec<Parameter> = constructor.parameters.iter().map(own).collect();
    let unpacked =
        parameters.iter().map(|one| format!("        let {name} = self.{name};\n", name = one.name));
    let unpacked: String = unpacked.collect();
    let prepared: String = parameters.iter().map(|one| prepared(block, one)).collect();
    let prepared = prepared.replace("    let", "        let");
    let arguments = constructor.parameters.iter().zip(&parameters).map(|(declared, own)| {
        let value = argument(block, own);
        if matches!(declared.kind, Type::Optional(_)) { format!("Some({value})") } else { value }
    });
    let made = format!("interface::{name}::new({})", commas(arguments));
    let made = if constructor.fallible { format!("Ok({made}?)") } else { format!("Ok({made})") };
    let check = format!(
        "\n#[uniffi::export]\nfn {}(value: {native}) -> Result<()> {{\n    value.open().map(drop)\n}}\n",
        free_function(native, "check")
    );
    let check = if constructor.fallible && !is_completed(class) { check } else { String::new() };
    format!(
        "{}\nimpl {native} {{\n    pub(crate) fn open(self) -> Result<interface::{name}> {{\n{unpacked}{prepared}        {made}\n    }}\n}}\n{check}",
        structure(block, class, &value_fields(class), is_completed(class)),
    )
}

/// The fields of a class that crosses as its encoding.
pub(super) fn encoded(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let Some((decode, encode)) = class.plain_encoding() else { return String::new() };
    let getters: Vec<(&str, &Type)> = class
        .getters()
        .filter(|getter| getter.name != encode.name)
        .filter_map(|getter| Some((getter.name.as_str(), getter.result.as_ref()?)))
        .collect();
    let declared: String =
        getters.iter().map(|(name, kind)| format!("    {name}: {},\n", crossing(block, kind))).collect();
    let filled: String = getters
        .iter()
        .map(|(name, kind)| {
            format!("        {name}: {},\n", converted(block, kind, &format!("value.{name}()")))
        })
        .collect();
    format!(
        "\n#[derive(uniffi::Record)]\nstruct {native}Fields {{\n{declared}    text: String,\n}}\n\n\
         #[uniffi::export]\nfn {fields}(bytes: Vec<u8>) -> Result<{native}Fields> {{\n    let value = interface::{name}::{decode}(&bytes)?;\n    \
         Ok({native}Fields {{\n{filled}        text: value.to_string(),\n    }})\n}}\n",
        fields = free_function(native, "fields"),
        decode = decode.name,
    )
}

/// All that Kotlin may ask an object for.
pub(super) fn record(block: &Block, class: &Class) -> String {
    let fields: Vec<(String, &Type, String)> = properties(class)
        .map(|(function, kind)| (function.name.clone(), kind, format!("value.{}()", function.name)))
        .collect();
    structure(block, class, &fields, true)
}

/// Plain data.
pub(super) fn data(block: &Block, class: &Class) -> String {
    let fields = class.fields().iter();
    let fields: Vec<(String, &Type, String)> =
        fields.map(|one| (one.name.clone(), &one.kind, format!("value.{}", one.name))).collect();
    structure(block, class, &fields, false)
}

/// Plain data of several forms.
pub(super) fn union(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let (mut declared, mut branches) = (String::new(), String::new());
    for variant in &class.variants {
        let types = variant.braces(|one| format!("{}: {}", one.name, crossing(block, &one.kind)));
        let names = variant.pattern();
        let values = variant.braces(|one| match converted(block, &one.kind, &one.name) {
            same if same == one.name => same,
            value => format!("{}: {value}", one.name),
        });
        let variant = &variant.name;
        declared += &format!("    {variant}{types},\n");
        branches += &format!("            interface::{name}::{variant}{names} => Self::{variant}{values},\n");
    }
    format!(
        "\n#[derive(uniffi::Enum)]\npub(crate) enum {native} {{\n{declared}}}\n\n\
         impl From<interface::{name}> for {native} {{\n    fn from(value: interface::{name}) -> Self {{\n        \
         match value {{\n{branches}        }}\n    }}\n}}\n"
    )
}

/// Names, which cross as their texts.
pub(super) fn names(block: &Block, class: &Class) -> String {
    let kind = Type::Class(class.name.clone());
    let opened = opened(block, &kind, "name").unwrap_or_default();
    format!(
        "\n#[uniffi::export]\nfn {}(name: String) -> Result<String> {{\n    Ok({}?.to_string())\n}}\n",
        free_function(&class.native, "from_name"),
        opened,
    )
}

/// A native object.
pub(super) fn object(block: &Block, class: &Class) -> String {
    let (name, native) = (&class.name, &class.native);
    let kind = Type::Class(name.clone());
    let equal = format!(
        "\n#[uniffi::export]\nfn {}(receiver: Arc<{native}>, other: Arc<{native}>) -> bool {{\n    receiver.0 == other.0\n}}\n",
        free_function(native, "equal")
    );
    let equal = if class.traits.equality && !is_encoded_object(class) { equal } else { String::new() };
    let held = format!("interface::{name}");
    let (held, result, text) = if is_taken(block, &kind) {
        (format!("Owned<{held}>"), "Result<String>", "receiver.0.with(|receiver| Ok(receiver.to_string()))")
    } else {
        (held, "String", "receiver.0.to_string()")
    };
    format!(
        "\n#[derive(uniffi::Object)]\npub(crate) struct {native}(pub(crate) {held});\n\n\
         #[uniffi::export]\nfn {}(receiver: Arc<{native}>) -> {result} {{\n    {text}\n}}\n{equal}",
        free_function(native, "text")
    )
}
