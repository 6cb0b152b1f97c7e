//! Reads and runs the cases of a file in `spec/vectors`, for the tests of the protocols.

use std::path::Path;
use std::sync::Arc;

use quorate::Result;
use quorate::committee::{ChainId, Committee, Repeats};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use serde_json::Value;

/// Runs all cases of a file, which has at least `minimum`. `run` gets the file, an operation and its input, and returns
/// the output.
///
/// # Panics
/// Panics with a list of the cases that fail.
pub(crate) fn run_cases(name: &str, minimum: usize, run: impl Fn(&Value, &str, &Value) -> Result<Value>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../spec/vectors").join(name);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > minimum, "{name} lacks cases");
    let mut failures = Vec::new();
    for case in cases {
        let (outcome, output) = match run(&file, case["operation"].as_str().unwrap(), &case["input"]) {
            Ok(output) => ("ok", output),
            Err(error) => (error.code(), Value::Null),
        };
        let expected = case.get("output").cloned().unwrap_or(Value::Null);
        if outcome != case["expect"] || output != expected {
            failures.push(format!(
                "{}: expected {} {expected}, got {outcome} {output}",
                case["name"], case["expect"]
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Decodes hexadecimal.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).unwrap()
}

/// Decodes the hexadecimal of 32 bytes.
pub(crate) fn array(value: &Value) -> [u8; 32] {
    bytes(value).try_into().unwrap()
}

/// Reads a decimal string.
pub(crate) fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(value: &Value) -> T {
    value.as_str().expect("a decimal string").parse().unwrap()
}

/// Decodes a value, and asserts that it encodes to the same bytes.
pub(crate) fn decode<C: ?Sized, T: Decode<C> + Encode>(data: &[u8], context: &C) -> Result<T> {
    let value = T::decode(data, context)?;
    assert_eq!(hex::encode(value.encode()), hex::encode(data), "re-encodes to different bytes");
    Ok(value)
}

/// Creates the committee of this name in a file.
pub(crate) fn committee<S: Scheme>(file: &Value, name: &Value) -> Arc<Committee<S>> {
    let definition = &file["committees"][name.as_str().unwrap()];
    assert_eq!(definition["suite"], S::SUITE);
    let members = definition["members"].as_array().unwrap().iter();
    let members =
        members.map(|m| (S::PublicKey::decode(&bytes(&m["public_key"]), &()).unwrap(), number(&m["weight"])));
    let (chain, epoch) = (ChainId(array(&definition["chain"])), number(&definition["epoch"]));
    Arc::new(Committee::from_attested(chain, epoch, members.collect(), Repeats::Refuse).unwrap())
}
