//! Python's type stubs: `BLOCK.pyi`, beside the module that exports the native classes.

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Function, Kind, Parameter, Role, Type};
use crate::names::python_parameter;
use crate::python::{Copying, copying};
use crate::python_module::{all, definitions, imports, inner, standard};

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
    format!(
        "\n@final\nclass {}:\n{docs}{constants}{special}{}    def __repr__(self, /) -> str: ...\n{functions}",
        class.name,
        copies(block, class),
    )
}

/// True if a member has the name of a type.
fn hides_bytes(class: &Class) -> bool {
    class.kind != Kind::Module && class.function("bytes").is_some()
}

fn copies(block: &Block, class: &Class) -> String {
    let reduced = "    def __reduce__(self, /) -> Any: ...\n".to_owned();
    let name = &class.name;
    match copying(block, class) {
        Copying::Rebuilt(_) => reduced,
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
        Copying::None => String::new(),
    }
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let is_free = class.kind == Kind::Module;
    let space = if is_free { "" } else { "    " };
    let docs = |indent| Style::Python.function(function, if is_free { indent - 4 } else { indent });
    if function.is_constant() {
        return format!("    {}: Final[{}]\n{}", function.name.to_uppercase(), class.name, docs(4));
    }
    let (decorator, name, receiver) = match function.role {
        _ if is_free => ("", function.name.as_str(), None),
        Role::Constructor => ("", "__new__", Some("cls, /")),
        Role::Static | Role::Variant => ("    @staticmethod\n", function.name.as_str(), None),
        Role::Getter if !function.computed => ("    @property\n", function.name.as_str(), Some("self, /")),
        Role::Method | Role::Getter => ("", function.name.as_str(), Some("self, /")),
    };
    let parameters = function.parameters.iter().map(|one| parameter(block, one));
    let parameters: Vec<String> = receiver.map(str::to_owned).into_iter().chain(parameters).collect();
    let parameters = parameters.join(", ");
    let result = match (function.role, &function.result) {
        (Role::Constructor, _) => class.name.clone(),
        (_, None) => "None".to_owned(),
        (_, Some(result)) => result_type(result),
    };
    let result = if hides_bytes(class) { result.replace("bytes", "builtins.bytes") } else { result };
    let slow = format!(
        "{decorator}{space}def {name}_async({parameters}) -> Coroutine[Any, Any, {result}]:\n{space}    \"\"\"\n{space}    \
         As `{name}`, on another thread.\n{space}    \"\"\"\n"
    );
    format!(
        "{decorator}{space}def {name}({parameters}) -> {result}:\n{}{}",
        docs(8),
        if function.is_slow() { slow.as_str() } else { "" },
    )
}

/// The type of a result, or of a field.
pub(crate) fn result_type(result: &Type) -> String {
    match result {
        Type::Text => "str".to_owned(),
        Type::Bytes | Type::SecretBytes => "bytes".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) | Type::Bound(name) => name.clone(),
        Type::Failure => "QuorateError".to_owned(),
        Type::Attested => "Callable[[int, bytes, bytes], object]".to_owned(),
        Type::List(item) => format!("list[{}]", result_type(item)),
        Type::Optional(inner) => format!("{} | None", result_type(inner)),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::U128 => "int".to_owned(),
        Type::Size | Type::Length | Type::AnyLength => "int".to_owned(),
    }
}

fn parameter(block: &Block, parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
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
        kind if kind.integer().is_some() => "SupportsIndex".to_owned(),
        other => result_type(other),
    }
}
