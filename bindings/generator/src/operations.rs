//! The operations of `spec/vectors` and the behaviours of the blocks, written once in `quorate-interface/operations`, as a
//! test module of each language.
//!
//! An operation takes the `input` object of a case and returns the `output` object; it raises errors. A behaviour is a test
//! of its own: it has no input, and fails if a check does; with `suite: CountedSuite`, it runs for each of
//! `counted_suites()`. Both are functions in the syntax of Rust, which is read here and
//! never compiled: there are no references, no lifetimes and no `?`.
//!
//! - `pub fn verify` in `pub mod vote` is the operation or behaviour `vote.verify`; other functions are helpers. A function
//!   sees those of its module and those outside modules. Modules of several files can have one name. A macro of one rule
//!   makes several modules of one text.
//! - Classes and their functions are those of the interface: `tdh2::PublicKeys::decode(bytes)`, by the end of the path of
//!   the block if the name alone is not unique. Trailing optional arguments can be left out.
//! - A call that decodes, as `Vote::decode(suite, bytes)`, always fails if the result does not encode to the same bytes. The
//!   first calls also decode these bytes truncated, extended and changed, which must be refused, or encode to themselves.
//! - A hook is a closure: `signer.detect_copies(|| 1u64)`. No value changes, so that one with several answers asks an object.
//! - Statements are `let`, `for`, `if`, `if let Some(name) = …`, `match` on texts and integers, `return`, and
//!   `check!(condition)`, which ends the test if the condition is false.
//! - `refuses!(BAD_SHARE, call, …)` and `refuses!(BAD_SHARE, [0], call, …)`, with the members at fault, check that each call
//!   fails with this error of the core; `any` is each of them. `out_of_range!(member, call)` checks that the language
//!   refuses an integer, and names the parameter. `throws!(own, call, …)` checks that the error of `own_error()`, which a hook
//!   calls, reaches the caller of each call; `throws!(recursion, call)` expects that of endless recursion.
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

/// The folder of the behaviours, within that.
const BEHAVIOURS: &str = "behaviour";

/// Writes the operations and behaviours of all files in a language.
///
/// # Errors
/// A text that names the function and what is unknown in it.
pub fn module(blocks: &[Block], language: Language) -> Outcome<String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder().display());
    let entries = fs::read_dir(folder()).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<PathBuf> = entries.map_err(problem)?.iter().map(fs::DirEntry::path).collect();
    let behaviours = fs::read_dir(folder().join(BEHAVIOURS)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    paths.extend(behaviours.map_err(problem)?.iter().map(fs::DirEntry::path));
    paths.retain(|path| path.is_file());
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
    // The public functions with or without an input, by a line for each.
    let table = |has_input: bool, line: fn(&str, &Operation) -> String| -> String {
        let public = operations.iter().filter(|one| one.has_input() == has_input);
        public.filter_map(|one| Some(line(one.public.as_ref()?, one))).collect()
    };
    Ok(match language {
        Language::Python => {
            let line = |name: &str, one: &Operation| format!("    \"{name}\": {},\n", one.name);
            let (operations, behaviours) = (table(true, line), table(false, line));
            format!(
                "from vector_support import *\n\n\n{functions}\n\nOPERATIONS = {{\n{operations}}}\n\nBEHAVIOURS = {{\n{behaviours}}}\n"
            )
        }
        Language::JavaScript => {
            let names = builtin::names().map(camel).collect::<Vec<_>>().join(", ");
            let line = |name: &str, one: &Operation| format!("    \"{name}\": {},\n", camel(&one.name));
            let (operations, behaviours) = (table(true, line), table(false, line));
            format!(
                "export function tests(q, support) {{\n  const {{ {names} }} = support;\n\n{functions}\n  const operations = {{\n\
                 {operations}  }};\n  const behaviours = {{\n{behaviours}  }};\n  return {{ operations, behaviours }};\n}}\n"
            )
        }
        Language::Kotlin => {
            let operations =
                table(true, |name, one| format!("            \"{name}\" -> {}(input)\n", camel(&one.name)));
            let behaviours =
                table(false, |name, one| format!("        \"{name}\" to {{ {}() }},\n", camel(&one.name)));
            format!(
                "package org.quorate\n\nimport com.google.gson.JsonElement\nimport com.google.gson.JsonNull\n\n\
                 internal object VectorOperations {{\n    fun run(operation: String, input: JsonElement): JsonElement =\n        \
                 when (operation) {{\n{operations}            else -> error(\"no operation $operation\")\n        }}\n\n    \
                 val behaviours: Map<String, () -> Unit> = mapOf(\n{behaviours}    )\n\n{functions}}}\n"
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

    #[test]
    fn a_value_cannot_hide_a_function() {
        let problem = written(Language::Python, "fn f() { let again = 3; }").unwrap_err();
        assert!(problem.contains("the value again hides"), "{problem}");
        let problem = written(Language::Python, "fn g() { f(); } fn f() { let g = 3; g(); }").unwrap_err();
        assert!(problem.contains("the value g hides"), "{problem}");
    }

    #[test]
    fn unknown_functions_are_named() {
        let source = "pub mod vote { pub fn verify(input: Json) { \
            Vote::decode(suite(input.u8(\"suite\")), input.bytes(\"vote\")).statements(); } }";
        let problem = written(Language::Python, source).unwrap_err();
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
