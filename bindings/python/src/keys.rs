//! Keys and signatures.

use std::hash::{Hash, Hasher};
use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::convert::Bytes;
use crate::failure::{Failure, Outcome};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced, refused};

const WHAT: &str = "SecretKey";

/// A secret key. It prints its suite only, cannot be pickled or copied, and is wiped when it is closed or collected:
/// use it in a `with` block. It lies in one place, also while a `Guard` has it. Copies that others made are not wiped:
/// the bytes that it was made from, what `to_bytes` gave out, and what signing left in registers and on the stack.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct SecretKey {
    suite: any::Suite,
    // Signing threads share the lock; closing waits for them.
    key: RwLock<Option<any::SecretKey>>,
}

impl SecretKey {
    fn holding(key: any::SecretKey) -> Self {
        Self { suite: key.suite(), key: RwLock::new(Some(key)) }
    }

    /// Works on the key without the interpreter.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&any::SecretKey) -> T + Send,
    ) -> Outcome<T> {
        py.detach(|| {
            let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
            key.as_ref().map(work).ok_or(Failure::Closed(WHAT))
        })
    }

    /// Hands the key over; this object is closed then.
    pub(crate) fn take(&self, py: Python<'_>) -> Outcome<any::SecretKey> {
        let key = py.detach(|| self.key.write().unwrap_or_else(PoisonError::into_inner).take());
        key.ok_or(Failure::Closed(WHAT))
    }
}

#[pymethods]
impl SecretKey {
    /// A new key from the operating system's generator.
    #[staticmethod]
    fn generate(py: Python<'_>, suite: Suite) -> Outcome<Self> {
        let key = py.detach(|| any::SecretKey::generate(suite.0, &mut getrandom::SysRng))?;
        Ok(Self::holding(key))
    }

    /// The key of exactly 32 bytes. These stay yours: give a `bytearray` and overwrite it; nothing wipes `bytes`.
    #[staticmethod]
    fn from_bytes(suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self::holding(any::SecretKey::from_bytes(suite.0, &data)?))
    }

    /// The 32 bytes, for a key file. They are a Python object that nothing wipes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        let bytes = self.with(py, any::SecretKey::to_bytes)?;
        Ok(PyBytes::new(py, bytes.as_ref()))
    }

    /// Which signature scheme the key belongs to.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.suite)
    }

    /// Computes the public key. Cost: one multiplication.
    fn public_key(&self, py: Python<'_>) -> Outcome<PublicKey> {
        self.with(py, any::SecretKey::public_key).map(PublicKey)
    }

    /// Signs bytes as they are. What decides anything in a protocol is signed by a `Guard`.
    fn sign(&self, py: Python<'_>, message: Bytes) -> Outcome<Signature> {
        self.with(py, |key| key.sign(&message)).map(Signature)
    }

    /// Proves to hold the key; see also `UnverifiedKey.prove`.
    fn prove_possession(&self, py: Python<'_>) -> Outcome<Signature> {
        self.with(py, any::SecretKey::prove_possession).map(Signature)
    }

    /// Wipes the key. What is called later raises `ClosedError`; closing again does nothing.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.key.write().unwrap_or_else(PoisonError::into_inner).take()));
    }

    /// Whether the key was closed or handed over.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.key.read().unwrap_or_else(PoisonError::into_inner).is_none())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[allow(unused_variables, reason = "part of the protocol")]
    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let closed = if self.closed(py) { ", closed" } else { "" };
        format!("SecretKey({}{closed})", self.suite)
    }

    /// Refused.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a SecretKey cannot be pickled or copied; write to_bytes() to a key file if you must")
    }
}

/// The methods that all values of one suite with one encoding share.
macro_rules! encoded {
    ($name:ident, $encoded:literal, { $($more:tt)* }) => {
        impl From<any::$name> for $name {
            fn from(value: any::$name) -> Self {
                Self(value)
            }
        }

        #[pymethods]
        impl $name {
            $($more)*

            /// Reads the canonical bytes.
            #[staticmethod]
            fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
                Ok(Self(py.detach(|| any::$name::decode(suite.0, &data))?))
            }

            #[doc = $encoded]
            fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.encode())
            }

            /// Which signature scheme it belongs to.
            #[getter]
            fn suite(&self) -> Suite {
                Suite(self.0.suite())
            }

            /// The bytes in hex.
            fn __str__(&self) -> String {
                hex::encode(self.0.encode())
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($name), "({}, {})"), self.0.suite(), hex::encode(self.0.encode()))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
                reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
            }
        }
    };
}

/// A public key that decoded: canonical, in the subgroup and not the neutral element.
#[pyclass(frozen, eq, ord, hash, module = "quorate")]
#[derive(PartialEq, PartialOrd, Hash)]
pub(crate) struct PublicKey(pub(crate) any::PublicKey);

