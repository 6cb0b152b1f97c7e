//! `quorate.threshold.seal`: what a dealer gives to each party, for its eyes only.

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

/// What opens files that were sealed to its public key. It cannot be printed, pickled or copied, and is wiped when it is
/// closed or collected: use it in a `with` block.
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
    SealingKey, "a SealingKey cannot be pickled or copied; write to_bytes() to a key file if you must", {
        /// A new key from the operating system's generator.
        #[staticmethod]
        fn generate(py: Python<'_>) -> Outcome<Self> {
            Ok(Self::holding(py.detach(|| seal::SealingKey::generate(&mut SysRng))?))
        }

        /// The key of exactly 32 bytes. These stay yours: give a `bytearray` and overwrite it; nothing wipes `bytes`.
        #[staticmethod]
        fn from_bytes(data: Bytes) -> Outcome<Self> {
            let bytes = Zeroizing::new(exactly(&data, "sealing key")?);
            Ok(Self::holding(seal::SealingKey::from_bytes(&bytes)?))
        }

        /// The 32 bytes, for a key file. They are a Python object that nothing wipes.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, seal::SealingKey::to_bytes)?;
            Ok(PyBytes::new(py, bytes.as_ref()))
        }

        /// To whom to seal.
        #[getter]
        fn public(&self) -> SealingPublicKey {
            SealingPublicKey(self.public)
        }

        /// Opens a file. Raises `WrongContextError` for what was not sealed to this key with this context. The content is a
        /// Python object that nothing wipes. A SEAL HIDES AND DOES NOT SIGN: whoever knows the public key can seal to it.
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

/// To whom files are sealed: an X25519 public key.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold.seal")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SealingPublicKey(seal::SealingPublicKey);

#[pymethods]
impl SealingPublicKey {
    /// Reads the 32 bytes. One of small order is refused when it is used.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(seal::SealingPublicKey::decode(&data, &())?))
    }

    /// The 32 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Seals content of at most `MAX_CONTENT` bytes to this key. `context` says what it is, to whoever opens it: the same
    /// bytes are needed for that. Cost: two multiplications, and a nanosecond for each byte.
    fn seal<'py>(&self, py: Python<'py>, context: Bytes, content: Bytes) -> Outcome<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.seal(&context, &content, &mut SysRng))?))
    }

    /// The bytes in hex.
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
