//! Functions: their parameters, and their calls of the backend.

use super::crossing::{argument, converted, parameter_name, read, type_name};
use super::hooks;
use super::naming::{Package, docs, indent, is_property, name, native, receiver};
use crate::model::{Block, Class, Function, Kind, Parameter, Role, Type};
use crate::names::{commas, javascript, joined};

/// A function of a class, or of the module.
pub(super) fn function(block: &Block, class: &Class, function: &Function, package: Package) -> String {
    if function.overload.is_some() {
        return String::new();
    }
    if class.kind == Kind::Module && function.is_constant() {
        return constant(block, class, function);
    }
    if function.hook {
        return hooks::setter(block, class, function);
    }
    let name = name(class, function);
    let overload = class.overload_of(function);
    let parameters = commas(parameters(function, overload));
    let result = function.result.as_ref().map_or("void".to_owned(), type_name);
    let is_iterator = class.set && function.name == "members";
    let head = match function.role {
        _ if class.kind == Kind::Module => format!("export function {name}({parameters}): {result}"),
        Role::Constructor => format!("constructor({parameters})"),
        Role::Variant if function.is_constant() => format!("static get {name}(): {result}"),
        Role::Static | Role::Variant => format!("static {name}({parameters}): {result}"),
        _ if is_iterator => "[Symbol.iterator](): IterableIterator<number>".to_owned(),
        _ if is_property(function) => format!("get {name}(): {result}"),
        _ => format!("{name}({parameters}): {result}"),
    };
    let call = call(block, class, function, "", &[]);
    let value = function.result.as_ref().map(|result| converted(block, result, &call));
    let body = match (value, function.role) {
        (_, Role::Constructor) => format!("super(TOKEN, {call});"),
        (None, _) => format!("{call};"),
        (Some(value), _) if is_iterator => {
            format!("return {}[Symbol.iterator]();", value.replace("Array.from(", "Array.from<number>("))
        }
        (Some(value), _) => format!("return {value};"),
    };
    let space = indent(class);
    let before: String = prelude(function)
        .into_iter()
        .chain(read(block, function))
        .chain(checks(block, function))
        .chain(hooks::asked(block, class, function))
        .chain(overload.map(|other| dispatch(block, class, other)))
        .map(|line| format!("{space}  {line}\n"))
        .collect();
    let slow = if function.is_slow() && package == Package::Node {
        off_thread(block, class, function, &result)
    } else {
        String::new()
    };
    format!("{}{space}{head} {{\n{before}{space}  {body}\n{space}}}\n{slow}", docs(class, function))
}

/// A constant of the module that only the backend knows.
fn constant(block: &Block, class: &Class, function: &Function) -> String {
    let name = function.name.to_uppercase();
    let value = call(block, class, function, "", &[]);
    let result = function.result.as_ref().map_or("void".to_owned(), type_name);
    let none = if result.ends_with("[]") { " = []" } else { "" };
    format!(
        "{}export let {name}: readonly {result}{none};\nwhenLoaded(() => {{\n  {name} = Object.freeze({value});\n}});\n",
        docs(class, function)
    )
}

/// A statement that calls the other function if the first argument has its type.
fn dispatch(block: &Block, class: &Class, other: &Function) -> String {
    let call = call(block, class, other, "", &[]);
    let value = other.result.as_ref().map_or_else(|| call.clone(), |result| converted(block, result, &call));
    let first = other.parameters.first().map(|one| (parameter_name(one), type_name(&one.kind)));
    let (name, selecting) = first.unwrap_or_default();
    format!("if (is({name}, {selecting})) return {value};")
}

/// The declarations of the parameters. Options are the fields of a last one.
fn parameters(function: &Function, overload: Option<&Function>) -> Vec<String> {
    if function.fields {
        return vec![format!("fields: {{ {} }}", fields(function.parameters.iter()))];
    }
    let (options, others): (Vec<&Parameter>, Vec<&Parameter>) = function.passed().partition(|one| one.option);
    let mut declared: Vec<String> = others.into_iter().map(parameter).collect();
    if let (Some(first), Some(other)) =
        (declared.first_mut(), overload.and_then(|one| one.parameters.first()))
    {
        *first = format!("{first} | {}", type_name(&other.kind));
    }
    if !options.is_empty() {
        declared.push(format!("options?: {{ {} }}", fields(options.into_iter())));
    }
    declared
}

/// The types of the fields of an object in place of several parameters.
fn fields<'a>(parameters: impl Iterator<Item = &'a Parameter>) -> String {
    let field = |one: &Parameter| {
        let mark = if matches!(one.kind, Type::Optional(_)) { "?" } else { "" };
        format!("readonly {}{mark}: {}", parameter_name(one), given(one))
    };
    joined(parameters.map(field), "; ")
}

/// The type of what the caller passes.
fn given(parameter: &Parameter) -> String {
    match &parameter.kind {
        Type::Optional(inner) => format!("{} | undefined", iterable(inner)),
        other => iterable(other),
    }
}

