//! The names of modules and functions in Python, and what their calls wait for.

use crate::model::{Block, Class, Function, Kind, Role};
use crate::names::snake;

/// The module of a block: `threshold/tdh2`.
pub(crate) fn module(block: &Block) -> &str {
    block.module.as_ref().unwrap_or(&block.name)
}

/// The full name of a block's module: `quorate.threshold.tdh2`.
pub(crate) fn dotted(block: &Block) -> String {
    format!("quorate.{}", module(block).replace('/', "."))
}

/// The name of a function in the native module, which is flat.
pub(crate) fn native_function(block: &Block, name: &str) -> String {
    format!("{}_{name}", block.name)
}

/// The name of the function that returns the property of a name.
pub(crate) fn name_property(class: &Class, property: &str) -> String {
    format!("{}_{property}", snake(&class.name))
}

/// Operators of sets, with their functions.
pub(crate) const SET_OPERATORS: [(&str, &str); 3] =
    [("__and__", "intersection"), ("__or__", "union"), ("__invert__", "complement")];

/// The name of a function in Python.
pub(crate) fn python_name<'a>(class: &Class, function: &'a Function) -> &'a str {
    match function.name.as_str() {
        "bytes" if class.hex && function.role == Role::Getter => "__bytes__",
        "size" if function.role == Role::Getter => "__len__",
        "contains" if class.set => "__contains__",
        name => name,
    }
}

/// True if threads may wait for an object: only without the interpreter.
pub(super) fn may_wait(class: &Class) -> bool {
    if class.stateful {
        return class.secret;
    }
    let has_lock = class.kind == Kind::Object && !class.traits.equality;
    let is_long = class.shared || class.functions.iter().any(|function| !function.is_quick());
    class.secret || (has_lock && is_long)
}

/// True if the interpreter is released during a call.
pub(super) fn is_detached(class: &Class, function: &Function) -> bool {
    !function.is_quick() || (function.has_receiver() && may_wait(class) && !is_attached(class, function))
}

/// True if the lock on a secret is taken with the interpreter, which is released only if a thread has to wait.
pub(super) fn is_attached(class: &Class, function: &Function) -> bool {
    class.stateful && class.secret && function.has_receiver() && function.is_quick()
}
