//! Functions of the interface as functions and methods of Python.

use super::defaults::Default;
use super::hooks;
use super::naming::{is_attached, is_detached, native_function, python_name};
use super::types::Types;
use crate::docs::Style;
use crate::model::{Block, Choice, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{commas, indented, pascal, python_parameter, tuple};

/// Types for the numbers and durations of a function, whose errors name the argument.
pub(super) fn wrappers(class: &Class, function: &Function) -> String {
    let wrappers = function.passed().flat_map(|one| {
        let parts = one.kind.innermost().parts();
        let wrapper = wrapper(class, function, one);
        let is_list = Default::passed_type(one).is_list();
        let argument = if is_list { format!("each number in {}", one.name) } else { one.name.clone() };
        parts.iter().filter_map(move |part| {
            let (list, width) = match part {
                Type::Duration => ("times::spans", String::new()),
                Type::NonZeroU16 => ("convert::integers", ": core::num::NonZeroU16".to_owned()),
                other => ("convert::integers", format!(": {}", other.integer()?)),
            };
            Some(format!("crate::{list}! {{ {wrapper}{width}, \"{argument}\"; }}\n"))
        })
    });
    wrappers.collect()
}

fn wrapper(class: &Class, function: &Function, parameter: &Parameter) -> String {
    format!("{}{}{}", class.name, pascal(&function.name), pascal(&parameter.name))
}

/// A method, or a function of the module.
pub(super) fn function(block: &Block, class: &Class, function: &Function) -> String {
    let types = Types(block);
    if function.overload.is_some() {
        // It is part of the function whose name it takes.
        return String::new();
    }
    let result = function.result.as_ref();
    let makes_bytes = function.makes_bytes();
    if function.hook {
        return hooks::setter(class, function, &called(types, class, function).value);
    }
    let receiver = function.has_receiver().then(|| "&self".to_owned());
    let needs_py =
        is_detached(class, function) || is_attached(class, function) || function.answers().next().is_some();
    let py = match (makes_bytes, needs_py) {
        (true, _) => Some("py: Python<'py>".to_owned()),
        (false, true) => Some("py: Python<'_>".to_owned()),
        (false, false) => None,
    };
    let parameters = function.passed().map(|one| declared(types, class, function, one));
    let parameters = commas(receiver.into_iter().chain(py).chain(parameters));
    let Called { statement, value, may_fail } = match class.overload_of(function) {
        Some(other) => either(types, class, function, other),
        None => called(types, class, function),
    };
    let returned = types.result(result);
    let returned = match (may_fail, result) {
        (true, _) => format!(" -> crate::failure::Outcome<{returned}>"),
        (false, Some(_)) => format!(" -> {returned}"),
        (false, None) => String::new(),
    };
    let moves =
        "#[allow(clippy::wrong_self_convention, reason = \"an object of Python is never moved\")]\n    ";
    let moves = if function.name.starts_with("into_") { moves } else { "" };
    let name = if function.is_constant() && class.kind != Kind::Module {
        format!("#[allow(non_snake_case, reason = \"a constant\")]\n    fn {}", function.name.to_uppercase())
    } else {
        format!("{moves}fn {}", python_name(class, function))
    };
    let prepared: String = function.passed().map(|one| prepared(types, function, one)).collect();
    let prepared = prepared + &hooks::asked(function);
    let text = format!(
        "{docs}{attribute}{signature}    {name}{lifetime}({parameters}){returned} {{\n{prepared}        {value}\n    }}\n\n{slow}",
        docs = Style::Python.rust(function, 4),
        attribute = attribute(class, function),
        signature = signature(class, function),
        lifetime = if makes_bytes { "<'py>" } else { "" },
        prepared = indented(&(prepared + &statement), 8),
        slow = if function.is_slow() { off_thread(block, class, function) } else { String::new() },
    );
    if class.kind == Kind::Module { outside(&text) } else { text }
}

fn attribute(class: &Class, function: &Function) -> &'static str {
    match function.role {
        _ if class.kind == Kind::Module => "    #[pyfunction]\n",
        Role::Constructor => "    #[new]\n",
        Role::Variant if function.is_constant() => "    #[classattr]\n",
        Role::Static | Role::Variant => "    #[staticmethod]\n",
        Role::Getter if function.computed || python_name(class, function) != function.name => "",
        Role::Getter => "    #[getter]\n",
        Role::Method => "",
    }
}

/// A function outside classes.
fn outside(text: &str) -> String {
    let lines = text.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    format!("\n{}\n", text.trim_end())
}

