//! Suspending variants in Kotlin, where nothing can intercept calls while tests run, as those of Python and JavaScript do.

use super::expression::Writer;
use super::language::Language;
use crate::model::{Class, Cost, Function};
use crate::names::pascal;

impl Writer<'_, '_> {
    /// A call of a function. In Kotlin, `both` also calls the suspending variant of a slow one, which must have the same
    /// outcome; with a hook, two calls may differ.
    pub(super) fn called(
        &self,
        class: &Class,
        function: &Function,
        (owner, name, arguments): (&str, &str, &str),
    ) -> String {
        let call = format!("{owner}.{name}({arguments})");
        if self.language() != Language::Kotlin || function.cost != Cost::Slow || class.has_hook() {
            return call;
        }
        let variant = format!("await{}", pascal(function.overload.as_ref().unwrap_or(&function.name)));
        let label = format!("{}.{variant}", self.world.class_name(class));
        format!("both(\"{label}\", {{ {call} }}, {{ {owner}.{variant}({arguments}) }})")
    }
}
