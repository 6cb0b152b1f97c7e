//! `SignerSet` and `Suspects`: sets of members that change, each behind a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::{certificate, committee};

use crate::convert::{self, Member, Size};
use crate::failure::Outcome;
use crate::pickle::Reduced;

/// A set of members of a committee of `n`. It can grow, so it has no hash; it is iterated in ascending order.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct SignerSet(Mutex<committee::SignerSet>);

impl From<committee::SignerSet> for SignerSet {
    fn from(set: committee::SignerSet) -> Self {
        Self(Mutex::new(set))
    }
}

impl SignerSet {
    /// The set as it is now.
    pub(crate) fn now(&self, py: Python<'_>) -> committee::SignerSet {
        self.lock(py).clone()
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, committee::SignerSet> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SignerSet {
    /// The set of these members, each once, of a committee of `committee_len`.
    #[new]
    #[pyo3(signature = (committee_len, members = convert::Members::NONE))]
    fn new(committee_len: Size, members: convert::Members<Member>) -> Outcome<Self> {
        let members = members.counted().into_iter().map(|member| member.0);
        Ok(committee::SignerSet::from_members(committee_len.0, members)?.into())
    }

    /// The set of all members.
    #[staticmethod]
    fn full(committee_len: Size) -> Self {
        committee::SignerSet::full(committee_len.0).into()
    }

    /// How large the committee is.
    #[getter]
    fn committee_len(&self, py: Python<'_>) -> u16 {
        self.lock(py).committee_len()
    }

    /// Adds a member; false if it was there, or if the committee has no such member.
    fn insert(&self, py: Python<'_>, index: Member) -> bool {
        self.lock(py).insert(index.0)
    }

    /// Everybody who is not in the set.
    fn complement(&self, py: Python<'_>) -> Self {
        self.lock(py).complement().into()
    }

    /// Members of both sets, which should be of the same committee.
    fn intersection(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.now(py).intersection(&other.now(py)).into()
    }

    /// Members of either set, which should be of the same committee.
    fn union(&self, py: Python<'_>, other: &SignerSet) -> Self {
        self.now(py).union(&other.now(py)).into()
    }

    /// Whether the two sets have no member in common.
    fn is_disjoint(&self, py: Python<'_>, other: &SignerSet) -> bool {
        self.now(py).is_disjoint(&other.now(py))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).len()
    }

    fn __contains__(&self, py: Python<'_>, index: Member) -> bool {
        self.lock(py).contains(index.0)
    }

    /// The members as they are now, ascending.
    fn __iter__(&self, py: Python<'_>) -> Members {
        Members::of(self.lock(py).iter().collect())
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

/// The members of a set as it was when the iteration began, ascending.
#[pyclass(frozen, module = "quorate._native")]
pub(crate) struct Members(Mutex<std::vec::IntoIter<u16>>);

impl Members {
    fn of(members: Vec<u16>) -> Self {
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

/// Members in whose name bad signatures came in, shared by all collectors of one committee: their votes are checked
/// one by one, so that they cannot make every batch fail. Each certificate that is formed forgives a little.
#[pyclass(frozen, module = "quorate")]
#[derive(Default)]
pub(crate) struct Suspects(Mutex<certificate::Suspects>);

impl Suspects {
    /// For collectors, which lock their own state first and this second.
    pub(crate) fn lock(&self) -> MutexGuard<'_, certificate::Suspects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attached(&self, py: Python<'_>) -> MutexGuard<'_, certificate::Suspects> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Suspects {
    /// Nobody is suspected.
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Counts an offence. Collectors do that themselves; this is for bad votes that were found elsewhere.
    fn accuse(&self, py: Python<'_>, member: Member) {
        self.attached(py).accuse(member.0);
    }

    /// Takes one certificate off every term. Collectors do that themselves when they form one.
    fn decay(&self, py: Python<'_>) {
        self.attached(py).decay();
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.attached(py).len()
    }

    fn __contains__(&self, py: Python<'_>, member: Member) -> bool {
        self.attached(py).contains(member.0)
    }

    /// The suspects as they are now, ascending.
    fn __iter__(&self, py: Python<'_>) -> Members {
        Members::of(self.attached(py).iter().collect())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Suspects({:?})", self.attached(py).iter().collect::<Vec<_>>())
    }
}
