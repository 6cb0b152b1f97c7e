//! The tuner's table of the fastest codes. The command `quorate tune-erasure` creates it.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::erasure::tuner;
use quorate::wire::{Decode, Encode};

use super::{ErasureSuite, Shape};
use crate::convert::{Bytes, MessageLen, size};
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};

/// Measurement for a shape, a length and a suite: encoding a message of this length and decoding it with f and with 2f
/// lost shards takes `cost` nanoseconds in total.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Row(tuner::Row);

#[pymethods]
impl Row {
    /// Number of data and parity shards.
    #[getter]
    fn shape(&self) -> Shape {
        Shape(self.0.shape())
    }

    /// Length of the message in bytes.
    #[getter]
    fn message(&self) -> usize {
        self.0.message()
    }

    /// The suite, with its parameters.
    #[getter]
    fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    /// Cost in nanoseconds.
    #[getter]
    fn cost(&self) -> u64 {
        self.0.cost()
    }

    fn __repr__(&self) -> String {
        let (shape, suite) = (self.shape().__repr__(), self.suite().__repr__());
        format!("Row({shape}, message={}, {suite}, cost={})", self.message(), self.cost())
    }
}

/// Rows by shape, length and suite, without duplicates. All members of a committee must use one table, or one row of
/// it, because the suite determines the bytes of the shards.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(PartialEq)]
pub(crate) struct Table(tuner::Table);

#[pymethods]
impl Table {
    /// Maximum number of rows.
    #[classattr]
    const MAX_ROWS: usize = tuner::Table::MAX_ROWS;

    /// Decodes a file of the tuner.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| tuner::Table::decode(&data, &()))?))
    }

    /// Returns the bytes of the file.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// All rows, ascending by shape, length and suite.
    #[getter]
    fn rows(&self) -> Vec<Row> {
        self.0.rows().iter().copied().map(Row).collect()
    }

    /// Returns the fastest suite that `allow` accepts for shards of this shape, measured with the length nearest to
    /// `message` as a ratio. `None` if this shape was not measured. By default, `allow` accepts the suites of this
    /// build; a committee whose members have different builds passes the suites that all support.
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
        // Called beforehand, because the callback may raise.
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
