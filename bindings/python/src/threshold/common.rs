//! Common parts of all threshold blocks: groups, classes, thresholds, and results of combining.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use pyo3::{Borrowed, IntoPyObjectExt, type_hint_identifier, type_hint_subscript, type_hint_union};
use quorate::any::threshold as any;
use quorate::machine::Fault;
use quorate::threshold::{self, Agreed, Unagreed, combiner};
use quorate::{Error, Result};

use crate::convert::{Faulty, Needed, Parties};
use crate::failure::{Failure, Outcome};
use crate::pickle::{Reduced, rebuilt};

const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");

/// A member of `quorate.threshold.Group`, or its name.
#[derive(Clone, Copy)]
pub(crate) struct Group(pub(crate) any::Group);

impl FromPyObject<'_, '_> for Group {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("quorate.threshold.kinds", "Group"), STR);

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // The enum's members are strings.
        let name: &str = object.extract()?;
        any::Group::from_name(name).map(Group).map_err(|error| Failure::from(error).into())
    }
}

impl<'py> IntoPyObject<'py> for Group {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.kinds", "Group");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        CLASS.import(py, "quorate.threshold.kinds", "Group")?.call1((self.0.name(),))
    }
}

/// A member of `quorate.threshold.Agreement`, or its name.
#[derive(Clone, Copy)]
pub(crate) struct Agreement(pub(crate) threshold::Agreement);

impl FromPyObject<'_, '_> for Agreement {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("quorate.threshold.kinds", "Agreement"), STR);

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.extract()? {
            "agreed" => Ok(Self(threshold::Agreement::Agreed)),
            "unagreed" => Ok(Self(threshold::Agreement::Unagreed)),
            other => Err(Failure::from(Error::UnknownName {
                what: "agreement",
                given: other.chars().take(64).collect(),
                known: &["agreed", "unagreed"],
            })
            .into()),
        }
    }
}

impl<'py> IntoPyObject<'py> for Agreement {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.kinds", "Agreement");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let name = match self.0 {
            threshold::Agreement::Agreed => "agreed",
            threshold::Agreement::Unagreed => "unagreed",
        };
        CLASS.import(py, "quorate.threshold.kinds", "Agreement")?.call1((name,))
    }
}

/// Number of parties, and the maximum number of Byzantine ones: fewer than a third.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Tolerance(pub(crate) threshold::Tolerance);

#[pymethods]
impl Tolerance {
    /// Raises `BadCommitteeError` unless 3·faulty < parties ≤ `MAX_PARTIES`.
    #[new]
    fn new(parties: Parties, faulty: Faulty) -> Outcome<Self> {
        Ok(Self(threshold::Tolerance::new(parties.0, faulty.0)?))
    }

    /// Number of parties.
    #[getter]
    fn parties(&self) -> u16 {
        self.0.parties()
    }

    /// Maximum number of faulty parties.
    #[getter]
    fn faulty(&self) -> u16 {
        self.0.faulty()
    }

    /// Number of shares that a signature of this class needs.
    fn threshold(&self, agreement: Agreement) -> Threshold {
        Threshold(match agreement.0 {
            threshold::Agreement::Agreed => self.0.threshold::<Agreed>(),
            threshold::Agreement::Unagreed => self.0.threshold::<Unagreed>(),
        })
    }

    fn __repr__(&self) -> String {
        format!("Tolerance(parties={}, faulty={})", self.parties(), self.faulty())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        rebuilt::<Self>(py, (self.parties(), self.faulty()))
    }
}

/// Number of shares needed, and number of parties.
#[pyclass(frozen, eq, ord, hash, module = "quorate.threshold")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Threshold(pub(crate) threshold::Threshold);

#[pymethods]
impl Threshold {
    /// Raises `BadCommitteeError` unless 0 < needed ≤ parties ≤ `MAX_PARTIES`.
    #[new]
    fn new(needed: Needed, parties: Parties) -> Outcome<Self> {
        Ok(Self(threshold::Threshold::new(needed.0, parties.0)?))
    }

    /// Number of shares needed.
    #[getter]
    fn needed(&self) -> u16 {
        self.0.needed()
    }

    /// Number of parties.
    #[getter]
    fn parties(&self) -> u16 {
        self.0.parties()
    }

    fn __repr__(&self) -> String {
        format!("Threshold(needed={}, parties={})", self.needed(), self.parties())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        rebuilt::<Self>(py, (self.needed(), self.parties()))
    }
}

/// `quorate.threshold.Outcome`, with a signature and evidence in Python's classes.
pub(crate) struct Combined<S, E> {
    signature: Option<S>,
    wanted: Vec<u16>,
    faults: Vec<(u16, E)>,
}

impl<S, E> Combined<S, E> {
    pub(super) fn from_core<A, B>(outcome: any::Outcome<A, B>) -> Self
    where
        S: From<A>,
        E: From<B>,
    {
        let fault = |Fault { culprit, evidence }: Fault<B>| (culprit, E::from(evidence));
        Self {
            signature: outcome.signature.map(S::from),
            wanted: outcome.wanted,
            faults: outcome.faults.into_iter().map(fault).collect(),
        }
    }
}

impl<'py, S: IntoPyObject<'py>, E: IntoPyObject<'py>> IntoPyObject<'py> for Combined<S, E> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("quorate.threshold.results", "Outcome"),
        S::OUTPUT_TYPE,
        E::OUTPUT_TYPE
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static FAULT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let signature = self.signature.map(|signature| signature.into_bound_py_any(py)).transpose()?;
        let fault = FAULT.import(py, "quorate.threshold.results", "Fault")?;
        let faults = self.faults.into_iter();
        let faults: Vec<_> = faults
            .map(|(culprit, evidence)| fault.call1((culprit, evidence.into_bound_py_any(py)?)))
            .collect::<PyResult<_>>()?;
        CLASS.import(py, "quorate.threshold.results", "Outcome")?.call1((signature, self.wanted, faults))
    }
}

/// `quorate.threshold.Counts`.
pub(crate) struct Counts(pub(super) combiner::Counts);

impl<'py> IntoPyObject<'py> for Counts {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.results", "Counts");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let combiner::Counts { combinations, share_checks, decodings } = self.0;
        CLASS.import(py, "quorate.threshold.results", "Counts")?.call1((
            combinations,
            share_checks,
            decodings,
        ))
    }
}

/// A Python callable that verifies a member's attestation of some bytes.
pub(crate) struct Attested {
    call: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Attested {
    pub(super) fn by(call: Py<PyAny>) -> Self {
        Self { call, raised: None }
    }

    /// Calls it with the interpreter, which the caller has released. An invalid attestation is no evidence.
    pub(super) fn call(&mut self, member: u16, bytes: &[u8], attestation: &[u8]) -> Result<()> {
        let answer = Python::attach(|py| {
            let arguments = (member, PyBytes::new(py, bytes), PyBytes::new(py, attestation));
            self.call.bind(py).call1(arguments)?.is_truthy()
        });
        match answer {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotEvidence),
            Err(raised) => {
                self.raised = Some(raised);
                Err(Error::NotEvidence)
            }
        }
    }

    /// Returns the result, or the exception that the callable raised.
    pub(super) fn finish<T>(self, result: Result<T>) -> Outcome<T> {
        match self.raised {
            Some(raised) => Err(raised.into()),
            None => Ok(result?),
        }
    }
}
