//! Keys and signatures.

use std::hash::{Hash, Hasher};
use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::ciphersuite::Ciphersuite;
use crate::convert::Bytes;
use crate::failure::{Failure, Outcome};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced, refused};

const WHAT: &str = "SecretKey";

/// A secret key. It prints only its suite, cannot be pickled or copied, and is wiped when it is closed or collected:
/// use it in a `with` block. It stays at one address, even while a `Guard` owns it. Other copies are not wiped: the
/// bytes that it was created from, the result of `to_bytes`, and data that signing left in registers and on the stack.
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

    /// Calls `work` with the key while the interpreter is released.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&any::SecretKey) -> T + Send,
    ) -> Outcome<T> {
        py.detach(|| self.locked(work))
    }

    /// Calls `work` with the key; the caller has released the interpreter.
    pub(crate) fn locked<T>(&self, work: impl FnOnce(&any::SecretKey) -> T) -> Outcome<T> {
        let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
        key.as_ref().map(work).ok_or(Failure::Closed(WHAT))
    }

    /// Transfers ownership of the key; this object is closed afterwards.
    pub(crate) fn take(&self, py: Python<'_>) -> Outcome<any::SecretKey> {
        let key = py.detach(|| self.key.write().unwrap_or_else(PoisonError::into_inner).take());
        key.ok_or(Failure::Closed(WHAT))
    }
}

#[pymethods]
impl SecretKey {
    /// Generates a key with the operating system's random number generator.
    #[staticmethod]
    fn generate(py: Python<'_>, suite: Suite) -> Outcome<Self> {
        let key = py.detach(|| any::SecretKey::generate(suite.0, &mut getrandom::SysRng))?;
        Ok(Self::holding(key))
    }

    /// Decodes a key of exactly 32 bytes. The caller keeps these bytes: pass a `bytearray` and overwrite it, because
    /// `bytes` are never wiped.
    #[staticmethod]
    fn from_bytes(suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self::holding(any::SecretKey::from_bytes(suite.0, &data)?))
    }

    /// Returns the 32 bytes, for a key file. The result is a Python object that is never wiped.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        let bytes = self.with(py, any::SecretKey::to_bytes)?;
        Ok(PyBytes::new(py, bytes.as_ref()))
    }

    /// Signature scheme of the key.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.suite)
    }

    /// Computes the public key. Cost: one multiplication.
    fn public_key(&self, py: Python<'_>) -> Outcome<PublicKey> {
        self.with(py, any::SecretKey::public_key).map(PublicKey)
    }

    /// Signs exactly these bytes. Use a `Guard` to sign anything that a protocol acts on.
    fn sign(&self, py: Python<'_>, message: Bytes) -> Outcome<Signature> {
        self.with(py, |key| key.sign(&message)).map(Signature)
    }

    /// Signs exactly these bytes for another chain, under its ciphersuite. Never sign with a key that signs quorate's
    /// statements: a `Guard` does not record it. Raises `WrongContextError` for another ciphersuite than the default if
    /// the suite is neither `bls-min-sig` nor `bls-min-pk`.
    fn sign_with(&self, py: Python<'_>, ciphersuite: &Ciphersuite, message: Bytes) -> Outcome<Signature> {
        let signature = self.with(py, |key| key.sign_with(&ciphersuite.0.0, &message))?;
        Ok(Signature(signature?))
    }

    /// Creates a proof of possession of the key; see also `UnverifiedKey.prove`.
    fn prove_possession(&self, py: Python<'_>) -> Outcome<Signature> {
        self.with(py, any::SecretKey::prove_possession).map(Signature)
    }

    /// Wipes the key. Later calls raise `ClosedError`; closing again does nothing.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.key.write().unwrap_or_else(PoisonError::into_inner).take()));
    }

    /// True if the key was closed or its ownership was transferred.
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

    /// Raises `TypeError`: this object cannot be pickled.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a SecretKey cannot be pickled or copied; use to_bytes() to write a key file")
    }
}

/// Methods shared by all values with one encoding per suite.
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

            /// Decodes the canonical encoding.
            #[staticmethod]
            fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
                Ok(Self(py.detach(|| any::$name::decode(suite.0, &data))?))
            }

            #[doc = $encoded]
            fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.encode())
            }

            /// Signature scheme of the object.
            #[getter]
            fn suite(&self) -> Suite {
                Suite(self.0.suite())
            }

            /// Returns the bytes in hex.
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

