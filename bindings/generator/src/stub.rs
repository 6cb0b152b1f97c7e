//! Python's type stubs: `BLOCK.pyi`, beside the module that exports the native classes.

use crate::docs::Style;
use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::python_parameter;

/// Writes the stub of a block's module.
#[must_use]
pub fn emit(block: &Block) -> String {
    let names: Vec<String> = block.classes.iter().map(|class| format!("\"{}\"", class.name)).collect();
    let head = format!(
        "{docs}\nfrom collections.abc import Iterable\nfrom typing import Any, SupportsIndex, final\n\
         from typing_extensions import Buffer\n\n{suite}__all__ = [{}]\n",
        names.join(", "),
        docs = Style::Python.comment(&block.docs, 0),
        suite = if block.has_suites() { "from .suite import Suite\n\n" } else { "" },
    );
    block.classes.iter().fold(head, |all, one| all + &class(one))
}

fn class(class: &Class) -> String {
    let docs = Style::Python.comment(&class.docs, 4);
    let equality = "    def __eq__(self, value: object, /) -> bool: ...\n    def __ne__(self, value: object, /) -> bool: ...\n";
    let equality = if class.equality { equality } else { "" };
    let functions: String = class.functions.iter().map(|one| function(class, one)).collect();
    format!(
        "\n@final\nclass {}:\n{docs}{equality}    def __reduce__(self, /) -> Any: ...\n    def __repr__(self, /) -> str: ...\n{functions}",
        class.name
    )
}

fn function(class: &Class, function: &Function) -> String {
    let (decorator, name, receiver) = match function.role {
        Role::Constructor => ("", "__new__", Some("cls, /")),
        Role::Static => ("    @staticmethod\n", function.name.as_str(), None),
        Role::Method => ("", function.name.as_str(), Some("self, /")),
        Role::Getter => ("    @property\n", function.name.as_str(), Some("self, /")),
    };
    let parameters = function.parameters.iter().map(parameter);
    let parameters: Vec<String> = receiver.map(str::to_owned).into_iter().chain(parameters).collect();
    let result = match (function.role, &function.result) {
        (Role::Constructor, _) => class.name.clone(),
        (_, None) => "None".to_owned(),
        (_, Some(result)) => match result {
            Type::Text => "str".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::BytesList => "list[bytes]".to_owned(),
            Type::U8 | Type::U32 | Type::U64 | Type::Size => "int".to_owned(),
            Type::Suite => "Suite".to_owned(),
            Type::Class(name) => name.clone(),
        },
    };
    format!(
        "{decorator}    def {name}({}) -> {result}:\n{}",
        parameters.join(", "),
        Style::Python.function(function, 8)
    )
}

fn parameter(parameter: &Parameter) -> String {
    let kind = match &parameter.kind {
        Type::Text => "str",
        Type::Bytes => "Buffer",
        Type::BytesList => "Iterable[Buffer]",
        Type::U8 | Type::U32 | Type::U64 | Type::Size => "SupportsIndex",
        Type::Suite => "Suite | str",
        Type::Class(name) => name,
    };
    format!("{}: {kind}", python_parameter(&parameter.name))
}
