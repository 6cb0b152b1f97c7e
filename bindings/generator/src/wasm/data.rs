//! Plain data for JavaScript: functions that make objects, with handles in them.

use super::crossing::field;
use crate::model::{Block, Class, Field, Kind, Variant};
use crate::names::{camel, commas, free_function};

/// The function that makes objects of a class of plain data.
pub(super) fn function(block: &Block, class: &Class) -> String {
    let body = match class.kind {
        Kind::Union => {
            let variants: String = class.variants.iter().map(|one| variant(block, class, one)).collect();
            format!("    match value {{\n{variants}    }}\n")
        }
        _ => format!("    {}\n", object(block, class.fields(), None, |name| format!("value.{name}"))),
    };
    format!(
        "\npub(crate) fn {}(value: {}) -> JsValue {{\n{body}}}\n",
        free_function(&class.native, "data"),
        class.rust(block),
    )
}

fn object(block: &Block, fields: &[Field], kind: Option<&str>, value: impl Fn(&str) -> String) -> String {
    let kind = kind.map(|kind| format!("(\"kind\", JsValue::from(\"{kind}\"))"));
    let fields = fields
        .iter()
        .map(|one| format!("(\"{}\", {})", camel(&one.name), field(block, &one.kind, &value(&one.name))));
    format!("glue::object(&[{}])", commas(kind.into_iter().chain(fields)))
}

fn variant(block: &Block, class: &Class, variant: &Variant) -> String {
    let pattern = variant.pattern();
    let made = object(block, &variant.fields, Some(&variant.text), str::to_owned);
    format!("        {}::{}{pattern} => {made},\n", class.rust(block), variant.name)
}
