use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::any;

use super::peers::chosen;
use super::{Aggregate, Parameters, VerifiedAggregate};
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::convert::Member;
use crate::failure::Outcome;
use crate::signers::SignerSet;
use crate::statement::Statement;

/// Some verified aggregates of one statement from any source, and single signatures: the sum of those that can be added
/// with low counts. `Gossip` uses one beside its own sums; a protocol with another dissemination method needs only
/// this. Threads may share it.
#[pyclass(frozen, module = "quorate.gossip")]
pub(crate) struct Pool(Mutex<any::Pool>);

impl From<any::Pool> for Pool {
    fn from(pool: any::Pool) -> Self {
        Self(Mutex::new(pool))
    }
}

impl Pool {
    /// Runs `work` without the interpreter.
    fn locked<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut any::Pool) -> T + Send) -> T {
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Works on it with the interpreter, for calls that take no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::Pool) -> T) -> T {
        work(&self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Pool {
    /// An empty pool of member `me`.
    #[new]
    #[pyo3(signature = (committee, me, statement, parameters = None))]
    fn new(
        committee: &Committee,
        me: Member,
        statement: &Statement,
        parameters: Option<&Parameters>,
    ) -> Outcome<Self> {
        Ok(any::Pool::new(&committee.0, me.0, statement.0, chosen(parameters))?.into())
    }

    /// The signed statement.
    #[getter]
    fn statement(&self, py: Python<'_>) -> Statement {
        Statement(self.attached(py, |pool| *pool.statement()))
    }

    /// Returns true if `insert` would accept this: it adds a new signer, and there is no certificate yet. It uses no
    /// cryptography, so call it before verifying. Raises as `insert` does.
    fn wants(&self, py: Python<'_>, aggregate: &Aggregate) -> Outcome<bool> {
        Ok(self.attached(py, |pool| pool.wants(&aggregate.0))?)
    }

    /// Inserts a verified aggregate. Returns false if it changes nothing. Raises `WrongContextError` for another
    /// committee or statement, and `TooLargeError` for a count above the limit.
    fn insert(&self, py: Python<'_>, aggregate: &VerifiedAggregate) -> Outcome<bool> {
        let aggregate = aggregate.0.clone();
        Ok(self.locked(py, |pool| pool.insert(aggregate))?)
    }

    /// A new set of all members whose signature is in some aggregate of the pool.
    #[getter]
    fn signers(&self, py: Python<'_>) -> SignerSet {
        self.attached(py, |pool| pool.signers().clone()).into()
    }

    /// The sum of all aggregates that can be added, or that of the certificate; `None` if the pool is empty.
    #[getter]
    fn best(&self, py: Python<'_>) -> Option<VerifiedAggregate> {
        self.attached(py, any::Pool::best).map(VerifiedAggregate::from)
    }

    /// All aggregates in the pool.
    #[getter]
    fn aggregates(&self, py: Python<'_>) -> Vec<VerifiedAggregate> {
        self.attached(py, any::Pool::aggregates).into_iter().map(VerifiedAggregate::from).collect()
    }

    /// The certificate, once the signers are a quorum.
    #[getter]
    fn certificate(&self, py: Python<'_>) -> Option<VerifiedCertificate> {
        self.attached(py, any::Pool::certificate).map(VerifiedCertificate::from)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let signers = self.attached(py, |pool| (pool.signers().len(), pool.signers().committee_len()));
        format!("Pool({} of {} signed)", signers.0, signers.1)
    }
}
