//! The declarations of both packages for JavaScript: `BLOCK.d.ts`.

use crate::docs::Style;
use crate::javascript::is_property;
use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::camel;

/// Writes the declarations of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let head = Style::TypeScript.comment(&block.docs, 0);
    let suite = "\nimport type { Suite } from '../types/suites.js';\n";
    let head = head + if block.has_suites() { suite } else { "" };
    block.classes.iter().fold(head, |all, one| all + &class(one))
}

/// The members of each object: its memory is not JavaScript's.
const FREE: &str = "  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */\n  free(): void;\n  [Symbol.dispose](): void;\n";

fn class(class: &Class) -> String {
    let docs = Style::TypeScript.comment(&class.docs, 0);
    let private = if class.constructor().is_none() { "  private constructor();\n" } else { "" };
    let functions: String = class.functions.iter().map(function).collect();
    let equality =
        if class.equality { format!("  equals(other: {}): boolean;\n", class.name) } else { String::new() };
    format!(
        "\n{docs}export class {} {{\n  #private;\n{FREE}{private}{functions}{equality}  toString(): string;\n}}\n",
        class.name
    )
}

fn function(function: &Function) -> String {
    let mut described = function.clone();
    if function.role == Role::Getter && !is_property(function) {
        described.docs.text = returning(&function.docs.text);
    }
    let docs = Style::TypeScript.function(&described, 2);
    let name = camel(&function.name);
    let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
    let parameters = parameters.join(", ");
    let result = match &function.result {
        None => "void",
        Some(Type::Text) => "string",
        Some(Type::Bytes) => "Uint8Array",
        Some(Type::BytesList) => "Uint8Array[]",
        Some(Type::U8 | Type::U32 | Type::Size) => "number",
        Some(Type::U64) => "bigint",
        Some(Type::Suite) => "Suite",
        Some(Type::Class(name)) => name,
    };
    let declared = match function.role {
        Role::Constructor => format!("constructor({parameters})"),
        Role::Static => format!("static {name}({parameters}): {result}"),
        _ if is_property(function) => format!("readonly {name}: {result}"),
        _ => format!("{name}({parameters}): {result}"),
    };
    // The description of a constructor is that of its class.
    let docs = if function.role == Role::Constructor && function.docs.errors.is_empty() {
        String::new()
    } else {
        docs
    };
    format!("{docs}  {declared};\n")
}

/// The description of a property as that of a method: `The siblings.` as `Returns the siblings.`
fn returning(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    format!("Returns {}", first.into_iter().chain(letters).collect::<String>())
}

fn parameter(parameter: &Parameter) -> String {
    let kind = match &parameter.kind {
        Type::Text => "string",
        Type::Bytes => "Uint8Array",
        Type::BytesList => "Iterable<Uint8Array>",
        Type::U8 | Type::U32 | Type::Size => "number",
        Type::U64 => "bigint",
        Type::Suite => "Suite",
        Type::Class(name) => name,
    };
    format!("{}: {kind}", camel(&parameter.name))
}
