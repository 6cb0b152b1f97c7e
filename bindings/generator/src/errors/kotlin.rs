//! `QuorateException.kt`, the file with the exceptions for Kotlin and Java.

use super::{ErrorClass, Field, FieldKind};
use crate::docs::Style;
use crate::names::{camel, pascal};

/// The parts of the file that do not depend on the list.
const TEMPLATE: &str = include_str!("QuorateException.kt");

/// Writes the file.
#[must_use]
pub fn emit(classes: &[ErrorClass]) -> String {
    let written: Vec<String> = classes.iter().map(class).collect();
    let branches: String = classes.iter().map(branch).collect();
    TEMPLATE
        .replace("    // CLASSES\n", &written.join("\n"))
        .replace("                // BRANCHES\n", &branches)
}

/// Only the binding makes `Closed`, from a text.
fn is_closed(class: &ErrorClass) -> bool {
    class.code == "CLOSED"
}

fn class(class: &ErrorClass) -> String {
    let ErrorClass { name, code, .. } = class;
    let culprits = class.fields.iter().find(|field| field.kind == FieldKind::Members);
    let culprits = culprits.map(|field| format!("\n\n[culprits]: {}", field.docs)).unwrap_or_default();
    let docs = Style::Kotlin.text(&format!("{}{culprits}", class.docs.text), 4);
    if is_closed(class) {
        return format!(
            "{docs}    public class {name} internal constructor(message: String) :\n        \
             QuorateException(\"{code}\", message, emptyList(), emptyMap())\n"
        );
    }
    let properties: Vec<String> = class.fields.iter().filter_map(property).collect();
    let body = match properties.as_slice() {
        [] => String::new(),
        all => format!(" {{\n{}    }}", all.join("\n")),
    };
    format!(
        "{docs}    public class {name} internal constructor(failure: Failure, hidden: Hidden = Hidden()) :\n        \
         QuorateException(\"{code}\", failure){body}\n"
    )
}

fn property(field: &Field) -> Option<String> {
    let (name, key) = (camel(&field.name), &field.name);
    let docs = if field.always {
        field.docs.clone()
    } else {
        format!("{} Null for an error without it.", field.docs)
    };
    let docs = Style::Kotlin.text(&docs, 8);
    let line = |kind: &str, value: &str| format!("public val {name}: {kind} get() = {value}");
    let code = match (field.kind, field.always) {
        (FieldKind::Members, _) => return None,
        (FieldKind::Text, true) => line("String", &format!("text(\"{key}\")")),
        (FieldKind::Text, false) => line("String?", &format!("details[\"{key}\"] as String?")),
        (FieldKind::Integer(_), false) => line("BigInteger?", &format!("details[\"{key}\"] as BigInteger?")),
        (FieldKind::Integer(8 | 16), true) => line("Int", &format!("number(\"{key}\").toInt()")),
        (FieldKind::Integer(32), true) => line("Long", &format!("number(\"{key}\").toLong()")),
        // Without the annotation the name for Java would have a suffix.
        (FieldKind::Integer(64), true) => format!(
            "public val {name}: ULong\n            @JvmName(\"get{}\")\n            get() = number(\"{key}\").toLong().toULong()",
            pascal(key)
        ),
        (FieldKind::Integer(_), true) => line("BigInteger", &format!("number(\"{key}\")")),
    };
    Some(format!("{docs}        {code}\n"))
}

fn branch(class: &ErrorClass) -> String {
    let argument = if is_closed(class) { "failure.text" } else { "failure" };
    format!("                \"{}\" -> {}({argument})\n", class.code, class.name)
}
