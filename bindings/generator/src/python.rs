//! Rust that pyo3 exports to Python: one class around each structure of the interface.

use crate::docs::Style;
use crate::model::{Block, Choice, Class, Constant, Function, Kind, Parameter, Role, Type};
use crate::names::{pascal, python_parameter};

/// Writes the module of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let head = format!(
        "use pyo3::prelude::*;\nuse pyo3::types::PyBytes;\nuse quorate_interface::{} as interface;\n",
        block.path
    );
    block.classes.iter().fold(head, |all, one| all + &class(block, one))
}

fn class(block: &Block, class: &Class) -> String {
    let name = &class.name;
    let traits = [
        (class.traits.equality, "eq", "PartialEq"),
        (class.traits.order, "ord", "PartialOrd"),
        (class.traits.hash, "hash", "Eq, Hash"),
    ];
    let used = traits.iter().filter(|(used, ..)| *used);
    let options: String = used.clone().map(|(_, option, _)| format!(", {option}")).collect();
    let derived: Vec<&str> = used.map(|(.., derived)| *derived).collect();
    let derived =
        if derived.is_empty() { String::new() } else { format!("#[derive({})]\n", derived.join(", ")) };
    let docs = Style::Python.comment(&class.docs, 0);
    let docs: String =
        docs.lines().filter(|line| *line != "\"\"\"").map(|line| format!("/// {line}\n")).collect();
    let integers: String = class.functions.iter().map(|function| integers(class, function)).collect();
    let constants: String = class.constants.iter().map(constant).collect();
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    format!(
        "{integers}\n{docs}#[pyclass(frozen{options}, {path})]\n{derived}\
         pub(crate) struct {name}(pub(crate) interface::{name});\n\n\
         #[pymethods]\nimpl {name} {{\n{constants}{functions}\
         \x20   fn __repr__(&self) -> String {{\n        self.0.to_string()\n    }}\n{copying}}}\n",
        path = if class.ambiguous {
            // Pickle finds it by both names.
            format!("name = \"{}\", module = \"quorate._native\"", class.native)
        } else {
            format!("module = \"quorate.{}\"", block.module.as_ref().unwrap_or(&block.name).replace('/', "."))
        },
        copying = copying(class),
    )
}

/// A value of a class: the smallest type that has it.
fn constant(constant: &Constant) -> String {
    let docs: String = constant.docs.text.lines().map(|line| format!("    /// {line}\n")).collect();
    format!("{docs}    #[classattr]\n    const {}: u64 = {};\n\n", constant.name, constant.value)
}

