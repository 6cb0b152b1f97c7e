//! The functions that each language has for these tests, in its own words: `vector_support.py`, `vector-support.mjs` and
//! `VectorSupport.kt`.

use super::language::Outcome;
use super::types::{Code, Ty, World};

/// The functions that are not inline. An attempt is a verdict: a value or an error. `agree` compares those of a batch with the
/// single one.
const NAMES: &str = "
    again check equal some there unhex unwrap
    attempt outcome refused refuses out_of_range throws own_error culprits agree fail unknown
    shown is_whole parameters flipped utf8 together missing_folder damage_journal closes
";

/// True for a function that generated code calls without the source naming it, so no value may have its name.
pub(super) fn is_implicit(name: &str) -> bool {
    let implicit =
        "again check equal some there unwrap attempt refuses out_of_range throws utf8 wide reduce all any";
    implicit.split_whitespace().any(|one| one == name)
}

/// The expression of a function in each language, for a first argument of this type: `{0}` is that argument. `None` for a
/// function that the tests have.
pub(super) fn inline(name: &str, first: &Ty<'_>) -> Option<[&'static str; 3]> {
    Some(match name {
        "suite" => [
            "next(each for each in quorate.Suite if each.number == {0})",
            "Object.values(q.Suite).find((each) => q.SUITE_NUMBERS[each] === {0})",
            "Suite.fromNumber({0})",
        ],
        "has_threads" => ["True", "false", "true"],
        // Only JavaScript and Kotlin have objects that a user may free although they are no secrets.
        "may_free" => ["False", "true", "true"],
        "free" => ["None", "{0}.free()", "{0}.close()"],
        "is_same" => ["({0} is {1})", "({0} === {1})", "({0} === {1})"],
        "detail" => [
            "str({0}.details[{1}])",
            "String({0}.details[{1}])",
            "({0}.exceptionOrNull() as QuorateException).details[{1}].toString()",
        ],
        "suites" => ["list(quorate.Suite)", "Object.values(q.Suite)", "Suite.entries"],
        "is_suite" => [
            "any(each.number == {0} for each in quorate.Suite)",
            "Object.values(q.SUITE_NUMBERS).includes({0})",
            "Suite.entries.any { each -> each.number == {0} }",
        ],
        "suite_number" => ["{0}.number", "q.SUITE_NUMBERS[{0}]", "{0}.number"],
        "suite_named" => ["quorate.Suite({0})", "{0}", "Suite.fromName({0})"],
        "group" => [
            "next(each for each in quorate.threshold.Group if each.number == {0})",
            "['', 'ristretto255', 'secp256k1'][{0}]",
            "org.quorate.threshold.Group.fromNumber({0})",
        ],
        "is_closed" => ["{0}.closed", "{0}.closed", "isClosed({0})"],
        "yes" => ["(\"yes\" if {0} else \"no\")", "({0} ? 'yes' : 'no')", "(if ({0}) \"yes\" else \"no\")"],
        "microseconds" => {
            ["timedelta(microseconds={0})", "BigInt({0})", "java.time.Duration.ofNanos({0} * 1_000L)"]
        }
        "range" => ["range({0})", "Array.from({ length: {0} }, (_, at) => at)", "(0 until {0}).toList()"],
        "joined" => [
            "b\"\".join({0})",
            "Uint8Array.from({0}.flatMap((part) => [...part]))",
            "{0}.reduce(ByteArray::plus)",
        ],
        "zeros" => ["bytes({0})", "new Uint8Array({0})", "ByteArray(({0}).toInt())"],
        "filled" => {
            ["(bytes([{0}]) * {1})", "new Uint8Array({1}).fill({0})", "ByteArray({1}) { ({0}).toByte() }"]
        }
        "utf8" => ["{0}.encode()", "utf8({0})", "{0}.toByteArray()"],
        "slice" if *first == Ty::Bytes => {
            ["{0}[{1}:{2}]", "{0}.slice({1}, {2})", "{0}.copyOfRange({1}, {2})"]
        }
        "slice" => ["{0}[{1}:{2}]", "{0}.slice({1}, {2})", "{0}.subList({1}, {2})"],
        "encoded_u32" => [
            "{0}.to_bytes(4, \"little\")",
            "new Uint8Array(new Uint32Array([{0}]).buffer)",
            "java.nio.ByteBuffer.allocate(4).putInt(Integer.reverseBytes(({0}).toInt())).array()",
        ],
        "decoded_u16" => [
            "int.from_bytes({0}[{1} : {1} + 2], \"little\")",
            "({0}[{1}] + 256 * {0}[{1} + 1])",
            "(({0}[{1}].toInt() and 255) + 256 * ({0}[{1} + 1].toInt() and 255))",
        ],
        _ => return None,
    })
}

/// The names of all functions that the tests have.
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
        "check" | "agree" | "damage_journal" | "closes" | "free" => Ty::Unit,
        "yes" | "missing_folder" | "detail" => Ty::Text,
        "suite" | "suite_named" => Ty::Suite,
        "suites" => Ty::list(Ty::Suite),
        "is_suite" | "is_whole" | "is_closed" | "is_same" | "has_threads" | "may_free" => Ty::Bool,
        "suite_number" => Ty::Int("u8"),
        "group" => Ty::Class(world.class(&["threshold".to_owned()], "Group")?),
        "parameters" => Ty::Class(world.class(&["gossip".to_owned()], "Parameters")?),
        "unhex" | "joined" | "zeros" | "filled" | "flipped" | "encoded_u32" | "utf8" => Ty::Bytes,
        "microseconds" | "own_error" => Ty::Other,
        "decoded_u16" => Ty::Int("usize"),
        "range" => Ty::list(Ty::Int("u16")),
        "slice" => first,
        "together" => Ty::list(arguments.get(1).cloned().unwrap_or(Ty::Other)),
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
