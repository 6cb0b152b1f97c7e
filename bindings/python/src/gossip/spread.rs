use std::sync::{Mutex, PoisonError};

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::type_hint_identifier;
use quorate::{any, gossip};

use super::peers::{chosen, draw_or_random};
use super::{Aggregate, Parameters, Peers, Pool, VerifiedAggregate};
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::convert::{Bytes, Draw, Member, Now, exactly};
use crate::failure::{Outcome, exception};
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::times::at;
use crate::votes::VerifiedVote;

/// One member's part in spreading the signatures on one statement. It does no I/O: the caller transports the bytes and
/// passes the time (`now`: microseconds of the clock that `Peers` uses). `vote` adds the member's own vote, `receive`
/// queues a received aggregate, `check` verifies the queue together and merges the valid ones, `next` returns the next
/// message and its recipient, and `certificate` is set once a quorum has signed. Threads may share it.
#[pyclass(frozen, module = "quorate.gossip")]
pub(crate) struct Gossip(Mutex<any::Gossip>);

impl Gossip {
    /// Runs `work` without the interpreter.
    fn locked<T: core::marker::Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut any::Gossip) -> T + core::marker::Send,
    ) -> T {
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Works on it with the interpreter, for calls that take no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::Gossip) -> T) -> T {
        work(&self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Gossip {
    /// A gossip of member `me` that knows no signature on the statement yet.
    #[new]
    #[pyo3(signature = (committee, me, statement, parameters = None))]
    fn new(
        committee: &Committee,
        me: Member,
        statement: &Statement,
        parameters: Option<&Parameters>,
    ) -> Outcome<Self> {
        let gossip = any::Gossip::new(&committee.0, me.0, statement.0, chosen(parameters))?;
        Ok(Self(Mutex::new(gossip)))
    }

    /// The statement being signed.
    #[getter]
    fn statement(&self, py: Python<'_>) -> Statement {
        Statement(self.attached(py, |gossip| *gossip.statement()))
    }

    /// Adds a verified vote, usually the member's own. Returns false if it was known.
    fn vote(&self, py: Python<'_>, vote: &VerifiedVote) -> Outcome<bool> {
        Ok(self.locked(py, |gossip| gossip.vote(&vote.0))?)
    }

    /// Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
    /// nothing new.
    fn adopt(&self, py: Python<'_>, aggregate: &VerifiedAggregate) -> Outcome<bool> {
        let aggregate = aggregate.0.clone();
        Ok(self.locked(py, |gossip| gossip.adopt(aggregate))?)
    }

    /// Queues an aggregate that `peer` sent over an authenticated link, and returns the result. It is not verified yet.
    /// Raises if the aggregate has another statement or committee, or a count above the limit.
    #[pyo3(signature = (peer, aggregate, peers, *, now = None))]
    fn receive(
        &self,
        py: Python<'_>,
        peer: Member,
        aggregate: &Aggregate,
        peers: &Peers,
        now: Option<Now>,
    ) -> Outcome<Received> {
        let aggregate = aggregate.0.clone();
        let received =
            self.locked(py, |gossip| gossip.receive(peer.0, aggregate, at(now), &mut peers.lock()));
        Ok(Received(match received {
            gossip::Received::Waiting => "waiting",
            gossip::Received::NothingNew => "nothing-new",
            gossip::Received::Complete => "complete",
            gossip::Received::Refused => "refused",
            gossip::Received::Invalid(error) => return Err(error.into()),
        }))
    }

    /// Number of aggregates queued for verification.
    #[getter]
    fn waiting(&self, py: Python<'_>) -> usize {
        self.attached(py, any::Gossip::waiting)
    }

    /// Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
    /// suspended. The coefficients come from `entropy`, 32 unpredictable bytes; by default they are derived from all
    /// aggregates of the batch. Cost: as `Aggregate.verify_batch` of at most `Parameters.batch` aggregates.
    #[pyo3(signature = (peers, *, entropy = None, now = None))]
    fn check(
        &self,
        py: Python<'_>,
        peers: &Peers,
        entropy: Option<Bytes>,
        now: Option<Now>,
    ) -> Outcome<Checked> {
        let entropy = entropy.map(|entropy| exactly::<32>(&entropy, "entropy")).transpose()?;
        let checked = |gossip: &mut any::Gossip| gossip.check(at(now), entropy.as_ref(), &mut peers.lock());
        Ok(Checked(self.locked(py, checked)))
    }

    /// Returns the next message and its recipient. Tell `peers` when it has `left`, was `sent` or `failed`; until then
    /// it occupies a slot. `None` if there is nothing to send now or no slot is free: call again when a slot is free,
    /// after an aggregate was added, or after 50 ms. `draw` is random; it defaults to the operating system's
    /// randomness.
    #[pyo3(signature = (peers, *, draw = None, now = None))]
    fn next(
        &self,
        py: Python<'_>,
        peers: &Peers,
        draw: Option<Draw>,
        now: Option<Now>,
    ) -> Outcome<Option<Send>> {
        let draw = draw_or_random(draw)?;
        Ok(self.locked(py, |gossip| gossip.next(at(now), draw, &mut peers.lock())).map(Send))
    }

    /// The aggregate to send to this peer, for a caller that picks peers itself; `None` if the peer lacks nothing.
    fn offer(&self, py: Python<'_>, peer: Member) -> Option<Aggregate> {
        self.locked(py, |gossip| gossip.offer(peer.0)).map(Aggregate)
    }

    /// A new set of all members whose signature is known and verified.
    #[getter]
    fn signers(&self, py: Python<'_>) -> SignerSet {
        self.attached(py, |gossip| gossip.signers().clone()).into()
    }

    /// Snapshot of the added aggregates that do not lie within one half of the committee.
    #[getter]
    fn pool(&self, py: Python<'_>) -> Pool {
        self.attached(py, any::Gossip::pool).into()
    }

    /// The certificate, once a quorum has signed.
    #[getter]
    fn certificate(&self, py: Python<'_>) -> Option<VerifiedCertificate> {
        self.attached(py, any::Gossip::certificate).map(VerifiedCertificate::from)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (signers, waiting) = self.attached(py, |gossip| (gossip.signers().clone(), gossip.waiting()));
        format!("Gossip({} of {} signed, {waiting} waiting)", signers.len(), signers.committee_len())
    }
}

/// `quorate.gossip.Received`.
pub(crate) struct Received(&'static str);

impl<'py> IntoPyObject<'py> for Received {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.gossip", "Received");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        CLASS.import(py, "quorate.gossip", "Received")?.call1((self.0,))
    }
}

/// `quorate.gossip.Checked`.
pub(crate) struct Checked(gossip::Checked);

impl<'py> IntoPyObject<'py> for Checked {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.gossip", "Checked");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static FAULT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let fault = FAULT.import(py, "quorate.gossip", "Fault")?;
        let faults =
            self.0.faults.iter().map(|found| fault.call1((found.culprit, exception(py, &found.evidence)?)));
        let faults: Vec<_> = faults.collect::<PyResult<_>>()?;
        let checked = (faults, self.0.aggregates, self.0.signers, self.0.grew);
        CLASS.import(py, "quorate.gossip", "Checked")?.call1(checked)
    }
}

/// `quorate.gossip.Send`.
pub(crate) struct Send((u16, any::Aggregate));

impl<'py> IntoPyObject<'py> for Send {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.gossip", "Send");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let (to, aggregate) = self.0;
        CLASS.import(py, "quorate.gossip", "Send")?.call1((to, Aggregate(aggregate)))
    }
}
