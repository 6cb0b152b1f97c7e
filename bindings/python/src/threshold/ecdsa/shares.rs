use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;

use super::{Deal, EcdsaGroupKey};
use crate::convert::Bytes;
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};
use crate::threshold::common::{Attested, Group};

/// One party's part of a signature. It names the key, the epoch, the index and the message that it is for.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct EcdsaSignatureShare(pub(super) any::SignatureShare);

#[pymethods]
impl EcdsaSignatureShare {
    /// Reads a share over that group.
    #[staticmethod]
    fn decode(group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(any::SignatureShare::decode(group.0, &data)?))
    }

    /// The canonical bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Over which group it is.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// Whose it claims to be. Compare it with the sender.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// The epoch of the presignature.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// The index of the presignature.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    /// A hash of what it signs.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.digest())
    }

    /// The party's signature of `attested_bytes`; empty if there is none.
    #[getter]
    fn attestation<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.attestation())
    }

    /// What a party signs so that a wrong share can be proven to be its.
    fn attested_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.attested_bytes())
    }

    /// The share with the party's signature, of at most 8,192 bytes.
    fn attest(&self, attestation: Bytes) -> Outcome<Self> {
        let mut share = self.0.clone();
        share.attest(attestation.to_vec())?;
        Ok(Self(share))
    }

    fn __repr__(&self) -> String {
        let (member, epoch, index) = (self.member(), self.epoch(), self.index());
        format!("SignatureShare({}, member {member}, epoch {epoch}, index {index})", self.0.group())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}

/// What lets others check a party's share.
#[pyclass(frozen, eq, module = "quorate.threshold.ecdsa")]
#[derive(Clone, PartialEq)]
pub(crate) struct Opening(pub(super) any::Opening);

#[pymethods]
impl Opening {
    /// Reads an opening over that group.
    #[staticmethod]
    fn decode(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Opening::decode(group.0, &data))?))
    }

    /// The canonical bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Over which group it is.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// Whose it is.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// Which presignature it opens.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    fn __repr__(&self) -> String {
        format!("Opening({}, member {}, index {})", self.0.group(), self.member(), self.index())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}

/// A wrong share, with what shows that it is wrong. Anybody who holds the deal can judge it, if the share is attested.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct EcdsaShareFault(any::ShareFault);

impl From<any::ShareFault> for EcdsaShareFault {
    fn from(fault: any::ShareFault) -> Self {
        Self(fault)
    }
}

#[pymethods]
impl EcdsaShareFault {
    /// Reads evidence over that group, which is still to be verified.
    #[staticmethod]
    fn decode(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::ShareFault::decode(group.0, &data))?))
    }

    /// The canonical bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Over which group it is.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// The wrong share.
    #[getter]
    fn share(&self) -> EcdsaSignatureShare {
        EcdsaSignatureShare(self.0.share())
    }

    /// Checks it and answers with the culprit. `attested` says whether a member's attestation of some bytes is good: it gets
    /// the member, the bytes and the attestation, and is asked for every share of the evidence. Raises `NotEvidenceError` if
    /// one is not, or the share is right, and what `attested` raises.
    fn verify(&self, py: Python<'_>, key: &EcdsaGroupKey, deal: &Deal, attested: Py<PyAny>) -> Outcome<u16> {
        let mut asked = Attested::by(attested);
        let culprit =
            py.detach(|| self.0.verify(&key.0, &deal.0, |member, bytes, by| asked.ask(member, bytes, by)));
        asked.finish(culprit)
    }

    fn __repr__(&self) -> String {
        format!("ShareFault({})", self.share().__repr__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}
