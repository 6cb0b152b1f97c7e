//! `quorate.wire`: canonical, bounded encoding for a protocol's own messages.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use quorate::Error;
use quorate::wire;

use crate::convert::{Bytes, Cap, Count, U8, U16, U32, U64, U128, size};
use crate::failure::Outcome;

/// Hashes `data` under a domain string: one of `DOMAINS`, or an application's own that no other protocol uses; never a
/// received one.
#[pyfunction]
pub(crate) fn hash<'py>(py: Python<'py>, domain: &str, data: Bytes) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &py.detach(|| wire::domain::hash(domain, &data)))
}

/// Reads an encoding front to back. Each call checks that enough bytes are left; a call that raises does not move the
/// reader.
#[pyclass(frozen, module = "quorate.wire")]
pub(crate) struct Reader {
    data: Bytes,
    position: Mutex<usize>,
}

impl Reader {
    fn read<T>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&mut wire::Reader<'_>) -> quorate::Result<T>,
    ) -> Outcome<T> {
        let mut position = self.position.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let mut reader = wire::Reader::new(self.data.get(*position..).unwrap_or_default());
        let value = read(&mut reader)?;
        *position = self.data.len() - reader.remaining();
        Ok(value)
    }
}

#[pymethods]
impl Reader {
    /// A reader over all of `data`.
    #[new]
    fn new(data: Bytes) -> Self {
        Self { data, position: Mutex::new(0) }
    }

    /// Number of bytes left.
    #[getter]
    fn remaining(&self, py: Python<'_>) -> usize {
        self.data.len() - *self.position.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next `n` bytes.
    fn raw<'py>(&self, py: Python<'py>, n: Count) -> Outcome<Bound<'py, PyBytes>> {
        self.read(py, |r| r.raw(size(n.0)).map(|bytes| PyBytes::new(py, bytes)))
    }

    /// Reads one byte.
    fn u8(&self, py: Python<'_>) -> Outcome<u8> {
        self.read(py, |r| r.u8())
    }

    /// Reads two bytes, little-endian.
    fn u16(&self, py: Python<'_>) -> Outcome<u16> {
        self.read(py, |r| r.u16())
    }

    /// Reads four bytes, little-endian.
    fn u32(&self, py: Python<'_>) -> Outcome<u32> {
        self.read(py, |r| r.u32())
    }

    /// Reads eight bytes, little-endian.
    fn u64(&self, py: Python<'_>) -> Outcome<u64> {
        self.read(py, |r| r.u64())
    }

    /// Reads sixteen bytes, little-endian.
    fn u128(&self, py: Python<'_>) -> Outcome<u128> {
        self.read(py, |r| r.u128())
    }

    /// Reads LEB128 in its shortest form, at most 2³² − 1.
    fn varint(&self, py: Python<'_>) -> Outcome<u32> {
        self.read(py, |r| r.varint())
    }

    /// Reads a length of at most `cap`, then that many bytes.
    fn bytes<'py>(&self, py: Python<'py>, cap: Cap) -> Outcome<Bound<'py, PyBytes>> {
        self.read(py, |r| r.bytes("bytes", size(cap.0)).map(|bytes| PyBytes::new(py, bytes)))
    }

    /// Reads a list length of at most `cap`; the items follow.
    fn count(&self, py: Python<'_>, cap: Cap) -> Outcome<usize> {
        self.read(py, |r| r.count("list", size(cap.0)))
    }

    /// Reads whether an optional value follows.
    fn option(&self, py: Python<'_>) -> Outcome<bool> {
        self.read(py, |r| r.tag())
    }

    /// Raises `MalformedError` if bytes are left.
    fn finish(&self, py: Python<'_>) -> Outcome<()> {
        self.read(py, |r| r.finish())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Reader({} bytes left)", self.remaining(py))
    }
}

/// Writes an encoding front to back.
#[pyclass(frozen, module = "quorate.wire")]
pub(crate) struct Writer(Mutex<wire::Writer>);

impl Writer {
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut wire::Writer) -> T) -> T {
        work(&mut self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Writer {
    /// An empty writer.
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Writes bytes whose length the reader knows.
    fn raw(&self, py: Python<'_>, data: Bytes) {
        self.with(py, |w| w.raw(&data));
    }

    /// Reads one byte.
    fn u8(&self, py: Python<'_>, value: U8) {
        self.with(py, |w| w.u8(value.0));
    }

    /// Reads two bytes, little-endian.
    fn u16(&self, py: Python<'_>, value: U16) {
        self.with(py, |w| w.u16(value.0));
    }

    /// Reads four bytes, little-endian.
    fn u32(&self, py: Python<'_>, value: U32) {
        self.with(py, |w| w.u32(value.0));
    }

    /// Reads eight bytes, little-endian.
    fn u64(&self, py: Python<'_>, value: U64) {
        self.with(py, |w| w.u64(value.0));
    }

    /// Reads sixteen bytes, little-endian.
    fn u128(&self, py: Python<'_>, value: U128) {
        self.with(py, |w| w.u128(value.0));
    }

    /// Writes LEB128 in its shortest form: 1 to 5 bytes.
    fn varint(&self, py: Python<'_>, value: U32) {
        self.with(py, |w| w.varint(value.0));
    }

    /// Writes a length, then the bytes.
    fn bytes(&self, py: Python<'_>, data: Bytes) -> Outcome<()> {
        if u32::try_from(data.len()).is_err() {
            return Err(Error::TooLarge { what: "bytes", limit: u32::MAX.into() }.into());
        }
        self.with(py, |w| w.bytes(&data));
        Ok(())
    }

    /// Writes a list length; the items follow.
    fn count(&self, py: Python<'_>, n: U32) {
        self.with(py, |w| w.u32(n.0));
    }

    /// Reads whether an optional value follows.
    fn option(&self, py: Python<'_>, present: bool) {
        self.with(py, |w| w.u8(u8::from(present)));
    }

    /// Returns the written bytes. The writer is empty afterwards.
    #[allow(clippy::wrong_self_convention, reason = "an object of Python is never moved")]
    fn into_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(py, std::mem::take).into_bytes())
    }

    /// Number of bytes written.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |w| w.len())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Writer({} bytes)", self.__len__(py))
    }
}
