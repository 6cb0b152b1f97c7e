//! `Guard` and `GuardRecord`.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;
use quorate::guard;
use quorate::wire::{Decode, Encode};

use crate::committee::Committee;
use crate::convert::{Bytes, Epoch, Kind, List, PresignatureIndex, TriedArgument, Value, View, exactly};
use crate::failure::{Failure, Outcome};
use crate::ids::ChainId;
use crate::keys::{PublicKey, SecretKey};
use crate::layer::Suite;
use crate::pickle::{Reduced, reduced, refused};
use crate::statement::Statement;
use crate::timeouts::TimeoutVote;
use crate::votes::Vote;

const WHAT: &str = "Guard";

/// A secret key that never signs contradicting statements: per kind, the pair (epoch, view) strictly increases, or it
/// repeats and the statement is identical. Each signature comes with a record: MAKE IT DURABLE, file and directory,
/// BEFORE THE VOTE LEAVES. Threads may share a guard.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct Guard {
    public: any::PublicKey,
    chain: quorate::committee::ChainId,
    inner: Mutex<Option<any::Guard>>,
}

impl Guard {
    fn around(guard: any::Guard) -> Self {
        Self { public: guard.public_key(), chain: guard.chain(), inner: Mutex::new(Some(guard)) }
    }

    /// Works on it without the interpreter, one thread at a time.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut any::Guard) -> T + Send,
    ) -> Outcome<T> {
        py.detach(|| self.locked(work))
    }

    /// Works on it, one thread at a time; the caller has released the interpreter.
    pub(crate) fn locked<T>(&self, work: impl FnOnce(&mut any::Guard) -> T) -> Outcome<T> {
        let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_mut().map(work).ok_or(Failure::Closed(WHAT))
    }
}

#[pymethods]
impl Guard {
    /// The guard of a key that has NEVER SIGNED ON THIS CHAIN; after a restart use `restore`. It takes ownership of the
    /// key: the `SecretKey` is closed afterwards.
    #[new]
    fn new(py: Python<'_>, secret: &SecretKey, chain: &ChainId) -> Outcome<Self> {
        let (secret, chain) = (secret.take(py)?, chain.0);
        Ok(Self::around(py.detach(|| any::Guard::new(secret, chain))))
    }

    /// Returns the guard of a key that may have signed before, from all durable records, in any order. The `SecretKey`
    /// is closed afterwards, even if the records are unreadable or rejected, since signing without them is unsafe.
    #[staticmethod]
    fn restore(
        py: Python<'_>,
        secret: &SecretKey,
        chain: &ChainId,
        records: TriedArgument<List<Py<GuardRecord>>>,
    ) -> Outcome<Self> {
        let (secret, chain) = (secret.take(py)?, chain.0);
        let records: Vec<guard::GuardRecord> =
            records.0?.all()?.into_iter().map(|record| record.get().0).collect();
        Ok(Self::around(py.detach(|| any::Guard::restore(secret, chain, records))?))
    }

    /// Signs a statement, or raises `ContradictionError`. The same statement again gives the same vote and record.
    fn sign(
        &self,
        py: Python<'_>,
        committee: &Committee,
        statement: &Statement,
    ) -> Outcome<(Vote, GuardRecord)> {
        let (vote, record) = self.with(py, |guard| guard.sign(&committee.0, statement.0))??;
        Ok((Vote(vote), GuardRecord(record)))
    }

    /// Signs a timeout vote under the same rule: one value per view of a kind.
    fn sign_timeout(
        &self,
        py: Python<'_>,
        committee: &Committee,
        kind: Kind,
        view: View,
        value: Value,
    ) -> Outcome<(TimeoutVote, GuardRecord)> {
        let sign = |guard: &mut any::Guard| guard.sign_timeout(&committee.0, kind.into(), view.0, value.0);
        let (vote, record) = self.with(py, sign)??;
        Ok((TimeoutVote(vote), GuardRecord(record)))
    }

    /// Reserves the block of a threshold key's presignatures that contains `index`. Once the record is durable and
    /// confirmed, signing with them needs no further record. AFTER A CRASH THE WHOLE BLOCK IS BURNT, spent or not.
    /// Raises `ExhaustedError` if it is burnt already, or its epoch is closed.
    fn reserve(
        &self,
        py: Python<'_>,
        key: Bytes,
        epoch: Epoch,
        index: PresignatureIndex,
    ) -> Outcome<GuardRecord> {
        let key = exactly(&key, "threshold key id")?;
        Ok(GuardRecord(self.with(py, |guard| guard.reserve(&key, epoch.0, index.0))??))
    }

    /// Confirms that the record of a reservation is durable; raises `WrongContextError` for any other record.
    fn confirm(&self, py: Python<'_>, reservation: &GuardRecord) -> Outcome<()> {
        Ok(self.with(py, |guard| guard.confirm(&reservation.0))??)
    }

    /// Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign.
    fn close_epoch(&self, py: Python<'_>, key: Bytes, epoch: Epoch) -> Outcome<GuardRecord> {
        let key = exactly(&key, "threshold key id")?;
        Ok(GuardRecord(self.with(py, |guard| guard.close_epoch(&key, epoch.0))?))
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.public.suite())
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> PublicKey {
        PublicKey(self.public.clone())
    }

    /// The chain that the guard signs for.
    #[getter]
    fn chain(&self) -> ChainId {
        self.chain.into()
    }

    /// Epoch and view of the last statement of a kind; `None` if there is none.
    fn last(&self, py: Python<'_>, kind: Kind) -> Outcome<Option<(u64, u64)>> {
        self.with(py, |guard| guard.last(kind.into()))
    }

    /// Returns the last record of each kind, and the spent presignatures of open epochs: all that a compacted log must
    /// contain.
    fn records(&self, py: Python<'_>) -> Outcome<Vec<GuardRecord>> {
        self.with(py, |guard| guard.records().into_iter().map(GuardRecord).collect())
    }

    /// Wipes the key. Later calls raise `ClosedError`; closing again does nothing.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.inner.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    /// True if the guard was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.with(py, |_| ()).is_err()
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[allow(unused_variables, reason = "part of the protocol")]
    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let closed = if self.closed(py) { ", closed" } else { "" };
        format!("Guard({}, {}{closed})", self.public.suite(), hex::encode(self.public.encode()))
    }

    /// Raises `TypeError`: this object cannot be pickled.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a Guard cannot be pickled or copied: two guards of one key can contradict each other")
    }
}

/// Record of the last statement of one kind, or of spent presignatures. Make it durable before the vote or the share
/// leaves.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct GuardRecord(pub(crate) guard::GuardRecord);

#[pymethods]
impl GuardRecord {
    /// Length of an encoded record in bytes.
    #[classattr]
    const LEN: usize = guard::GuardRecord::LEN;

    /// Decodes the 81 bytes.
    #[staticmethod]
    fn decode(data: Bytes) -> Outcome<Self> {
        Ok(Self(guard::GuardRecord::decode(&data, &())?))
    }

    /// Returns the 81 bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Kind of the statement, or of the record about presignatures.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    /// Epoch of the statement or of the presignatures.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// View of the statement, or position of the presignatures.
    #[getter]
    fn view(&self) -> u64 {
        self.0.view()
    }

    fn __repr__(&self) -> String {
        format!("GuardRecord(kind {}, epoch {}, view {})", self.kind(), self.epoch(), self.view())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.encode(py),))
    }
}
