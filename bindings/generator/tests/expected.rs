//! What is written for the blocks in `expected/tree.txt` and `expected/watch.txt`, in each language. They have each mark and
//! each type once. `error.txt` and `operation.txt` have errors and operations. With `QUORATE_WRITE=1` the test writes the
//! files instead; review the changes before you commit them. Comments and lines without words of blocks are left out.

use std::path::{Path, PathBuf};
use std::{env, fs};

use quorate_generator::model::Block;
use quorate_generator::operations::{self, Language};
use quorate_generator::typescript::Package;
use quorate_generator::{
    errors, kotlin, kotlin_glue, link, node, parse, python, python_module, stub, typescript, wasm,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_default()
}

/// The keys, and the blocks of both inputs, of which the first one imports a class of the second.
fn blocks() -> Result<[Block; 3], String> {
    let keys = "//! Keys.\n\n/// A key.\n#[cfg_attr(binding, object, secret)]\npub struct SecretKey;\n\
        #[cfg_attr(binding, object)]\npub struct PublicKey;\n#[cfg_attr(binding, object, secret)]\npub struct Guard;\n\
        #[cfg_attr(binding, encoded)]\npub struct CommitteeId;\nimpl CommitteeId {\n\
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {}\n#[cfg_attr(binding, getter)]\npub fn bytes(&self) -> Hash {}\n}";
    let mut blocks = [
        parse::block("keys", &[keys], &[])?,
        parse::block("tree", &[&read("tree.txt")], &[])?,
        parse::block("watch", &[&read("watch.txt")], &[])?,
    ];
    link::link(&mut blocks)?;
    Ok(blocks)
}

/// The lines of generated code that have words and are no comments.
fn code(text: &str) -> String {
    let is_comment = |line: &str| ["//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
    let mut in_docstring = false;
    let lines = text.lines().filter(|line| {
        let line = line.trim();
        let marks = line.matches("\"\"\"").count();
        let is_docstring = in_docstring || marks > 0;
        in_docstring ^= marks == 1;
        line.contains(char::is_alphanumeric) && !is_docstring && !is_comment(line)
    });
    lines.map(|line| format!("{line}\n")).collect()
}

fn compare(name: &str, texts: &[String]) {
    compare_all(name, &texts.iter().map(|text| code(text)).collect::<Vec<_>>());
}

/// Compares the comments too.
fn compare_all(name: &str, texts: &[String]) {
    let text = texts.join("----\n");
    if env::var_os("QUORATE_WRITE").is_some() {
        assert!(fs::write(folder().join(name), &text).is_ok(), "{name} cannot be written");
    }
    assert_eq!(text, read(name), "{name}");
}

#[test]
fn each_language_gets_the_expected_text() {
    let [_, tree, watch] = blocks().unwrap();
    let both = |emit: &dyn Fn(&Block) -> String| [emit(&tree), emit(&watch)];
    compare("python.txt", &both(&python::emit));
    compare("python-module.txt", &both(&|block| python_module::emit(block, &[])));
    compare("stub.txt", &both(&|block| stub::emit(block, &[])));
    compare("node.txt", &both(&node::emit));
    compare("wasm.txt", &both(&wasm::emit));
    compare("typescript.txt", &both(&|block| typescript::emit(block, Package::Node).unwrap()));
    compare("kotlin-glue.txt", &both(&kotlin_glue::emit));
    compare("kotlin.txt", &both(&kotlin::emit));
}

#[test]
fn each_error_is_a_class_of_each_language() {
    let mut classes = errors::read(&read("error.txt")).unwrap();
    classes.push(errors::closed());
    compare_all("error-python.txt", &[errors::python::emit(&classes)]);
    compare_all("error-kotlin.txt", &[errors::kotlin::emit(&classes)]);
    compare_all(
        "error-typescript.txt",
        &[errors::typescript::emit(&classes), errors::typescript::public(&classes)],
    );
}

#[test]
fn each_operation_and_behaviour_is_a_function_of_each_language() {
    let blocks = quorate_generator::blocks().unwrap();
    let emit = |language| operations::emit(&blocks, language, &[read("operation.txt")]).unwrap();
    compare_all("operation-python.txt", &[emit(Language::Python)]);
    compare_all("operation-javascript.txt", &[emit(Language::JavaScript)]);
    compare_all("operation-kotlin.txt", &[emit(Language::Kotlin)]);
}

#[test]
fn what_users_read_has_the_descriptions() {
    let [_, tree, _] = blocks().unwrap();
    let typescript = typescript::emit(&tree, Package::Node).unwrap();
    for text in [python::emit(&tree), stub::emit(&tree, &[]), typescript, kotlin::emit(&tree)] {
        for described in [
            "Several trees.",
            "Verifies that a member cut",
            "Maximum number of trees.",
            "siblings, bottom first",
        ] {
            assert!(text.contains(described), "{described}: {text}");
        }
    }
}

#[test]
fn only_node_has_functions_that_run_on_other_threads() {
    let [_, tree, _] = blocks().unwrap();
    let [node, web] = [Package::Node, Package::Web].map(|package| typescript::emit(&tree, package).unwrap());
    assert!(node.contains("mergeAsync(") && !web.contains("Async"));
    assert!(web.lines().all(|line| node.contains(line)));
}

#[test]
fn every_block_of_the_interface_is_read() {
    let blocks = quorate_generator::blocks().unwrap();
    assert!(blocks.iter().all(|block| !block.classes.is_empty() && !block.docs.text.is_empty()));
}
