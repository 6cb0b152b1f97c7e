//! What users are asked: whether a key is revoked, and which copy of a machine this is.
//!
//! The core asks while the lock on its object is held. A user's hook is asked before that lock is taken, and the core
//! gets the answer: so a hook may take its time, raise, and use the object that asks.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use pyo3::{Borrowed, type_hint_identifier, type_hint_subscript};

use super::locked;
use crate::keys::PublicKey;

/// Says whether a key is revoked.
pub(super) struct Revocation(Py<PyAny>);

impl Revocation {
    /// Fails with what it raises. Only a bool is an answer: a coroutine, for instance, is true, whatever it would say.
    fn ask(&self, signer: &Bound<'_, PublicKey>) -> PyResult<bool> {
        let answer = self.0.bind(signer.py()).call1((signer,))?;
        answer.cast::<PyBool>().map(|revoked| revoked.is_true()).map_err(|_| wrong("a bool", &answer))
    }
}

impl Asked<Revocation> {
    /// Whether a key is revoked; nobody is, if there is no hook.
    pub(super) fn is_revoked(&self, signer: &Bound<'_, PublicKey>) -> PyResult<bool> {
        self.hook(signer.py()).map_or(Ok(false), |hook| hook.ask(signer))
    }
}

/// Says which copy of its machine this is.
pub(super) struct Copies(Py<PyAny>);

impl Copies {
    /// Fails with what it raises, and if the answer is no integer of 64 bits.
    pub(super) fn ask(&self, py: Python<'_>) -> PyResult<u64> {
        let answer = self.0.bind(py).call0()?;
        answer.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(py) {
                PyOverflowError::new_err(format!("a hook must answer from 0 to {}", u64::MAX))
            } else if error.is_instance_of::<PyTypeError>(py) {
                wrong("an int", &answer)
            } else {
                error
            }
        })
    }
}

impl Asked<Copies> {
    /// Which copy this is, if there is a hook.
    pub(super) fn copy(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.hook(py).map(|hook| hook.ask(py)).transpose()
    }
}

fn wrong(needed: &str, answer: &Bound<'_, PyAny>) -> PyErr {
    let kind = answer.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    PyTypeError::new_err(format!("a hook must answer with {needed}, not {kind}"))
}

/// A hook, or none yet. Its lock is held for no longer than it takes to copy a reference.
pub(super) struct Asked<H>(Mutex<Option<H>>);

impl<H: Hook> Asked<H> {
    pub(super) fn nobody() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn set(&self, py: Python<'_>, hook: H) {
        let before = locked(py, &self.0, |slot| slot.replace(hook));
        // Whatever that runs, it runs without the lock.
        drop(before);
    }

    fn hook(&self, py: Python<'_>) -> Option<H> {
        locked(py, &self.0, |slot| slot.as_ref().map(|hook| H::of(hook.callable().clone_ref(py))))
    }

    /// For the garbage collector: a hook often knows whom it is the hook of.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // What is locked is in use, so it is no garbage.
        self.0.try_lock().map_or(Ok(()), |slot| visit.call(slot.as_ref().map(H::callable)))
    }

    /// For the garbage collector, and when the object is closed.
    pub(super) fn forget(&self) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(before);
    }
}

/// A callable of the user's.
pub(super) trait Hook: Sized {
    fn of(callable: Py<PyAny>) -> Self;
    fn callable(&self) -> &Py<PyAny>;
}

const CALLABLE: PyStaticExpr = type_hint_identifier!("collections.abc", "Callable");

macro_rules! hooks {
    ($($name:ident($($argument:ty)?) -> $answer:literal;)*) => {$(
        impl Hook for $name {
            fn of(callable: Py<PyAny>) -> Self {
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
                    Err(PyTypeError::new_err("something that can be called is needed"))
                }
            }
        }
    )*};
}

hooks! {
    Revocation(Py<PublicKey>) -> "bool";
    Copies() -> "int";
}
