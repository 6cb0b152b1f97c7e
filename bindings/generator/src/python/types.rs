//! How the interface's types cross between Python and Rust.

use crate::model::{Block, Class, Kind, Type};
use crate::names::tuple;

/// The types of a block.
#[derive(Clone, Copy)]
pub(super) struct Types<'a>(pub(super) &'a Block);

impl Types<'_> {
    /// The glue around a class: that of another block is in the module of its name.
    pub(super) fn glue(self, name: &str) -> String {
        self.0.class(name).map_or_else(|| name.to_owned(), |class| class.glue(self.0, name))
    }

    /// The type of a parameter; `wrapper` is that of its numbers and durations, whose errors name the parameter.
    pub(super) fn parameter(self, kind: &Type, wrapper: &str) -> String {
        match kind {
            Type::Class(name) if !self.is_name(kind) => format!("&{}", self.glue(name)),
            Type::Optional(inner) => format!("Option<{}>", self.parameter(inner, wrapper)),
            other => self.shared(other, wrapper),
        }
    }

    /// The type of a parameter that can leave the function: of a list's item, or for another thread.
    pub(super) fn shared(self, kind: &Type, wrapper: &str) -> String {
        match kind {
            Type::Class(name) if self.is_name(kind) => self.glue(name),
            Type::Class(name) => format!("Py<{}>", self.glue(name)),
            Type::Text => "String".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Bytes | Type::SecretBytes => "crate::convert::Bytes".to_owned(),
            Type::Suite => "crate::layer::Suite".to_owned(),
            Type::Attested | Type::Failure => "Py<PyAny>".to_owned(),
            Type::List(item) => format!("crate::convert::List<{}>", self.shared(item, wrapper)),
            Type::Optional(inner) => format!("Option<{}>", self.shared(inner, wrapper)),
            Type::Verdict(inner) => self.shared(inner, wrapper),
            Type::Tuple(parts) => tuple(parts.iter().map(|part| self.shared(part, wrapper))),
            // Integers and durations.
            _ => wrapper.to_owned(),
        }
    }

    /// An expression for the interface, of a parameter that [`Types::prepared`] has converted.
    pub(super) fn passed(self, kind: &Type, name: &str) -> String {
        match kind {
            Type::Bytes | Type::SecretBytes | Type::List(_) => format!("&{name}"),
            Type::Optional(inner) => match &**inner {
                Type::Bytes | Type::SecretBytes => format!("{name}.as_deref()"),
                Type::Text | Type::Bool => name.to_owned(),
                inner if self.is_name(inner) => format!("{name}.as_ref().map(|one| &one.0)"),
                inner => format!("{name}.map(|one| {})", self.passed(inner, "one")),
            },
            Type::Text | Type::Bool | Type::Failure => name.to_owned(),
            // Their locks have given access to them.
            Type::Class(_) if self.lock(kind).is_some() => name.to_owned(),
            Type::Class(_) => format!("&{name}.0"),
            Type::Tuple(parts) => tuple((0..parts.len()).map(|at| format!("&{name}.{at}"))),
            Type::Attested => format!("&mut |member, bytes, by| {name}.call(member, bytes, by)"),
            Type::Size | Type::Length => format!("crate::convert::size({name}.0)"),
            _ => format!("{name}.0"),
        }
    }

    /// A statement that converts a parameter before the call.
    pub(super) fn prepared(self, kind: &Type, name: &str, limit: Option<u64>) -> String {
        match kind {
            Type::List(item) => {
                let all = if limit.is_some() { "counted()" } else { "all()?" };
                if item.is_list() {
                    return format!(
                        "let {name} = {name}.{all}.into_iter();\n\
                         let {name}: Vec<Vec<_>> = {name}.map(|list| list.counted().into_iter().map(|item| item.0).collect()).collect();\n"
                    );
                }
                format!("let {name} = {name}.{all};\n{}", self.items(item, name))
            }
            Type::Attested => format!("let mut {name} = crate::layer::Attested::by({name});\n"),
            _ => String::new(),
        }
    }

    /// Converts the items of a list.
    fn items(self, item: &Type, name: &str) -> String {
        let (pattern, each) = match item {
            Type::Text | Type::Bool => return String::new(),
            Type::Tuple(parts) => {
                let names: Vec<String> = (0..parts.len()).map(|at| format!("part_{at}")).collect();
                let parts = parts.iter().zip(&names).map(|(part, name)| self.item(part, name));
                (tuple(&names), tuple(parts))
            }
            other => ("item".to_owned(), self.item(other, "item")),
        };
        format!(
            "let {name}: Vec<{}> = {name}.iter().map(|{pattern}| {each}).collect();\n",
            self.item_type(item)
        )
    }

    /// An item of a list, or a part of one, for the interface.
    fn item(self, kind: &Type, name: &str) -> String {
        match kind {
            Type::Bytes => format!("&**{name}"),
            Type::Class(_) if self.is_name(kind) => format!("&{name}.0"),
            Type::Class(_) => format!("&{name}.get().0"),
            other => self.passed(other, name),
        }
    }

    fn item_type(self, kind: &Type) -> String {
        match kind {
            Type::Bytes => "&[u8]".to_owned(),
            Type::Class(class) if !self.is_name(kind) => format!("&{}", self.0.rust(class)),
            Type::Tuple(parts) => tuple(parts.iter().map(|part| self.item_type(part))),
            _ => "_".to_owned(),
        }
    }

    /// The start of a call of a closure with the object behind a lock, without the interpreter.
    pub(super) fn lock(self, kind: &Type) -> Option<&'static str> {
        match kind {
            Type::Class(name) if self.0.class(name).is_some_and(|class| class.secret) => Some(".0.locked"),
            _ => None,
        }
    }

    /// The type of a result.
    pub(super) fn result(self, kind: Option<&Type>) -> String {
        match kind {
            None => "()".to_owned(),
            Some(Type::Text) => "String".to_owned(),
            Some(Type::Bytes | Type::SecretBytes) => "Bound<'py, pyo3::types::PyBytes>".to_owned(),
            Some(Type::Bool) => "bool".to_owned(),
            Some(Type::Size | Type::Length) => "usize".to_owned(),
            Some(Type::Suite) => "crate::layer::Suite".to_owned(),
            Some(Type::Class(name)) => self.glue(name),
            Some(Type::Failure) => "crate::failure::Exception".to_owned(),
            Some(Type::List(item)) => format!("Vec<{}>", self.result(Some(item))),
            Some(Type::Optional(inner)) => format!("Option<{}>", self.result(Some(inner))),
            Some(Type::Verdict(inner)) => format!("crate::failure::Verdict<{}>", self.result(Some(inner))),
            Some(Type::Tuple(parts)) => tuple(parts.iter().map(|part| self.result(Some(part)))),
            Some(Type::Attested) => "Py<PyAny>".to_owned(),
            Some(Type::Duration) => "core::time::Duration".to_owned(),
            Some(kind) => kind.integer().unwrap_or_default().to_owned(),
        }
    }

    /// Converts a result.
    pub(super) fn converted(self, kind: Option<&Type>, value: &str) -> String {
        match kind {
            Some(Type::Bytes | Type::SecretBytes) => format!("crate::convert::python_bytes(py, {value})"),
            Some(Type::List(item)) => match self.each(item) {
                None => value.to_owned(),
                Some(each) => format!("{value}.into_iter().map({each}).collect::<Vec<_>>()"),
            },
            Some(Type::Optional(inner)) => match self.each(inner) {
                None => value.to_owned(),
                Some(each) => format!("{value}.map({each})"),
            },
            Some(Type::Verdict(inner)) => {
                let each = self.each(inner).map(|each| format!(".map({each})"));
                format!("crate::failure::Verdict({value}{})", each.unwrap_or_default())
            }
            Some(kind) => match self.wrapper(kind) {
                None => value.to_owned(),
                Some(wrapper) => format!("{wrapper}({value})"),
            },
            None => value.to_owned(),
        }
    }

    /// A function that converts an item; none if it crosses as it is.
    fn each(self, kind: &Type) -> Option<String> {
        match self.converted(Some(kind), "item") {
            same if same == "item" => None,
            same if same == "crate::failure::Verdict(item)" => Some("crate::failure::Verdict".to_owned()),
            other => Some(self.wrapper(kind).unwrap_or_else(|| format!("|item| {other}"))),
        }
    }

    /// The function that puts the glue's class around a value.
    fn wrapper(self, kind: &Type) -> Option<String> {
        let glue = match kind {
            Type::Suite | Type::Failure | Type::Class(_) => self.result(Some(kind)),
            _ => return None,
        };
        let is_hooked = matches!(kind, Type::Class(name) if self.0.class(name).is_some_and(Class::has_hook));
        Some(if is_hooked || self.lock(kind).is_some() { glue + "::from" } else { glue })
    }

    fn is_name(self, kind: &Type) -> bool {
        matches!(kind, Type::Class(name) if self.0.kind(name) == Some(Kind::Names))
    }
}
