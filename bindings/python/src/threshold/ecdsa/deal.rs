use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;
use quorate::threshold::ecdsa;
use quorate::wire::{Decode, Encode};

use super::{Plan, Tag};
use crate::convert::Bytes;
use crate::failure::Outcome;
use crate::ids::CommitteeId;
use crate::pickle::{Reduced, reduced};
use crate::threshold::common::{Group, Tolerance};

/// The public key of a committee.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct EcdsaGroupKey(pub(super) any::GroupKey);

#[pymethods]
impl EcdsaGroupKey {
    /// Decodes a key over that group.
    #[staticmethod]
    fn decode(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::GroupKey::decode(group.0, &data))?))
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

    /// Identifier of 32 bytes, which every share and every record contains.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.id().0)
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

    /// Verifies a signature made under a tag, or raises `BadSignatureError`.
    fn verify(&self, py: Python<'_>, tag: &Tag, message: Bytes, signature: &EcdsaSignature) -> Outcome<()> {
        Ok(py.detach(|| self.0.verify(tag.0, &message, &signature.0))?)
    }

    /// Verifies a signature over secp256k1 as standard ECDSA with SHA-256, and also rejects high s.
    fn verify_message(&self, py: Python<'_>, message: Bytes, signature: &EcdsaSignature) -> Outcome<()> {
        Ok(py.detach(|| self.0.verify_message(&message, &signature.0))?)
    }

    /// Returns the key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads.
    fn to_spki_der<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_spki_der()?))
    }

    fn __repr__(&self) -> String {
        format!("GroupKey({}, {})", self.0.group(), hex::encode(self.0.id().0))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.encode(py)))
    }
}

/// A decoded signature: 64 bytes in the one accepted form. Over ristretto255 it is not standard ECDSA, and only quorate
/// verifies it.
#[pyclass(frozen, eq, module = "quorate._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct EcdsaSignature(pub(super) any::Signature);

impl From<any::Signature> for EcdsaSignature {
    fn from(signature: any::Signature) -> Self {
        Self(signature)
    }
}

#[pymethods]
impl EcdsaSignature {
    /// Decodes a signature over that group.
    #[staticmethod]
    fn decode(group: Group, data: Bytes) -> Outcome<Self> {
        Ok(Self(any::Signature::decode(group.0, &data)?))
    }

    /// Returns the 64 bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Returns the form of a signature over secp256k1 that X.509 and OpenSSL expect.
    fn to_der<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_der()?))
    }

    /// Its group.
    #[getter]
    fn group(&self) -> Group {
        Group(self.0.group())
    }

    fn __repr__(&self) -> String {
        format!("Signature({}, {})", self.0.group(), hex::encode(self.0.to_bytes()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.group(), self.to_bytes(py)))
    }
}

/// Public part of the deal for one epoch; its holder can verify evidence. Compare the ids: parties that hold different
/// deals cannot sign together.
#[pyclass(frozen, eq, module = "quorate.threshold.ecdsa")]
#[derive(Clone, PartialEq)]
pub(crate) struct Deal(pub(super) Arc<ecdsa::Deal>);

#[pymethods]
impl Deal {
    /// Decodes a deal.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| ecdsa::Deal::decode(&data, &()))?.into()))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Identifier: 32 bytes.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.id())
    }

    /// Identifier of the key.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key().0)
    }

    /// The epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// Plan of the presignatures.
    #[getter]
    fn plan(&self) -> Plan {
        Plan(self.0.plan())
    }

    /// The roots of the parties' trees of openings.
    #[getter]
    fn roots<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.0.roots().iter().map(|root| PyBytes::new(py, root)).collect()
    }

    fn __repr__(&self) -> String {
        format!("Deal(epoch {}, {})", self.0.epoch(), hex::encode(self.0.id()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}
