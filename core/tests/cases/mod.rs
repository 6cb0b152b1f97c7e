//! The cases of `spec/vectors`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use quorate::Result;
use serde_json::Value;

/// The folder of the vectors.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors")
}

/// Runs all cases of a block's file with `operation`, which maps the name of an operation and its input to its output.
pub(crate) fn run(block: &str, operation: fn(&str, &Value) -> Result<Value>) {
    let text = std::fs::read_to_string(folder().join(format!("{block}.json"))).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let committees: BTreeMap<String, Value> =
        file.get("committees").map(|c| serde_json::from_value(c.clone()).unwrap()).unwrap_or_default();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 20, "{block}.json has too few cases");
    let mut failures = Vec::new();
    for case in cases {
        let mut input = case["input"].clone();
        for field in ["committee", "voters", "identities"] {
            if let Some(name) = input[field].as_str() {
                input[field] = committees[name].clone();
            }
        }
        let (outcome, output) = match operation(case["operation"].as_str().unwrap(), &input) {
            Ok(output) => ("ok".to_owned(), output),
            Err(error) => (error.code().to_owned(), Value::Null),
        };
        let expected = case.get("output").cloned().unwrap_or(Value::Null);
        if outcome != case["expect"].as_str().unwrap() || output != expected {
            failures.push(format!(
                "{}: expected {} {expected}, got {outcome} {output}",
                case["name"], case["expect"]
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{block}.json, {} of {} cases:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}