/// A decoded public key: canonical, in the subgroup and not the neutral element.
#[pyclass(frozen, eq, ord, hash, module = "quorate")]
#[derive(PartialEq, PartialOrd, Hash)]
pub(crate) struct PublicKey(pub(crate) any::PublicKey);

encoded! {
    PublicKey, "The canonical bytes.", {
        /// Verifies one signature over exactly these bytes.
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

        /// Verifies one signature of another chain over exactly these bytes, under its ciphersuite. Cost (BLS): one
        /// hash to the curve, one subgroup check, two pairings. Raises `BadSignatureError`, or `WrongContextError` for
        /// a signature of another suite, and for another ciphersuite than the default if the suite is neither
        /// `bls-min-sig` nor `bls-min-pk`.
        fn verify_with(
            &self,
            py: Python<'_>,
            ciphersuite: &Ciphersuite,
            message: Bytes,
            signature: &Signature,
        ) -> Outcome<()> {
            Ok(py.detach(|| self.0.verify_with(&ciphersuite.0.0, &message, &signature.0))?)
        }

        /// As `verify_with`, on another thread.
        fn verify_with_async<'py>(
            slf: &Bound<'py, Self>,
            ciphersuite: &Bound<'py, Ciphersuite>,
            message: Bytes,
            signature: &Bound<'py, Signature>,
        ) -> PyResult<Coroutine<'py, ()>> {
            off_thread(slf, "verify_with", (ciphersuite, message.into_python(slf.py()), signature))
        }

        /// Verifies a proof of possession.
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

/// A decoded signature. It is not verified yet.
#[pyclass(frozen, eq, hash, module = "quorate")]
#[derive(PartialEq)]
pub(crate) struct Signature(pub(crate) any::Signature);

encoded! {
    Signature, "The canonical bytes.", {
        /// Decodes the form for direct links: uncompressed where that saves a square root.
        #[staticmethod]
        fn decode_link(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
            Ok(Self(py.detach(|| any::Signature::decode_link(suite.0, &data))?))
        }

        /// Returns the form for direct links.
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

/// A public key with an unverified proof of possession, as a member submits it.
#[pyclass(frozen, eq, hash, module = "quorate")]
#[derive(PartialEq)]
pub(crate) struct UnverifiedKey(pub(crate) any::UnverifiedKey);

encoded! {
    UnverifiedKey, "The key's bytes, then the proof's.", {
        /// Combines a received key and proof. Checks only that both have the same suite.
        #[new]
        fn new(public: &PublicKey, possession: &Signature) -> Outcome<Self> {
            Ok(Self(any::UnverifiedKey::new(public.0.clone(), possession.0.clone())?))
        }

        /// Returns the key of `secret` with a new proof.
        #[staticmethod]
        fn prove(py: Python<'_>, secret: &SecretKey) -> Outcome<Self> {
            secret.with(py, any::UnverifiedKey::prove).map(Self)
        }

        /// The key; it is unproven.
        #[getter]
        fn public(&self) -> PublicKey {
            PublicKey(self.0.public())
        }

        /// The proof as received.
        #[getter]
        fn possession(&self) -> Signature {
            Signature(self.0.possession())
        }

        /// Verifies the proof. Cost: one signature verification.
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

/// A public key whose owner proved possession of the secret key. Only `UnverifiedKey.verify` and `from_secret` create
/// one; a committee accepts nothing less.
#[pyclass(frozen, eq, ord, hash, module = "quorate")]
#[derive(Clone, PartialEq, PartialOrd, Hash)]
pub(crate) struct VerifiedKey(pub(crate) any::VerifiedKey);

#[pymethods]
impl VerifiedKey {
    /// Returns the key of a secret key, which needs no proof.
    #[staticmethod]
    fn from_secret(py: Python<'_>, secret: &SecretKey) -> Outcome<Self> {
        secret.with(py, any::VerifiedKey::from_secret).map(Self)
    }

    /// The key.
    #[getter]
    fn public(&self) -> PublicKey {
        PublicKey(self.0.public())
    }

    /// Signature scheme of the object.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Returns the key's bytes in hex.
    fn __str__(&self) -> String {
        hex::encode(self.0.public().encode())
    }

    fn __repr__(&self) -> String {
        format!("VerifiedKey({}, {})", self.0.suite(), self.__str__())
    }

    /// Raises `TypeError`: this object cannot be pickled.
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
