//! Interface to the pure-Python layer: the suites' enum, classes of plain data, callables, and calls on other threads.

use core::marker::PhantomData;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt};
use quorate::any;

use crate::convert::expected;
use crate::failure::{Failure, Outcome};

/// A member of `quorate.Suite`, or its name.
#[derive(Clone, Copy)]
pub(crate) struct Suite(pub(crate) any::Suite);

impl FromPyObject<'_, '_> for Suite {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // The enum's members are strings.
        let name: &str = object.extract().map_err(|_: PyErr| expected("a Suite or its name", &object))?;
        any::Suite::from_name(name).map(Suite).map_err(|error| Failure::from(error).into())
    }
}

impl<'py> IntoPyObject<'py> for Suite {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        CLASS.import(py, "quorate.suite", "Suite")?.call1((self.0.name(),))
    }
}

/// A coroutine that gives a `T`.
pub(crate) struct Coroutine<'py, T>(Bound<'py, PyAny>, PhantomData<T>);

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Coroutine<'py, T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = core::convert::Infallible;

    fn into_pyobject(self, _: Python<'py>) -> Result<Bound<'py, PyAny>, Self::Error> {
        Ok(self.0)
    }
}

/// Runs a method of `object` with `asyncio.to_thread`. The arguments must be immutable or unshared.
pub(crate) fn off_thread<'py, T>(
    object: &Bound<'py, PyAny>,
    method: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple>,
) -> PyResult<Coroutine<'py, T>> {
    static RUN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let arguments = arguments.into_bound_py_any(py)?;
    let coroutine = RUN.import(py, "quorate._async", "run")?.call1((object.getattr(method)?, arguments))?;
    Ok(Coroutine(coroutine, PhantomData))
}

/// Creates an object of a class that a module defines in Python.
macro_rules! made {
    ($py:ident, $module:literal, $class:literal, $values:expr) => {{
        static CLASS: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::PyAny>> = pyo3::sync::PyOnceLock::new();
        CLASS.import($py, $module, $class)?.call1($values)
    }};
}

pub(crate) use made;

/// A Python callable that verifies a member's attestation of some bytes.
pub(crate) struct Attested {
    call: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Attested {
    pub(crate) fn by(call: Py<PyAny>) -> Self {
        Self { call, raised: None }
    }

    /// Calls it with the interpreter, which the caller has released. An attestation is invalid if it raises.
    pub(crate) fn call(&mut self, member: u16, bytes: &[u8], attestation: &[u8]) -> bool {
        let answer = Python::attach(|py| {
            let arguments = (member, PyBytes::new(py, bytes), PyBytes::new(py, attestation));
            self.call.bind(py).call1(arguments)?.is_truthy()
        });
        answer.unwrap_or_else(|raised| {
            self.raised = Some(raised);
            false
        })
    }

    /// Returns the result, or the exception that the callable raised.
    pub(crate) fn finish<T>(self, result: quorate::Result<T>) -> Outcome<T> {
        match self.raised {
            Some(raised) => Err(raised.into()),
            None => Ok(result?),
        }
    }
}
