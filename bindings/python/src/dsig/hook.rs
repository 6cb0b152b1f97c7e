//! Callbacks into user code: whether a key is revoked, and which copy of a machine this is.
//!
//! The core calls its hooks while the lock on its object is held. A user's hook runs before that lock is taken, and the
//! core gets the stored answer. A hook may therefore take its time, raise, and use the calling object.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use pyo3::{Borrowed, type_hint_identifier, type_hint_subscript};

use super::locked;
use crate::keys::PublicKey;

/// Callback that tells whether a key is revoked.
pub(super) struct Revocation(Py<PyAny>);

impl Revocation {
    /// Fails with the exception that the callback raises. Only a bool is accepted: a coroutine, for instance, is truthy
    /// whatever its result.
    fn call(&self, signer: &Bound<'_, PublicKey>) -> PyResult<bool> {
        let answer = self.0.bind(signer.py()).call1((signer,))?;
        answer.cast::<PyBool>().map(|revoked| revoked.is_true()).map_err(|_| wrong("a bool", &answer))
    }
}

impl HookSlot<Revocation> {
    /// Returns true if the key is revoked; false without a hook.
    pub(super) fn is_revoked(&self, signer: &Bound<'_, PublicKey>) -> PyResult<bool> {
        self.hook(signer.py()).map_or(Ok(false), |hook| hook.call(signer))
    }
}

/// Callback that identifies this copy of the machine.
pub(super) struct Copies(Py<PyAny>);

impl Copies {
    /// Fails with the exception that the callback raises, or if its result is not a 64-bit integer.
    pub(super) fn call(&self, py: Python<'_>) -> PyResult<u64> {
        let answer = self.0.bind(py).call0()?;
        answer.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(py) {
                PyOverflowError::new_err(format!("a hook must return an integer from 0 to {}", u64::MAX))
            } else if error.is_instance_of::<PyTypeError>(py) {
                wrong("an int", &answer)
            } else {
                error
            }
        })
    }
}

impl HookSlot<Copies> {
    /// Identifier of this copy, if a hook is set.
    pub(super) fn copy(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.hook(py).map(|hook| hook.call(py)).transpose()
    }
}

fn wrong(needed: &str, answer: &Bound<'_, PyAny>) -> PyErr {
    let kind = answer.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    PyTypeError::new_err(format!("a hook must return {needed}, not {kind}"))
}

/// A hook that may not be set yet. Its lock is held only while a reference is copied.
pub(super) struct HookSlot<H>(Mutex<Option<H>>);

impl<H: Hook> HookSlot<H> {
    pub(super) fn unset() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn set(&self, py: Python<'_>, hook: H) {
        let before = locked(py, &self.0, |slot| slot.replace(hook));
        // The drop may run Python code; it runs without the lock.
        drop(before);
    }

    fn hook(&self, py: Python<'_>) -> Option<H> {
        locked(py, &self.0, |slot| slot.as_ref().map(|hook| H::new(hook.callable().clone_ref(py))))
    }

    /// For the garbage collector: a hook often references the object that it belongs to.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked hook is in use, so it is not garbage.
        self.0.try_lock().map_or(Ok(()), |slot| visit.call(slot.as_ref().map(H::callable)))
    }

    /// Called by the garbage collector, and when the object is closed.
    pub(super) fn clear(&self) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(before);
    }
}

/// A user's callable.
pub(super) trait Hook: Sized {
    fn new(callable: Py<PyAny>) -> Self;
    fn callable(&self) -> &Py<PyAny>;
}

const CALLABLE: PyStaticExpr = type_hint_identifier!("collections.abc", "Callable");

macro_rules! hooks {
    ($($name:ident($($argument:ty)?) -> $answer:literal;)*) => {$(
        impl Hook for $name {
            fn new(callable: Py<PyAny>) -> Self {
                Self(callable)
            }

            fn callable(&self) -> &Py<PyAny> {
                &self.0
            }
        }

        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
                CALLABLE,
                PyStaticExpr::List { elts: &[$(<$argument as FromPyObject<'_, '_>>::INPUT_TYPE)?] },
                type_hint_identifier!("builtins", $answer)
            );

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                if object.is_callable() {
                    Ok(Self(object.to_owned().unbind()))
                } else {
                    Err(PyTypeError::new_err("expected a callable"))
                }
            }
        }
    )*};
}

hooks! {
    Revocation(Py<PublicKey>) -> "bool";
    Copies() -> "int";
}
