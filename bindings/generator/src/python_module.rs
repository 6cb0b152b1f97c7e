//! Python's modules, from which users import the names of a block: `quorate/threshold/tdh2.py` and its stub.
//!
//! A module imports the classes and functions of its block from the native module, and defines in Python what only
//! carries values: plain data are named tuples, unions are dataclasses, and names are enumerations of texts.

use std::path::PathBuf;

use crate::docs::Style;
use crate::model::{Block, Class, Docs, Kind};
use crate::python::{Default, module, name_property, native_function};
use crate::python_definitions::{all, definitions, dots, exported, imports, inner, list, standard};
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

/// Writes the module of a block, which contains the modules `nested`.
#[must_use]
pub fn emit(block: &Block, nested: &[&str]) -> String {
    let constants = block.constants.iter().map(|one| constant(&one.name, &one.value.to_string(), &one.docs));
    let functions = block.classes.iter().filter(|class| class.kind == Kind::Module);
    let computed = functions.flat_map(|class| &class.functions).filter(|function| function.is_constant());
    let computed =
        computed.map(|one| constant(&one.name.to_uppercase(), &format!("tuple(_{}())", one.name), &one.docs));
    let defaults = block.classes.iter().filter_map(defaults);
    let body: String = constants.chain(definitions(block, true)).chain(computed).chain(defaults).collect();
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
    let shown = class.made_of().iter().filter_map(|one| match Default::of(one)? {
        default @ Default::Duration(_) => Some(format!("{}={}", one.name, default.python())),
        Default::Number(_) | Default::False | Default::Empty => None,
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| format!("\nshow_defaults({}, {})\n", class.name, shown.join(", ")))
}

fn constant(name: &str, value: &str, docs: &Docs) -> String {
    format!("\n{name}: Final = {value}\n{}", Style::Python.comment(docs, 0))
}
