//! `quorate.threshold.bls`: a shared BLS key; its signatures are unique, so they also form a random beacon.

use getrandom::SysRng;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::bls as any;

use super::cache::{Cache, WithCache};
use super::common::{Agreement, Attested, Combined, Counts, Threshold, Tolerance};
use crate::convert::{Bytes, Member};
use crate::failure::Outcome;
use crate::held::{Held, held};
use crate::ids::CommitteeId;
use crate::keys::{PublicKey, Signature};
use crate::layer::Suite;
use crate::pickle::{Reduced, reduced};

/// Generates a key and shares it. THE PROCESS THAT RUNS THIS KNOWS THE KEY: run it once, offline, and give each member
/// only its own share. Ed25519 has no shares: it raises `WrongContextError`.
#[pyfunction]
pub(crate) fn bls_deal(
    py: Python<'_>,
    suite: Suite,
    committee: &CommitteeId,
    tolerance: &Tolerance,
    agreement: Agreement,
) -> Outcome<Vec<BlsKeyShare>> {
    let (committee, tolerance) = (committee.0, tolerance.0);
    let shares = py.detach(|| any::deal(suite.0, committee, tolerance, agreement.0, &mut SysRng))?;
    Ok(shares.into_iter().map(BlsKeyShare::new_held).collect())
}

/// Returns 32 bytes that were unpredictable before enough members had signed. VERIFY THE SIGNATURE FIRST.
#[pyfunction]
pub(crate) fn bls_beacon<'py>(py: Python<'py>, signature: &Signature) -> Outcome<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &any::beacon(&signature.0)?))
}

/// Public part of a shared key.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct BlsGroupKey(any::GroupKey);

