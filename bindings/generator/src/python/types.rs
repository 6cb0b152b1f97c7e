//! How the interface's types cross between Python and Rust.

use crate::model::{Block, Kind, Type};

/// The types of a block.
#[derive(Clone, Copy)]
pub(super) struct Types<'a>(pub(super) &'a Block);

impl Types<'_> {
    /// The glue around a class: that of another block is in the module of its name.
    pub(super) fn glue(self, name: &str) -> String {
        match self.0.class(name) {
            Some(class) if class.home.block != self.0.name => format!("crate::{}::{name}", class.home.block),
            _ => name.to_owned(),
        }
    }

    /// The type of a parameter; `integer` is that of its integers, whose errors name the parameter.
    pub(super) fn parameter(self, kind: &Type, integer: &str) -> String {
        match kind {
            Type::Class(_) | Type::Bound(_) if !self.is_name(kind) => format!("&{}", self.owned(kind)),
            Type::Optional(inner) => format!("Option<{}>", self.parameter(inner, integer)),
            Type::List(item) => format!("crate::convert::List<{}>", self.shared(item, integer)),
            other => self.shared(other, integer),
        }
    }

    /// The type of a parameter that can leave the function: of a list's item, or for another thread.
    pub(super) fn shared(self, kind: &Type, integer: &str) -> String {
        match kind {
            Type::Class(_) | Type::Bound(_) if self.is_name(kind) => self.owned(kind),
            Type::Class(_) | Type::Bound(_) => format!("Py<{}>", self.owned(kind)),
            Type::Text => "String".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Bytes | Type::SecretBytes => "crate::convert::Bytes".to_owned(),
            Type::Suite => "crate::layer::Suite".to_owned(),
            Type::Attested | Type::Failure => "Py<PyAny>".to_owned(),
            Type::List(item) => format!("crate::convert::List<{}>", self.shared(item, integer)),
            Type::Optional(inner) => format!("Option<{}>", self.shared(inner, integer)),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::U128 => integer.to_owned(),
            Type::Size | Type::Length | Type::AnyLength => integer.to_owned(),
        }
    }

    fn owned(self, kind: &Type) -> String {
        match kind {
            Type::Class(name) => self.glue(name),
            Type::Bound(name) => bound(name),
            _ => String::new(),
        }
    }

    /// An expression for the interface, of a parameter that [`Types::prepared`] has converted.
    pub(super) fn passed(self, kind: &Type, name: &str) -> String {
        match kind {
            Type::Bytes | Type::SecretBytes | Type::List(_) => format!("&{name}"),
            Type::Optional(inner) => match &**inner {
                Type::Bytes | Type::SecretBytes | Type::List(_) => format!("{name}.as_deref()"),
                Type::Text | Type::Bool => name.to_owned(),
                inner if self.is_name(inner) => format!("{name}.as_ref().map(|one| &one.0)"),
                inner => format!("{name}.map(|one| {})", self.passed(inner, "one")),
            },
            Type::Text | Type::Bool | Type::Failure => name.to_owned(),
            // Its lock has given access to it.
            _ if self.lock(kind).is_some() => name.to_owned(),
            Type::Class(_) | Type::Bound(_) => format!("&{name}.0"),
            Type::Attested => format!("&mut |member, bytes, by| {name}.call(member, bytes, by)"),
            other => self.unwrapped(other, name),
        }
    }

    /// The value of a wrapper around a small value.
    fn unwrapped(self, kind: &Type, name: &str) -> String {
        match kind {
            Type::Size | Type::Length => format!("crate::convert::size({name}.0)"),
            _ => format!("{name}.0"),
        }
    }

    /// A statement that converts a parameter before the call.
    pub(super) fn prepared(self, kind: &Type, name: &str) -> String {
        match kind {
            Type::List(item) => format!("let {name} = {name}.all()?;\n{}", self.items(item, name)),
            Type::Optional(inner) => match &**inner {
                Type::List(item) => {
                    let items = self.items(item, name);
                    let all = items.strip_suffix(";\n").and_then(|text| text.split_once(" = "));
                    let each = match all {
                        None => String::new(),
                        Some((_, items)) => {
                            let items = items.replacen(name, "all", 1);
                            format!("let {name} = {name}.as_ref().map(|all| -> Vec<_> {{ {items} }});\n")
                        }
                    };
                    format!("let {name} = {name}.map(crate::convert::List::all).transpose()?;\n{each}")
                }
                _ => String::new(),
            },
            Type::Attested => format!("let mut {name} = crate::layer::Attested::by({name});\n"),
            _ => String::new(),
        }
    }

    /// Converts the items of a list.
    fn items(self, item: &Type, name: &str) -> String {
        let (kind, each) = match item {
            Type::Bytes => ("&[u8]".to_owned(), "&**item".to_owned()),
            Type::Class(_) if self.is_name(item) => ("_".to_owned(), "&item.0".to_owned()),
            Type::Class(class) => (format!("&{}", self.rust(class)), "&item.get().0".to_owned()),
            Type::Bound(_) => ("_".to_owned(), "&item.get().0".to_owned()),
            Type::Text | Type::Bool => return String::new(),
            other => ("_".to_owned(), self.unwrapped(other, "item")),
        };
        format!("let {name}: Vec<{kind}> = {name}.iter().map(|item| {each}).collect();\n")
    }

    /// The interface's type of a class.
    pub(super) fn rust(self, name: &str) -> String {
        self.0.class(name).map_or_else(|| name.to_owned(), |class| class.rust(self.0))
    }

    /// The start of a call of a closure with the object behind a lock, without the interpreter.
    pub(super) fn lock(self, kind: &Type) -> Option<&'static str> {
        match kind {
            Type::Class(name) if self.0.class(name).is_some_and(|class| class.secret) => Some(".0.locked"),
            Type::Bound(name) if name == "Guard" => Some(".locked"),
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
            Some(kind @ (Type::Class(_) | Type::Bound(_))) => self.owned(kind),
            Some(Type::Failure) => "crate::failure::Exception".to_owned(),
            Some(Type::List(item)) => format!("Vec<{}>", self.result(Some(item))),
            Some(Type::Optional(inner)) => format!("Option<{}>", self.result(Some(inner))),
            Some(Type::Attested) => "Py<PyAny>".to_owned(),
            Some(integer @ (Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::U128 | Type::AnyLength)) => {
                integer.integer().unwrap_or_default().to_owned()
            }
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
            other => Some(self.wrapper(kind).unwrap_or_else(|| format!("|item| {other}"))),
        }
    }

    /// The function that puts the glue's class around a value.
    fn wrapper(self, kind: &Type) -> Option<String> {
        let glue = match kind {
            Type::Suite | Type::Failure | Type::Bound(_) | Type::Class(_) => self.result(Some(kind)),
            _ => return None,
        };
        Some(if self.lock(kind).is_some() { glue + "::from" } else { glue })
    }

    fn is_name(self, kind: &Type) -> bool {
        matches!(kind, Type::Class(name) if self.0.kind(name) == Some(Kind::Names))
    }
}

/// The class of an object whose glue is written by hand.
fn bound(name: &str) -> String {
    let module = match name {
        "CommitteeId" => "ids",
        "Guard" | "GuardRecord" => "guard",
        _ => "keys",
    };
    format!("crate::{module}::{name}")
}
