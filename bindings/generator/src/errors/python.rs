//! `errors.py`, the module with Python's exceptions.

use super::{ErrorClass, Field, FieldKind};
use crate::docs::Style;

/// The parts of the module that do not depend on the list.
const TEMPLATE: &str = include_str!("errors.py");

/// Codes of exceptions that are also `ValueError`, as in Python's own decoders.
const VALUE_ERRORS: [&str; 6] =
    ["MALFORMED", "NON_CANONICAL", "TOO_LARGE", "NOT_IN_SUBGROUP", "INFINITY", "CLOSED"];

/// Writes the module.
#[must_use]
pub fn emit(classes: &[ErrorClass]) -> String {
    let mut names: Vec<String> = classes.iter().map(|class| format!("{}Error", class.name)).collect();
    names.push("QuorateError".to_owned());
    names.sort();
    let names: String = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    let written: String = classes.iter().map(class).collect();
    TEMPLATE.replace("    # NAMES\n", &names).replace("# CLASSES\n", written.trim_start())
}

fn class(class: &ErrorClass) -> String {
    let bases =
        if VALUE_ERRORS.contains(&class.code.as_str()) { "QuorateError, ValueError" } else { "QuorateError" };
    let fields: Vec<String> = class.fields.iter().map(field).collect();
    let text = format!("{}\n\n{}", class.docs.text, fields.join("\n"));
    let docs = Style::Python.text(text.trim(), 4);
    format!("\n\nclass {}Error({bases}):\n{docs}\n    code = \"{}\"\n", class.name, class.code)
}

fn field(field: &Field) -> String {
    let Field { name, docs, .. } = field;
    match (field.kind, field.always) {
        (FieldKind::Members, _) => format!("`culprits`: {docs}"),
        (_, true) => format!("`details[\"{name}\"]`: {docs}"),
        (_, false) => format!("`details[\"{name}\"]`, if present: {docs}"),
    }
}
