//! Plain data for Node: structures that napi-rs turns into objects, with handles in them.

use super::crossing::{Place, converted, type_of};
use crate::model::{Block, Class, Field, Kind, Type, Variant};

/// The structure of a class of plain data. That of several forms has the fields of all, and the name of the form.
pub(super) fn structure(block: &Block, class: &Class) -> String {
    let (native, path) = (&class.native, class.rust(block));
    let (declared, body) = match class.kind {
        Kind::Union => (union_fields(block, class), union_body(block, class)),
        _ => (declared(block, class.fields().iter()), data_body(block, class)),
    };
    format!(
        "\n#[napi(object, object_from_js = false)]\npub struct {native} {{\n{declared}}}\n\n\
         impl From<{path}> for {native} {{\n    fn from(value: {path}) -> Self {{\n{body}    }}\n}}\n"
    )
}

fn declared<'a>(block: &Block, fields: impl Iterator<Item = &'a Field>) -> String {
    fields
        .map(|field| format!("    pub {}: {},\n", field.name, type_of(block, &field.kind, Place::Elsewhere)))
        .collect()
}

fn data_body(block: &Block, class: &Class) -> String {
    let field = |field: &Field| {
        let value = converted(block, &field.kind, &format!("value.{}", field.name), Place::Elsewhere);
        format!("            {}: {value},\n", field.name)
    };
    let fields: String = class.fields().iter().map(field).collect();
    format!("        Self {{\n{fields}        }}\n")
}

/// The fields of all variants, each once.
fn all_fields(class: &Class) -> Vec<&Field> {
    let mut all: Vec<&Field> = Vec::new();
    for field in class.variants.iter().flat_map(|variant| &variant.fields) {
        if !all.iter().any(|known| known.name == field.name) {
            all.push(field);
        }
    }
    all
}

/// Variants differ in their fields, so each field is optional.
fn maybe(kind: &Type) -> Type {
    match kind {
        Type::Optional(_) => kind.clone(),
        other => Type::Optional(Box::new(other.clone())),
    }
}

fn union_fields(block: &Block, class: &Class) -> String {
    let fields: Vec<Field> = all_fields(class)
        .into_iter()
        .map(|field| Field { kind: maybe(&field.kind), ..field.clone() })
        .collect();
    format!("    pub kind: &'static str,\n{}", declared(block, fields.iter()))
}

fn union_body(block: &Block, class: &Class) -> String {
    let variants: String = class.variants.iter().map(|one| variant(block, class, one)).collect();
    format!("        match value {{\n{variants}        }}\n")
}

fn variant(block: &Block, class: &Class, variant: &Variant) -> String {
    let pattern = variant.pattern();
    let field = |field: &&Field| {
        let value = match variant.fields.iter().find(|own| own.name == field.name) {
            None => "None".to_owned(),
            Some(own) => {
                let value = converted(block, &own.kind, &own.name, Place::Elsewhere);
                if matches!(own.kind, Type::Optional(_)) { value } else { format!("Some({value})") }
            }
        };
        if value == field.name { format!(", {value}") } else { format!(", {}: {value}", field.name) }
    };
    let fields: String = all_fields(class).iter().map(field).collect();
    format!(
        "            {}::{}{pattern} => Self {{ kind: \"{}\"{fields} }},\n",
        class.rust(block),
        variant.name,
        variant.text
    )
}
