//! The names of functions in JavaScript, their descriptions, and those of native functions.

use crate::docs::Style;
use crate::model::{Class, Function, Kind, Role, Type};
use crate::names::{camel, free_function, javascript, pascal};

/// A package for JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// `quorate`, with a native library.
    Node,
    /// `quorate-wasm`, with WebAssembly.
    Web,
    /// The part of `quorate-wasm` that only verifies certificates.
    Certificate,
}

/// Names of functions that are methods in JavaScript, though other languages have properties.
const METHODS: [&str; 2] = ["culprits", "public_key"];

/// True if a function is a property in JavaScript: a list, which the caller may change, is returned by a method.
pub(crate) fn is_property(function: &Function) -> bool {
    let is_list = function.result.as_ref().is_some_and(Type::is_list);
    function.role == Role::Getter && !is_list && !METHODS.contains(&function.name.as_str())
}

/// The name of a function in JavaScript, whose own buffers have a length and whose sets have a size.
pub(crate) fn name(class: &Class, function: &Function) -> String {
    match function.name.as_str() {
        name if function.role == Role::Variant => pascal(name),
        "size" if class.name == "Writer" => "length".to_owned(),
        // `forms.ts` adds one function for all forms.
        "signer_set" => "signerSetIndices".to_owned(),
        name => javascript(name),
    }
}

/// A call of the native function of a class.
pub(super) fn native(class: &Class, function: &str, arguments: &str) -> String {
    format!("native.{}({arguments})", camel(&free_function(&class.native, function)))
}

pub(super) fn receiver(class: &Class) -> String {
    format!("open(this, {})", class.name)
}

pub(super) fn indent(class: &Class) -> &'static str {
    if class.kind == Kind::Module { "" } else { "  " }
}

pub(super) fn docs(class: &Class, function: &Function) -> String {
    // The description of a constructor is that of its class, unless there is more to say.
    let takes = function.parameters.iter().any(|one| one.owned);
    if function.role == Role::Constructor && function.docs.errors.is_empty() && !takes {
        return String::new();
    }
    let mut described = function.clone();
    if function.role == Role::Getter && !is_property(function) {
        described.docs.text = returning(&function.docs.text);
    }
    Style::TypeScript.function(&described, indent(class).len())
}

/// The description of a property as that of a method: `The siblings.` as `Returns the siblings.`
fn returning(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    format!("Returns {}", first.into_iter().chain(letters).collect::<String>())
}
