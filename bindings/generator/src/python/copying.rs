//! Pickling, copying and closing of Python's objects.

use super::types::Types;
use crate::model::{Block, Class, Function, Kind};

/// The methods for pickling, copying and closing.
pub(super) fn methods(block: &Block, class: &Class) -> String {
    match copying(block, class) {
        Copying::Secret => closing(class),
        Copying::Rebuilt(call) => format!(
            "\n    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<crate::pickle::Reduced<'py>> {{\n        {call}\n    }}\n"
        ),
        Copying::Itself => uncopied(class),
        Copying::None => String::new(),
    }
}

/// How objects of a class are pickled and copied.
pub(crate) enum Copying {
    /// Not at all, and it can be closed.
    Secret,
    /// By the result of this expression.
    Rebuilt(String),
    /// Not pickled; a value is its own copy.
    Itself,
    /// As Python does for a native object.
    None,
}

/// Pickling: by the constructor's arguments, or by the encoding.
pub(crate) fn copying(block: &Block, class: &Class) -> Copying {
    if class.secret {
        return Copying::Secret;
    }
    if class.kind == Kind::Value {
        let parameters = class.constructor().map(|constructor| constructor.parameters.as_slice());
        let arguments = parameters.unwrap_or_default().iter().map(|one| property(block, class, &one.name));
        let arguments: String = arguments.map(|one| format!("{},", one.unwrap_or_default())).collect();
        return Copying::Rebuilt(format!("crate::pickle::rebuilt::<Self>(py, ({arguments}))"));
    }
    match encoding(block, class) {
        Some((decode, arguments)) => Copying::Rebuilt(format!(
            "crate::pickle::reduced::<Self>(py, \"{}\", ({arguments}))",
            decode.name
        )),
        None if class.traits.equality => Copying::Itself,
        None => Copying::None,
    }
}

/// The value of a property as an object of Python.
fn property(block: &Block, class: &Class, name: &str) -> Option<String> {
    let getter = class.getters().find(|getter| getter.name == name)?;
    Some(Types(block).converted(getter.result.as_ref(), &format!("self.0.{name}()")))
}

/// The function that decodes an encoding, and its arguments: the encoding, and properties.
fn encoding<'a>(block: &Block, class: &'a Class) -> Option<(&'a Function, String)> {
    let (decode, encode) = match (class.function("decode"), class.function("from_bytes")) {
        (Some(decode), _) => (decode, class.function("encode").or_else(|| class.function("to_bytes"))?),
        (None, Some(decode)) => (decode, class.function("to_bytes")?),
        (None, None) => return None,
    };
    let argument = |name: &str| {
        if name == "bytes" {
            return Some(
                Types(block).converted(encode.result.as_ref(), &format!("self.0.{}()", encode.name)),
            );
        }
        property(block, class, name)
    };
    let arguments: Option<Vec<String>> = decode.parameters.iter().map(|one| argument(&one.name)).collect();
    Some((decode, arguments?.iter().map(|one| format!("{one},")).collect()))
}

/// The name of a class with its article.
pub(super) fn one(class: &Class) -> String {
    let article = if class.name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    format!("{article} {}", class.name)
}

/// A value that cannot be pickled is its own copy.
fn uncopied(class: &Class) -> String {
    let decoded =
        if class.function("encode").is_some() { "; send its bytes and decode them there" } else { "" };
    format!(
        "\n    /// Raises `TypeError`: unpickling has no context to decode it with.\n    \
         fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {{\n        \
         crate::pickle::refused(\"{} cannot be pickled{decoded}\")\n    }}\n\n    \
         fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {{\n        slf\n    }}\n\n    \
         #[allow(unused_variables, reason = \"part of the protocol\")]\n    #[pyo3(signature = (memo, /))]\n    \
         fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {{\n        slf\n    }}\n",
        one(class),
    )
}

/// A secret can be closed, and is never copied.
fn closing(class: &Class) -> String {
    let file = if class.function("to_bytes").is_some() { "; use to_bytes() to write a key file" } else { "" };
    format!(
        "\n    /// Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.\n    \
         fn close(&self, py: Python<'_>) {{\n        self.0.close(py);\n    }}\n\n    \
         /// True if it was closed.\n    #[getter]\n    \
         fn closed(&self, py: Python<'_>) -> bool {{\n        self.0.is_closed(py)\n    }}\n\n    \
         fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {{\n        slf\n    }}\n\n    \
         #[allow(unused_variables, reason = \"part of the protocol\")]\n    \
         #[pyo3(signature = (kind, error, traceback, /))]\n    \
         fn __exit__(&self, py: Python<'_>, kind: &Bound<'_, PyAny>, error: &Bound<'_, PyAny>, traceback: &Bound<'_, PyAny>) {{\n        \
         self.close(py);\n    }}\n\n    \
         /// Raises `TypeError`: this object cannot be pickled.\n    \
         fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {{\n        \
         crate::pickle::refused(\"{} cannot be pickled or copied{file}\")\n    }}\n",
        one(class),
    )
}
