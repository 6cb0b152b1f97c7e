//! `SignerSet` and `Suspects`: mutable sets of members, each behind a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::{certificate, committee};

use crate::convert::{self, Member, Size};
use crate::failure::Outcome;
use crate::pickle::Reduced;

/// A set of members of a committee of `n`. It is mutable, so it has no hash; iteration is in ascending order.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct SignerSet(Mutex<committee::SignerSet>);

impl From<committee::SignerSet> for SignerSet {
    fn from(set: committee::SignerSet) -> Self {
        Self(Mutex::new(set))
    }
}

impl SignerSet {
    /// Returns a snapshot of the set.
    pub(crate) fn now(&self, py: Python<'_>) -> committee::SignerSet {
        self.lock(py).clone()
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, committee::SignerSet> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SignerSet {
    /// The set of these members, each listed once, of a committee of `committee_len`.
    #[new]
    #[pyo3(
        signature = (committee_len, members = convert::Members::NONE),
        text_signature = "(committee_len, members=())"
    )]
    fn new(committee_len: Size, members: convert::Members<Member>) -> Outcome<Self> {
        let members = members.counted().into_iter().map(|member| member.0);
        Ok(committee::SignerSet::from_members(committee_len.0, members)?.into())
    }

    /// Returns the set of all members.
    #[staticmethod]
    fn full(committee_len: Size) -> Self {
        committee::SignerSet::full(committee_len.0).into()
    }

    /// Size of the committee.
    #[getter]
    fn committee_len(&self, py: Python<'_>) -> u16 {
        self.lock(py).committee_len()
    }

    /// Adds a member; returns false if it is in the set already, or not in the committee.
    fn insert(&self, py: Python<'_>, index: Member) -> bool {
        self.lock(py).insert(index.0)
    }

    /// Returns all members that are not in the set.
    fn complement(&self, py: Python<'_>) -> Self {
        self.lock(py).complement().into()
    }

    /// Members of both sets; both must be of the same committee.
    fn intersection(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.now(py).intersection(&other.now(py)).into()
    }

    /// Members of either set; both must be of the same committee.
    fn union(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.now(py).union(&other.now(py)).into()
    }

    /// Returns true if the two sets have no member in common.
    fn is_disjoint(&self, py: Python<'_>, other: &SignerSet) -> bool {
        self.now(py).is_disjoint(&other.now(py))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).len()
    }

    fn __contains__(&self, py: Python<'_>, index: Member) -> bool {
        self.lock(py).contains(index.0)
    }

    /// Iterates over a snapshot of the members, ascending.
    fn __iter__(&self, py: Python<'_>) -> Members {
        Members::new(self.lock(py).iter().collect())
    }

    fn __invert__(&self, py: Python<'_>) -> Self {
        self.complement(py)
    }

    fn __and__(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.intersection(py, other)
    }

    fn __or__(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.union(py, other)
    }

    fn __eq__(&self, py: Python<'_>, other: &SignerSet) -> bool {
        self.now(py) == other.now(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let set = self.now(py);
        format!("SignerSet({}, {:?})", set.committee_len(), set.iter().collect::<Vec<_>>())
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.now(py).into()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let py = slf.py();
        let set = slf.get().now(py);
        let arguments = (set.committee_len(), set.iter().collect::<Vec<_>>());
        (py.get_type::<Self>(), arguments).into_bound_py_any(py)
    }
}

/// Snapshot of the members of a set when the iteration began, ascending.
#[pyclass(frozen, module = "quorate._native")]
pub(crate) struct Members(Mutex<std::vec::IntoIter<u16>>);

impl Members {
    fn new(members: Vec<u16>) -> Self {
        Self(Mutex::new(members.into_iter()))
    }
}

#[pymethods]
impl Members {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<u16> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).next()
    }
}

/// Members in whose name invalid signatures were received, shared by all collectors of one committee. Their votes are
/// verified one by one, so that they cannot make every batch fail. Each new certificate reduces every suspicion a
/// little.
#[pyclass(frozen, module = "quorate")]
#[derive(Default)]
pub(crate) struct Suspects(Mutex<certificate::Suspects>);

impl Suspects {
    /// Locks the set, for collectors, which lock their own state first.
    pub(crate) fn lock(&self) -> MutexGuard<'_, certificate::Suspects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attached(&self, py: Python<'_>) -> MutexGuard<'_, certificate::Suspects> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Suspects {
    /// No suspects.
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Records an offence. Collectors call it themselves; call it for invalid votes found elsewhere.
    fn accuse(&self, py: Python<'_>, member: Member) {
        self.attached(py).accuse(member.0);
    }

    /// Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves when they form
    /// a certificate.
    fn decay(&self, py: Python<'_>) {
        self.attached(py).decay();
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.attached(py).len()
    }

    fn __contains__(&self, py: Python<'_>, member: Member) -> bool {
        self.attached(py).contains(member.0)
    }

    /// Iterates over a snapshot of the suspects, ascending.
    fn __iter__(&self, py: Python<'_>) -> Members {
        Members::new(self.attached(py).iter().collect())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Suspects({:?})", self.attached(py).iter().collect::<Vec<_>>())
    }
}
