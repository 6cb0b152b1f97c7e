//! Times and durations.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::inspect::PyStaticExpr;
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
        pub(crate) struct $name(pub(crate) Duration);

        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            const INPUT_TYPE: PyStaticExpr = <Duration as FromPyObject<'_, '_>>::INPUT_TYPE;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                let py = object.py();
                object.extract().map($name).map_err(|error: PyErr| {
                    if error.is_instance_of::<PyValueError>(py) {
                        PyValueError::new_err(concat!($argument, " must not be negative"))
                    } else {
                        error
                    }
                })
            }
        }
    )*};
}

spans! {
    Lifetime, "lifetime";
    Interval, "interval";
    BackOff, "back_off";
    SendTimeout, "send_timeout";
}
