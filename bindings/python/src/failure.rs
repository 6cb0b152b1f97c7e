//! Conversion of failures to Python exceptions.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use quorate::{Detail, Error};

/// Code of objects that were closed or whose ownership was transferred; the core has no such objects.
pub(crate) const CLOSED: &str = "CLOSED";

/// Result of most methods.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Reason for a failed call.
pub(crate) enum Failure {
    /// An error of the core: an exception of `quorate.errors`.
    Core(Error),
    /// The object with this name was closed.
    Closed(&'static str),
    /// A Python exception.
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| match failure {
            Failure::Core(error) => PyErr::from_value(exception(py, &error).unwrap_or_else(raised(py))),
            Failure::Closed(what) => {
                let text = format!("this {what} was closed or consumed");
                let none = PyDict::new(py);
                PyErr::from_value(made(py, CLOSED, &text, &[], &none).unwrap_or_else(raised(py)))
            }
            Failure::Python(error) => error,
        })
    }
}

/// An error of the core as a value: the exception object.
pub(crate) struct Exception(pub(crate) Error);

impl<'py> IntoPyObject<'py> for Exception {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        exception(py, &self.0)
    }
}

/// One of several results: a value, or an exception object.
pub(crate) struct Verdict<V>(pub(crate) quorate::Result<V>);

impl<'py, V: IntoPyObject<'py>> IntoPyObject<'py> for Verdict<V> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0 {
            Ok(value) => value.into_bound_py_any(py),
            Err(error) => exception(py, &error),
        }
    }
}

/// Returns the exception for an error of the core.
pub(crate) fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let details = PyDict::new(py);
    for (name, detail) in error.details() {
        match detail {
            Detail::Text(text) => details.set_item(name, text)?,
            Detail::Number(number) => details.set_item(name, number)?,
            Detail::Members(members) => details.set_item(name, members)?,
            _ => {}
        }
    }
    made(py, error.code(), &error.to_string(), error.culprits(), &details)
}

fn made<'py>(
    py: Python<'py>,
    code: &str,
    message: &str,
    culprits: &[u16],
    details: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    MAKE.import(py, "quorate.errors", "from_code")?.call1((code, message, culprits.to_vec(), details))
}

/// If the exception cannot be created, the error that prevented it is raised instead.
fn raised<'py>(py: Python<'py>) -> impl FnOnce(PyErr) -> Bound<'py, PyAny> {
    move |error| error.into_value(py).into_bound(py).into_any()
}