/// The defaults of a function's parameters.
fn signature(class: &Class, function: &Function) -> String {
    if !function.passed().any(Parameter::is_optional) {
        return String::new();
    }
    let listed = |value: &dyn Fn(&Parameter) -> Option<String>| {
        let mut listed = Vec::new();
        for (at, one) in function.passed().enumerate() {
            if function.first_named() == Some(at) {
                listed.push("*".to_owned());
            }
            let default = if one.is_optional() { value(one).or(Some("None".to_owned())) } else { None };
            let name = python_parameter(&one.name);
            listed.push(default.map_or_else(|| name.to_owned(), |default| format!("{name}={default}")));
        }
        listed
    };
    let rust = |one: &Parameter| {
        let wrapper = wrapper(class, function, one);
        Default::of(one).map(|default| default.rust(Default::passed_type(one), &wrapper))
    };
    let shown = |one: &Parameter| {
        Default::of(one).map(|default| match default {
            // The module shows it, because a native signature cannot.
            Default::Duration(_) => "...".to_owned(),
            other => other.python(),
        })
    };
    let receiver = function.has_receiver().then(|| "$self".to_owned());
    let text = commas(receiver.into_iter().chain(listed(&shown)));
    let signature = commas(listed(&rust));
    if function.passed().all(|one| Default::of(one).is_none()) {
        return format!("    #[pyo3(signature = ({signature}))]\n");
    }
    format!("    #[pyo3(signature = ({signature}), text_signature = \"({text})\")]\n")
}

fn declared(types: Types<'_>, class: &Class, function: &Function, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    let kind = Default::passed_type(parameter);
    let wrapper = wrapper(class, function, parameter);
    if parameter.choice.is_some() {
        return format!("{name}: Option<Bound<'_, PyAny>>");
    }
    let is_first = function.parameters.first().is_some_and(|first| first.name == parameter.name);
    if let Some(other) = class.overload_of(function).and_then(|other| other.parameters.first())
        && is_first
    {
        let [one, other] = [kind, &other.kind].map(|kind| types.result(Some(kind)));
        return format!("{name}: crate::convert::Either<'_, {one}, {other}>");
    }
    let declared = limited(types.parameter(kind, &wrapper), parameter);
    if function.answers().any(|(.., asked)| asked.is_some_and(|asked| asked.name == parameter.name)) {
        // The hook gets the same object.
        return format!("{name}: &Bound<'_, {}>", declared.trim_start_matches('&'));
    }
    if is_tried(function, parameter) {
        return format!("{name}: crate::convert::TriedArgument<{declared}>");
    }
    format!("{name}: {declared}")
}

/// The type of a list, with its limit.
fn limited(kind: String, parameter: &Parameter) -> String {
    let Some(limit) = parameter.limit else { return kind };
    // Also of the lists in a list.
    let depth = kind.matches("crate::convert::List<").count();
    let (start, end) = kind.split_at(kind.len() - depth);
    format!("{start}{}", end.replace('>', &format!(", {limit}>")))
}

/// True for a list whose conversion may fail, where the call takes a secret even then.
fn is_tried(function: &Function, parameter: &Parameter) -> bool {
    parameter.kind.is_list() && function.parameters.iter().any(|one| one.owned)
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
    let mut call = format!("{path}{}", tuple(function.parameters.iter().map(|one| passed(types, one))));
    let mut locks = 0;
    for parameter in function.parameters.iter().rev().filter(|one| !one.owned) {
        if let Some(lock) = types.lock(&parameter.kind) {
            let name = python_parameter(&parameter.name);
            let is_path = call == format!("{path}({name})") && !function.has_receiver();
            let closure = if is_path { path.clone() } else { format!("|{name}| {call}") };
            call = format!("{name}{lock}({closure})");
            locks += 1;
        }
    }
    if is_attached(class, function) {
        call = format!("self.0.attached(py, |secret| {call})");
        locks += 1;
    } else if class.secret && function.has_receiver() {
        let lock = if class.stateful { "shared" } else { "locked" };
        call = format!("self.0.{lock}(|secret| {call})");
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
    let fails_before = |one: &Parameter| {
        one.owned
            || one.answer.is_some()
            || is_tried(function, one)
            || (Default::passed_type(one).is_list() && one.limit.is_none())
    };
    let may_fail = layers > 0 || function.parameters.iter().any(fails_before);
    let value = types.converted(result, &(call + &"?".repeat(layers)));
    let value = if may_fail { format!("Ok({value})") } else { value };
    Called { statement: String::new(), value, may_fail }
}

/// The call of one of two functions, by the type of the first argument.
fn either(types: Types<'_>, class: &Class, function: &Function, other: &Function) -> Called {
    let name = function.parameters.first().map_or("", |first| python_parameter(&first.name));
    let arm = |form: &str, function: &Function| {
        let value = called(types, class, function).value;
        format!(
            "            crate::convert::Either::{form}({name}) => {{\n                \
             let {name} = {name}.get();\n                {value}\n            }}\n"
        )
    };
    let value = format!("match {name} {{\n{}{}        }}", arm("First", function), arm("Second", other));
    Called { statement: String::new(), value, may_fail: called(types, class, function).may_fail }
}

fn passed(types: Types<'_>, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    let kind = Default::passed_type(parameter);
    match Default::of(parameter) {
        _ if parameter.owned || parameter.answer.is_some() => name.to_owned(),
        Some(_) => format!("Some({})", types.passed(kind, name)),
        None => types.passed(kind, name),
    }
}

/// A statement before the call.
fn prepared(types: Types<'_>, function: &Function, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    if parameter.owned {
        return format!("let {name} = py.detach(|| {name}.0.take())?;\n");
    }
    match (&parameter.choice, parameter.kind.inner()) {
        (Some(choice), Some(Type::Class(class))) => chosen(types, function, name, class, choice),
        _ => {
            let tried = if is_tried(function, parameter) {
                format!("let {name} = {name}.0?;\n")
            } else {
                String::new()
            };
            tried + &types.prepared(Default::passed_type(parameter), name, parameter.limit)
        }
    }
}

