//! Secrets behind a lock until they are closed or their ownership is transferred.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;

use crate::failure::{Failure, Outcome};

/// A secret and its name. Users share the lock; closing waits for them. Threads wait for the lock only without the
/// interpreter.
pub(crate) struct Held<T> {
    what: &'static str,
    secret: RwLock<Option<T>>,
}

impl<T: Send + Sync> Held<T> {
    pub(crate) fn new(what: &'static str, secret: T) -> Self {
        Self { what, secret: RwLock::new(Some(secret)) }
    }

    /// Works on the secret without the interpreter.
    pub(crate) fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R + Send) -> Outcome<R> {
        py.detach(|| {
            let secret = self.secret.read().unwrap_or_else(PoisonError::into_inner);
            secret.as_ref().map(work).ok_or(Failure::Closed(self.what))
        })
    }

    pub(crate) fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.secret.write().unwrap_or_else(PoisonError::into_inner).take()));
    }

    pub(crate) fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.secret.read().unwrap_or_else(PoisonError::into_inner).is_none())
    }
}

/// The methods of a class whose field `secret` is [`Held`]: its own, and those of every closable class.
macro_rules! held {
    ($name:ident, $refusal:literal, { $($more:tt)* }) => {
        #[pymethods]
        impl $name {
            $($more)*

            /// Wipes the secret. Later calls raise `ClosedError`; closing again does nothing.
            fn close(&self, py: Python<'_>) {
                self.secret.close(py);
            }

            /// True if it was closed or its ownership was transferred.
            #[getter]
            fn closed(&self, py: Python<'_>) -> bool {
                self.secret.is_closed(py)
            }

            fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
                slf
            }

            #[allow(unused_variables, reason = "part of the protocol")]
            #[pyo3(signature = (kind, error, traceback, /))]
            fn __exit__(
                &self,
                py: Python<'_>,
                kind: &Bound<'_, PyAny>,
                error: &Bound<'_, PyAny>,
                traceback: &Bound<'_, PyAny>,
            ) {
                self.close(py);
            }

            /// Raises `TypeError`: this object cannot be pickled.
            fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
                $crate::pickle::refused($refusal)
            }
        }
    };
}

pub(crate) use held;
