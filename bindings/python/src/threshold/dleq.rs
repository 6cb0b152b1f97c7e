//! Common parts of threshold encryption and the coin: keys, shares with proofs, faults.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use pyo3::{IntoPyObjectExt, type_hint_identifier, type_hint_subscript};
use quorate::threshold::dleq::{self, Purpose, ShareFault};

/// Python's classes for the shares of a purpose.
pub(crate) trait Classes: Purpose {
    type Share: for<'py> IntoPyObject<'py> + From<dleq::Share<Self>>;
    type Verified: for<'py> IntoPyObject<'py> + From<dleq::VerifiedShare<Self>>;
    type Wrong: for<'py> IntoPyObject<'py> + From<dleq::WrongShare<Self>>;
    /// The type of a fault.
    const FAULT: PyStaticExpr;
}

/// `Checked`.
pub(crate) struct Checked<P: Purpose>(pub(crate) dleq::Checked<P>);

impl<'py, P: Classes> IntoPyObject<'py> for Checked<P> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("quorate.threshold.results", "Checked"),
        <P::Verified as IntoPyObject<'py>>::OUTPUT_TYPE,
        P::FAULT
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let verified = self.0.verified.into_iter();
        let verified: Vec<_> =
            verified.map(|share| P::Verified::from(share).into_bound_py_any(py)).collect::<PyResult<_>>()?;
        let faults = faults(py, self.0.faults)?;
        CLASS.import(py, "quorate.threshold.results", "Checked")?.call1((verified, faults))
    }
}

/// `Collected`.
pub(crate) struct Collected<T, P: Purpose>(pub(crate) dleq::Collected<T, P>);

impl<'py, T: IntoPyObject<'py>, P: Classes> IntoPyObject<'py> for Collected<T, P> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("quorate.threshold.results", "Collected"),
        T::OUTPUT_TYPE,
        P::FAULT
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let output = self.0.output.map(|output| output.into_bound_py_any(py)).transpose()?;
        let faults = faults(py, self.0.faults)?;
        CLASS.import(py, "quorate.threshold.results", "Collected")?.call1((output, faults))
    }
}

