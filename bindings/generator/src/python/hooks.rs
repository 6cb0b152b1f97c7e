//! Functions that users set, and whose results other functions take.

use crate::docs::Style;
use crate::model::{Class, Function};

/// The method that sets a hook, after the call with its first result.
pub(super) fn setter(class: &Class, function: &Function, call: &str) -> String {
    let name = &function.name;
    let answer = function.answers().next();
    let asked =
        answer.map_or(String::new(), |(one, ..)| format!("        let {} = hook.ask(py, ())?;\n", one.name));
    let fails = if class.secret { "?" } else { "" };
    format!(
        "{docs}    fn {name}(&self, py: Python<'_>, hook: crate::hook::Hook) -> crate::failure::Outcome<()> {{\n{asked}        \
         {call}{fails};\n        self.1.set(py, hook);\n        Ok(())\n    }}\n\n",
        docs = Style::Python.rust(function, 4),
    )
}

/// Statements that call the hooks whose results a function takes.
pub(super) fn asked(function: &Function) -> String {
    let ask = function.answers().map(|(one, _, asked)| match asked {
        None => format!("let {} = self.1.ask(py, ())?;\n", one.name),
        Some(asked) => format!(
            "let {} = self.1.ask(py, ({asked},))?;\nlet {asked} = {asked}.get();\n",
            one.name,
            asked = asked.name
        ),
    });
    ask.collect()
}

/// The methods with which the garbage collector finds the object that a hook refers to.
pub(super) fn collected(class: &Class) -> &'static str {
    if !class.has_hook() {
        return "";
    }
    "\n    fn __traverse__(&self, visit: pyo3::gc::PyVisit<'_>) -> Result<(), pyo3::gc::PyTraverseError> {\n        \
     self.1.traverse(&visit)\n    }\n\n    fn __clear__(&self) {\n        self.1.clear();\n    }\n"
}
