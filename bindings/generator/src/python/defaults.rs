//! The values of parameters that a user does not pass.

use crate::model::{Parameter, Type};

/// A value in place of `None`, which Python shows in signatures.
#[derive(Clone, Copy)]
pub(crate) enum Default {
    /// An integer.
    Number(u64),
    /// A number of microseconds.
    Duration(u64),
    /// A choice that is not made.
    False,
    /// A list without items.
    Empty,
}

impl Default {
    /// The default of a parameter, if it has another one than `None`.
    pub(crate) fn of(parameter: &Parameter) -> Option<Self> {
        let Type::Optional(inner) = &parameter.kind else { return None };
        match (&**inner, parameter.default) {
            (Type::Duration, Some(microseconds)) => Some(Default::Duration(microseconds)),
            (_, Some(number)) => Some(Default::Number(number)),
            (Type::Bool, None) => Some(Default::False),
            (Type::List(_), None) => Some(Default::Empty),
            _ => None,
        }
    }

    /// The type of the values that a user passes.
    pub(crate) fn passed_type(parameter: &Parameter) -> &Type {
        Self::of(parameter).and(parameter.kind.inner()).unwrap_or(&parameter.kind)
    }

    /// The value in Rust; `wrapper` is the type of the parameter.
    pub(super) fn rust(self, kind: &Type, wrapper: &str) -> String {
        match self {
            Default::Number(number) if *kind == Type::NonZeroU16 => {
                let number = format!("core::num::NonZeroU16::new({number})");
                format!("{wrapper}({number}.unwrap_or(core::num::NonZeroU16::MIN))")
            }
            Default::Number(number) => format!("{wrapper}({number})"),
            Default::Duration(microseconds) => {
                format!("{wrapper}(core::time::Duration::from_micros({microseconds}))")
            }
            Default::False => "false".to_owned(),
            Default::Empty => "crate::convert::List::NONE".to_owned(),
        }
    }

    /// The value in Python.
    pub(crate) fn python(self) -> String {
        match self {
            Default::Number(number) => number.to_string(),
            Default::Duration(microseconds) => match (microseconds % 1_000_000, microseconds % 1_000) {
                (0, _) => format!("timedelta(seconds={})", microseconds / 1_000_000),
                (_, 0) => format!("timedelta(milliseconds={})", microseconds / 1_000),
                _ => format!("timedelta(microseconds={microseconds})"),
            },
            Default::False => "False".to_owned(),
            Default::Empty => "()".to_owned(),
        }
    }
}
