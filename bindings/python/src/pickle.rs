//! Pickling of values that are neither verified nor secret, and expressions that create them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{IntoPyObjectExt, PyClass, PyTypeInfo};

/// Result of `__reduce__`: a callable and its arguments.
pub(crate) type Reduced<'py> = Bound<'py, PyAny>;

/// Returns the class method of `T` that recreates the value, and its arguments.
pub(crate) fn reduced<'py, T: PyTypeInfo>(
    py: Python<'py>,
    method: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple>,
) -> PyResult<Reduced<'py>> {
    let arguments = arguments.into_bound_py_any(py)?.cast_into::<PyTuple>()?;
    (py.get_type::<T>().getattr(method)?, arguments).into_bound_py_any(py)
}

/// Returns the class of `T`, and the arguments of its constructor.
pub(crate) fn rebuilt<'py, T: PyTypeInfo>(
    py: Python<'py>,
    arguments: impl IntoPyObject<'py, Target = PyTuple>,
) -> PyResult<Reduced<'py>> {
    let arguments = arguments.into_bound_py_any(py)?.cast_into::<PyTuple>()?;
    (py.get_type::<T>(), arguments).into_bound_py_any(py)
}

/// Returns a copy of an object that can change, by what pickling would restore.
pub(crate) fn copied<'py, T: PyClass>(object: &Bound<'py, T>) -> PyResult<Bound<'py, PyAny>> {
    let (class, arguments): (Bound<'py, PyAny>, Bound<'py, PyTuple>) =
        object.as_any().call_method0("__reduce__")?.extract()?;
    class.call1(arguments)
}

/// Returns the text of a value as an expression of Python.
pub(crate) fn repr<'py>(py: Python<'py>, value: impl IntoPyObject<'py>) -> PyResult<String> {
    Ok(value.into_bound_py_any(py)?.repr()?.to_string())
}

/// Returns the expression that creates a value of a class from named arguments.
pub(crate) fn expression(class: &str, arguments: &[(&str, String)]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{class}({})", arguments.join(", "))
}

/// Returns the `TypeError` for pickling or copying a type that forbids it.
pub(crate) fn refused<T>(why: &'static str) -> PyResult<T> {
    Err(PyTypeError::new_err(why))
}
