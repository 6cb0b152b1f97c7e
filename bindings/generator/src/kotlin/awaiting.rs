//! Suspending variants of slow functions.

use super::functions::parameters;
use super::types::{class_name, type_name};
use crate::model::{Block, Class, Function, Kind};
use crate::names::{camel, pascal};

/// A function that calls another one off the calling thread.
pub(super) fn variant(block: &Block, class: &Class, function: &Function) -> String {
    let owner = class_name(block, &class.name);
    let name = function.overload.as_ref().unwrap_or(&function.name);
    let is_on_class = !function.has_receiver() && class.kind != Kind::Module;
    let receiver = if is_on_class { format!("{owner}.Companion") } else { owner.clone() };
    let result = function.result.as_ref().map_or("Unit".to_owned(), |result| type_name(block, result));
    let arguments: Vec<String> = function.passed().map(|one| camel(&one.name)).collect();
    format!(
        "\n/** [{owner}.{called}] off the calling thread. */\n\
         public suspend fun {receiver}.await{}({}): {result} =\n    offThread {{ {called}({}) }}\n",
        pascal(name),
        parameters(block, function),
        arguments.join(", "),
        called = camel(name),
    )
}
