//! What a module of Python and its stub have in common: the classes that Python defines, the imports, and the list of
//! names.

use crate::docs::Style;
use crate::model::{Block, Class, Field, Function, Kind, Type, Variant};
use crate::names::{commas, joined, snake};
use crate::python::{module, name_property};

/// The imports from Python's library that some code needs.
pub(crate) fn standard(code: &str) -> String {
    let used = |module: &str, names: &[&str]| import(module, names, code);
    used("collections.abc", &["Callable", "Coroutine", "Iterable", "Iterator"])
        + &used("dataclasses", &["dataclass"])
        + &used("datetime", &["timedelta"])
        + &used("enum", &["StrEnum"])
        + &used("typing", &["Any", "Final", "NamedTuple", "SupportsIndex", "TypeAlias", "final"])
        + &used("typing_extensions", &["Buffer"])
}

/// The imports from other modules of the package.
pub(crate) fn imports(block: &Block, nested: &[&str], code: &str) -> String {
    let dots = dots(block, nested);
    let mut text = import(&format!("{dots}errors"), &["QuorateError"], code);
    for class in &block.imported {
        let home = class.home.module.as_ref().unwrap_or(&class.home.block).replace('/', ".");
        text += &import(&format!("{dots}{home}"), &[&class.name], code);
    }
    if block.class("Suite").is_none() {
        text += &import(&format!("{dots}suite"), &["Suite"], code);
    }
    text
}

/// Imports those names that the code mentions outside its docstrings.
fn import(module: &str, names: &[&str], code: &str) -> String {
    let parts = code.split("\"\"\"").step_by(2);
    let words: Vec<&str> = parts
        .flat_map(|part| part.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .collect();
    let used = commas(names.iter().filter(|name| words.contains(name)));
    if used.is_empty() { used } else { format!("from {module} import {used}\n") }
}

/// The dots before the name of a module in the package's own folder.
pub(crate) fn dots(block: &Block, nested: &[&str]) -> String {
    let is_folder = !nested.is_empty();
    ".".repeat(module(block).split('/').count() + usize::from(is_folder))
}

/// The list of the names that the module exports.
pub(crate) fn all(block: &Block, nested: &[&str]) -> String {
    let mut names: Vec<String> = nested.iter().map(|&name| name.to_owned()).collect();
    names.extend(exported(block));
    list(names)
}

pub(crate) fn list(mut names: Vec<String>) -> String {
    names.sort();
    let names: String = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    format!("\n__all__ = [\n{names}]\n")
}

/// The names of a block.
pub(crate) fn exported(block: &Block) -> Vec<String> {
    let mut names = Vec::new();
    for class in &block.classes {
        match class.kind {
            Kind::Module => names.extend(functions(class)),
            Kind::Union => {
                names.extend(class.variants.iter().map(|variant| variant.name.clone()));
                names.push(class.name.clone());
            }
            _ => names.push(class.name.clone()),
        }
    }
    names.extend(block.constants.iter().map(|constant| constant.name.clone()));
    names
}

/// The names of a module's functions, also of their asynchronous forms.
fn functions(class: &Class) -> Vec<String> {
    let forms = |function: &Function| {
        let slow = function.is_slow().then(|| format!("{}_async", function.name));
        let name = &function.name;
        [Some(if function.is_constant() { name.to_uppercase() } else { name.clone() }), slow]
    };
    class.functions.iter().flat_map(forms).flatten().collect()
}

/// The import of the modules within this one, whose names must exist before.
pub(crate) fn inner(nested: &[&str]) -> String {
    let names = commas(nested.iter().map(|name| format!("{name} as {name}")));
    if names.is_empty() { names } else { format!("\nfrom . import {names}\n") }
}

/// The classes that Python defines; a stub has no bodies.
pub(crate) fn definitions(block: &Block, bodies: bool) -> Vec<String> {
    let one = |class: &Class| match class.kind {
        Kind::Data => data(class),
        Kind::Union => union(class),
        Kind::Names => names(class, bodies),
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object | Kind::Module => String::new(),
    };
    block.classes.iter().map(one).collect()
}

fn data(class: &Class) -> String {
    let fields: String = class.fields().iter().map(field).collect();
    format!("\nclass {}(NamedTuple):\n{}{fields}", class.name, Style::Python.comment(&class.docs, 4))
}

fn union(class: &Class) -> String {
    let variant = |variant: &Variant| {
        let fields: String = variant.fields.iter().map(field).collect();
        let docs = Style::Python.comment(&variant.docs, 4);
        format!("\n@dataclass(frozen=True, slots=True)\nclass {}:\n{docs}{fields}", variant.name)
    };
    let variants: String = class.variants.iter().map(variant).collect();
    let names = joined(class.variants.iter().map(|variant| &variant.name), " | ");
    let docs = Style::Python.comment(&class.docs, 0);
    format!("{variants}\n{}: TypeAlias = {names}\n{docs}", class.name)
}

fn field(field: &Field) -> String {
    let kind = result_type(&field.kind);
    let docs = Style::Python.comment(&field.docs, 4);
    format!("    {}: {kind}\n{docs}", field.name)
}

fn names(class: &Class, bodies: bool) -> String {
    let variant = |Variant { name, text, docs, .. }: &Variant| {
        format!("    {} = \"{text}\"\n{}", snake(name).to_uppercase(), Style::Python.comment(docs, 4))
    };
    let variants: String = class.variants.iter().map(variant).collect();
    let getter = |getter: &Function| {
        let kind = returned(getter);
        let call = name_property(class, &getter.name);
        let body = if bodies { format!("        return _{call}(self)\n") } else { String::new() };
        format!(
            "\n    @property\n    def {}(self) -> {kind}:\n{}{body}",
            getter.name,
            Style::Python.function(getter, 8)
        )
    };
    let getters: String = class.getters().map(getter).collect();
    format!("\nclass {}(StrEnum):\n{}{variants}{getters}", class.name, Style::Python.comment(&class.docs, 4))
}

/// The type of a function's result.
pub(crate) fn returned(function: &Function) -> String {
    function.result.as_ref().map_or_else(|| "None".to_owned(), result_type)
}

/// The type of a result, or of a field.
pub(crate) fn result_type(result: &Type) -> String {
    match result {
        Type::Text => "str".to_owned(),
        Type::Bytes | Type::SecretBytes => "bytes".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
        Type::Failure => "QuorateError".to_owned(),
        Type::Attested => "Callable[[int, bytes, bytes], object]".to_owned(),
        Type::List(item) => format!("list[{}]", result_type(item)),
        Type::Optional(inner) => format!("{} | None", result_type(inner)),
        Type::Verdict(inner) => format!("{} | QuorateError", result_type(inner)),
        Type::Tuple(parts) => format!("tuple[{}]", commas(parts.iter().map(result_type))),
        Type::Duration => "timedelta".to_owned(),
        // The others are integers.
        _ => "int".to_owned(),
    }
}