/// Types for the integers of a function, whose errors name the argument.
fn integers(class: &Class, function: &Function) -> String {
    let numbers = function.parameters.iter().filter_map(|parameter| {
        let kind = parameter.kind.inner().unwrap_or(&parameter.kind);
        let width = kind.integer()?;
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
        Role::Variant if function.is_constant() => "    #[classattr]\n",
        Role::Static | Role::Variant => "    #[staticmethod]\n",
        Role::Getter if !function.computed => "    #[getter]\n",
        Role::Getter | Role::Method => "",
    };
    let target =
        if function.has_receiver() { "self.0.".to_owned() } else { format!("interface::{}::", class.name) };
    let receiver = function.has_receiver().then(|| "&self".to_owned());
    let makes_bytes = function.result.as_ref().is_some_and(|result| result.mentions(&Type::Bytes));
    let lifetime = if makes_bytes { "<'py>" } else { "" };
    let py = (makes_bytes || !function.is_quick())
        .then(|| if makes_bytes { "py: Python<'py>".to_owned() } else { "py: Python<'_>".to_owned() });
    let parameters = function
        .parameters
        .iter()
        .map(|one| format!("{}: {}", python_parameter(&one.name), parameter_type(class, function, one)));
    let parameters: Vec<String> = receiver.into_iter().chain(py).chain(parameters).collect();
    let has_list = function.parameters.iter().any(|parameter| parameter.kind.is_list());
    let may_fail = function.fallible || has_list;
    let result = result_type(function.result.as_ref());
    let result = if may_fail { format!("crate::failure::Outcome<{result}>") } else { result };
    let prepared: String = function.parameters.iter().map(|one| prepared(function, one)).collect();
    let arguments: Vec<String> = function.parameters.iter().map(argument).collect();
    let call = format!("{target}{}({})", function.name, arguments.join(", "));
    let call = if function.is_quick() { call } else { format!("py.detach(|| {call})") };
    let call = if function.fallible { format!("{call}?") } else { call };
    let value = converted(function.result.as_ref(), &call);
    let value = if may_fail { format!("Ok({value})") } else { value };
    let name = if function.is_constant() {
        format!("#[allow(non_snake_case, reason = \"a constant\")]\n    fn {}", function.name.to_uppercase())
    } else {
        format!("fn {}", function.name)
    };
    format!(
        "{docs}{attribute}{signature}    {name}{lifetime}({parameters}) -> {result} {{\n{prepared}        {value}\n    }}\n\n{slow}",
        docs = Style::Python.rust(function, 4),
        signature = signature(function),
        parameters = parameters.join(", "),
        slow = if function.is_slow() { off_thread(class, function) } else { String::new() },
    )
}

/// The defaults of a function's parameters.
fn signature(function: &Function) -> String {
    let is_optional = |one: &Parameter| matches!(one.kind, Type::Optional(_)) || one.choice.is_some();
    if !function.parameters.iter().any(is_optional) {
        return String::new();
    }
    let listed: Vec<String> = function
        .parameters
        .iter()
        .map(|one| python_parameter(&one.name).to_owned() + if is_optional(one) { " = None" } else { "" })
        .collect();
    format!("    #[pyo3(signature = ({}))]\n", listed.join(", "))
}

/// The same on another thread: the arguments become objects that no other code changes.
fn off_thread(class: &Class, function: &Function) -> String {
    let name = &function.name;
    let parameters: String = function
        .parameters
        .iter()
        .map(|one| format!(", {}: {}", python_parameter(&one.name), parameter_type(class, function, one)))
        .collect();
    let arguments: String = function
        .parameters
        .iter()
        .map(|one| {
            let name = python_parameter(&one.name);
            match one.kind {
                Type::Bytes => format!("{name}.into_python(slf.py()), "),
                Type::List(_) => format!("{name}.all()?, "),
                ref kind if kind.integer().is_some() => format!("{name}.0, "),
                _ => format!("{name}, "),
            }
        })
        .collect();
    format!(
        "    /// As `{name}`, on another thread.\n    fn {name}_async<'py>(slf: &Bound<'py, Self>{parameters}) \
         -> crate::failure::Outcome<crate::layer::Coroutine<'py, {result}>> {{\n        \
         Ok(crate::layer::off_thread(slf, \"{name}\", ({arguments}))?)\n    }}\n\n",
        result = result_type(function.result.as_ref()),
    )
}

fn parameter_type(class: &Class, function: &Function, parameter: &Parameter) -> String {
    if parameter.choice.is_some() {
        return "Option<Bound<'_, PyAny>>".to_owned();
    }
    match &parameter.kind {
        Type::List(item) => format!(
            "crate::convert::List<{}>",
            match &**item {
                Type::Class(name) => format!("Py<{name}>"),
                _ => "crate::convert::Bytes".to_owned(),
            }
        ),
        Type::Optional(inner) => format!("Option<{}>", plain(class, function, parameter, inner)),
        other => plain(class, function, parameter, other),
    }
}

fn plain(class: &Class, function: &Function, parameter: &Parameter, kind: &Type) -> String {
    match kind {
        Type::Text => "String".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Bytes => "crate::convert::Bytes".to_owned(),
        Type::Suite => "crate::layer::Suite".to_owned(),
        Type::Class(name) => format!("&{name}"),
        _ => integer(class, function, parameter),
    }
}

/// A statement before the call.
fn prepared(function: &Function, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    let Type::List(item) = &parameter.kind else { return String::new() };
    match (&parameter.choice, &**item) {
        (Some(choice), Type::Class(class)) => chosen(function, name, class, choice),
        (_, Type::Class(class)) => format!(
            "        let {name} = {name}.all()?;\n        \
             let {name}: Vec<&interface::{class}> = {name}.iter().map(|item| &item.get().0).collect();\n"
        ),
        _ => format!(
            "        let {name} = {name}.all()?;\n        let {name}: Vec<&[u8]> = {name}.iter().map(|item| &**item).collect();\n"
        ),
    }
}

/// Calls the user's predicate beforehand: it may raise, and may use the object.
fn chosen(function: &Function, name: &str, class: &str, choice: &Choice) -> String {
    let Choice { among, default } = choice;
    let candidates = candidates(function, among, argument);
    format!(
        "        let mut chosen = Vec::new();\n        for one in self.0.{candidates} {{\n            \
         let accepted = match &{name} {{\n                None => one.{default}(),\n                \
         Some(accepts) => accepts.call1(({class}(Clone::clone(&one)),))?.is_truthy()?,\n            }};\n            \
         if accepted {{\n                chosen.push(one);\n            }}\n        }}\n        \
         let {name}: Vec<&interface::{class}> = chosen.iter().collect();\n"
    )
}

/// The call of the function that returns the candidates of a choice: its arguments are the first ones.
pub(crate) fn candidates(
    function: &Function,
    among: &str,
    argument: impl Fn(&Parameter) -> String,
) -> String {
    let first: Vec<String> =
        function.parameters.iter().filter(|one| matches!(one.kind, Type::Class(_))).map(argument).collect();
    format!("{among}({})", first.join(", "))
}

fn argument(parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    match &parameter.kind {
        Type::Bytes | Type::List(_) => format!("&{name}"),
        Type::Optional(inner) => match &**inner {
            Type::Bytes => format!("{name}.as_deref()"),
            Type::Class(_) => format!("{name}.map(|one| &one.0)"),
            Type::Text | Type::Bool => name.to_owned(),
            inner => format!("{name}.map(|one| {})", number(inner, "one")),
        },
        Type::Text | Type::Bool => name.to_owned(),
        Type::Class(_) => format!("&{name}.0"),
        other => number(other, name),
    }
}

fn number(kind: &Type, name: &str) -> String {
    match kind {
        Type::Size | Type::Length => format!("crate::convert::size({name}.0)"),
        _ => format!("{name}.0"),
    }
}

fn result_type(result: Option<&Type>) -> String {
    match result {
        None => "()".to_owned(),
        Some(Type::Text) => "String".to_owned(),
        Some(Type::Bytes) => "Bound<'py, PyBytes>".to_owned(),
        Some(Type::Bool) => "bool".to_owned(),
        Some(Type::Size | Type::Length) => "usize".to_owned(),
        Some(Type::Suite) => "crate::layer::Suite".to_owned(),
        Some(Type::Class(name)) => name.clone(),
        Some(Type::List(item)) => format!("Vec<{}>", result_type(Some(item))),
        Some(Type::Optional(inner)) => format!("Option<{}>", result_type(Some(inner))),
        Some(integer) => integer.integer().unwrap_or_default().to_owned(),
    }
}

fn converted(result: Option<&Type>, call: &str) -> String {
    match result {
        Some(Type::Suite) => format!("crate::layer::Suite({call})"),
        Some(Type::Bytes) => format!("crate::convert::python_bytes(py, {call})"),
        Some(Type::Class(name)) => format!("{name}({call})"),
        Some(Type::List(item)) => format!("{call}.into_iter().map({}).collect()", each(item)),
        Some(Type::Optional(inner)) => format!("{call}.map({})", each(inner)),
        _ => call.to_owned(),
    }
}

/// The conversion of an item, as a function.
fn each(kind: &Type) -> String {
    match kind {
        Type::Class(name) => name.clone(),
        other => format!("|item| {}", converted(Some(other), "item")),
    }
}

/// Pickling: by the constructor's arguments, or by the encoding.
fn copying(class: &Class) -> String {
    let by_encoding = "crate::pickle::reduced::<Self>(py, \"decode\", (self.encode(py),))".to_owned();
    let call = match class.kind {
        Kind::Value => {
            let arguments = class.constructor().map(|constructor| constructor.parameters.as_slice());
            let arguments: String = arguments
                .unwrap_or_default()
                .iter()
                .map(|one| {
                    let getter = class.function(&one.name).and_then(|getter| getter.result.as_ref());
                    format!("{},", converted(getter, &format!("self.0.{}()", one.name)))
                })
                .collect();
            format!("crate::pickle::rebuilt::<Self>(py, ({arguments}))")
        }
        _ if class.is_plain_encoding() => by_encoding,
        _ if class.traits.equality => return uncopied(class),
        _ => return String::new(),
    };
    format!(
        "\n    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<crate::pickle::Reduced<'py>> {{\n        {call}\n    }}\n"
    )
}

/// A value that cannot be pickled is its own copy.
fn uncopied(class: &Class) -> String {
    let name = &class.name;
    let decoded =
        if class.function("encode").is_some() { "; send its bytes and decode them there" } else { "" };
    format!(
        "\n    /// Raises `TypeError`: unpickling has no context to decode it with.\n    \
         fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {{\n        \
         crate::pickle::refused(\"a {name} cannot be pickled{decoded}\")\n    }}\n\n    \
         fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {{\n        slf\n    }}\n\n    \
         #[allow(unused_variables, reason = \"part of the protocol\")]\n    #[pyo3(signature = (memo, /))]\n    \
         fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {{\n        slf\n    }}\n"
    )
}