#[pymethods]
impl BlsGroupKey {
    /// Decodes a key of that suite. Cost: a square root and a subgroup check for each party.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::GroupKey::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Identifier of 32 bytes, which every share contains.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.id())
    }

    /// Committee of the key.
    #[getter]
    fn committee(&self) -> CommitteeId {
        self.0.committee().into()
    }

    /// Number of parties, and the maximum number of faulty ones.
    #[getter]
    fn tolerance(&self) -> Tolerance {
        Tolerance(self.0.tolerance())
    }

    /// Number of shares that a signature needs.
    #[getter]
    fn threshold(&self) -> Threshold {
        Threshold(self.0.threshold())
    }

    /// Key under which the signatures verify.
    #[getter]
    fn public(&self) -> PublicKey {
        PublicKey(self.0.public())
    }

    /// Verification key of one party's shares; `None` if there is no such party.
    fn party(&self, member: Member) -> Option<PublicKey> {
        self.0.party(member.0).map(PublicKey)
    }

    fn __repr__(&self) -> String {
        format!("GroupKey({}, {})", self.0.suite(), hex::encode(self.0.id()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

/// One party's share of the key. It cannot be printed, pickled or copied, and is wiped when it is closed or collected: use it
/// in a `with` block.
#[pyclass(frozen, module = "quorate._native")]
pub(crate) struct BlsKeyShare {
    member: u16,
    key: BlsGroupKey,
    secret: Held<any::KeyShare>,
}

impl BlsKeyShare {
    fn new_held(share: any::KeyShare) -> Self {
        let (member, key) = (share.member(), BlsGroupKey(share.key()));
        Self { member, key, secret: Held::new("KeyShare", share) }
    }
}

held! {
    BlsKeyShare, "a KeyShare cannot be pickled or copied; seal to_bytes() for its party", {
        /// Decodes the result of `to_bytes` for that suite. The caller keeps the bytes: pass a `bytearray` and
        /// overwrite it.
        #[staticmethod]
        fn from_bytes(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
            Ok(Self::new_held(py.detach(|| any::KeyShare::from_bytes(suite.0, &data))?))
        }

        /// Returns the whole share, to be sealed for its party. The result is a Python object that is never wiped.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, any::KeyShare::to_bytes)?;
            Ok(PyBytes::new(py, &bytes))
        }

        /// The signature scheme.
        #[getter]
        fn suite(&self) -> Suite {
            self.key.suite()
        }

        /// Index of its party.
        #[getter]
        fn member(&self) -> u16 {
            self.member
        }

        /// Public part of the key.
        #[getter]
        fn key(&self) -> BlsGroupKey {
            self.key.clone()
        }

        /// Signs. The caller decides whether the message may be signed: nothing is recorded.
        fn sign(&self, py: Python<'_>, message: Bytes) -> Outcome<BlsSignatureShare> {
            Ok(BlsSignatureShare(self.secret.with(py, |share| share.sign(&message))?))
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            let closed = if self.closed(py) { ", closed" } else { "" };
            format!("KeyShare({}, member {}{closed})", self.key.0.suite(), self.member)
        }
    }
}

/// One party's part of a signature.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct BlsSignatureShare(any::SignatureShare);

#[pymethods]
impl BlsSignatureShare {
    /// Decodes a share of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::SignatureShare::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Index of the party that the share names. Compare it with the sender.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// A hash of the key and the message.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.digest())
    }

    /// The party's signature on `attested_bytes`; empty if there is none.
    #[getter]
    fn attestation<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.attestation())
    }

    /// Returns the bytes that a party signs so that a wrong share can be attributed to it.
    fn attested_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.attested_bytes())
    }

    /// Returns the share with the party's signature, of at most 8,192 bytes.
    fn attest(&self, attestation: Bytes) -> Outcome<Self> {
        let mut share = self.0.clone();
        share.attest(attestation.to_vec())?;
        Ok(Self(share))
    }

    fn __repr__(&self) -> String {
        format!("SignatureShare({}, member {})", self.0.suite(), self.member())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

/// Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
/// the wrong ones. Threads may share it.
#[pyclass(frozen, module = "quorate._native")]
pub(crate) struct BlsCombiner {
    key: BlsGroupKey,
    inner: WithCache<any::Combiner>,
}

#[pymethods]
impl BlsCombiner {
    /// A combiner for a message, which is signed without any framing: it must contain everything that the signature is
    /// to bind. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of members.
    #[new]
    #[pyo3(signature = (key, message, cache = None))]
    fn new(key: &BlsGroupKey, message: Bytes, cache: Option<Py<Cache>>) -> Self {
        let inner = any::Combiner::new(any::Signing::new(&key.0, &message));
        Self { key: key.clone(), inner: WithCache::new(inner, cache) }
    }

    /// Adds a share received over a link that authenticates `sender`. Raises `WrongContextError` for a share of another
    /// message or of another party than the sender, and `UnknownSignerError`. It never requests openings.
    fn add(
        &self,
        py: Python<'_>,
        sender: Member,
        share: &BlsSignatureShare,
    ) -> Outcome<Combined<Signature, BlsShareFault>> {
        let share = share.0.clone();
        Ok(Combined::from_core(self.inner.with(py, |combiner, cache| combiner.add(cache, sender.0, share))?))
    }

    /// Key whose shares it collects.
    #[getter]
    fn key(&self) -> BlsGroupKey {
        self.key.clone()
    }

    /// The signature, once it exists.
    #[getter]
    fn signature(&self, py: Python<'_>) -> Option<Signature> {
        self.inner.with(py, |combiner, _| combiner.signature()).map(Signature)
    }

    /// Work done so far.
    #[getter]
    fn counts(&self, py: Python<'_>) -> Counts {
        Counts(self.inner.with(py, |combiner, _| combiner.counts()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Combiner({}, done: {})", self.key.0.suite(), self.signature(py).is_some())
    }
}

/// A wrong share, with the message that it was to sign. Every holder of the key can verify it, if the share is
/// attested.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct BlsShareFault(any::ShareFault);

impl From<any::ShareFault> for BlsShareFault {
    fn from(fault: any::ShareFault) -> Self {
        Self(fault)
    }
}

#[pymethods]
impl BlsShareFault {
    /// Decodes unverified evidence of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::ShareFault::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The wrong share.
    #[getter]
    fn share(&self) -> BlsSignatureShare {
        BlsSignatureShare(self.0.share())
    }

    /// Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
    /// attestation of them; it returns true if the attestation is valid. Raises `NotEvidenceError` if it is not or if
    /// the share is right, and whatever `attested` raises.
    fn verify(&self, py: Python<'_>, key: &BlsGroupKey, attested: Py<PyAny>) -> Outcome<u16> {
        let mut asked = Attested::by(attested);
        let culprit = py.detach(|| self.0.verify(&key.0, |member, bytes, by| asked.call(member, bytes, by)));
        asked.finish(culprit)
    }

    fn __repr__(&self) -> String {
        format!("ShareFault({})", self.share().__repr__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}
