//! Encoding a message into checked shards, and decoding it.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::erasure;
use quorate::wire::{Decode, Encode};

use super::{Coding, ErasureSuite, Shape};
use crate::convert::{Bytes, List, Place, size};
use crate::failure::Outcome;
use crate::layer::{Coroutine, off_thread};
use crate::pickle::refused;

/// Everything that determines a message's shards: code, shape, length, and the root of the tree over all shards. All
/// receivers of the same commitment decode the same message, or all decode none.
#[pyclass(frozen, eq, hash, module = "quorate.erasure")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Commitment(erasure::Commitment);

#[pymethods]
impl Commitment {
    /// Bytes of an encoded commitment.
    #[classattr]
    const LEN: usize = erasure::Commitment::LEN;

    /// Decodes a commitment of that coding.
    #[staticmethod]
    fn decode(data: Bytes, coding: &Coding) -> Outcome<Self> {
        Ok(Self(erasure::Commitment::decode(&data, &coding.0)?))
    }

    /// Returns the 43 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The erasure code.
    #[getter]
    fn suite(&self) -> ErasureSuite {
        ErasureSuite(self.0.suite())
    }

    /// Number of data and parity shards.
    #[getter]
    fn shape(&self) -> Shape {
        Shape(self.0.shape())
    }

    /// Length of the message in bytes.
    #[getter]
    fn message_len(&self) -> usize {
        self.0.message_len()
    }

    /// Root of the tree over the shards. It binds neither code nor length: to identify a message, use `identity`.
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.root())
    }

    /// Identifier of the message in votes and certificates: 32 bytes.
    fn identity<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.identity())
    }

    fn __repr__(&self) -> String {
        format!("Commitment({}, {} bytes)", hex::encode(self.0.root()), self.message_len())
    }
}

/// A shard whose path leads to the root of its commitment. Decoding a shard checks it, and only checked shards can be
/// decoded into a message.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(Clone, PartialEq)]
pub(crate) struct CheckedShard(erasure::CheckedShard);

#[pymethods]
impl CheckedShard {
    /// Maximum length of an encoded shard of this coding: the limit for a link.
    #[staticmethod]
    fn max_encoded_len(coding: &Coding) -> usize {
        erasure::CheckedShard::max_encoded_len(&coding.0)
    }

    /// Decodes a shard of that coding and checks it. Cost: hashing the shard.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, coding: &Coding) -> Outcome<Self> {
        Ok(Self(py.detach(|| erasure::CheckedShard::decode(&data, &coding.0))?))
    }

    /// Returns the canonical encoding: commitment, path, and the shard's bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.encode()))
    }

    /// The commitment that it belongs to.
    #[getter]
    fn commitment(&self) -> Commitment {
        Commitment(*self.0.commitment())
    }

    /// Index of the shard; the data shards come first.
    #[getter]
    fn index(&self) -> usize {
        self.0.index()
    }

    /// The shard's own bytes.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.bytes())
    }

    fn __repr__(&self) -> String {
        format!(
            "CheckedShard({} of {}, {} bytes)",
            self.index(),
            self.commitment().__repr__(),
            self.0.bytes().len()
        )
    }

    /// Raises `TypeError`: unpickling would bypass verification.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a CheckedShard cannot be pickled; send its bytes and decode them there")
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[allow(unused_variables, reason = "part of the protocol")]
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }
}

/// Encodes messages into shards and decodes them, for one coding. It holds tables and working memory, up to twice the
/// size of the largest message so far: reuse it. Threads may share it, but their calls are serialised; prefer one coder
/// per thread.
#[pyclass(frozen, module = "quorate.erasure")]
pub(crate) struct Coder {
    coding: Coding,
    inner: Mutex<erasure::Coder>,
}

impl Coder {
    /// Runs `work` without the interpreter.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut erasure::Coder) -> T + Send) -> T {
        py.detach(|| work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Coder {
    /// Creates a coder; raises `BadShapeError` if this build does not support the code.
    #[new]
    fn new(py: Python<'_>, coding: &Coding) -> Outcome<Self> {
        let inner = py.detach(|| erasure::Coder::new(coding.0))?;
        Ok(Self { coding: *coding, inner: Mutex::new(inner) })
    }

    /// Its coding.
    #[getter]
    fn coding(&self) -> Coding {
        self.coding
    }

    /// Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
    /// shards.
    fn disperse(&self, py: Python<'_>, message: Bytes) -> Outcome<Dispersal> {
        Ok(Dispersal(self.with(py, |coder| coder.disperse(&message))?))
    }

    /// As `disperse`, on another thread.
    fn disperse_async<'py>(slf: &Bound<'py, Self>, message: Bytes) -> PyResult<Coroutine<'py, Dispersal>> {
        off_thread(slf, "disperse", (message.into_python(slf.py()),))
    }

    /// Restores the message and all shards from at least as many shards of one commitment as there are data shards. ALL
    /// MEMBERS THAT DECODE SHARDS OF THIS COMMITMENT REACH THE SAME VERDICT: if the sender committed to shards that do
    /// not encode one message, every decoder raises `BadEncodingError`, and the shards are the evidence. Raises
    /// `WrongContextError` for shards of several commitments, `DuplicateSignerError`, and `BelowQuorumError` for too
    /// few.
    fn decode(&self, py: Python<'_>, shards: List<Py<CheckedShard>>) -> Outcome<Dispersal> {
        let shards = shards.all()?;
        Ok(Dispersal(self.with(py, |coder| {
            // One shard more than the maximum suffices to report the error.
            let most = coder.coding().shape().shards() + 1;
            let shards: Vec<_> = shards.iter().take(most).map(|shard| shard.get().0.clone()).collect();
            coder.decode(&shards)
        })?))
    }

    /// As `decode`, on another thread.
    fn decode_async<'py>(
        slf: &Bound<'py, Self>,
        shards: List<Py<CheckedShard>>,
    ) -> Outcome<Coroutine<'py, Dispersal>> {
        Ok(off_thread(slf, "decode", (shards.all()?,))?)
    }

    fn __repr__(&self) -> String {
        format!("Coder({})", self.coding.__repr__())
    }
}

/// A message, all its shards, and the tree over them.
#[pyclass(frozen, eq, module = "quorate.erasure")]
#[derive(PartialEq)]
pub(crate) struct Dispersal(erasure::Dispersal);

#[pymethods]
impl Dispersal {
    /// The sender's commitment.
    #[getter]
    fn commitment(&self) -> Commitment {
        Commitment(*self.0.commitment())
    }

    /// The message, as new `bytes` each time.
    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.message())
    }

    /// Returns the shard at this index, for the member with this index.
    fn shard(&self, py: Python<'_>, index: Place) -> Outcome<CheckedShard> {
        Ok(CheckedShard(py.detach(|| self.0.shard(size(index.0)))?))
    }

    /// Returns all shards, in order.
    fn shards(&self, py: Python<'_>) -> Outcome<Vec<CheckedShard>> {
        let count = self.0.commitment().shape().shards();
        let shards =
            py.detach(|| (0..count).map(|index| self.0.shard(index)).collect::<quorate::Result<Vec<_>>>())?;
        Ok(shards.into_iter().map(CheckedShard).collect())
    }

    fn __repr__(&self) -> String {
        format!("Dispersal({})", self.commitment().__repr__())
    }
}
