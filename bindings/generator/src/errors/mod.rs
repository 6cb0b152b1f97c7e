//! The error classes of each language, from the one list of errors: the variants of the core's `Error`.
//!
//! A variant makes a class of its own, whose code is its name, unless its description ends in "The code is `X`.": then
//! it is a more precise error of the class with code X, and its fields are there only sometimes.

pub mod kotlin;
pub mod python;
pub mod typescript;

use std::path::{Path, PathBuf};
use std::{env, fs};

use syn::{Fields, Item, ItemEnum, Type};

use crate::model::Docs;
use crate::names::snake;
use crate::parse::described;

type Outcome<T> = Result<T, String>;

/// A class of errors with one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorClass {
    /// Its name without a suffix, such as `BelowQuorum`.
    pub name: String,
    /// Its code, such as `BELOW_QUORUM`.
    pub code: String,
    /// Its description.
    pub docs: Docs,
    /// The values that it carries.
    pub fields: Vec<Field>,
}

/// A value that an error carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, in snake case.
    pub name: String,
    /// Its type.
    pub kind: FieldKind,
    /// Its description.
    pub docs: String,
    /// True if each error of the class has it.
    pub always: bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text,
    /// An integer of this number of bits.
    Integer(u32),
    /// The members at fault.
    Members,
}

/// The file with the core's `Error`: the core is beside the bindings in the repository and in each source distribution.
fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src/error.rs")
}

/// Reads the classes of the core's errors, and adds the one that only the bindings have.
///
/// # Errors
/// A text that names the file and the variant outside the form that this module describes.
pub fn classes() -> Outcome<Vec<ErrorClass>> {
    let file = source();
    let problem = |text: &dyn std::fmt::Display| format!("{}: {text}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| problem(&error))?;
    let mut classes = read(&text).map_err(|error| problem(&error))?;
    classes.push(closed());
    Ok(classes)
}

/// For a build script: writes one file with all classes into `OUT_DIR`.
///
/// # Errors
/// As [`classes`], or if the file cannot be written.
pub fn write(name: &str, emit: fn(&[ErrorClass]) -> String) -> Outcome<()> {
    println!("cargo::rerun-if-changed={}", source().display());
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: only build scripts call this")?;
    let file = Path::new(&out).join(name);
    fs::write(&file, emit(&classes()?)).map_err(|error| format!("{}: {error}", file.display()))
}

/// The class that only the bindings have: the core has no objects that can be closed.
#[must_use]
pub fn closed() -> ErrorClass {
    let text = "The object was closed, or its ownership was transferred, as that of a secret key to its guard. Only the \
                bindings have this code.";
    ErrorClass {
        name: "Closed".to_owned(),
        code: "CLOSED".to_owned(),
        docs: Docs { text: text.to_owned(), errors: Vec::new() },
        fields: Vec::new(),
    }
}

/// Reads the classes from the source of the enumeration `Error`.
///
/// # Errors
/// A text that names the variant outside the form that this module describes.
pub fn read(source: &str) -> Outcome<Vec<ErrorClass>> {
    let file = syn::parse_file(source).map_err(|error| error.to_string())?;
    let declared = file.items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == "Error" => Some(item),
        _ => None,
    });
    variants(declared.ok_or("expected an enumeration `Error`")?)
}

fn variants(declared: &ItemEnum) -> Outcome<Vec<ErrorClass>> {
    let mut classes: Vec<ErrorClass> = Vec::new();
    for variant in &declared.variants {
        let name = variant.ident.to_string();
        let docs = described(&variant.attrs).map_err(|problem| format!("{name}: {problem}"))?;
        let general = docs.text.rsplit_once("The code is `").and_then(|(_, rest)| rest.strip_suffix("`."));
        let fields = fields(&variant.fields, general.is_none());
        match general {
            None => classes.push(ErrorClass { code: snake(&name).to_uppercase(), name, docs, fields }),
            Some(code) => {
                let class = classes.iter_mut().find(|class| class.code == code);
                let class =
                    class.ok_or_else(|| format!("{name}: expected a variant with code {code} before"))?;
                for field in fields {
                    if !class.fields.iter().any(|known| known.name == field.name) {
                        class.fields.push(field);
                    }
                }
            }
        }
    }
    Ok(classes)
}

/// The fields of a variant, without those that `Error::details` leaves out because only the message has them.
fn fields(fields: &Fields, always: bool) -> Vec<Field> {
    let read = fields.iter().filter_map(|field| {
        let docs = described(&field.attrs).ok()?.text;
        Some(Field { name: field.ident.as_ref()?.to_string(), kind: kind(&field.ty)?, docs, always })
    });
    read.collect()
}

fn kind(written: &Type) -> Option<FieldKind> {
    let path = match written {
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => return Some(FieldKind::Text),
            _ => return None,
        },
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let name = path.segments.last()?.ident.to_string();
    match name.as_str() {
        "Vec" => Some(FieldKind::Members),
        _ => name.strip_prefix('u')?.parse().ok().map(FieldKind::Integer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precise_variant_without_its_class_is_refused() {
        let problem = read("enum Error {\n/// Bad. The code is `MALFORMED`.\nTruncated }").unwrap_err();
        assert_eq!(problem, "Truncated: expected a variant with code MALFORMED before");
    }

    #[test]
    fn the_classes_are_the_codes_of_the_core() {
        let details = fs::read_to_string(source().with_file_name("error").join("details.rs")).unwrap();
        let list = details.split_once("CODES").and_then(|(_, rest)| rest.split_once("= &[")).unwrap().1;
        let listed: Vec<&str> = list.split_once(']').unwrap().0.split('"').skip(1).step_by(2).collect();
        let mut codes: Vec<String> = classes().unwrap().into_iter().map(|class| class.code).collect();
        assert_eq!(codes.pop().as_deref(), Some("CLOSED"));
        assert_eq!(codes, listed);
    }
}
