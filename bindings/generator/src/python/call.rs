//! Functions of the interface as functions and methods of Python.

use super::is_detached;
use super::types::Types;
use crate::docs::Style;
use crate::model::{Block, Choice, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{pascal, python_parameter};

/// Types for the integers of a function, whose errors name the argument.
pub(super) fn integers(class: &Class, function: &Function) -> String {
    let numbers = function.parameters.iter().filter_map(|parameter| {
        let width = innermost(&parameter.kind).integer()?;
        let name = integer(class, function, parameter);
        Some(format!("crate::convert::integers! {{ {name}: {width}, \"{}\"; }}\n", parameter.name))
    });
    numbers.collect()
}

/// The type in all lists and options.
fn innermost(kind: &Type) -> &Type {
    kind.inner().map_or(kind, innermost)
}

fn integer(class: &Class, function: &Function, parameter: &Parameter) -> String {
    format!("{}{}{}", class.name, pascal(&function.name), pascal(&parameter.name))
}

/// A method, or a function of the module.
pub(super) fn function(block: &Block, class: &Class, function: &Function) -> String {
    let types = Types(block);
    let result = function.result.as_ref();
    let is_free = class.kind == Kind::Module;
    let makes_bytes = [Type::Bytes, Type::SecretBytes]
        .iter()
        .any(|kind| result.is_some_and(|result| result.mentions(kind)));
    let receiver = function.has_receiver().then(|| "&self".to_owned());
    let py = match (makes_bytes, is_detached(class, function)) {
        (true, _) => Some("py: Python<'py>".to_owned()),
        (false, true) => Some("py: Python<'_>".to_owned()),
        (false, false) => None,
    };
    let parameters = function.parameters.iter().map(|one| declared(types, class, function, one));
    let parameters: Vec<String> = receiver.into_iter().chain(py).chain(parameters).collect();
    let Called { statement, value, may_fail } = called(types, class, function);
    let returned = types.result(result);
    let returned = if may_fail { format!("crate::failure::Outcome<{returned}>") } else { returned };
    let name = if function.is_constant() {
        format!("#[allow(non_snake_case, reason = \"a constant\")]\n    fn {}", function.name.to_uppercase())
    } else {
        format!("fn {}", function.name)
    };
    let prepared: String = function.parameters.iter().map(|one| prepared(types, function, one)).collect();
    let text = format!(
        "{docs}{attribute}{signature}    {name}{lifetime}({parameters}) -> {returned} {{\n{prepared}        {value}\n    }}\n\n{slow}",
        docs = Style::Python.rust(function, 4),
        attribute = attribute(class, function),
        signature = signature(function),
        lifetime = if makes_bytes { "<'py>" } else { "" },
        parameters = parameters.join(", "),
        prepared = indented(&(prepared + &statement)),
        slow = if function.is_slow() { off_thread(block, class, function) } else { String::new() },
    );
    if is_free { outside(&text) } else { text }
}

fn attribute(class: &Class, function: &Function) -> &'static str {
    match function.role {
        _ if class.kind == Kind::Module => "    #[pyfunction]\n",
        Role::Constructor => "    #[new]\n",
        Role::Variant if function.is_constant() => "    #[classattr]\n",
        Role::Static | Role::Variant => "    #[staticmethod]\n",
        Role::Getter if !function.computed => "    #[getter]\n",
        Role::Getter | Role::Method => "",
    }
}

/// A function outside classes.
fn outside(text: &str) -> String {
    let lines = text.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    format!("\n{}\n", text.trim_end())
}

fn indented(statements: &str) -> String {
    statements.lines().map(|line| format!("        {line}\n")).collect()
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

fn declared(types: Types<'_>, class: &Class, function: &Function, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    if parameter.choice.is_some() {
        return format!("{name}: Option<Bound<'_, PyAny>>");
    }
    format!("{name}: {}", types.parameter(&parameter.kind, &integer(class, function, parameter)))
}

/// The call of the interface.
struct Called {
    /// A statement before the value.
    statement: String,
    /// The converted result.
    value: String,
    /// True if the value is a `Result`.
    may_fail: bool,
}

