//! What is written for the block `expected/tree.txt`, in each language. With `QUORATE_WRITE=1` the test writes the files
//! instead; review the changes before you commit them.

use std::path::Path;
use std::{env, fs};

use quorate_generator::typescript::Package;
use quorate_generator::{kotlin, kotlin_glue, node, parse, python, stub, typescript, wasm};

#[test]
fn each_language_gets_the_expected_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let block = parse::block("tree", &[&read("tree.txt")], &[]).unwrap();
    let outputs = [
        ("python.txt", python::emit(&block)),
        ("stub.txt", stub::emit(&block)),
        ("node.txt", node::emit(&block)),
        ("wasm.txt", wasm::emit(&block)),
        ("node-typescript.txt", typescript::emit(&block, Package::Node)),
        ("web-typescript.txt", typescript::emit(&block, Package::Web)),
        ("kotlin-glue.txt", kotlin_glue::emit(&block)),
        ("kotlin.txt", kotlin::emit(&block)),
    ];
    for (name, text) in outputs {
        if env::var_os("QUORATE_WRITE").is_some() {
            fs::write(folder.join(name), &text).unwrap();
        }
        assert_eq!(text, read(name), "{name}");
    }
}

#[test]
fn every_block_of_the_interface_is_read() {
    let blocks = quorate_generator::blocks().unwrap();
    assert!(blocks.iter().all(|block| !block.classes.is_empty() && !block.docs.text.is_empty()));
}
