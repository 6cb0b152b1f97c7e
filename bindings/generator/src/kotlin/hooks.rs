//! Functions that users set, and whose results other functions take.
//!
//! They are called before a native object is in use, so that a hook may use and close its own object.

use super::types::type_name;
use crate::docs::Style;
use crate::model::{Block, Class, Function, Parameter};
use crate::names::camel;

/// The property with the hook, if users can set one.
pub(super) fn property(block: &Block, class: &Class) -> Option<String> {
    let setter = class.functions.iter().find(|function| function.hook)?;
    let (name, kind) = (held(&setter.name), hook_type(block, class, setter)?);
    Some(format!("@Volatile private var {name}: {kind}? = null\n"))
}

/// The method that sets a hook, after the `call` with its first result.
pub(super) fn setter(block: &Block, class: &Class, function: &Function, call: &str) -> String {
    let kind = hook_type(block, class, function).unwrap_or_default();
    format!(
        "{docs}public fun {name}(hook: {kind}) {{\n    {call}\n    {held} = hook\n}}\n",
        docs = Style::Kotlin.function(function, 0),
        name = camel(&function.name),
        held = held(&function.name),
    )
}

/// The beginnings of the blocks in which the results of hooks are known.
pub(super) fn asked(function: &Function) -> Vec<String> {
    let ask = |(one, hook, asked): (&Parameter, &str, Option<&Parameter>)| {
        let on = if function.hook { "hook.".to_owned() } else { format!("{}?.", held(hook)) };
        let then = if function.hook { "." } else { "?." };
        let called = match asked {
            Some(asked) => format!("{on}test({})", camel(&asked.name)),
            None => format!("{on}asLong{then}toULong()"),
        };
        format!("{called}.let {{ {} -> ", camel(&one.name))
    };
    function.answers().map(ask).collect()
}

/// The interface of a hook's function.
fn hook_type(block: &Block, class: &Class, setter: &Function) -> Option<String> {
    let (asked, _) = class.hook_type(&setter.name)?;
    Some(match asked {
        Some(asked) => format!("Predicate<{}>", type_name(block, &asked.kind)),
        None => "LongSupplier".to_owned(),
    })
}

fn held(hook: &str) -> String {
    camel(hook) + "Hook"
}
