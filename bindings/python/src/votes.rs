//! `Vote`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::committee::Committee;
use crate::convert::{Bytes, Member};
use crate::failure::Outcome;
use crate::keys::{SecretKey, Signature};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced};
use crate::statement::Statement;
use crate::text::Shown;
use crate::verified::verified;

/// One member's signature on a statement. A decoded vote is not verified yet.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct Vote(pub(crate) any::Vote);

#[pymethods]
impl Vote {
    /// Creates a vote from its parts. Nothing is verified.
    #[new]
    fn new(statement: &Statement, signer: Member, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer.0, signature.0.clone()))
    }

    /// Signs WITHOUT RECORDING IT, for statements that a member may contradict, and for tests. Use a `Guard` to sign
    /// anything that a protocol acts on.
    #[staticmethod]
    fn sign_unguarded(
        py: Python<'_>,
        secret: &SecretKey,
        committee: &Committee,
        statement: &Statement,
    ) -> Outcome<Self> {
        let vote = secret.with(py, |key| any::Vote::sign_unguarded(key, &committee.0, statement.0))?;
        Ok(Self(vote?))
    }

    /// Decodes a vote of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Vote::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Decodes the form for direct links.
    #[staticmethod]
    fn decode_link(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Vote::decode_link(suite.0, &data))?))
    }

    /// Returns the form for direct links, with an uncompressed signature.
    fn encode_link<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_link())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The signed statement.
    #[getter]
    fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    /// The signer that the vote names.
    #[getter]
    fn signer(&self) -> u16 {
        self.0.signer()
    }

    /// The signature.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    /// Verifies this vote alone; a collector verifies many at far lower cost.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedVote> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedVote>> {
        off_thread(slf, "verify", (committee,))
    }

    fn __repr__(&self) -> String {
        format!("<Vote {}>", self.0.shown())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

verified! {
    /// A vote whose signature was verified.
    VerifiedVote of Vote: any::Vote
}
