use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_hint_identifier;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;

use super::{Deal, EcdsaGroupKey, EcdsaSignatureShare, Opening, Signing, Tag};
use crate::convert::{Bytes, PresignatureIndex};
use crate::failure::Outcome;
use crate::guard::{Guard, GuardRecord};
use crate::held::{Held, held};
use crate::threshold::common::{Agreement, Group};
use crate::threshold::once::Once;

/// One party's presignatures of one epoch; each signs ONE message. Only the dealer writes the file. After a crash it is
/// read again, and the guard's journal lists the spent presignatures. Wiped when it is closed or collected.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Presignatures {
    group: Group,
    member: u16,
    key: EcdsaGroupKey,
    deal: Deal,
    secret: Once<any::Presignatures>,
}

impl Presignatures {
    pub(super) fn new(all: any::Presignatures) -> Self {
        Self {
            group: Group(all.group()),
            member: all.member(),
            key: EcdsaGroupKey(all.key()),
            deal: Deal(all.deal().clone()),
            secret: Once::new("Presignatures", all),
        }
    }
}

held! {
    Presignatures, "Presignatures cannot be pickled or copied: one that signs twice gives the key away", {
        /// Decodes a file for that group. The caller keeps the bytes: pass a `bytearray` and overwrite it.
        #[staticmethod]
        fn from_bytes(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
            Ok(Self::new(py.detach(|| any::Presignatures::from_bytes(group.0, &data))?))
        }

        /// Returns the file, for the dealer to seal; raises `ExhaustedError` after the first `take`. The result is a
        /// Python object that is never wiped.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, |all| all.to_bytes())??;
            Ok(PyBytes::new(py, &bytes))
        }

        /// Their group.
        #[getter]
        fn group(&self) -> Group {
            self.group
        }

        /// Index of their party.
        #[getter]
        fn member(&self) -> u16 {
            self.member
        }

        /// The committee's public key.
        #[getter]
        fn key(&self) -> EcdsaGroupKey {
            self.key.clone()
        }

        /// Public part of the deal.
        #[getter]
        fn deal(&self) -> Deal {
            self.deal.clone()
        }

        /// Number of presignatures left.
        #[getter]
        fn left(&self, py: Python<'_>) -> Outcome<usize> {
            self.secret.with(py, |all| all.left())
        }

        /// Takes the presignature of a tag; a second call raises `ExhaustedError`.
        fn take(&self, py: Python<'_>, tag: &Tag) -> Outcome<Presignature> {
            Ok(Presignature::new(self.secret.with(py, |all| all.take(tag.0))??))
        }

        /// Returns the input for combining shares of a message under a tag, whether or not this party's presignature is
        /// spent.
        fn signing(&self, py: Python<'_>, tag: &Tag, message: Bytes) -> Outcome<Signing> {
            Ok(Signing(self.secret.with(py, |all| all.signing(tag.0, &message))??))
        }

        /// Checks the dealer's material for one index; raises `WrongContextError` if it is wrong.
        fn audit(&self, py: Python<'_>, index: PresignatureIndex) -> Outcome<()> {
            Ok(self.secret.with(py, |all| all.audit(index.0))??)
        }

        /// Ends the epoch: wipes the remaining presignatures, and makes the guard refuse all of them from now on. MAKE
        /// THE RECORD DURABLE. Later calls raise `ExhaustedError`.
        fn destroy(&self, py: Python<'_>, guard: &Guard) -> Outcome<GuardRecord> {
            let all = self.secret.take(py)?;
            Ok(GuardRecord(guard.with(py, |guard| all.destroy(guard))?))
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            let closed = if self.closed(py) { ", closed" } else { "" };
            let epoch = self.deal.0.epoch();
            format!("Presignatures({}, member {}, epoch {epoch}{closed})", self.group.0, self.member)
        }
    }
}

/// One presignature, which signs one message.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Presignature {
    group: Group,
    agreement: Agreement,
    secret: Once<any::Presignature>,
}

impl Presignature {
    fn new(presignature: any::Presignature) -> Self {
        Self {
            group: Group(presignature.group()),
            agreement: Agreement(presignature.agreement()),
            secret: Once::new("Presignature", presignature),
        }
    }
}

held! {
    Presignature, "a Presignature cannot be pickled or copied: one that signs twice gives the key away", {
        /// Signs a message, after the guard has recorded the use of the presignature. MAKE THE RECORD DURABLE BEFORE
        /// THE SHARE LEAVES. The presignature is consumed, even if this fails: a second call raises `ExhaustedError`.
        /// Raises `ContradictionError` if the guard's journal shows that it signed another message, and
        /// `ExhaustedError` if it is burnt or its epoch is closed. Use an agreed tag only for a message that no honest
        /// party contradicts.
        fn sign(&self, py: Python<'_>, guard: &Guard, message: Bytes) -> Outcome<Signed> {
            let presignature = self.secret.take(py)?;
            Ok(Signed(guard.with(py, |guard| presignature.sign(guard, &message))??))
        }

        /// Its group.
        #[getter]
        fn group(&self) -> Group {
            self.group
        }

        /// Class of its tag.
        #[getter]
        fn agreement(&self) -> Agreement {
            self.agreement
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            let closed = if self.closed(py) { ", gone" } else { "" };
            format!("Presignature({}{closed})", self.group.0)
        }
    }
}

/// Opens a share that was sent, if another member requests it.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Opener {
    secret: Held<any::Opener>,
}

held! {
    Opener, "an Opener cannot be pickled or copied", {
        /// Returns the opening, for the holders of the share. Raises `WrongContextError` if the dealer made a mistake.
        fn open(&self, py: Python<'_>) -> Outcome<Opening> {
            Ok(Opening(self.secret.with(py, any::Opener::open)??))
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            format!("Opener({})", if self.closed(py) { "closed" } else { "" })
        }
    }
}

/// `quorate.threshold.ecdsa.Signed`.
pub(crate) struct Signed(any::Signed);

impl<'py> IntoPyObject<'py> for Signed {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.threshold.ecdsa", "Signed");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let any::Signed { record, share, opener } = self.0;
        let opener = Opener { secret: Held::new("Opener", opener) };
        let fields = (record.map(GuardRecord), EcdsaSignatureShare(share), opener);
        CLASS.import(py, "quorate.threshold.ecdsa", "Signed")?.call1(fields)
    }
}
