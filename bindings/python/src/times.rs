//! Durations.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Duration types by meaning, so that an error can name the argument.
macro_rules! spans {
    ($($name:ident, $argument:literal;)*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) core::time::Duration);

        impl pyo3::FromPyObject<'_, '_> for $name {
            type Error = pyo3::PyErr;

            fn extract(object: pyo3::Borrowed<'_, '_, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                object.extract().map($name).map_err(|error| $crate::times::named(&object, error, $argument))
            }
        }
    )*};
}

pub(crate) use spans;

/// The error of a negative duration, with the argument's name; any other error stays as it is.
pub(crate) fn named(object: &Bound<'_, PyAny>, error: PyErr, argument: &str) -> PyErr {
    if error.is_instance_of::<PyValueError>(object.py()) {
        PyValueError::new_err(format!("{argument} must not be negative"))
    } else {
        error
    }
}