fn called(types: Types<'_>, class: &Class, function: &Function) -> Called {
    let target = match (function.has_receiver(), class.secret) {
        (true, true) => "secret.".to_owned(),
        (true, false) => "self.0.".to_owned(),
        (false, _) => class.scope(),
    };
    let path = format!("{target}{}", function.name);
    let passed = |one: &Parameter| types.passed(&one.kind, python_parameter(&one.name));
    let arguments: Vec<String> = function.parameters.iter().map(passed).collect();
    let mut call = format!("{path}({})", arguments.join(", "));
    let mut locks = 0;
    for parameter in function.parameters.iter().rev() {
        if let Some(lock) = types.lock(&parameter.kind) {
            let name = python_parameter(&parameter.name);
            call = format!("{name}{lock}(|{name}| {call})");
            locks += 1;
        }
    }
    if class.secret && function.has_receiver() {
        call = format!("self.0.locked(|secret| {call})");
        locks += 1;
    }
    if is_detached(class, function) {
        let is_path = function.parameters.is_empty() && !function.has_receiver();
        call = format!("py.detach({})", if is_path { path } else { format!("|| {call}") });
    }
    let result = function.result.as_ref();
    let is_plain = types.converted(result, "value") == "value";
    if let Some(asked) = function.parameters.iter().find(|one| one.kind == Type::Attested) {
        let value = format!("{}.finish(result)", asked.name);
        let value = if is_plain { value } else { format!("Ok({})", types.converted(result, &(value + "?"))) };
        let statement = format!("let result = {call}{};\n", "?".repeat(locks));
        return Called { statement, value, may_fail: true };
    }
    let layers = locks + usize::from(function.fallible);
    if is_plain && locks == 1 && layers == 1 {
        return Called { statement: String::new(), value: call, may_fail: true };
    }
    let may_fail = layers > 0 || function.parameters.iter().any(|parameter| has_list(&parameter.kind));
    let value = types.converted(result, &(call + &"?".repeat(layers)));
    let value = if may_fail { format!("Ok({value})") } else { value };
    Called { statement: String::new(), value, may_fail }
}

fn has_list(kind: &Type) -> bool {
    kind.is_list() || kind.inner().is_some_and(has_list)
}

/// A statement before the call.
fn prepared(types: Types<'_>, function: &Function, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    match (&parameter.choice, parameter.kind.inner()) {
        (Some(choice), Some(Type::Class(class))) => chosen(types, function, name, class, choice),
        _ => types.prepared(&parameter.kind, name),
    }
}

/// Calls the user's predicate beforehand: it may raise, and may use the object.
fn chosen(types: Types<'_>, function: &Function, name: &str, class: &str, choice: &Choice) -> String {
    let Choice { among, default } = choice;
    let candidates = candidates(function, among, |one| types.passed(&one.kind, python_parameter(&one.name)));
    format!(
        "let mut chosen = Vec::new();\nfor one in self.0.{candidates} {{\n    \
         let accepted = match &{name} {{\n        None => one.{default}(),\n        \
         Some(accepts) => accepts.call1(({}(Clone::clone(&one)),))?.is_truthy()?,\n    }};\n    \
         if accepted {{\n        chosen.push(one);\n    }}\n}}\n\
         let {name}: Vec<&{}> = chosen.iter().collect();\n",
        types.glue(class),
        types.rust(class),
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

/// The same on another thread: the arguments become objects that no other code changes.
fn off_thread(block: &Block, class: &Class, function: &Function) -> String {
    let types = Types(block);
    let name = &function.name;
    let (attribute, receiver, py, object) = match (function.has_receiver(), class.kind) {
        (true, _) => ("", "slf: &Bound<'py, Self>", "slf.py()", "slf"),
        (false, Kind::Module) => {
            ("    #[pyfunction(pass_module)]\n", "module: &Bound<'py, PyModule>", "module.py()", "module")
        }
        (false, _) => ("    #[staticmethod]\n", "py: Python<'py>", "py", "&py.get_type::<Self>()"),
    };
    let called = if class.kind == Kind::Module { super::native_function(block, name) } else { name.clone() };
    let parameters: String = function
        .parameters
        .iter()
        .map(|one| {
            let kind = types.shared(&one.kind, &integer(class, function, one));
            format!(", {}: {kind}", python_parameter(&one.name))
        })
        .collect();
    let arguments: String = function
        .parameters
        .iter()
        .map(|one| format!("{}, ", for_thread(&one.kind, python_parameter(&one.name), py)))
        .collect();
    format!(
        "    /// As `{name}`, on another thread.\n{attribute}{signature}    fn {name}_async<'py>({receiver}{parameters}) \
         -> crate::failure::Outcome<crate::layer::Coroutine<'py, {result}>> {{\n        \
         Ok(crate::layer::off_thread({object}, \"{called}\", ({arguments}))?)\n    }}\n\n",
        signature = signature(function),
        result = types.result(function.result.as_ref()),
    )
}

/// A parameter as an object of Python again.
fn for_thread(kind: &Type, name: &str, py: &str) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes => format!("{name}.into_python({py})"),
        Type::List(item) => match for_thread(item, "item", py) {
            same if same == "item" => format!("{name}.all()?"),
            each => format!("{name}.all()?.into_iter().map(|item| {each}).collect::<Vec<_>>()"),
        },
        Type::Optional(inner) => match for_thread(inner, "one", py) {
            same if same == "one" => name.to_owned(),
            each => format!("{name}.map(|one| {each})"),
        },
        kind if kind.integer().is_some() => format!("{name}.0"),
        _ => name.to_owned(),
    }
}