/// The type of a list that the caller passes.
fn iterable(kind: &Type) -> String {
    match kind {
        Type::List(item) => format!("Iterable<{}>", iterable(item)),
        other => type_name(other),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = parameter_name(parameter);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            format!(
                "{name}: (one: {}) => boolean = (one) => one.{}",
                type_name(item),
                javascript(&choice.default)
            )
        }
        (Type::Optional(_), _) => format!("{name}?: {}", given(parameter).trim_end_matches(" | undefined")),
        _ => format!("{name}: {}", given(parameter)),
    }
}

/// A statement that reads the fields of an object in place of several parameters.
fn prelude(function: &Function) -> Option<String> {
    let names = |parameters: Vec<&Parameter>| commas(parameters.into_iter().map(parameter_name));
    if function.fields {
        let names = names(function.parameters.iter().collect());
        return Some(format!("const {{ {names} }} = check.object(fields, 'fields');"));
    }
    let options: Vec<&Parameter> = function.parameters.iter().filter(|one| one.option).collect();
    (!options.is_empty()).then(|| format!("const {{ {} }} = check.options(options);", names(options)))
}

/// Statements that check the other arguments of a function that becomes the owner of an object, but for lists: the user's
/// iterator could use the object.
fn checks(block: &Block, function: &Function) -> Vec<String> {
    if !function.parameters.iter().any(|one| one.owned) {
        return Vec::new();
    }
    let is_list = |kind: &Type| kind.is_list() || kind.inner().is_some_and(Type::is_list);
    let others = function.parameters.iter().filter(|one| !one.owned && !is_list(&one.kind));
    others.map(|one| argument(block, function, one, &format!("'{}'", parameter_name(one))) + ";").collect()
}

/// The call of the native function with the suffix.
fn call(block: &Block, class: &Class, function: &Function, suffix: &str, more: &[&str]) -> String {
    let receiver = function.has_receiver().then(|| receiver(class));
    let given = function.crossing().map(|one| {
        let what = if one.option { format!("options.{}", parameter_name(one)) } else { parameter_name(one) };
        if one.answer.is_some() {
            return parameter_name(one);
        }
        argument(block, function, one, &format!("'{what}'"))
    });
    let taken = function.parameters.iter().find(|one| one.owned);
    let given = given.map(|given| if given.starts_with("take(") { "raw".to_owned() } else { given });
    let more = more.iter().map(|one| (*one).to_owned());
    let arguments = commas(receiver.into_iter().chain(given).chain(more));
    let call = native(class, &format!("{}{suffix}", function.name), &arguments);
    if let Some(taken) = taken {
        let name = parameter_name(taken);
        return format!(
            "owning({}, (raw) => {call})",
            argument(block, function, taken, &format!("'{name}'"))
        );
    }
    match function.parameters.iter().find(|one| one.kind == Type::Attested) {
        Some(asked) => {
            let name = parameter_name(asked);
            format!("culpritOf(check.callable({name}, '{name}'), {call})")
        }
        None => call,
    }
}

/// The same as a promise; wrong arguments also reject it.
fn off_thread(block: &Block, class: &Class, function: &Function, result: &str) -> String {
    let name = name(class, function);
    let call = call(block, class, function, "_async", &["flag"]);
    let parameters: String = parameters(function, None).iter().map(|one| format!("{one}, ")).collect();
    let finish = function.result.as_ref().map(|result| converted(block, result, "made"));
    let finish = finish
        .filter(|converted| converted != "made")
        .map(|converted| format!(", (made) => {converted}"))
        .unwrap_or_default();
    let asked = read(block, function).into_iter().chain(hooks::asked(block, class, function));
    let asked: String = asked.map(|line| format!("      {line}\n")).collect();
    let begin = if asked.is_empty() { call } else { format!("{{\n{asked}      return {call};\n    }}") };
    let finish = if class.stateful && class.secret {
        // It may have been closed meanwhile, and the result with it.
        let made = function.result.as_ref().map(|result| converted(block, result, "made"));
        format!(
            ", (made) => {{\n      {};\n      return {};\n    }}",
            receiver(class),
            made.unwrap_or_default()
        )
    } else {
        finish
    };
    let (space, start, of) = match (class.kind, function.role) {
        (Kind::Module, _) => ("", "\n", "export function "),
        (_, Role::Static) => ("  ", "", "static "),
        _ => ("  ", "", ""),
    };
    let like = if class.kind == Kind::Module { name.clone() } else { format!("{}.{name}", class.name) };
    format!(
        "{start}{space}/** As {{@link {like}}}, off this thread. */\n{space}{of}{name}Async({parameters}options?: AsyncOptions): Promise<{result}> {{\n{space}  \
         return offThread(options, (flag) => {begin}{finish});\n{space}}}\n",
    )
}
