//! The table of what was found to be fastest. `quorate tune-erasure` makes it.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::erasure::tuner;
use quorate::wire::{Decode, Encode};

use super::{ErasureSuite, Shape};
use crate::convert::{Bytes, MessageLen, size};
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};

/// What was found for a shape, a length and a suite: encoding a message of so many bytes and decoding it with f and with 2f
/// shards lost takes `cost` nanoseconds in all.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Row(tuner::Row);

#[pymethods]
impl Row {
    /// How many shards.
    #[getter]
    fn shape(&self) -> Shape {
        Shape(self.0.shape())
    }

    /// The message's length.
    #[getter]
    fn message(&self) -> usize {
        self.0.message()
    }

    /// The suite, with its parameters.
    #[getter]
    fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    /// Nanoseconds.
    #[getter]
    fn cost(&self) -> u64 {
        self.0.cost()
    }

    fn __repr__(&self) -> String {
        let (shape, suite) = (self.shape().__repr__(), self.suite().__repr__());
        format!("Row({shape}, message={}, {suite}, cost={})", self.message(), self.cost())
    }
}

/// Rows by shape, length and suite, one of each. Members of a committee use one table, or one row of it: the suite decides
/// the bytes of the shards.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(PartialEq)]
pub(crate) struct Table(tuner::Table);

#[pymethods]
impl Table {
    /// The most rows of a table.
    #[classattr]
    const MAX_ROWS: usize = tuner::Table::MAX_ROWS;

    /// Reads a file of the tuner.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| tuner::Table::decode(&data, &()))?))
    }

    /// The bytes of the file.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// All rows, ascending by shape, length and suite.
    #[getter]
    fn rows(&self) -> Vec<Row> {
        self.0.rows().iter().copied().map(Row).collect()
    }

    /// The fastest of the suites that `allow` says yes to, for shards of this shape, as measured with the length nearest to
    /// `message` as a ratio. `None` if nothing was measured for this shape. Without `allow` it is whichever this build can
    /// run; a committee whose members have other builds says what all can.
    #[pyo3(signature = (shape, message, allow = None))]
    fn best(
        &self,
        shape: &Shape,
        message: MessageLen,
        allow: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Row>> {
        let (shape, message) = (shape.0, size(message.0));
        let Some(allow) = allow else {
            return Ok(self.0.best(shape, message, |suite| suite.is_available()).copied().map(Row));
        };
        // Asked beforehand, for the answer may be an exception.
        let (mut asked, mut allowed) = (Vec::new(), Vec::new());
        for suite in self.0.rows().iter().filter(|row| row.shape() == shape).map(tuner::Row::suite) {
            if !asked.contains(&suite) {
                asked.push(suite);
                if allow.call1((ErasureSuite(suite),))?.is_truthy()? {
                    allowed.push(suite);
                }
            }
        }
        Ok(self.0.best(shape, message, |suite| allowed.contains(&suite)).copied().map(Row))
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows)", self.0.rows().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}
