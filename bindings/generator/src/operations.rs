//! The operations of `spec/vectors`, written once in `quorate-interface/operations`, as a test module of each language.
//!
//! An operation takes the `input` object of a case and returns the `output` object; it raises errors. It is a function in
//! the syntax of Rust, which is read here and never compiled: there are no references, no lifetimes and no `?`.
//!
//! - `pub fn verify` in `pub mod vote` is the operation `vote.verify`; other functions are helpers. A function sees those
//!   of its module and those outside modules. Modules of several files can have one name. A macro of one rule makes
//!   several modules of one text.
//! - Classes and their functions are those of the interface: `tdh2::PublicKeys::decode(bytes)`, by the end of the path of
//!   the block if the name alone is not unique. Trailing optional arguments can be left out.
//! - A call that decodes, as `Vote::decode(suite, bytes)`, always fails if the result does not encode to the same bytes.
//! - Statements are `let`, `for`, `if`, `if let Some(name) = …`, `match` on texts and integers, `return`, and
//!   `check!(condition)`, which ends the test if the condition is false.
//! - `json! { name: value }` is an object; a value becomes bytes in hexadecimal digits, a decimal text of integers of 64 bits
//!   and more, or a list.
//! - `builtin` lists the functions that each language has for these tests, and those of inputs and lists.
//!
//! Integers of 64 bits and more are written `0u64`, of 32 bits `0u32`, because languages have different types for them.

mod builtin;
mod call;
mod expression;
mod json;
mod language;
mod source;
mod statement;
mod types;

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::model::Block;
use crate::names::camel;
use language::Outcome;
use source::Operation;
use types::World;

pub use language::Language;

/// The folder with the operations.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../interface/operations")
}

/// Writes the operations of all files in a language.
///
/// # Errors
/// A text that names the function and what is unknown in it.
pub fn module(blocks: &[Block], language: Language) -> Outcome<String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder().display());
    let entries = fs::read_dir(folder()).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<PathBuf> = entries.map_err(problem)?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    let sources = paths.iter().map(fs::read_to_string).collect::<Result<Vec<_>, _>>().map_err(problem)?;
    emit(blocks, language, &sources)
}

/// Writes the operations of these sources in a language.
///
/// # Errors
/// As [`module`].
pub fn emit(blocks: &[Block], language: Language, sources: &[String]) -> Outcome<String> {
    let operations = source::read(sources)?;
    let world = World::new(blocks, language, &operations)?;
    let functions = operations.iter().map(|one| {
        let text = statement::function(&world, one);
        text.map_err(|problem| format!("operation {}: {problem}", one.name))
    });
    let functions = functions.collect::<Outcome<Vec<_>>>()?.join("\n");
    let public = operations.iter().filter_map(|one| Some((one.public.as_ref()?, one)));
    let table = |line: fn(&str, &Operation) -> String| -> String {
        public.map(|(name, operation)| line(name, operation)).collect()
    };
    Ok(match language {
        Language::Python => {
            let table = table(|name, one| format!("    \"{name}\": {},\n", one.name));
            format!("from vector_support import *\n\n\n{functions}\n\nOPERATIONS = {{\n{table}}}\n")
        }
        Language::JavaScript => {
            let names = builtin::names().map(camel).collect::<Vec<_>>().join(", ");
            let table = table(|name, one| format!("    \"{name}\": {},\n", camel(&one.name)));
            format!(
                "export function operations(q, support) {{\n  const {{ {names} }} = support;\n\n{functions}\n  return {{\n{table}  }};\n}}\n"
            )
        }
        Language::Kotlin => {
            let table = table(|name, one| format!("            \"{name}\" -> {}(input)\n", camel(&one.name)));
            format!(
                "package org.quorate\n\nimport com.google.gson.JsonElement\nimport com.google.gson.JsonNull\n\n\
                 internal object VectorOperations {{\n    fun run(operation: String, input: JsonElement): JsonElement =\n        \
                 when (operation) {{\n{table}            else -> error(\"no operation $operation\")\n        }}\n\n{functions}}}\n"
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(language: Language, source: &str) -> Outcome<String> {
        emit(&crate::blocks()?, language, &[source.to_owned()])
    }

    const VERIFY: &str = "pub mod vote { pub fn verify(input: Json) -> Json { \
        let vote = Vote::decode(suite(input.u8(\"suite\")), input.bytes(\"vote\")); \
        json! { view: vote.statement().view() } } }";

    #[test]
    fn a_call_that_decodes_encodes_again_in_each_language() {
        let of = |language| written(language, VERIFY).unwrap();
        let python = of(Language::Python);
        assert!(python.contains("again(unhex(input[\"vote\"]), lambda data: quorate.Vote.decode(suite(int(input[\"suite\"])), data), lambda it: it.encode())"), "{python}");
        assert!(python.contains("{\"view\": wide(vote.statement.view)}"), "{python}");
        assert!(python.contains("    \"vote.verify\": vote_verify,\n"), "{python}");
        let kotlin = of(Language::Kotlin);
        assert!(
            kotlin.contains("{ data -> org.quorate.Vote.decode(suite(input.at(\"suite\").asInt), data) }"),
            "{kotlin}"
        );
        assert!(kotlin.contains("private fun voteVerify(input: JsonElement): JsonElement {"), "{kotlin}");
        let javascript = of(Language::JavaScript);
        assert!(javascript.contains("\"view\": shown(vote.statement.view)"), "{javascript}");
    }

    #[test]
    fn unknown_functions_are_named() {
        let source = VERIFY.replace("statement()", "statements()");
        let problem = written(Language::Python, &source).unwrap_err();
        assert!(problem.contains("vote_verify") && problem.contains("Vote::statements"), "{problem}");
        let problem = written(Language::Kotlin, "fn f(input: Json) { votes(input); }").unwrap_err();
        assert!(problem.contains("no function votes"), "{problem}");
    }

    #[test]
    fn all_operations_can_be_written_in_each_language() {
        let blocks = crate::blocks().unwrap();
        for language in [Language::Python, Language::JavaScript, Language::Kotlin] {
            let text = module(&blocks, language).unwrap();
            assert!(text.contains("\"gossip.session\""), "{text}");
        }
    }
}
