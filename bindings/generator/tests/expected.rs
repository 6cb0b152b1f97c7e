//! What is written for the blocks in `expected/tree.txt` and `expected/kinds.txt`, in each language. With
//! `QUORATE_WRITE=1` the test writes the files instead; review the changes before you commit them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use quorate_generator::model::Block;
use quorate_generator::typescript::Package;
use quorate_generator::{
    kotlin, kotlin_glue, link, node, parse, python, python_module, stub, typescript, wasm,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_default()
}

/// The blocks of both inputs: the second one imports classes of the first.
fn blocks() -> Result<[Block; 2], String> {
    let mut blocks = [
        parse::block("tree", &[&read("tree.txt")], &[])?,
        parse::block("kinds", &[&read("kinds.txt")], &[])?,
    ];
    link::link(&mut blocks)?;
    Ok(blocks)
}

fn compare(name: &str, text: &str) {
    if env::var_os("QUORATE_WRITE").is_some() {
        assert!(fs::write(folder().join(name), text).is_ok(), "{name} cannot be written");
    }
    assert_eq!(text, read(name), "{name}");
}

#[test]
fn each_language_gets_the_expected_text() {
    let [tree, kinds] = blocks().unwrap();
    compare("python.txt", &python::emit(&tree));
    compare("stub.txt", &stub::emit(&tree, &[]));
    compare("node.txt", &node::emit(&tree));
    compare("wasm.txt", &wasm::emit(&tree));
    compare("node-typescript.txt", &typescript::emit(&tree, Package::Node).unwrap());
    compare("web-typescript.txt", &typescript::emit(&tree, Package::Web).unwrap());
    compare("kinds-node.txt", &node::emit(&kinds));
    compare("kinds-wasm.txt", &wasm::emit(&kinds));
    compare("kinds-node-typescript.txt", &typescript::emit(&kinds, Package::Node).unwrap());
    compare("kotlin-glue.txt", &kotlin_glue::emit(&tree));
    compare("kotlin.txt", &kotlin::emit(&tree));
    compare("kinds-python.txt", &python::emit(&kinds));
    compare("kinds-python-module.txt", &python_module::emit(&kinds, &[]));
    compare("kinds-stub.txt", &stub::emit(&kinds, &[]));
    compare("kinds-kotlin-glue.txt", &kotlin_glue::emit(&kinds));
    compare("kinds-kotlin.txt", &kotlin::emit(&kinds));
}

#[test]
fn every_block_of_the_interface_is_read() {
    let blocks = quorate_generator::blocks().unwrap();
    assert!(blocks.iter().all(|block| !block.classes.is_empty() && !block.docs.text.is_empty()));
}
