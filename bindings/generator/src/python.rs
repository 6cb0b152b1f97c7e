//! Rust that pyo3 exports to Python: one class around each structure of the interface.

use crate::docs::Style;
use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{pascal, python_parameter};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let head = format!(
        "use pyo3::prelude::*;\nuse pyo3::types::PyBytes;\nuse quorate_interface::{} as interface;\n",
        block.name
    );
    block.classes.iter().fold(head, |all, one| all + &class(block, one))
}

fn class(block: &Block, class: &Class) -> String {
    let name = &class.name;
    let (eq, derived) = if class.equality { (", eq", "#[derive(PartialEq)]\n") } else { ("", "") };
    let docs = Style::Python.comment(&class.docs, 0);
    let docs: String =
        docs.lines().filter(|line| *line != "\"\"\"").map(|line| format!("/// {line}\n")).collect();
    let integers: String = class.functions.iter().map(|function| integers(class, function)).collect();
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    format!(
        "{integers}\n{docs}#[pyclass(frozen{eq}, module = \"quorate.{module}\")]\n{derived}\
         pub(crate) struct {name}(pub(crate) interface::{name});\n\n\
         #[pymethods]\nimpl {name} {{\n{functions}\
         \x20   fn __repr__(&self) -> String {{\n        self.0.to_string()\n    }}\n\n{pickle}}}\n",
        module = block.name,
        pickle = pickle(class),
    )
}

/// Types for the integers of a function, whose errors name the argument.
fn integers(class: &Class, function: &Function) -> String {
    let numbers = function.parameters.iter().filter_map(|parameter| {
        let width = match parameter.kind {
            Type::U8 => "u8",
            Type::U32 => "u32",
            Type::U64 | Type::Size => "u64",
            _ => return None,
        };
        let name = integer(class, function, parameter);
        Some(format!("crate::convert::integers! {{ {name}: {width}, \"{}\"; }}\n", parameter.name))
    });
    numbers.collect()
}

fn integer(class: &Class, function: &Function, parameter: &Parameter) -> String {
    format!("{}{}{}", class.name, pascal(&function.name), pascal(&parameter.name))
}

fn function(class: &Class, function: &Function) -> String {
    let attribute = match function.role {
        Role::Constructor => "    #[new]\n",
        Role::Static => "    #[staticmethod]\n",
        Role::Getter => "    #[getter]\n",
        Role::Method => "",
    };
    let (receiver, target) = match function.role {
        Role::Constructor | Role::Static => (None, format!("interface::{}::", class.name)),
        Role::Method | Role::Getter => (Some("&self".to_owned()), "self.0.".to_owned()),
    };
    let makes_bytes = matches!(function.result, Some(Type::Bytes | Type::BytesList));
    let lifetime = if makes_bytes { "<'py>" } else { "" };
    let py = (makes_bytes || !function.quick)
        .then(|| if makes_bytes { "py: Python<'py>".to_owned() } else { "py: Python<'_>".to_owned() });
    let parameters = function
        .parameters
        .iter()
        .map(|one| format!("{}: {}", python_parameter(&one.name), parameter_type(class, function, one)));
    let parameters: Vec<String> = receiver.into_iter().chain(py).chain(parameters).collect();
    let has_list = function.parameters.iter().any(|parameter| parameter.kind == Type::BytesList);
    let may_fail = function.fallible || has_list;
    let result = result_type(function.result.as_ref());
    let result = if may_fail { format!("crate::failure::Outcome<{result}>") } else { result };
    let lists: String = function.parameters.iter().map(prepared).collect();
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.quick { call } else { format!("py.detach(|| {call})") };
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = converted(function.result.as_ref(), &call);
    let value = if may_fail { format!("Ok({value})") } else { value };
    format!(
        "{docs}{attribute}    fn {name}{lifetime}({parameters}) -> {result} {{\n{lists}        {value}\n    }}\n\n",
        docs = Style::Python.rust(function, 4),
        name = function.name,
        parameters = parameters.join(", "),
    )
}

fn parameter_type(class: &Class, function: &Function, parameter: &Parameter) -> String {
    match &parameter.kind {
        Type::Text => "String".to_owned(),
        Type::Bytes => "crate::convert::Bytes".to_owned(),
        Type::BytesList => "crate::convert::List<crate::convert::Bytes>".to_owned(),
        Type::U8 | Type::U32 | Type::U64 | Type::Size => integer(class, function, parameter),
        Type::Suite => "crate::layer::Suite".to_owned(),
        Type::Class(name) => format!("&{name}"),
    }
}

/// A statement before the call.
fn prepared(parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    match parameter.kind {
        Type::BytesList => format!(
            "        let {name} = {name}.all()?;\n        let {name}: Vec<&[u8]> = {name}.iter().map(|item| &**item).collect();\n"
        ),
        _ => String::new(),
    }
}

fn argument(parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    match parameter.kind {
        Type::Text => name.to_owned(),
        Type::Bytes | Type::BytesList => format!("&{name}"),
        Type::U8 | Type::U32 | Type::U64 | Type::Suite => format!("{name}.0"),
        Type::Size => format!("crate::convert::size({name}.0)"),
        Type::Class(_) => format!("&{name}.0"),
    }
}

fn result_type(result: Option<&Type>) -> String {
    match result {
        None => "()".to_owned(),
        Some(Type::Text) => "String".to_owned(),
        Some(Type::Bytes) => "Bound<'py, PyBytes>".to_owned(),
        Some(Type::BytesList) => "Vec<Bound<'py, PyBytes>>".to_owned(),
        Some(Type::U8) => "u8".to_owned(),
        Some(Type::U32) => "u32".to_owned(),
        Some(Type::U64) => "u64".to_owned(),
        Some(Type::Size) => "usize".to_owned(),
        Some(Type::Suite) => "crate::layer::Suite".to_owned(),
        Some(Type::Class(name)) => name.clone(),
    }
}

fn converted(result: Option<&Type>, call: &str) -> String {
    match result {
        None | Some(Type::Text | Type::U8 | Type::U32 | Type::U64 | Type::Size) => call.to_owned(),
        Some(Type::Suite) => format!("crate::layer::Suite({call})"),
        Some(Type::Bytes) => format!("PyBytes::new(py, &{call})"),
        Some(Type::BytesList) => format!("{call}.iter().map(|item| PyBytes::new(py, item)).collect()"),
        Some(Type::Class(name)) => format!("{name}({call})"),
    }
}

/// Pickling: by the constructor's arguments, or by the encoding.
fn pickle(class: &Class) -> String {
    let call = match class.kind {
        Kind::Value => {
            let arguments = class.constructor().map(|constructor| constructor.parameters.as_slice());
            let arguments: String =
                arguments.unwrap_or_default().iter().map(|one| format!("self.0.{}(),", one.name)).collect();
            format!("crate::pickle::rebuilt::<Self>(py, ({arguments}))")
        }
        Kind::Encoded => "crate::pickle::reduced::<Self>(py, \"decode\", (self.encode(py),))".to_owned(),
    };
    format!(
        "    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<crate::pickle::Reduced<'py>> {{\n        {call}\n    }}\n"
    )
}
