//! Times and durations.

use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quorate::machine::Time;

use crate::convert::Now;

/// A time of the caller's clock, or of the system's.
pub(crate) fn at(now: Option<Now>) -> Time {
    let system = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    Time(now.map_or_else(|| u64::try_from(system()).unwrap_or(u64::MAX), |now| now.0))
}

/// Duration types by meaning, so that an error can name the argument.
macro_rules! spans {
    ($($name:ident, $argument:literal;)*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) core::time::Duration);

        impl pyo3::FromPyObject<'_, '_> for $name {
            type Error = pyo3::PyErr;

            const INPUT_TYPE: pyo3::inspect::PyStaticExpr =
                <core::time::Duration as pyo3::FromPyObject<'_, '_>>::INPUT_TYPE;

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

spans! {
    Lifetime, "lifetime";
    Interval, "interval";
}
