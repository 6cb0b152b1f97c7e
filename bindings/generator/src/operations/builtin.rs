//! The functions that each language has for these tests, in its own words: `vector_support.py`, `vector-support.mjs` and
//! `VectorSupport.kt`.

use super::language::Outcome;
use super::types::{Code, Ty, World};

/// All functions. An attempt is a verdict: a value or an error. `agree` compares those of a batch with the single one.
const NAMES: &str = "
    again check equal some there unhex unwrap
    attempt outcome refused refuses all_refused out_of_range culprits agree fail unknown
    shown yes is_whole is_closed parameters
    suite suites is_suite suite_number suite_named group
    microseconds joined zeros filled flipped text_bytes encoded_u32 decoded_u16 with_u16 first slice
    present range last least utf8 missing_folder damage_journal
";

/// True for a function that generated code calls without the source naming it, so no value may have its name.
pub(super) fn is_implicit(name: &str) -> bool {
    let implicit =
        "again check equal some there unwrap attempt refuses out_of_range text_bytes yes wide reduce all any";
    implicit.split_whitespace().any(|one| one == name)
}

/// The names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split_whitespace()
}

/// The type of the result of a function, with the types of its arguments; `None` if there is no such function.
pub(super) fn result<'a>(world: &World<'a>, name: &str, arguments: &[Ty<'a>]) -> Outcome<Option<Ty<'a>>> {
    let first = arguments.first().cloned().unwrap_or(Ty::Other);
    Ok(Some(match name {
        "attempt" => Ty::Verdict(Box::new(first)),
        "refused" => Ty::Optional(Box::new(Ty::Text)),
        "outcome" | "shown" | "fail" | "unknown" => Ty::Json,
        "culprits" => Ty::list(Ty::Int("u16")),
        "check" | "agree" | "all_refused" | "damage_journal" => Ty::Unit,
        "yes" | "missing_folder" => Ty::Text,
        "suite" | "suite_named" => Ty::Suite,
        "suites" => Ty::list(Ty::Suite),
        "is_suite" | "is_whole" | "is_closed" => Ty::Bool,
        "suite_number" => Ty::Int("u8"),
        "group" => Ty::Class(world.class(&["threshold".to_owned()], "Group")?),
        "parameters" => Ty::Class(world.class(&["gossip".to_owned()], "Parameters")?),
        "unhex" | "joined" | "zeros" | "filled" | "flipped" | "encoded_u32" | "with_u16" | "first"
        | "utf8" => Ty::Bytes,
        "microseconds" => Ty::Other,
        "decoded_u16" => Ty::Int("usize"),
        "present" => Ty::list(first.inner().inner()),
        "range" => Ty::list(Ty::Int("u16")),
        "last" | "least" | "slice" => first,
        _ => return Ok(None),
    }))
}

/// A function of a list, of bytes, of an optional value, of a verdict, or of any value, without parameters; `None` if there
/// is no such function.
pub(super) fn property<'a>(world: &World<'a>, on: &Ty<'a>, value: &str, name: &str) -> Option<Code<'a>> {
    let (texts, kind) = match (name, on) {
        ("len", Ty::List(_) | Ty::Bytes) => (["len({0})", "{0}.length", "{0}.size"], Ty::Int("usize")),
        ("is_empty", Ty::List(_)) => (["(len({0}) == 0)", "({0}.length === 0)", "{0}.isEmpty()"], Ty::Bool),
        ("is_none", Ty::Optional(_)) => (["({0} is None)", "({0} == null)", "({0} == null)"], Ty::Bool),
        ("is_some", Ty::Optional(_)) => (["({0} is not None)", "({0} != null)", "({0} != null)"], Ty::Bool),
        ("unwrap", Ty::Optional(_)) => (["there({0})", "there({0})", "{0}!!"], on.inner()),
        ("close", Ty::Class(_)) => (["{0}.close()"; 3], Ty::Unit),
        ("unwrap", Ty::Verdict(_)) => (["unwrap({0})", "unwrap({0})", "{0}.getOrThrow()"], on.inner()),
        ("attempt", Ty::Verdict(_)) => {
            let texts = [
                "attempt(lambda: unwrap({0}))",
                "attempt(() => unwrap({0}))",
                "attempt { {0}.getOrThrow() }",
            ];
            (texts, on.clone())
        }
        ("code", Ty::Failure) => (["{0}.code"; 3], Ty::Text),
        ("to_string", _) => (["str({0})", "String({0})", "{0}.toString()"], Ty::Text),
        _ => return None,
    };
    Some((world.language.form(texts, &[value]), kind))
}
