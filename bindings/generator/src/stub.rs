//! Python's type stubs: `BLOCK.pyi`, beside the module that exports the native classes.

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Function, Parameter, Role, Type};
use crate::names::python_parameter;

/// Writes the stub of a block's module.
#[must_use]
pub fn emit(block: &Block) -> String {
    let constants = block.constants.iter().map(|constant| &constant.name);
    let names = block.classes.iter().map(|class| &class.name).chain(constants);
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    let slow = block.classes.iter().flat_map(|class| &class.functions).any(Function::is_slow);
    let chosen = block
        .classes
        .iter()
        .flat_map(|class| class.functions.iter().flat_map(|function| &function.parameters))
        .any(|parameter| parameter.choice.is_some());
    let imported = [("Callable, ", chosen), ("Coroutine, ", slow)];
    let imported: String = imported.iter().filter(|(_, used)| *used).map(|(name, _)| *name).collect();
    let head = format!(
        "{docs}\n{builtins}from collections.abc import {imported}Iterable\nfrom typing import Any, Final, SupportsIndex, final\n\
         from typing_extensions import Buffer\n\n{suite}__all__ = [{}]\n",
        names.join(", "),
        docs = Style::Python.comment(&block.docs, 0),
        builtins = if block.classes.iter().any(hides_bytes) { "import builtins\n" } else { "" },
        suite = if block.mentions(&Type::Suite) { "from .suite import Suite\n\n" } else { "" },
    );
    let head = block.constants.iter().fold(head, |all, one| all + "\n" + &constant(one, 0));
    block.classes.iter().fold(head, |all, one| all + &class(one))
}

fn constant(constant: &Constant, indent: usize) -> String {
    let space = " ".repeat(indent);
    format!("{space}{}: Final[int]\n{}", constant.name, Style::Python.comment(&constant.docs, indent))
}

fn class(class: &Class) -> String {
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
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    format!(
        "\n@final\nclass {}:\n{docs}{constants}{special}{}    def __repr__(self, /) -> str: ...\n{functions}",
        class.name,
        copying(class),
    )
}

/// True if a member has the name of a type.
fn hides_bytes(class: &Class) -> bool {
    class.function("bytes").is_some()
}

fn copying(class: &Class) -> String {
    let reduced = "    def __reduce__(self, /) -> Any: ...\n".to_owned();
    match class.kind {
        crate::model::Kind::Value => reduced,
        _ if class.is_plain_encoding() => reduced,
        _ if class.traits.equality => format!(
            "{reduced}    def __copy__(self, /) -> {name}: ...\n    def __deepcopy__(self, memo: Any, /) -> {name}: ...\n",
            name = class.name
        ),
        _ => String::new(),
    }
}

fn function(class: &Class, function: &Function) -> String {
    let docs = |indent| Style::Python.function(function, indent);
    if function.is_constant() {
        return format!("    {}: Final[{}]\n{}", function.name.to_uppercase(), class.name, docs(4));
    }
    let (decorator, name, receiver) = match function.role {
        Role::Constructor => ("", "__new__", Some("cls, /")),
        Role::Static | Role::Variant => ("    @staticmethod\n", function.name.as_str(), None),
        Role::Getter if !function.computed => ("    @property\n", function.name.as_str(), Some("self, /")),
        Role::Method | Role::Getter => ("", function.name.as_str(), Some("self, /")),
    };
    let parameters = function.parameters.iter().map(parameter);
    let parameters: Vec<String> = receiver.map(str::to_owned).into_iter().chain(parameters).collect();
    let parameters = parameters.join(", ");
    let result = match (function.role, &function.result) {
        (Role::Constructor, _) => class.name.clone(),
        (_, None) => "None".to_owned(),
        (_, Some(result)) => result_type(result),
    };
    let result = if hides_bytes(class) { result.replace("bytes", "builtins.bytes") } else { result };
    let slow = format!(
        "    def {name}_async({parameters}) -> Coroutine[Any, Any, {result}]:\n        \"\"\"\n        \
         As `{name}`, on another thread.\n        \"\"\"\n"
    );
    format!(
        "{decorator}    def {name}({parameters}) -> {result}:\n{}{}",
        docs(8),
        if function.is_slow() { slow.as_str() } else { "" },
    )
}

fn result_type(result: &Type) -> String {
    match result {
        Type::Text => "str".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
        Type::List(item) => format!("list[{}]", result_type(item)),
        Type::Optional(inner) => format!("{} | None", result_type(inner)),
        _ => "int".to_owned(),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = python_parameter(&parameter.name);
    let kind = match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(_)) => {
            format!("Callable[[{}], object] | None = None", parameter_type(item))
        }
        (Type::Optional(inner), _) => format!("{} | None = None", parameter_type(inner)),
        (other, _) => parameter_type(other),
    };
    format!("{name}: {kind}")
}

fn parameter_type(kind: &Type) -> String {
    match kind {
        Type::Text => "str".to_owned(),
        Type::Bytes => "Buffer".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Suite => "Suite | str".to_owned(),
        Type::Class(name) => name.clone(),
        Type::List(item) => format!("Iterable[{}]", parameter_type(item)),
        Type::Optional(inner) => format!("{} | None", parameter_type(inner)),
        _ => "SupportsIndex".to_owned(),
    }
}
