//! Conversion of faults and of `Collected` to the classes of the pure-Python layer.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use pyo3::{BoundObject, type_hint_identifier, type_hint_subscript};
use quorate::any;

use crate::evidence::VerifiedEquivocation;
use crate::failure::exception;

/// `quorate.Collected[C]`.
pub(crate) struct Collected<C> {
    pub(crate) certificate: Option<C>,
    pub(crate) faults: Vec<any::VoteFault>,
}

impl<'py, C: IntoPyObject<'py>> IntoPyObject<'py> for Collected<C> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("quorate.faults", "Collected"), C::OUTPUT_TYPE);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let certificate = match self.certificate {
            Some(certificate) => {
                Some(certificate.into_pyobject(py).map_err(Into::into)?.into_any().into_bound())
            }
            None => None,
        };
        CLASS.import(py, "quorate.faults", "Collected")?.call1((certificate, Faults(self.faults)))
    }
}

/// A list of `quorate.VoteFault`.
pub(crate) struct Faults(pub(crate) Vec<any::VoteFault>);

impl<'py> IntoPyObject<'py> for Faults {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "list"),
        type_hint_identifier!("quorate.faults", "VoteFault")
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let faults: Vec<_> = self.0.into_iter().map(|fault| in_python(py, fault)).collect::<PyResult<_>>()?;
        PyList::new(py, faults)
    }
}

fn in_python(py: Python<'_>, fault: any::VoteFault) -> PyResult<Bound<'_, PyAny>> {
    static STRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static BAD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static EQUIVOCATION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    match fault {
        any::VoteFault::Stray { signer, error } => {
            STRAY.import(py, "quorate.faults", "Stray")?.call1((signer, exception(py, &error)?))
        }
        any::VoteFault::BadSignature { signer } => {
            BAD.import(py, "quorate.faults", "BadSignature")?.call1((signer,))
        }
        any::VoteFault::Equivocation(evidence) => {
            let evidence = VerifiedEquivocation::from(*evidence);
            EQUIVOCATION.import(py, "quorate.faults", "Equivocation")?.call1((evidence,))
        }
    }
}
