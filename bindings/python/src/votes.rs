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

/// One member's signature on a statement. That it decoded says nothing about the signature.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct Vote(pub(crate) any::Vote);

#[pymethods]
impl Vote {
    /// Puts a vote together from its parts. Nothing is checked.
    #[new]
    fn new(statement: &Statement, signer: Member, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer.0, signature.0.clone()))
    }

    /// Signs WITHOUT REMEMBERING IT: right for statements that a member may contradict, and for tests. What decides
    /// anything is signed by a `Guard`.
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

    /// The canonical bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Reads the form for direct links.
    #[staticmethod]
    fn decode_link(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Vote::decode_link(suite.0, &data))?))
    }

    /// The form for direct links, with an uncompressed signature.
    fn encode_link<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_link())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// What was voted for.
    #[getter]
    fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    /// Who claims to have voted.
    #[getter]
    fn signer(&self) -> u16 {
        self.0.signer()
    }

    /// The signature.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    /// Checks the vote by itself; a collector does with far less for many.
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
    /// A vote whose signature was checked.
    VerifiedVote of Vote: any::Vote
}

#[derive(FromPyObject)]
enum AnyVote<'py> {
    Plain(PyRef<'py, Vote>),
    Verified(PyRef<'py, VerifiedVote>),
}

/// Gathers the votes of one kind and view until some statement has a certificate. It holds at most one vote per
/// member, whatever arrives, and checks nothing until a quorum is held: then one sum. Threads may share it.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct VoteCollector {
    inner: Mutex<any::VoteCollector>,
    committee: Py<Committee>,
}

#[pymethods]
impl VoteCollector {
    /// An empty collector. Below `batch_threshold` pending votes are checked one by one. After `failure_limit` bad
    /// votes a member's are dropped unseen: ONLY for links that authenticate each vote's signer, elsewhere anybody
    /// could silence a member.
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

    /// Takes a vote in, and tells whether it completed the certificate and what was found wrong. A `VerifiedVote` of
    /// the same committee, for instance one's own, is not checked again. Over a link that authenticates its sender,
    /// refuse votes in other members' names before they come here.
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

    /// Whose votes are collected.
    #[getter]
    fn committee(&self, py: Python<'_>) -> Py<Committee> {
        self.committee.clone_ref(py)
    }

    /// The kind and the view that are collected.
    #[getter]
    fn topic(&self, py: Python<'_>) -> (u8, u64) {
        let (kind, view) = self.attached(py, |inner| inner.topic());
        (kind.number(), view)
    }

    /// The weight of the votes held for a digest of 32 bytes, verified or not.
    fn weight_for(&self, py: Python<'_>, digest: Bytes) -> Outcome<u128> {
        let digest = exactly(&digest, "digest")?;
        Ok(self.attached(py, |inner| inner.weight_for(&digest)))
    }

    /// Whether the certificate was handed out.
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
    /// Without the interpreter.
    fn locked<T>(&self, work: impl FnOnce(&mut any::VoteCollector) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// With it, for what takes no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::VoteCollector) -> T) -> T {
        work(&self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}
