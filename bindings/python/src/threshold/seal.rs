//! `quorate.threshold.seal`: files that a dealer encrypts to each party.

use getrandom::SysRng;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::threshold::seal;
use quorate::wire::{Decode, Encode};
use zeroize::Zeroizing;

use crate::convert::{Bytes, exactly};
use crate::failure::Outcome;
use crate::held::{Held, held};
use crate::pickle::{Reduced, reduced};

/// A private key that opens files sealed to its public key. It cannot be printed, pickled or copied, and is wiped when
/// it is closed or collected: use it in a `with` block.
#[pyclass(frozen, module = "quorate.threshold.seal")]
pub(crate) struct SealingKey {
    public: seal::SealingPublicKey,
    secret: Held<seal::SealingKey>,
}

impl SealingKey {
    fn holding(key: seal::SealingKey) -> Self {
        Self { public: key.public(), secret: Held::new("SealingKey", key) }
    }
}

held! {
    SealingKey, "a SealingKey cannot be pickled or copied; use to_bytes() to write a key file", {
        /// Generates a key with the operating system's random number generator.
        #[staticmethod]
        fn generate(py: Python<'_>) -> Outcome<Self> {
            Ok(Self::holding(py.detach(|| seal::SealingKey::generate(&mut SysRng))?))
        }

        /// Decodes a key of exactly 32 bytes. The caller keeps these bytes: pass a `bytearray` and overwrite it,
        /// because `bytes` are never wiped.
        #[staticmethod]
        fn from_bytes(data: Bytes) -> Outcome<Self> {
            let bytes = Zeroizing::new(exactly(&data, "sealing key")?);
            Ok(Self::holding(seal::SealingKey::from_bytes(&bytes)?))
        }

        /// Returns the 32 bytes, for a key file. The result is a Python object that is never wiped.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, seal::SealingKey::to_bytes)?;
            Ok(PyBytes::new(py, bytes.as_ref()))
        }

        /// The public key.
        #[getter]
        fn public(&self) -> SealingPublicKey {
            SealingPublicKey(self.public)
        }

        /// Opens a file. Raises `WrongContextError` unless it was sealed to this key with this context. The content is
        /// a Python object that is never wiped. A SEAL DOES NOT AUTHENTICATE THE SENDER: every holder of the public key
        /// can seal to it.
        fn open<'py>(&self, py: Python<'py>, context: Bytes, sealed: Bytes) -> Outcome<Bound<'py, PyBytes>> {
            let content = self.secret.with(py, |key| key.open(&context, &sealed))??;
            Ok(PyBytes::new(py, &content))
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            let closed = if self.closed(py) { ", closed" } else { "" };
            format!("SealingKey({}{closed})", hex::encode(self.public.encode()))
        }
    }
}

/// An X25519 public key to which files are sealed.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.seal")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SealingPublicKey(seal::SealingPublicKey);

#[pymethods]
impl SealingPublicKey {
    /// Decodes the 32 bytes. One of small order is rejected when it is used.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(seal::SealingPublicKey::decode(&data, &())?))
    }

    /// Returns the 32 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Seals content of at most `MAX_CONTENT` bytes to this key. `context` identifies the content; opening it requires
    /// the same bytes. Cost: two multiplications, and a nanosecond per byte.
    fn seal<'py>(&self, py: Python<'py>, context: Bytes, content: Bytes) -> Outcome<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.seal(&context, &content, &mut SysRng))?))
    }

    /// Returns the bytes in hex.
    fn __str__(&self) -> String {
        hex::encode(self.0.encode())
    }

    fn __repr__(&self) -> String {
        format!("SealingPublicKey({})", self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}
