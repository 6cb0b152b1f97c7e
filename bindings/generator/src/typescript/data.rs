//! Plain data: its types, and the functions that make it from the backend's objects.

use super::crossing::{check, converted, converter, parameter_name, reader, type_name};
use super::naming::native;
use crate::docs::Style;
use crate::model::{Block, Class, Docs, Field, Kind, Parameter, Type, Variant};
use crate::names::{camel, commas, javascript};

/// The type of a structure.
pub(super) fn interface(class: &Class) -> String {
    let docs = Style::TypeScript.comment(&class.docs, 0);
    format!("\n{docs}export interface {} {{\n{}}}\n", class.name, properties(class.fields(), 2))
}

/// The type of an enumeration whose variants have fields: a union that `kind` discriminates.
pub(super) fn union(class: &Class) -> String {
    let docs = Style::TypeScript.comment(&class.docs, 0);
    let variant = |variant: &Variant| {
        let docs = Style::TypeScript.comment(&variant.docs, 2);
        format!(
            "{docs}  | {{\n      readonly kind: '{}';\n{}    }}",
            variant.text,
            properties(&variant.fields, 6)
        )
    };
    let variants: Vec<String> = class.variants.iter().map(variant).collect();
    format!("\n{docs}export type {} =\n{};\n", class.name, variants.join("\n"))
}

/// The constants of an enumeration without fields, and their type.
pub(super) fn names(class: &Class) -> String {
    let docs = Style::TypeScript.comment(&class.docs, 0);
    let name = &class.name;
    let variant = |variant: &Variant| {
        let docs = Style::TypeScript.comment(&variant.docs, 2);
        format!("{docs}  {}: '{}',\n", variant.name, variant.text)
    };
    let variants: String = class.variants.iter().map(variant).collect();
    format!(
        "\n{docs}export const {name} = Object.freeze({{\n{variants}}} as const);\nexport type {name} = (typeof {name})[keyof typeof {name}];\n"
    )
}

fn properties(fields: &[Field], indent: usize) -> String {
    let property = |field: &Field| {
        let docs = Style::TypeScript.comment(&field.docs, indent);
        let space = " ".repeat(indent);
        format!("{docs}{space}readonly {}: {};\n", javascript(&field.name), type_name(&field.kind))
    };
    fields.iter().map(property).collect()
}

/// The type of plain objects in place of those of a class: the fields are the constructor's parameters.
pub(super) fn plain(class: &Class) -> String {
    let docs = Style::TypeScript.comment(&class.docs, 0);
    let property = |one: &Parameter| {
        let docs = class.function(&one.name).map(|getter| getter.docs.clone()).unwrap_or_default();
        let default = one.default.map(|number| format!(" Default: {number}.")).unwrap_or_default();
        let docs = Docs { text: docs.text + &default, ..docs };
        let mark = if matches!(one.kind, Type::Optional(_)) { "?" } else { "" };
        format!(
            "{}  readonly {}{mark}: {};\n",
            Style::TypeScript.comment(&docs, 2),
            parameter_name(one),
            type_name(&one.kind)
        )
    };
    let properties: String = class.made_of().iter().map(property).collect();
    format!("\n{docs}export interface {} {{\n{properties}}}\n", class.name)
}

/// The functions that make plain data for this code; those for classes of other blocks too, which keep theirs for
/// themselves.
pub(super) fn converters(block: &Block, code: &str) -> String {
    let mut written = String::new();
    // One converter may call another.
    loop {
        let known = format!("{code}{written}");
        let all = block.classes.iter().chain(&block.imported).chain(&block.reachable);
        let missing = all
            .filter(|class| class.plain || matches!(class.kind, Kind::Data | Kind::Union))
            .find_map(|class| {
                let is_missing = |name: &str| {
                    let is_called = ["(", ",", ")"].iter().any(|end| known.contains(&format!("{name}{end}")));
                    is_called && !known.contains(&format!("const {name} "))
                };
                match class {
                    class if class.plain && is_missing(&reader(class)) => Some(read(block, class)),
                    class if is_missing(&converter(class)) => Some(function(block, class)),
                    _ => None,
                }
            });
        match missing {
            Some(function) => written += &function,
            None => return written,
        }
    }
}

/// The handle of a plain object, whose fields are checked.
fn read(block: &Block, class: &Class) -> String {
    let names: Vec<String> = class.made_of().iter().map(parameter_name).collect();
    let field = |one: &Parameter| {
        let name = parameter_name(one);
        let checked = check(block, one.kind.inner().unwrap_or(&one.kind), one.limit);
        let checked = if matches!(one.kind, Type::Optional(_)) {
            format!("check.optional({checked})")
        } else {
            checked
        };
        format!("{checked}({name}, `${{what}}.{name}`)")
    };
    let fields = commas(class.made_of().iter().map(field));
    format!(
        "\nconst {} = (value: unknown, what: string): Raw => {{\n  const {{ {} }} = check.object(value, what);\n  return {};\n}};\n",
        reader(class),
        names.join(", "),
        native(class, "new", &fields),
    )
}

/// The plain object of a handle, which is freed.
fn shown(block: &Block, class: &Class) -> String {
    let field = |one: &Parameter| {
        let getter = class.function(&one.name);
        let value = native(class, &one.name, "raw");
        let value = match getter.and_then(|getter| getter.result.as_ref()) {
            Some(kind) => converted(block, kind, &value),
            None => value,
        };
        format!("{}: {value}", parameter_name(one))
    };
    let fields = commas(class.made_of().iter().map(field));
    let (converter, name) = (converter(class), &class.name);
    format!(
        "\nconst {converter} = (raw: Raw): {name} => {{\n  const shown = {{ {fields} }};\n  native.handleFree!(raw);\n  return shown;\n}};\n"
    )
}

fn function(block: &Block, class: &Class) -> String {
    if class.plain {
        return shown(block, class);
    }
    let head = format!("\nconst {} = (raw: Raw): {} =>", converter(class), class.name);
    if class.kind == Kind::Data {
        return format!("{head} ({});\n", object(block, class.fields(), None));
    }
    let variant = |variant: &Variant| {
        let kind = &variant.text;
        format!("    case '{kind}':\n      return {};\n", object(block, &variant.fields, Some(kind)))
    };
    let variants: String = class.variants.iter().map(variant).collect();
    format!("{head} {{\n  switch (raw.kind as {}['kind']) {{\n{variants}  }}\n}};\n", class.name)
}

fn object(block: &Block, fields: &[Field], kind: Option<&str>) -> String {
    let kind = kind.map(|kind| format!("kind: '{kind}'"));
    let fields = fields.iter().map(|field| {
        let value = converted(block, &field.kind, &format!("raw.{}", camel(&field.name)));
        format!("{}: {value}", javascript(&field.name))
    });
    format!("{{ {} }}", commas(kind.into_iter().chain(fields)))
}
