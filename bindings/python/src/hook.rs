//! Hooks: functions that users set on an object, and whose results its functions take.
//!
//! The core reads its hooks while the lock on its object is held. A user's hook runs before that lock is taken, and the
//! core gets the stored answer. A hook may therefore take its time, raise, and use the calling object.

use std::sync::{Mutex, PoisonError};

use pyo3::Borrowed;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBool;

/// A user's callable.
pub(crate) struct Hook(Py<PyAny>);

impl Hook {
    /// Calls it. Fails with the exception that it raises, or if its result has another type.
    pub(crate) fn ask<'py, A: Answer>(&self, py: Python<'py>, asked: impl PyCallArgs<'py>) -> PyResult<A> {
        A::read(&self.0.bind(py).call1(asked)?)
    }
}

impl FromPyObject<'_, '_> for Hook {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_callable() {
            Ok(Self(object.to_owned().unbind()))
        } else {
            Err(PyTypeError::new_err("expected a callable"))
        }
    }
}

/// The result of a hook.
pub(crate) trait Answer: Sized {
    fn read(answer: &Bound<'_, PyAny>) -> PyResult<Self>;
}

/// Only a bool is accepted: a coroutine, for instance, is truthy whatever its result.
impl Answer for bool {
    fn read(answer: &Bound<'_, PyAny>) -> PyResult<Self> {
        answer.cast::<PyBool>().map(|answer| answer.is_true()).map_err(|_| wrong("a bool", answer))
    }
}

impl Answer for u64 {
    fn read(answer: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = answer.py();
        answer.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(py) {
                PyOverflowError::new_err(format!("a hook must return an integer from 0 to {}", u64::MAX))
            } else if error.is_instance_of::<PyTypeError>(py) {
                wrong("an int", answer)
            } else {
                error
            }
        })
    }
}

fn wrong(needed: &str, answer: &Bound<'_, PyAny>) -> PyErr {
    let kind = answer.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    PyTypeError::new_err(format!("a hook must return {needed}, not {kind}"))
}

/// A hook that may not be set yet. Its lock is held only while a reference is copied.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<Hook>>);

impl Slot {
    pub(crate) fn set(&self, py: Python<'_>, hook: Hook) {
        let before = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).replace(hook);
        // The drop may run Python code; it runs without the lock.
        drop(before);
    }

    /// Calls the hook, if one is set.
    pub(crate) fn ask<'py, A: Answer>(
        &self,
        py: Python<'py>,
        asked: impl PyCallArgs<'py>,
    ) -> PyResult<Option<A>> {
        let slot = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let hook = slot.as_ref().map(|hook| Hook(hook.0.clone_ref(py)));
        drop(slot);
        hook.map(|hook| hook.ask(py, asked)).transpose()
    }

    /// For the garbage collector: a hook often references the object that it belongs to.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked hook is in use, so it is not garbage.
        self.0.try_lock().map_or(Ok(()), |slot| visit.call(slot.as_ref().map(|hook| &hook.0)))
    }

    /// Called by the garbage collector, and when the object is closed.
    pub(crate) fn clear(&self) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(before);
    }
}
