//! The classes of both packages for JavaScript, which share them. The compiler writes their declarations.

use crate::docs::Style;
use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::{camel, free_function, import_typescript};

/// Writes the module with the classes of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let classes: String = block.classes.iter().map(class).collect();
    let names: Vec<&str> = block.classes.iter().map(|class| class.name.as_str()).collect();
    let suite = if block.has_suites() { "import type { Suite } from './suites.js';\n" } else { "" };
    let check =
        if classes.contains("check.") { "import * as check from '../common/check.js';\n" } else { "" };
    format!(
        "{head}\n{check}{backend}{handle}{suite}{classes}\nnamed({{ {names} }});\n",
        head = Style::TypeScript.comment(&block.docs, 0),
        backend = import_typescript("./backend.js", &["byteStrings", "native"], &classes),
        handle = import_typescript(
            "./handle.js",
            &["Handle", "TOKEN", "named", "open", "wrap"],
            &format!("{classes} named")
        ),
        names = names.join(", "),
    )
}

/// True if a function is a property in JavaScript: a list, which the caller may change, is returned by a method.
fn is_property(function: &Function) -> bool {
    function.role == Role::Getter && function.result != Some(Type::BytesList)
}

fn class(class: &Class) -> String {
    let name = &class.name;
    let docs = Style::TypeScript.comment(&class.docs, 0);
    // It makes the class differ in type from others with the same members.
    let brand = "  declare private readonly brand: never;\n";
    let constructor =
        if class.constructor().is_none() { "  private constructor() {\n    super();\n  }\n" } else { "" };
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    let equality = format!(
        "  equals(other: {name}): boolean {{\n    return {};\n  }}\n",
        call(class, "equals", &[&receiver(class), &format!("open(other, {name}, 'other')")])
    );
    format!(
        "\n{docs}export class {name} extends Handle {{\n{brand}{constructor}{functions}{}  toString(): string {{\n    return {};\n  }}\n}}\n",
        if class.equality { equality.as_str() } else { "" },
        call(class, "text", &[&receiver(class)]),
    )
}

/// A call of the native function of a class.
fn call(class: &Class, function: &str, arguments: &[&str]) -> String {
    format!("native.{}({})", camel(&free_function(&class.name, function)), arguments.join(", "))
}

fn receiver(class: &Class) -> String {
    format!("open(this, {})", class.name)
}

fn function(class: &Class, function: &Function) -> String {
    let name = camel(&function.name);
    let receiver = matches!(function.role, Role::Method | Role::Getter).then(|| receiver(class));
    let arguments: Vec<String> =
        receiver.into_iter().chain(function.parameters.iter().map(argument)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let call = call(class, &function.name, &arguments);
    let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
    let parameters = parameters.join(", ");
    let body = match (&function.result, function.role) {
        (_, Role::Constructor) => format!("super(TOKEN, {call});"),
        (None, _) => format!("{call};"),
        (Some(Type::Class(result)), _) => format!("return wrap({result}, {call});"),
        _ => format!("return {call};"),
    };
    let result = result(function);
    let head = match function.role {
        Role::Constructor => format!("constructor({parameters})"),
        Role::Static => format!("static {name}({parameters}): {result}"),
        _ if is_property(function) => format!("get {name}(): {result}"),
        _ => format!("{name}({parameters}): {result}"),
    };
    format!("{}  {head} {{\n    {body}\n  }}\n", docs(function))
}

fn docs(function: &Function) -> String {
    // The description of a constructor is that of its class.
    if function.role == Role::Constructor && function.docs.errors.is_empty() {
        return String::new();
    }
    let mut described = function.clone();
    if function.role == Role::Getter && !is_property(function) {
        described.docs.text = returning(&function.docs.text);
    }
    Style::TypeScript.function(&described, 2)
}

/// The description of a property as that of a method: `The siblings.` as `Returns the siblings.`
fn returning(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    format!("Returns {}", first.into_iter().chain(letters).collect::<String>())
}

fn result(function: &Function) -> &str {
    match &function.result {
        None => "void",
        Some(Type::Text) => "string",
        Some(Type::Bytes) => "Uint8Array",
        Some(Type::BytesList) => "Uint8Array[]",
        Some(Type::U8 | Type::U32 | Type::Size) => "number",
        Some(Type::U64) => "bigint",
        Some(Type::Suite) => "Suite",
        Some(Type::Class(name)) => name,
    }
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

fn argument(parameter: &Parameter) -> String {
    let name = camel(&parameter.name);
    match &parameter.kind {
        Type::Text => format!("check.string({name}, '{name}')"),
        Type::Bytes => format!("check.bytes({name}, '{name}')"),
        Type::BytesList => format!("byteStrings(check.list({name}, '{name}', check.bytes))"),
        Type::U8 => format!("check.u8({name}, '{name}')"),
        Type::U32 | Type::Size => format!("check.u32({name}, '{name}')"),
        Type::U64 => format!("check.u64({name}, '{name}')"),
        Type::Suite => format!("check.suite({name})"),
        Type::Class(class) => format!("open({name}, {class}, '{name}')"),
    }
}
