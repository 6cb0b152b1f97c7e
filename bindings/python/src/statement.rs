//! `Statement`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::certificate;
use quorate::wire::{Decode, Encode};

use crate::convert::{Bytes, Epoch, Kind, View, exactly};
use crate::failure::Outcome;
use crate::ids::CommitteeId;
use crate::pickle::{Reduced, reduced};

/// A statement that members sign: that `digest` is valid for this kind, epoch and view. Usually created by
/// `Committee.statement`, which supplies the epoch.
#[pyclass(frozen, eq, ord, hash, module = "quorate")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Statement(pub(crate) certificate::Statement);

#[pymethods]
impl Statement {
    /// Length of an encoded statement in bytes.
    #[classattr]
    const LEN: usize = certificate::Statement::LEN;
    /// Length of the signed bytes.
    #[classattr]
    const SIGNED_LEN: usize = certificate::Statement::SIGNED_LEN;

    /// Creates a statement from its parts; the digest has 32 bytes.
    #[new]
    fn new(kind: Kind, epoch: Epoch, view: View, digest: Bytes) -> Outcome<Self> {
        let digest = exactly(&digest, "digest")?;
        Ok(Self(certificate::Statement { kind: kind.into(), epoch: epoch.0, view: view.0, digest }))
    }

    /// Phase of the protocol: each phase has a kind of its own.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.kind.number()
    }

    /// The committee's epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch
    }

    /// The view within the epoch.
    #[getter]
    fn view(&self) -> u64 {
        self.0.view
    }

    /// The value, usually the hash of a block.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.digest)
    }

    /// Decodes the 49 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(certificate::Statement::decode(&data, &())?))
    }

    /// Returns the 49 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Returns the bytes that a member of that committee signs.
    fn signed_bytes<'py>(&self, py: Python<'py>, committee: &CommitteeId) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.signed_bytes(&committee.0))
    }

    /// Identifier of the certified statement. Certificates of one statement may differ; this does not.
    fn identity<'py>(&self, py: Python<'py>, committee: &CommitteeId) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.identity(&committee.0))
    }

    /// Returns true if a member must not sign both: same kind, epoch and view, different digest.
    fn contradicts(&self, other: &Statement) -> bool {
        self.0.contradicts(&other.0)
    }

    fn __repr__(&self) -> String {
        let certificate::Statement { kind, epoch, view, digest } = &self.0;
        let (kind, digest) = (kind.number(), hex::encode(digest));
        format!("Statement(kind={kind}, epoch={epoch}, view={view}, digest=bytes.fromhex('{digest}'))")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}

impl From<certificate::Statement> for Statement {
    fn from(statement: certificate::Statement) -> Self {
        Self(statement)
    }
}
