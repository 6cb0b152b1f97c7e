//! Pickling, copying and closing of Python's objects.

use super::types::Types;
use crate::model::{Block, Class, Kind, Parameter, Type};
use crate::names::{commas, python_parameter};

/// The methods for pickling, copying and closing.
pub(super) fn methods(block: &Block, class: &Class) -> String {
    match copying(block, class) {
        Copying::Secret => closing(class),
        Copying::Rebuilt(call) => format!(
            "\n    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<crate::pickle::Reduced<'py>> {{\n        {call}\n    }}\n"
        ),
        Copying::Itself => uncopied(class),
        Copying::None => {
            let instead = class.instead.as_deref().unwrap_or("create one where it is needed");
            refusing(&format!("{} cannot be pickled or copied; {instead}", one(class)))
        }
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
    /// Not at all.
    None,
}

/// Pickling: by the constructor's arguments, or by the encoding.
pub(crate) fn copying(block: &Block, class: &Class) -> Copying {
    if class.secret {
        return Copying::Secret;
    }
    let parameters = class.made_of();
    let is_rebuilt = class.kind == Kind::Value || (class.set && class.traits.equality);
    // Options are passed by their names.
    if is_rebuilt && !parameters.iter().any(|one| one.option) {
        let arguments = parameters.iter().map(|one| property(block, class, &one.name));
        let arguments: String = arguments.map(|one| format!("{},", one.unwrap_or_default())).collect();
        return Copying::Rebuilt(format!("crate::pickle::rebuilt::<Self>(py, ({arguments}))"));
    }
    match class.own_encoding() {
        Some((decode, encode)) => {
            let argument = |one: &Parameter| match one.kind {
                Type::Bytes => property(block, class, &encode.name),
                _ => property(block, class, &one.name),
            };
            let arguments = decode.parameters.iter().filter_map(argument);
            let arguments: String = arguments.map(|one| format!("{one},")).collect();
            Copying::Rebuilt(format!(
                "crate::pickle::reduced::<Self>(py, \"{}\", ({arguments}))",
                decode.name
            ))
        }
        None if class.traits.equality => Copying::Itself,
        None => Copying::None,
    }
}

/// The text of a value: the expression that creates it.
pub(super) fn shown(block: &Block, class: &Class) -> String {
    let values = class.made_of().iter().map(|one| {
        let value = property(block, class, &one.name).unwrap_or_default();
        format!("(\"{}\", crate::pickle::repr(py, {value})?)", python_parameter(&one.name))
    });
    format!(
        "    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {{\n        \
         Ok(crate::pickle::expression(\"{}\", &[{}]))\n    }}\n",
        class.name,
        commas(values),
    )
}

/// The result of a function without parameters as an object of Python.
fn property(block: &Block, class: &Class, name: &str) -> Option<String> {
    let function = class.function(name).filter(|one| one.has_receiver() && one.parameters.is_empty())?;
    Some(Types(block).converted(function.result.as_ref(), &format!("self.0.{name}()")))
}

/// The name of a class with its article.
pub(super) fn one(class: &Class) -> String {
    let article = if class.name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    format!("{article} {}", class.name)
}

/// A value that cannot be pickled is its own copy.
fn uncopied(class: &Class) -> String {
    let context = class.function("decode").and_then(|decode| {
        decode.parameters.iter().find(|one| one.kind != Type::Bytes).map(|one| one.name.as_str())
    });
    let why = match (context, &class.instead) {
        (Some(context), _) => format!(": decoding needs the {context}; send its bytes and decode them there"),
        (None, Some(instead)) => format!("; {instead}"),
        (None, None) => "; send its bytes and verify them there".to_owned(),
    };
    refusing(&format!("{} cannot be pickled{why}", one(class)))
        + "\n    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {\n        slf\n    }\n\n    \
           #[allow(unused_variables, reason = \"part of the protocol\")]\n    #[pyo3(signature = (memo, /))]\n    \
           fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {\n        slf\n    }\n"
}

/// The method that refuses to pickle an object, and says what to do.
fn refusing(text: &str) -> String {
    format!(
        "\n    /// Raises `TypeError`: this object cannot be pickled.\n    \
         fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {{\n        \
         crate::pickle::refused(\"{text}\")\n    }}\n"
    )
}

/// A secret can be closed, and is never copied.
fn closing(class: &Class) -> String {
    let closed = match &class.spent {
        Some(spent) => format!("py.detach(|| self.0.locked(|secret| secret.{spent}())).unwrap_or(true)"),
        None => "self.0.is_closed(py)".to_owned(),
    };
    let cleared = if class.has_hook() { "        self.1.clear();\n" } else { "" };
    let file = class.function("to_bytes").is_some();
    let file = if file { "use to_bytes() to write a key file" } else { "keep it in one process" };
    format!(
        "\n    /// Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.\n    \
         fn close(&self, py: Python<'_>) {{\n        self.0.close(py);\n{cleared}    }}\n\n    \
         /// True if it was closed or is used up.\n    #[getter]\n    \
         fn closed(&self, py: Python<'_>) -> bool {{\n        {closed}\n    }}\n\n    \
         fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {{\n        slf\n    }}\n\n    \
         #[allow(unused_variables, reason = \"part of the protocol\")]\n    \
         #[pyo3(signature = (kind, error, traceback, /))]\n    \
         fn __exit__(&self, py: Python<'_>, kind: &Bound<'_, PyAny>, error: &Bound<'_, PyAny>, traceback: &Bound<'_, PyAny>) {{\n        \
         self.close(py);\n    }}\n{}",
        refusing(&format!("{} cannot be pickled or copied; {file}", one(class))),
    )
}

#[cfg(test)]
mod tests {
    use super::{Copying, copying, uncopied};
    use crate::model::Kind;

    #[test]
    fn objects_to_verify_elsewhere_have_an_encoding() {
        let mut advised = Vec::new();
        for block in crate::blocks().unwrap() {
            let objects = block.classes.iter().filter(|class| class.kind != Kind::Names);
            let objects = objects.filter(|class| matches!(copying(&block, class), Copying::Itself));
            let usual = objects.filter(|class| uncopied(class).contains("; send its bytes and verify"));
            advised.extend(usual.map(|class| class.native.clone()));
        }
        // All but the committee, which `_pickle.py` pickles, have a part with an encoding. Others need `instead`.
        advised.retain(|name: &String| !name.contains("Verified") && !name.contains("Valid"));
        assert_eq!(advised, ["Committee"]);
    }
}