encoded! {
    PublicKey, "The canonical bytes.", {
        /// Checks one signature over bytes as they are.
        fn verify(&self, py: Python<'_>, message: Bytes, signature: &Signature) -> Outcome<()> {
            Ok(py.detach(|| self.0.verify(&message, &signature.0))?)
        }

        /// As `verify`, on another thread.
        fn verify_async<'py>(
            slf: &Bound<'py, Self>,
            message: Bytes,
            signature: &Bound<'py, Signature>,
        ) -> PyResult<Coroutine<'py, ()>> {
            off_thread(slf, "verify", (message.into_python(slf.py()), signature))
        }

        /// Checks a proof of possession.
        fn verify_possession(&self, py: Python<'_>, possession: &Signature) -> Outcome<()> {
            Ok(py.detach(|| self.0.verify_possession(&possession.0))?)
        }

        /// As `verify_possession`, on another thread.
        fn verify_possession_async<'py>(
            slf: &Bound<'py, Self>,
            possession: &Bound<'py, Signature>,
        ) -> PyResult<Coroutine<'py, ()>> {
            off_thread(slf, "verify_possession", (possession,))
        }
    }
}

/// A signature that decoded. That says nothing about whether it verifies.
#[pyclass(frozen, eq, hash, module = "quorate")]
#[derive(PartialEq)]
pub(crate) struct Signature(pub(crate) any::Signature);

encoded! {
    Signature, "The canonical bytes.", {
        /// Reads the form for direct links: uncompressed where that saves a square root.
        #[staticmethod]
        fn decode_link(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
            Ok(Self(py.detach(|| any::Signature::decode_link(suite.0, &data))?))
        }

        /// The form for direct links.
        fn encode_link<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
            PyBytes::new(py, &self.0.encode_link())
        }
    }
}

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.encode().hash(state);
    }
}

/// A public key with a proof of possession that nobody checked yet: what a member hands in.
#[pyclass(frozen, eq, hash, module = "quorate")]
#[derive(PartialEq)]
pub(crate) struct UnverifiedKey(pub(crate) any::UnverifiedKey);

encoded! {
    UnverifiedKey, "The key's bytes, then the proof's.", {
        /// Puts together what came in. Nothing is checked but that both are of one suite.
        #[new]
        fn new(public: &PublicKey, possession: &Signature) -> Outcome<Self> {
            Ok(Self(any::UnverifiedKey::new(public.0.clone(), possession.0.clone())?))
        }

        /// The key of `secret` with a fresh proof.
        #[staticmethod]
        fn prove(py: Python<'_>, secret: &SecretKey) -> Outcome<Self> {
            secret.with(py, any::UnverifiedKey::prove).map(Self)
        }

        /// The key, which proves nothing yet.
        #[getter]
        fn public(&self) -> PublicKey {
            PublicKey(self.0.public())
        }

        /// The proof as it came in.
        #[getter]
        fn possession(&self) -> Signature {
            Signature(self.0.possession())
        }

        /// Checks the proof. Cost: one signature verification.
        fn verify(&self, py: Python<'_>) -> Outcome<VerifiedKey> {
            Ok(VerifiedKey(py.detach(|| self.0.verify())?))
        }

        /// As `verify`, on another thread.
        fn verify_async<'py>(slf: &Bound<'py, Self>) -> PyResult<Coroutine<'py, VerifiedKey>> {
            off_thread(slf, "verify", ())
        }
    }
}

impl Hash for UnverifiedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.encode().hash(state);
    }
}

/// A public key whose owner proved to hold the secret key. It comes from `UnverifiedKey.verify` or from `of`, and in
/// no other way; a committee takes nothing less.
#[pyclass(frozen, eq, ord, hash, module = "quorate")]
#[derive(Clone, PartialEq, PartialOrd, Hash)]
pub(crate) struct VerifiedKey(pub(crate) any::VerifiedKey);

#[pymethods]
impl VerifiedKey {
    /// The key of a secret key at hand needs no proof.
    #[staticmethod]
    fn of(py: Python<'_>, secret: &SecretKey) -> Outcome<Self> {
        secret.with(py, any::VerifiedKey::from_secret).map(Self)
    }

    /// The key.
    #[getter]
    fn public(&self) -> PublicKey {
        PublicKey(self.0.public())
    }

    /// Which signature scheme it belongs to.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The key's bytes in hex.
    fn __str__(&self) -> String {
        hex::encode(self.0.public().encode())
    }

    fn __repr__(&self) -> String {
        format!("VerifiedKey({}, {})", self.0.suite(), self.__str__())
    }

    /// Refused.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a VerifiedKey cannot be pickled; send the UnverifiedKey and verify it there")
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
