//! `Vote` and `VoteCollector`.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use quorate::any;

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::convert::{Bytes, Kind, Limit, Member, Threshold, View, exactly, size};
use crate::failure::Outcome;
use crate::keys::{SecretKey, Signature};
use crate::layer::{Collected, Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced};
use crate::signers::Suspects;
use crate::statement::Statement;
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

    /// Reads a vote of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Vote::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Reads the form for direct links.
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
        format!("{:?}", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

verified! {
    /// A vote whose signature was verified.
    VerifiedVote of Vote: any::Vote
}

#[derive(FromPyObject)]
enum AnyVote<'py> {
    Plain(PyRef<'py, Vote>),
    Verified(PyRef<'py, VerifiedVote>),
}

/// Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per member
/// and verifies nothing until it has a quorum; then it verifies one sum. Threads may share it.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct VoteCollector {
    inner: Mutex<any::VoteCollector>,
    committee: Py<Committee>,
}

#[pymethods]
impl VoteCollector {
    /// An empty collector. Fewer than `batch_threshold` pending votes are verified one by one. After `failure_limit`
    /// invalid votes, further votes of a member are dropped unverified: ONLY for links that authenticate each vote's
    /// signer; on other links any sender could silence a member.
    #[new]
    #[pyo3(signature = (committee, kind, view, *, batch_threshold = None, failure_limit = None))]
    fn new(
        committee: Py<Committee>,
        kind: Kind,
        view: View,
        batch_threshold: Option<Threshold>,
        failure_limit: Option<Limit>,
    ) -> Self {
        let mut inner = any::VoteCollector::new(&committee.get().0, kind.into(), view.0);
        if let Some(votes) = batch_threshold {
            inner = inner.with_batch_threshold(size(votes.0));
        }
        if let Some(votes) = failure_limit {
            inner = inner.with_failure_limit(votes.0);
        }
        Self { inner: Mutex::new(inner), committee }
    }

    /// Adds a vote. The result contains the certificate, if this vote completed it, and the faults found. A
    /// `VerifiedVote` of the same committee, for instance the member's own, is not verified again. On a link that
    /// authenticates its sender, reject votes in another member's name before this call.
    fn add(
        &self,
        py: Python<'_>,
        vote: AnyVote<'_>,
        suspects: &Suspects,
    ) -> Outcome<Collected<VerifiedCertificate>> {
        let collected = match vote {
            AnyVote::Plain(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add(vote, &mut suspects.lock())))
            }
            AnyVote::Verified(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add_verified(vote, &mut suspects.lock())))
            }
        }?;
        let certificate = collected.certificate.map(VerifiedCertificate::from);
        Ok(Collected { certificate, faults: collected.faults })
    }

    /// Committee whose votes are collected.
    #[getter]
    fn committee(&self, py: Python<'_>) -> Py<Committee> {
        self.committee.clone_ref(py)
    }

    /// Kind and view of the collected votes.
    #[getter]
    fn topic(&self, py: Python<'_>) -> (u8, u64) {
        let (kind, view) = self.attached(py, |inner| inner.topic());
        (kind.number(), view)
    }

    /// The weight of the votes for a digest of 32 bytes, verified or not.
    fn weight_for(&self, py: Python<'_>, digest: Bytes) -> Outcome<u128> {
        let digest = exactly(&digest, "digest")?;
        Ok(self.attached(py, |inner| inner.weight_for(&digest)))
    }

    /// True if the certificate was returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.attached(py, |inner| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let ((kind, view), done) = self.attached(py, |inner| (inner.topic(), inner.is_done()));
        format!("VoteCollector(kind {}, view {view}, done: {done})", kind.number())
    }
}

impl VoteCollector {
    /// Runs `work` without the interpreter.
    fn locked<T>(&self, work: impl FnOnce(&mut any::VoteCollector) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works on it with the interpreter, for calls that take no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::VoteCollector) -> T) -> T {
        work(&self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}
