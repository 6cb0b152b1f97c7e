use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::any;

use super::peers::chosen;
use super::{Parameters, VerifiedAggregate};
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::failure::Outcome;
use crate::signers::SignerSet;
use crate::statement::Statement;

/// A few verified aggregates of one statement, from whatever source, and single signatures: the sum of what can be added
/// with low counts. It is what `Gossip` keeps beside its own sums, and all that a protocol needs that spreads in another
/// way. Threads may share it.
#[pyclass(frozen, module = "quorate.gossip")]
pub(crate) struct Pool(Mutex<any::Pool>);

impl From<any::Pool> for Pool {
    fn from(pool: any::Pool) -> Self {
        Self(Mutex::new(pool))
    }
}

impl Pool {
    /// Without the interpreter.
    fn locked<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut any::Pool) -> T + Send) -> T {
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// With it, for what takes no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::Pool) -> T) -> T {
        work(&self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Pool {
    /// An empty pool.
    #[new]
    #[pyo3(signature = (committee, statement, parameters = None))]
    fn new(committee: &Committee, statement: &Statement, parameters: Option<&Parameters>) -> Outcome<Self> {
        Ok(any::Pool::new(&committee.0, statement.0, chosen(parameters))?.into())
    }

    /// What is signed.
    #[getter]
    fn statement(&self, py: Python<'_>) -> Statement {
        Statement(self.attached(py, |pool| *pool.statement()))
    }

    /// Takes in an aggregate that was verified. False if nothing changes by it. Raises `WrongContextError` for another
    /// committee's or statement's, and `TooLargeError` for a count above the limit.
    fn insert(&self, py: Python<'_>, aggregate: &VerifiedAggregate) -> Outcome<bool> {
        let aggregate = aggregate.0.clone();
        Ok(self.locked(py, |pool| pool.insert(aggregate))?)
    }

    /// Everybody whose signature is in some aggregate of the pool: a set of one's own.
    #[getter]
    fn signers(&self, py: Python<'_>) -> SignerSet {
        self.attached(py, |pool| pool.signers().clone()).into()
    }

    /// The sum of everything that can be added, or the certificate's; `None` of an empty pool.
    #[getter]
    fn best(&self, py: Python<'_>) -> Option<VerifiedAggregate> {
        self.attached(py, any::Pool::best).map(VerifiedAggregate::from)
    }

    /// All aggregates that are kept.
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
