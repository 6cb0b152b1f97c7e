//! Functions that users set, and whose results other functions take.
//!
//! The classes call them, not the backend, which would hold a lock or a borrow meanwhile: a hook that uses its own object
//! would deadlock. They are called before handles and bytes are read, because a hook could free or detach them.

use super::crossing::{argument, check, parameter_name, type_name};
use super::naming::{docs, name, native, receiver};
use crate::model::{Block, Class, Function};
use crate::names::javascript;

/// The method that sets a hook, after the call with its first result.
pub(super) fn setter(block: &Block, class: &Class, function: &Function) -> String {
    let Some((asked, answer)) = class.hook_type(&function.name) else { return String::new() };
    let asked =
        asked.map_or(String::new(), |one| format!("{}: {}", parameter_name(one), type_name(&one.kind)));
    let (name, receiver) = (name(class, function), receiver(class));
    let mut lines = vec![receiver.clone(), "check.callable(hook, 'hook')".to_owned()];
    let mut arguments = receiver;
    if let Some((one, ..)) = function.answers().next() {
        let one = parameter_name(one);
        lines.push(format!("const {one} = answerOf(hook, '{name}', {})", check(block, answer, None)));
        arguments += &format!(", {one}");
    }
    lines.push(native(class, &function.name, &arguments));
    lines.push("setHook(this, hook)".to_owned());
    let body: String = lines.iter().map(|line| format!("    {line};\n")).collect();
    format!(
        "{}  {name}(hook: ({asked}) => {}): void {{\n{body}  }}\n",
        docs(class, function),
        type_name(answer)
    )
}

/// Statements that call the hooks whose results a function takes.
pub(super) fn asked(block: &Block, class: &Class, function: &Function) -> Vec<String> {
    let mut lines = Vec::new();
    for (one, hook, asked) in function.answers() {
        let given = asked.map_or(String::new(), |asked| format!(", {}", parameter_name(asked)));
        lines
            .extend(asked.map(|asked| {
                argument(block, function, asked, &format!("'{}'", parameter_name(asked))) + ";"
            }));
        let kind = one.kind.inner().unwrap_or(&one.kind);
        lines.push(format!(
            "const {} = answered(this, {}, '{}', {}{given});",
            parameter_name(one),
            class.name,
            javascript(hook),
            check(block, kind, None)
        ));
    }
    lines
}