/// A list of faults.
pub(super) fn faults<P: Classes>(py: Python<'_>, faults: Vec<ShareFault<P>>) -> PyResult<Bound<'_, PyList>> {
    let faults: Vec<_> = faults.into_iter().map(|one| fault(py, one)).collect::<PyResult<_>>()?;
    PyList::new(py, faults)
}

fn fault<P: Classes>(py: Python<'_>, fault: ShareFault<P>) -> PyResult<Bound<'_, PyAny>> {
    static PROVEN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static FORGED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let member = fault.member();
    match fault {
        ShareFault::Proven(evidence) => {
            let evidence = P::Wrong::from(*evidence).into_bound_py_any(py)?;
            PROVEN.import(py, "quorate.threshold.results", "Proven")?.call1((member, evidence))
        }
        ShareFault::Forged { share } => {
            let share = P::Share::from(*share).into_bound_py_any(py)?;
            FORGED.import(py, "quorate.threshold.results", "Forged")?.call1((member, share))
        }
    }
}

/// Defines the five classes of a purpose. Shares are verified for an instance: a checked ciphertext or a coin. The
/// methods in braces belong to the key share.
macro_rules! purpose {
    (
        $purpose:ty, $fault:expr, $instance:ty;
        $keys:ident, $key_share:ident, $share:ident, $verified:ident, $wrong:ident;
        { $($making:tt)* }
    ) => {
        impl $crate::threshold::dleq::Classes for $purpose {
            type Share = $share;
            type Verified = $verified;
            type Wrong = $wrong;
            const FAULT: pyo3::inspect::PyStaticExpr = $fault;
        }

        /// The public keys of a dealt key, checked to lie on one polynomial.
        #[pyclass(frozen, module = "quorate._native")]
        pub(crate) struct $keys(pub(crate) std::sync::Arc<dleq::PublicKeys<$purpose>>);

        #[pymethods]
        impl $keys {
            /// Deals a new key whose threshold is one more than the maximum number of faulty members. THE PROCESS THAT
            /// RUNS THIS KNOWS THE KEY: run it once, offline, and give each member only its own share.
            #[staticmethod]
            fn deal(
                py: Python<'_>,
                committee: &CommitteeId,
                threshold: &Threshold,
            ) -> Outcome<(Self, Vec<$key_share>)> {
                let (committee, threshold) = (committee.0, threshold.0);
                let (keys, shares) =
                    py.detach(|| dleq::PublicKeys::deal(committee, threshold, &mut SysRng))?;
                Ok((Self(keys.into()), shares.into_iter().map($key_share::new_held).collect()))
            }

            /// Decodes keys and verifies that they lie on one polynomial. Cost: a sum of n + 1 products.
            #[staticmethod]
            fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
                Ok(Self(py.detach(|| dleq::PublicKeys::decode(&data, &()))?.into()))
            }

            /// Returns the canonical encoding.
            fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.encode())
            }

            /// Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at
            /// once somewhat cheaper. Memory: 10 kB for each member. Cost: as `decode`, plus a quarter of a
            /// multiplication per member.
            fn precomputed(&self, py: Python<'_>) -> Outcome<Self> {
                let keys = py.detach(|| dleq::PublicKeys::decode(&self.0.encode(), &()))?;
                Ok(Self(py.detach(|| keys.precomputed()).into()))
            }

            /// Committee for which they were dealt.
            #[getter]
            fn committee(&self) -> CommitteeId {
                self.0.committee().into()
            }

            /// Number of shares needed, and number of parties.
            #[getter]
            fn threshold(&self) -> Threshold {
                Threshold(self.0.threshold())
            }

            /// The public key: 32 bytes.
            #[getter]
            fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, self.0.key().as_bytes())
            }

            /// Returns the member's verification key of 32 bytes; `None` if there is no such member.
            fn verification_key<'py>(&self, py: Python<'py>, member: Member) -> Option<Bound<'py, PyBytes>> {
                self.0.verification_key(member.0).map(|key| PyBytes::new(py, key.as_bytes()))
            }

            /// Verifies one share, or raises `BadShareError`. Cost: 1.5 multiplications.
            fn verify_share(&self, py: Python<'_>, instance: &$instance, share: &$share) -> Outcome<$verified> {
                Ok(py.detach(|| self.0.verify_share(instance.0.instance(), &share.0))?.into())
            }

            /// Verifies several shares together and identifies every wrong one; these raise no error but are listed in
            /// `faults`. Cost: 0.6 multiplications per share.
            fn verify_shares(
                &self,
                py: Python<'_>,
                instance: &$instance,
                shares: List<Py<$share>>,
            ) -> Outcome<Checked<$purpose>> {
                let shares: Vec<_> = shares.all()?.into_iter().map(|share| share.get().0).collect();
                Ok(Checked(py.detach(|| self.0.verify_shares(instance.0.instance(), &shares))?))
            }

            /// As `verify_shares`, on another thread.
            fn verify_shares_async<'py>(
                slf: &Bound<'py, Self>,
                instance: &Bound<'py, $instance>,
                shares: List<Py<$share>>,
            ) -> Outcome<Coroutine<'py, Checked<$purpose>>> {
                Ok(off_thread(slf, "verify_shares", (instance, shares.all()?))?)
            }

            fn __repr__(&self) -> String {
                let (threshold, key) = (self.0.threshold(), hex::encode(self.0.key().as_bytes()));
                format!("<PublicKeys needed={} parties={} key={key}>", threshold.needed(), threshold.parties())
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
                reduced::<Self>(py, "decode", (self.encode(py),))
            }
        }

        /// A member's share of the secret key. It cannot be printed, pickled or copied, and is wiped when it is closed
        /// or collected: use it in a `with` block. Other copies are not wiped: the bytes that it was created from, and
        /// the result of `to_bytes`.
        #[pyclass(frozen, module = "quorate._native")]
        pub(crate) struct $key_share {
            member: u16,
            committee: CommitteeId,
            verification_key: [u8; 32],
            secret: Held<dleq::KeyShare<$purpose>>,
        }

        impl $key_share {
            fn new_held(share: dleq::KeyShare<$purpose>) -> Self {
                Self {
                    member: share.member(),
                    committee: share.committee().into(),
                    verification_key: *share.verification_key().as_bytes(),
                    secret: Held::new("KeyShare", share),
                }
            }
        }

        held! {
            $key_share, "a KeyShare cannot be pickled or copied; use to_bytes() to write a key file", {
                /// Length of the result of `to_bytes` in bytes.
                #[classattr]
                const LEN: usize = dleq::KeyShare::<$purpose>::LEN;

                /// Decodes the result of `to_bytes`; call `check` next. The caller keeps the bytes: pass a `bytearray`
                /// and overwrite it.
                #[staticmethod]
                fn from_bytes(py: Python<'_>, data: Bytes) -> Outcome<Self> {
                    Ok(Self::new_held(py.detach(|| dleq::KeyShare::from_bytes(&data))?))
                }

                /// Returns the 99 bytes, for a key file. The result is a Python object that is never wiped.
                fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
                    let bytes = self.secret.with(py, dleq::KeyShare::to_bytes)?;
                    Ok(PyBytes::new(py, bytes.as_ref()))
                }

                /// Verifies that the dealer gave this member the secret of its verification key, or raises
                /// `BadShareError`. Call it once: with a wrong secret the member makes wrong shares and is blamed for
                /// them.
                fn check(&self, py: Python<'_>, keys: &$keys) -> Outcome<()> {
                    Ok(self.secret.with(py, |share| share.check(&keys.0))??)
                }

                $($making)*

                /// Member that holds the share.
                #[getter]
                fn member(&self) -> u16 {
                    self.member
                }

                /// Committee for which it was dealt.
                #[getter]
                fn committee(&self) -> CommitteeId {
                    self.committee
                }

                /// Its public verification key: 32 bytes.
                #[getter]
                fn verification_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                    PyBytes::new(py, &self.verification_key)
                }

                fn __repr__(&self, py: Python<'_>) -> String {
                    let closed = if self.closed(py) { ", closed" } else { "" };
                    let purpose = <$purpose as Purpose>::NAME;
                    format!("KeyShare({purpose}, member {} of {}{closed})", self.member, self.committee.0)
                }
            }
        }

        /// A member's share with its proof, as received. A decoded share is not verified yet.
        #[pyclass(frozen, eq, module = "quorate._native")]
        #[derive(Clone, Copy, PartialEq)]
        pub(crate) struct $share(pub(crate) dleq::Share<$purpose>);

        impl From<dleq::Share<$purpose>> for $share {
            fn from(share: dleq::Share<$purpose>) -> Self {
                Self(share)
            }
        }

        #[pymethods]
        impl $share {
            /// Length of a share in bytes.
            #[classattr]
            const LEN: usize = dleq::Share::<$purpose>::LEN;

            /// Decodes the 130 bytes.
            #[staticmethod]
            fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
                Ok(Self(py.detach(|| dleq::Share::decode(&data, &()))?))
            }

            /// Returns the 130 bytes.
            fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.encode())
            }

            /// Member that the share names. Unproven until the share is verified.
            #[getter]
            fn member(&self) -> u16 {
                self.0.member()
            }

            fn __repr__(&self) -> String {
                format!("{}(member {}, {})", stringify!($share), self.member(), hex::encode(self.0.encode()))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
                reduced::<Self>(py, "decode", (self.encode(py),))
            }
        }

        /// A share that was verified for one instance. Only verified shares can be combined.
        #[pyclass(frozen, eq, module = "quorate._native")]
        #[derive(Clone, Copy, PartialEq)]
        pub(crate) struct $verified(pub(crate) dleq::VerifiedShare<$purpose>);

        impl From<dleq::VerifiedShare<$purpose>> for $verified {
            fn from(share: dleq::VerifiedShare<$purpose>) -> Self {
                Self(share)
            }
        }

        #[pymethods]
        impl $verified {
            /// Index of its party.
            #[getter]
            fn member(&self) -> u16 {
                self.0.member()
            }

            fn __repr__(&self) -> String {
                format!("VerifiedShare({}, member {})", <$purpose as Purpose>::NAME, self.member())
            }

            /// Raises `TypeError`: unpickling would bypass verification.
            fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
                refused("a VerifiedShare cannot be pickled; send the share and verify it there")
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

        /// Evidence that a member made a wrong share, for every holder of the public keys.
        #[pyclass(frozen, eq, module = "quorate._native")]
        #[derive(Clone, Copy, PartialEq)]
        pub(crate) struct $wrong(dleq::WrongShare<$purpose>);

        impl From<dleq::WrongShare<$purpose>> for $wrong {
            fn from(evidence: dleq::WrongShare<$purpose>) -> Self {
                Self(evidence)
            }
        }

        #[pymethods]
        impl $wrong {
            /// Decodes evidence without verification.
            #[staticmethod]
            fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
                Ok(Self(py.detach(|| dleq::WrongShare::decode(&data, &()))?))
            }

            /// Returns the canonical encoding.
            fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.0.encode())
            }

            /// Verifies the evidence with the keys alone and returns the culprit; raises `NotEvidenceError` if the
            /// share is right, or not the member's own.
            fn verify(&self, py: Python<'_>, keys: &$keys) -> Outcome<u16> {
                Ok(py.detach(|| self.0.verify(&keys.0))?)
            }

            fn __repr__(&self) -> String {
                format!("WrongShare({}, {})", <$purpose as Purpose>::NAME, hex::encode(self.0.encode()))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
                reduced::<Self>(py, "decode", (self.encode(py),))
            }
        }
    };
}

pub(super) use purpose;
