//! Python's type stubs: `BLOCK.pyi`, beside the module that exports the native classes.

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Function, Kind, Parameter, Role, Type};
use crate::names::{commas, python_parameter};
use crate::python::{Copying, Default, SET_OPERATORS, copying, python_name};
use crate::python_definitions::{all, definitions, imports, inner, result_type, returned, standard};

/// Writes the stub of a block's module, which contains the modules `nested`.
#[must_use]
pub fn emit(block: &Block, nested: &[&str]) -> String {
    let constants = block.constants.iter().map(|one| "\n".to_owned() + &constant(one, 0));
    let native = block.classes.iter().map(|one| class(block, one));
    let body: String = constants.chain(definitions(block, false)).chain(native).collect();
    format!(
        "{docs}\n{builtins}{standard}{imports}{all}{body}{inner}",
        docs = Style::Python.comment(&block.docs, 0),
        builtins = if block.classes.iter().any(hides_bytes) { "import builtins\n" } else { "" },
        standard = standard(&body),
        imports = imports(block, nested, &body),
        all = all(block, nested),
        inner = inner(nested),
    )
}

fn constant(constant: &Constant, indent: usize) -> String {
    let space = " ".repeat(indent);
    format!("{space}{}: Final[int]\n{}", constant.name, Style::Python.comment(&constant.docs, indent))
}

/// A class of native objects, or the functions outside classes.
fn class(block: &Block, class: &Class) -> String {
    match class.kind {
        Kind::Data | Kind::Union | Kind::Names => return String::new(),
        Kind::Module => {
            let functions = class.functions.iter();
            return functions.map(|one| "\n".to_owned() + &function(block, class, one)).collect();
        }
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => {}
    }
    let docs = Style::Python.comment(&class.docs, 4);
    let compared = |name: &str| format!("    def __{name}__(self, value: object, /) -> bool: ...\n");
    let traits = class.traits;
    let special = [
        (traits.equality, compared("eq") + &compared("ne")),
        (traits.order, ["ge", "gt", "le", "lt"].map(compared).concat()),
        (traits.hash, "    def __hash__(self, /) -> int: ...\n".to_owned()),
    ];
    let special: String = special.into_iter().filter(|(used, _)| *used).map(|(_, text)| text).collect();
    let constants: String = class.constants.iter().map(|one| constant(one, 4)).collect();
    let functions: String = class.functions.iter().map(|one| function(block, class, one)).collect();
    let shown = if class.hex { "    def __str__(self, /) -> str: ...\n" } else { "" };
    format!(
        "\n@final\nclass {}:\n{docs}{constants}{special}{}{shown}    def __repr__(self, /) -> str: ...\n{functions}",
        class.name,
        copies(block, class),
    )
}

/// True if a member has the name of a type.
fn hides_bytes(class: &Class) -> bool {
    class.kind != Kind::Module && !class.hex && class.function("bytes").is_some()
}