/// Calls the user's predicate beforehand: it may raise, and may use the object.
fn chosen(types: Types<'_>, function: &Function, name: &str, class: &str, choice: &Choice) -> String {
    let Choice { among, default } = choice;
    let candidates = candidates(function, among, |one| passed(types, one));
    format!(
        "let mut chosen = Vec::new();\nfor one in self.0.{candidates} {{\n    \
         let accepted = match &{name} {{\n        None => one.{default}(),\n        \
         Some(accepts) => accepts.call1(({}(Clone::clone(&one)),))?.is_truthy()?,\n    }};\n    \
         if accepted {{\n        chosen.push(one);\n    }}\n}}\n\
         let {name}: Vec<&{}> = chosen.iter().collect();\n",
        types.glue(class),
        types.0.rust(class),
    )
}

/// The call of the function that returns the candidates of a choice: its arguments are the first ones.
pub(crate) fn candidates(
    function: &Function,
    among: &str,
    argument: impl Fn(&Parameter) -> String,
) -> String {
    let first = function.parameters.iter().filter(|one| matches!(one.kind, Type::Class(_)));
    format!("{among}({})", commas(first.map(argument)))
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
    let called = if class.kind == Kind::Module { native_function(block, name) } else { name.clone() };
    let parameters: String = function
        .passed()
        .map(|one| {
            let kind = types.shared(Default::passed_type(one), &wrapper(class, function, one));
            format!(", {}: {}", python_parameter(&one.name), limited(kind, one))
        })
        .collect();
    let arguments: String = function
        .passed()
        .map(|one| {
            let kind = Default::passed_type(one);
            format!("{}, ", for_thread(block, kind, python_parameter(&one.name), py, one.limit))
        })
        .collect();
    format!(
        "    /// As `{name}`, on another thread.\n{attribute}{signature}    fn {name}_async<'py>({receiver}{parameters}) \
         -> crate::failure::Outcome<crate::layer::Coroutine<'py, {result}>> {{\n        \
         Ok(crate::layer::off_thread({object}, \"{called}\", ({arguments}))?)\n    }}\n\n",
        signature = signature(class, function),
        result = types.result(function.result.as_ref()),
    )
}

/// A parameter as an object of Python again.
fn for_thread(block: &Block, kind: &Type, name: &str, py: &str, limit: Option<u64>) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes => format!("{name}.into_python({py})"),
        // It can change.
        Type::Class(class) if block.class(class).is_some_and(|class| class.set) => {
            format!("crate::pickle::copied({name}.bind({py}))?")
        }
        Type::List(item) => {
            let all = if limit.is_some() { "counted()" } else { "all()?" };
            match for_thread(block, item, "item", py, None) {
                same if same == "item" => format!("{name}.{all}"),
                each => {
                    let each = format!("{name}.{all}.into_iter().map(|item| Ok({each}))");
                    format!("{each}.collect::<PyResult<Vec<_>>>()?")
                }
            }
        }
        Type::Optional(inner) => match for_thread(block, inner, "one", py, None) {
            same if same == "one" => name.to_owned(),
            each => format!("{name}.map(|one| {each})"),
        },
        Type::Tuple(parts) => {
            let part =
                |(at, part): (usize, &Type)| for_thread(block, part, &format!("{name}.{at}"), py, None);
            tuple(parts.iter().enumerate().map(part))
        }
        kind if kind.integer().is_some() || *kind == Type::Duration => format!("{name}.0"),
        _ => name.to_owned(),
    }
}
