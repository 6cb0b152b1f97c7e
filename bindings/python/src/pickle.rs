//! Pickling of values that are neither verified nor secret: by their bytes and the method that decodes them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{IntoPyObjectExt, PyTypeInfo};

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

/// Returns the `TypeError` for pickling or copying a type that forbids it.
pub(crate) fn refused<T>(why: &'static str) -> PyResult<T> {
    Err(PyTypeError::new_err(why))
}
