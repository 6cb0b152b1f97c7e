//! Python's modules, from which users import the names of a block: `quorate/threshold/tdh2.py` and its stub.
//!
//! A module imports the classes and functions of its block from the native module, and defines in Python what only
//! carries values: plain data are named tuples, unions are dataclasses, and names are enumerations of texts.

use std::path::PathBuf;

use crate::docs::Style;
use crate::model::{BOUND, Block, Class, Docs, Field, Function, Kind, Variant};
use crate::names::snake;
use crate::python::{Default, bound_module, name_property, native_function};
use crate::stub;

/// The modules of all blocks with their stubs: their paths below the folder of the package.
#[must_use]
pub fn files(blocks: &[Block]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for block in blocks {
        let own = format!("{}/", module(block));
        let nested = blocks.iter().filter_map(|one| module(one).strip_prefix(&own));
        let nested: Vec<&str> = nested.filter(|name| !name.contains('/')).collect();
        let path = if nested.is_empty() { module(block).to_owned() } else { own + "__init__" };
        files.push((PathBuf::from(format!("{path}.py")), emit(block, &nested)));
        files.push((PathBuf::from(format!("{path}.pyi")), stub::emit(block, &nested)));
    }
    let own = own(blocks);
    files.push((PathBuf::from("_blocks.py"), own.clone()));
    files.push((PathBuf::from("_blocks.pyi"), own));
    files
}

/// The names of the blocks without modules, which the package itself exports.
fn own(blocks: &[Block]) -> String {
    let mut text = "\"\"\"\nThe package's own names.\n\"\"\"\n\n".to_owned();
    let mut all = Vec::new();
    for block in blocks.iter().filter(|block| block.module.is_none()) {
        let names = exported(block);
        text += &format!("from .{} import {}\n", block.name, names.join(", "));
        all.extend(names);
    }
    text + &list(all)
}

/// The module of a block: `threshold/tdh2`.
fn module(block: &Block) -> &str {
    block.module.as_ref().unwrap_or(&block.name)
}

/// The full name of a block's module: `quorate.threshold.tdh2`.
pub(crate) fn dotted(block: &Block) -> String {
    format!("quorate.{}", module(block).replace('/', "."))
}

/// Writes the module of a block, which contains the modules `nested`.
#[must_use]
pub fn emit(block: &Block, nested: &[&str]) -> String {
    let constants = block.constants.iter().map(|one| constant(&one.name, &one.value.to_string(), &one.docs));
    let functions = block.classes.iter().filter(|class| class.kind == Kind::Module);
    let computed = functions.flat_map(|class| &class.functions).filter(|function| function.is_constant());
    let computed =
        computed.map(|one| constant(&one.name.to_uppercase(), &format!("tuple(_{}())", one.name), &one.docs));
    let defaults = block.classes.iter().filter_map(defaults);
    let body: String = constants.chain(computed).chain(definitions(block, true)).chain(defaults).collect();
    let imported = imports(block, nested, &body).replace("from ", "    from ");
    let imported = if imported.is_empty() {
        String::new()
    } else {
        format!("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n{imported}\n")
    };
    format!(
        "{docs}\nfrom __future__ import annotations\n\n{standard}{imported}{natives}{all}{body}{inner}",
        docs = Style::Python.comment(&block.docs, 0),
        standard = standard(&body),
        natives = natives(block, &dots(block, nested)),
        all = all(block, nested),
        inner = inner(nested),
    )
}

/// The imports from the native module.
fn natives(block: &Block, dots: &str) -> String {
    let mut natives = String::new();
    let mut native = |written: &str, name: &str| {
        let renamed = if written == name { String::new() } else { format!(" as {name}") };
        natives += &format!("from {dots}_native import {written}{renamed}\n");
    };
    for class in &block.classes {
        match class.kind {
            Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => native(&class.native, &class.name),
            Kind::Module => {
                for function in &class.functions {
                    let name = &function.name;
                    let private = if function.is_constant() { "_" } else { "" };
                    native(&native_function(block, name), &format!("{private}{name}"));
                    if function.is_slow() {
                        native(&native_function(block, &format!("{name}_async")), &format!("{name}_async"));
                    }
                }
            }
            Kind::Names => class.getters().for_each(|getter| {
                let name = name_property(class, &getter.name);
                native(&native_function(block, &name), &format!("_{name}"));
            }),
            Kind::Data | Kind::Union => {}
        }
    }
    if block.classes.iter().any(|class| defaults(class).is_some()) {
        natives += &format!("from {dots}_signature import show_defaults\n");
    }
    natives
}

/// Shows the durations among the defaults of a constructor.
fn defaults(class: &Class) -> Option<String> {
    let shown = class.constructor()?.parameters.iter().filter_map(|one| match Default::of(one)? {
        default @ Default::Duration(_) => Some(format!("{}={}", one.name, default.python())),
        Default::Number(_) | Default::False | Default::Empty => None,
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| format!("\nshow_defaults({}, {})\n", class.name, shown.join(", ")))
}

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
    for name in BOUND.iter().filter(|name| block.class(name).is_none()) {
        text += &import(&format!("{dots}{}", bound_module(name)), &[name], code);
    }
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
    let used: Vec<&str> = names.iter().copied().filter(|name| words.contains(name)).collect();
    if used.is_empty() { String::new() } else { format!("from {module} import {}\n", used.join(", ")) }
}

/// The dots before the name of a module in the package's own folder.
fn dots(block: &Block, nested: &[&str]) -> String {
    let is_folder = !nested.is_empty();
    ".".repeat(module(block).split('/').count() + usize::from(is_folder))
}

/// The list of the names that the module exports.
pub(crate) fn all(block: &Block, nested: &[&str]) -> String {
    let mut names: Vec<String> = nested.iter().map(|&name| name.to_owned()).collect();
    names.extend(exported(block));
    list(names)
}

fn list(mut names: Vec<String>) -> String {
    names.sort();
    let names: String = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    format!("\n__all__ = [\n{names}]\n")
}

/// The names of a block.
fn exported(block: &Block) -> Vec<String> {
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
    let names: Vec<String> = nested.iter().map(|name| format!("{name} as {name}")).collect();
    if names.is_empty() { String::new() } else { format!("\nfrom . import {}\n", names.join(", ")) }
}

fn constant(name: &str, value: &str, docs: &Docs) -> String {
    format!("\n{name}: Final = {value}\n{}", Style::Python.comment(docs, 0))
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
    let names: Vec<&str> = class.variants.iter().map(|variant| variant.name.as_str()).collect();
    let docs = Style::Python.comment(&class.docs, 0);
    format!("{variants}\n{}: TypeAlias = {}\n{docs}", class.name, names.join(" | "))
}

fn field(field: &Field) -> String {
    let kind = stub::result_type(&field.kind);
    let docs = Style::Python.comment(&field.docs, 4);
    format!("    {}: {kind}\n{docs}", field.name)
}

fn names(class: &Class, bodies: bool) -> String {
    let variant = |Variant { name, text, docs, .. }: &Variant| {
        format!("    {} = \"{text}\"\n{}", snake(name).to_uppercase(), Style::Python.comment(docs, 4))
    };
    let variants: String = class.variants.iter().map(variant).collect();
    let getter = |getter: &Function| {
        let kind = getter.result.as_ref().map_or_else(|| "None".to_owned(), stub::result_type);
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