fn copies(block: &Block, class: &Class) -> String {
    let reduced = "    def __reduce__(self, /) -> Any: ...\n".to_owned();
    let name = &class.name;
    match copying(block, class) {
        Copying::Rebuilt(_) | Copying::None => reduced,
        Copying::Itself => format!(
            "{reduced}    def __copy__(self, /) -> {name}: ...\n    def __deepcopy__(self, memo: Any, /) -> {name}: ...\n"
        ),
        Copying::Secret => format!(
            "{reduced}    def __enter__(self, /) -> {name}: ...\n    \
             def __exit__(self, kind: Any, error: Any, traceback: Any, /) -> None: ...\n    \
             def close(self, /) -> None:\n        \"\"\"\n        \
             Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.\n        \"\"\"\n    \
             @property\n    def closed(self, /) -> bool:\n        \"\"\"\n        True if it was closed.\n        \"\"\"\n"
        ),
    }
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let is_free = class.kind == Kind::Module;
    let space = if is_free { "" } else { "    " };
    let docs = |indent| Style::Python.function(function, if is_free { indent - 4 } else { indent });
    let result = if function.role == Role::Constructor { class.name.clone() } else { returned(function) };
    let result = if hides_bytes(class) { result.replace("bytes", "builtins.bytes") } else { result };
    let name = python_name(class, function);
    match (function.is_constant(), &function.result) {
        (true, Some(Type::List(item))) if is_free => {
            let name = function.name.to_uppercase();
            return format!("{name}: Final[tuple[{}, ...]]\n{}", result_type(item), docs(4));
        }
        (true, _) => return format!("    {}: Final[{result}]\n{}", function.name.to_uppercase(), docs(4)),
        // It is part of the function whose name it takes.
        (false, _) if function.overload.is_some() => return String::new(),
        (false, _) if class.set && name == "members" => {
            let copy = format!("    def __copy__(self, /) -> {}: ...\n", class.name);
            let copy = if class.traits.equality { copy } else { String::new() };
            return "    def __iter__(self, /) -> Iterator[int]: ...\n".to_owned() + &copy;
        }
        (false, _) => {}
    }
    let (decorator, name, receiver) = match function.role {
        _ if is_free => ("", name, None),
        Role::Constructor => ("", "__new__", Some("cls, /")),
        Role::Static | Role::Variant => ("    @staticmethod\n", name, None),
        Role::Getter if !function.computed && name == function.name => {
            ("    @property\n", name, Some("self, /"))
        }
        Role::Method | Role::Getter => ("", name, Some("self, /")),
    };
    let receiver = receiver.map(|receiver| {
        // Python passes the operand by its position.
        if name.starts_with("__") && name != "__new__" { receiver.trim_end_matches(", /") } else { receiver }
    });
    let parameters = match class.hook_type(&function.name).filter(|_| function.hook) {
        Some((asked, answer)) => {
            let asked = asked.map_or(String::new(), |one| result_type(&one.kind));
            vec![format!("hook: Callable[[{asked}], {}]", result_type(answer))]
        }
        None => parameters(block, class, function),
    };
    let position = if name == "__contains__" { vec!["/".to_owned()] } else { Vec::new() };
    let parameters = commas(receiver.map(str::to_owned).into_iter().chain(parameters).chain(position));
    let parameters = if parameters == "self" { "self, /".to_owned() } else { parameters };
    let slow = format!(
        "{decorator}{space}def {name}_async({parameters}) -> Coroutine[Any, Any, {result}]:\n{space}    \"\"\"\n{space}    \
         As `{name}`, on another thread.\n{space}    \"\"\"\n"
    );
    let operator = SET_OPERATORS.iter().find(|(_, function)| class.set && *function == name);
    let operator = operator.map(|(operator, _)| {
        let parameters = parameters.replace("self, /, other: SignerSet", "self, other: SignerSet, /");
        format!("    def {operator}({parameters}) -> {result}: ...\n")
    });
    format!(
        "{decorator}{space}def {name}({parameters}) -> {result}:\n{}{}{}",
        docs(8),
        if function.is_slow() { slow.as_str() } else { "" },
        operator.unwrap_or_default(),
    )
}

/// The parameters of a function, with the mark before those that are passed by their names.
fn parameters(block: &Block, class: &Class, function: &Function) -> Vec<String> {
    let other = class.overload_of(function).and_then(|other| other.parameters.first());
    let mut parameters = Vec::new();
    for (at, one) in function.passed().enumerate() {
        if function.first_named() == Some(at) {
            parameters.push("*".to_owned());
        }
        let also =
            other.filter(|_| at == 0).map(|other| format!(" | {}", parameter_type(block, &other.kind)));
        parameters.push(parameter(block, one) + &also.unwrap_or_default());
    }
    parameters
}

fn parameter(block: &Block, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    if let Some(default) = Default::of(parameter) {
        let kind = parameter_type(block, Default::passed_type(parameter));
        return format!("{name}: {kind} = {}", default.python());
    }
    let kind = match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(_)) => {
            format!("Callable[[{}], object] | None = None", parameter_type(block, item))
        }
        (Type::Optional(inner), _) => format!("{} | None = None", parameter_type(block, inner)),
        (other, _) => parameter_type(block, other),
    };
    format!("{name}: {kind}")
}

fn parameter_type(block: &Block, kind: &Type) -> String {
    match kind {
        Type::Bytes | Type::SecretBytes => "Buffer".to_owned(),
        Type::Suite => "Suite | str".to_owned(),
        Type::Class(name) if block.kind(name) == Some(Kind::Names) => format!("{name} | str"),
        Type::List(item) => format!("Iterable[{}]", parameter_type(block, item)),
        Type::Optional(inner) => format!("{} | None", parameter_type(block, inner)),
        Type::Tuple(parts) => {
            format!("tuple[{}]", commas(parts.iter().map(|part| parameter_type(block, part))))
        }
        kind if kind.integer().is_some() => "SupportsIndex".to_owned(),
        other => result_type(other),
    }
}
