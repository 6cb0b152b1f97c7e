//! `errors.ts`, the module with the error classes for JavaScript, and `public-errors.ts`, the list of what users see of it.

use super::{ErrorClass, Field, FieldKind};
use crate::docs::Style;
use crate::names::camel;

/// The parts of the module that do not depend on the list.
const TEMPLATE: &str = include_str!("errors.ts");

/// Writes the module.
#[must_use]
pub fn emit(classes: &[ErrorClass]) -> String {
    let codes: Vec<String> = classes.iter().map(|class| format!("  | '{}'", class.code)).collect();
    let written: Vec<String> = classes.iter().map(class).collect();
    let map: String =
        classes.iter().map(|class| format!("  {}: {}Error,\n", class.code, class.name)).collect();
    let mut small: Vec<String> = classes
        .iter()
        .flat_map(|class| &class.fields)
        .filter(|field| is_small(field))
        .map(|field| format!("'{}'", field.name))
        .collect();
    small.sort_unstable();
    small.dedup();
    TEMPLATE
        .replace("// CODES\n", &format!("{};\n", codes.join("\n")))
        .replace("// CLASSES\n", &written.concat())
        .replace("// MAP\n", &map)
        .replace("/* SMALL */", &small.join(", "))
}

/// Writes the list of the names that every entry of a package exports.
#[must_use]
pub fn public(classes: &[ErrorClass]) -> String {
    let names: String = classes.iter().map(|class| format!("  {}Error,\n", class.name)).collect();
    format!(
        "// The errors that every entry of a package exports.\n\nexport {{\n  CODES,\n  type ErrorCode,\n  type ErrorDetails,\n  QuorateError,\n{names}}} from './errors.js';\n"
    )
}

/// Numbers of at most 32 bits are `number`, the other ones `bigint`.
fn is_small(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Integer(bits) if bits <= 32)
}

fn class(class: &ErrorClass) -> String {
    let ErrorClass { name, code, .. } = class;
    let fields: String = if class.code == "CLOSED" {
        // Only the bindings make it, from the name of the class.
        "    /** Name of the object's class. */\n    readonly what: string;\n".to_owned()
    } else {
        class.fields.iter().map(property).collect()
    };
    let details = if fields.is_empty() { "{}".to_owned() } else { format!("{{\n{fields}  }}") };
    format!(
        "{}export class {name}Error extends QuorateError {{\n  declare readonly code: '{code}';\n  declare readonly details: {details};\n}}\n",
        Style::TypeScript.text(&class.docs.text, 0),
    )
}

fn property(field: &Field) -> String {
    let kind = match field.kind {
        FieldKind::Text => "string",
        FieldKind::Members => "readonly number[]",
        FieldKind::Integer(_) if is_small(field) => "number",
        FieldKind::Integer(_) => "bigint",
    };
    let mark = if field.always { "" } else { "?" };
    format!("{}    readonly {}{mark}: {kind};\n", Style::TypeScript.text(&field.docs, 4), camel(&field.name))
}
