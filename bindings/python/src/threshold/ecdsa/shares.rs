use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;

use super::{Deal, EcdsaGroupKey};
use crate::convert::Bytes;
use crate::failure::Outcome;
use crate::pickle::{Reduced, reduced};
use crate::threshold::common::{Attested, Group};

/// One party's part of a signature. It names its key, epoch, index and message.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct EcdsaSignatureShare(pub(super) any::SignatureShare);

#[pymethods]
impl EcdsaSignatureShare {
    /// Decodes a share over that group.
    #[staticmethod]
    fn decode(group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(any::SignatureShare::decode(group.0, &data)?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Its group.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// Index of the party that the share names. Compare it with the sender.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// Epoch of the presignature.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// Index of the presignature.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index()
    }

    /// A hash of the signed message.
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
        let (member, epoch, index) = (self.member(), self.epoch(), self.index());
        format!("SignatureShare({}, member {member}, epoch {epoch}, index {index})", self.0.group())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}

/// An opening, which lets the other members check a party's share.
#[pyclass(frozen, eq, module = "quorate.threshold.ecdsa")]
#[derive(Clone, PartialEq)]
pub(crate) struct Opening(pub(super) any::Opening);

#[pymethods]
impl Opening {
    /// Decodes an opening over that group.
    #[staticmethod]
    fn decode(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Opening::decode(group.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Its group.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// Index of its party.
    #[getter]
    fn member(&self) -> u16 {
        self.0.member()
    }

    /// Index of the presignature that it opens.
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

/// A wrong share, with the evidence against it. Every holder of the deal can verify it, if the share is attested.
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
    /// Decodes unverified evidence over that group.
    #[staticmethod]
    fn decode(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::ShareFault::decode(group.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Its group.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    /// The wrong share.
    #[getter]
    fn share(&self) -> EcdsaSignatureShare {
        EcdsaSignatureShare(self.0.share())
    }

    /// Verifies the evidence and returns the culprit. `attested` is called with a member, bytes and that member's
    /// attestation of them, once for every share of the evidence; it returns true if the attestation is valid. Raises
    /// `NotEvidenceError` if one is not or if the share is right, and whatever `attested` raises.
    fn verify(&self, py: Python<'_>, key: &EcdsaGroupKey, deal: &Deal, attested: Py<PyAny>) -> Outcome<u16> {
        let mut asked = Attested::by(attested);
        let culprit =
            py.detach(|| self.0.verify(&key.0, &deal.0, |member, bytes, by| asked.call(member, bytes, by)));
        asked.finish(culprit)
    }

    fn __repr__(&self) -> String {
        format!("ShareFault({})", self.share().__repr__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}
