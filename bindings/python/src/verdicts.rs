//! The verdicts on the elements of a batch: a list of results and exceptions.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{IntoPyObjectExt, type_hint_identifier, type_hint_subscript, type_hint_union};
use quorate::Result;
use quorate::committee::Verified;

use crate::failure::exception;

/// Verdict on each element of a batch: a `V` if it is valid.
pub(crate) struct Verdicts<V>(pub(crate) Vec<Result<V>>);

impl<V> Verdicts<V> {
    pub(crate) fn new<T>(verdicts: Vec<Result<Verified<T>>>) -> Self
    where
        V: From<Verified<T>>,
    {
        Self(verdicts.into_iter().map(|verdict| verdict.map(V::from)).collect())
    }
}

impl<'py, V: IntoPyObject<'py>> IntoPyObject<'py> for Verdicts<V> {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "list"),
        type_hint_union!(V::OUTPUT_TYPE, type_hint_identifier!("quorate.errors", "QuorateError"))
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let verdict = |verdict| match verdict {
            Ok(verified) => IntoPyObjectExt::into_bound_py_any(verified, py),
            Err(error) => exception(py, &error),
        };
        PyList::new(py, self.0.into_iter().map(verdict).collect::<PyResult<Vec<_>>>()?)
    }
}
