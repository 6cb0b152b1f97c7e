//! Writes the bindings' code from `quorate-interface`, the one declaration of the blocks' interface.
//!
//! [`parse`] reads a module of that crate into the [`model`]; each other module writes one kind of file from the model:
//!
//! | module | writes | used by |
//! |---|---|---|
//! | [`python`], [`node`], [`wasm`], [`kotlin_glue`] | Rust that pyo3, napi-rs, wasm-bindgen and uniffi export | `build.rs` of each binding |
//! | [`python_module`], [`stub`] | Python's modules and their type stubs | `build.rs` of that binding, for maturin, and `cargo xtask` |
//! | [`typescript`] | the classes for Node and the web | `cargo xtask` |
//! | [`kotlin`] | the classes for Kotlin and Java | `cargo xtask` |
//! | [`operations`] | the operations of the vectors for the tests of each language, from their own folder | `cargo xtask` |
//! | [`errors`] | the classes of errors, from the core's list | `build.rs` of Python's binding, and `cargo xtask` |
//!
//! [`macos`] sets what linkers must know there.
//!
//! The result is never checked in: build scripts write into cargo's `OUT_DIR`, and `cargo xtask` when it assembles a package.

pub mod docs;
pub mod errors;
mod expand;
pub mod kotlin;
pub mod kotlin_glue;
pub mod link;
pub mod macos;
mod marks;
pub mod model;
pub mod names;
pub mod node;
pub mod operations;
pub mod parse;
pub mod python;
mod python_definitions;
pub mod python_module;
pub mod stub;
pub mod typescript;
pub mod wasm;

use std::path::{Path, PathBuf};
use std::{env, fs};

use model::Block;
use parse::Listing;

/// The folder with the modules of `quorate-interface`: both crates are side by side in the repository and in each source
/// distribution.
pub(crate) fn interface() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../interface/src")
}

/// Reads all blocks: the public modules of `quorate-interface`, also those within another block.
///
/// # Errors
/// A text that names the file and the item outside the form that `quorate-interface` describes.
pub fn blocks() -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let lib = text(&interface().join("lib.rs"))?;
    let private = parse::files(&lib)?;
    let macros = private.iter().map(|file| text(&interface().join(format!("{file}.rs"))));
    add_blocks(&mut blocks, &lib, &interface(), "", &macros.collect::<Result<Vec<_>, _>>()?)?;
    link::link(&mut blocks)?;
    Ok(blocks)
}

/// Adds the blocks that a module lists, whose files are in `folder`. `macros` are the sources that may define macros.
fn add_blocks(
    blocks: &mut Vec<Block>,
    module: &str,
    folder: &Path,
    outer: &str,
    macros: &[String],
) -> Result<(), String> {
    for Listing { name, full, native } in parse::blocks(module)? {
        let path = if outer.is_empty() { name.clone() } else { format!("{outer}::{name}") };
        let sources = sources(&folder.join(&name))?;
        let texts: Vec<&str> = sources.iter().map(String::as_str).collect();
        let known: Vec<&str> = macros.iter().map(String::as_str).collect();
        let block = parse::block(&path, &texts, &known).map_err(|problem| format!("{path}: {problem}"))?;
        blocks.push(Block { full: full || is_within_full(blocks, outer), native, ..block });
        if let Some(first) = sources.first() {
            add_blocks(blocks, first, &folder.join(&name), &path, &sources)?;
        }
    }
    Ok(())
}

/// True if only the whole package has the block around another.
fn is_within_full(blocks: &[Block], outer: &str) -> bool {
    blocks.iter().any(|block| block.path == outer && block.full)
}

/// The text of a block's file, or of the files of its folder.
fn sources(block: &Path) -> Result<Vec<String>, String> {
    if !block.is_dir() {
        return Ok(vec![text(&block.with_extension("rs"))?]);
    }
    let first = text(&block.join("mod.rs"))?;
    let others: Result<Vec<String>, String> =
        parse::files(&first)?.iter().map(|file| text(&block.join(format!("{file}.rs")))).collect();
    Ok([vec![first], others?].concat())
}

fn text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// For a build script: writes the glue of each block into `OUT_DIR`, and `blocks.rs` with their modules. A binding with a
/// module that only verifies certificates gives the `condition` of the other blocks, an attribute.
///
/// # Errors
/// As [`blocks`], or if a file cannot be written.
pub fn write(condition: &str, emit: fn(&Block) -> String) -> Result<(), String> {
    let mut blocks = blocks()?;
    // The binding with such a module is WebAssembly's.
    blocks.retain(|block| condition.is_empty() || !block.native);
    let list = modules(&blocks, "pub", condition);
    write_files(glue(&blocks, emit).chain([(PathBuf::from(LIST), list)]).collect())
}

/// The file in `OUT_DIR` that the root of a binding's crate includes.
const LIST: &str = "blocks.rs";

/// The glue of the blocks, a file of each.
fn glue(blocks: &[Block], emit: fn(&Block) -> String) -> impl Iterator<Item = (PathBuf, String)> {
    blocks.iter().map(move |block| (PathBuf::from(format!("{}.rs", block.name)), emit(block)))
}

/// The modules of the blocks.
fn modules(blocks: &[Block], visibility: &str, condition: &str) -> String {
    const ALLOWED: &str = "#[allow(missing_docs, clippy::redundant_closure, clippy::type_complexity, clippy::unused_unit, \
        clippy::useless_asref, reason = \"one form of generated code for all types\")]\n";
    let module = |Block { name, full, .. }: &Block| {
        format!(
            "{}{ALLOWED}{visibility} mod {name} {{\n    include!(concat!(env!(\"OUT_DIR\"), \"/{name}.rs\"));\n}}\n",
            if *full { condition } else { "" }
        )
    };
    blocks.iter().map(module).collect()
}

/// For a build script: writes files into `OUT_DIR`, with the folders in their paths.
///
/// # Errors
/// A file cannot be written.
pub fn write_files(files: Vec<(PathBuf, String)>) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", interface().display());
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: only build scripts call this")?;
    for (path, text) in files {
        let file = Path::new(&out).join(path);
        let problem = |error| format!("{}: {error}", file.display());
        file.parent().map_or(Ok(()), fs::create_dir_all).map_err(problem)?;
        fs::write(&file, text).map_err(problem)?;
    }
    Ok(())
}
