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

/// One party's presignatures of one epoch, each to sign ONE message. Its file is written by the dealer alone; after a crash it
/// is read again, and the guard's journal says which of them are spent. Wiped when it is closed or collected.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Presignatures {
    group: Group,
    member: u16,
    key: EcdsaGroupKey,
    deal: Deal,
    secret: Once<any::Presignatures>,
}

impl Presignatures {
    pub(super) fn of(all: any::Presignatures) -> Self {
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
        /// Reads a file for that group. The bytes stay yours: give a `bytearray` and overwrite it.
        #[staticmethod]
        fn from_bytes(py: Python<'_>, group: Group, data: Bytes) -> Outcome<Self> {
            Ok(Self::of(py.detach(|| any::Presignatures::from_bytes(group.0, &data))?))
        }

        /// The file, for the dealer to seal; `ExhaustedError` once any was taken. It is a Python object that nothing wipes.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, |all| all.to_bytes())??;
            Ok(PyBytes::new(py, &bytes))
        }

        /// Over which group they are.
        #[getter]
        fn group(&self) -> Group {
            self.group
        }

        /// Whose they are.
        #[getter]
        fn member(&self) -> u16 {
            self.member
        }

        /// The committee's public key.
        #[getter]
        fn key(&self) -> EcdsaGroupKey {
            self.key.clone()
        }

        /// What was dealt, as far as everybody may know it.
        #[getter]
        fn deal(&self) -> Deal {
            self.deal.clone()
        }

        /// How many are left.
        #[getter]
        fn left(&self, py: Python<'_>) -> Outcome<usize> {
            self.secret.with(py, |all| all.left())
        }

        /// Takes the presignature of a tag, once: then it is `ExhaustedError`.
        fn take(&self, py: Python<'_>, tag: &Tag) -> Outcome<Presignature> {
            Ok(Presignature::of(self.secret.with(py, |all| all.take(tag.0))??))
        }

        /// What combines shares of a message under a tag, be the own presignature spent or not.
        fn signing(&self, py: Python<'_>, tag: &Tag, message: Bytes) -> Outcome<Signing> {
            Ok(Signing(self.secret.with(py, |all| all.signing(tag.0, &message))??))
        }

        /// Checks what the dealer gave for one index; `WrongContextError` if it made a mistake.
        fn audit(&self, py: Python<'_>, index: PresignatureIndex) -> Outcome<()> {
            Ok(self.secret.with(py, |all| all.audit(index.0))??)
        }

        /// Ends the epoch: wipes what is left, and has the guard refuse these presignatures from now on. MAKE THE RECORD
        /// DURABLE. What is called later raises `ExhaustedError`.
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
    fn of(presignature: any::Presignature) -> Self {
        Self {
            group: Group(presignature.group()),
            agreement: Agreement(presignature.agreement()),
            secret: Once::new("Presignature", presignature),
        }
    }
}

held! {
    Presignature, "a Presignature cannot be pickled or copied: one that signs twice gives the key away", {
        /// Signs a message with it, after the guard has noted what it is spent on. MAKE THE RECORD DURABLE BEFORE THE SHARE
        /// LEAVES. The presignature is gone then, also if this fails: a second time is `ExhaustedError`. Raises
        /// `ContradictionError` if the guard's journal says that another message was signed with it, and `ExhaustedError` if
        /// it is burnt or its epoch is over. Under an agreed tag you know that no honest party signs another message.
        fn sign(&self, py: Python<'_>, guard: &Guard, message: Bytes) -> Outcome<Signed> {
            let presignature = self.secret.take(py)?;
            Ok(Signed(guard.with(py, |guard| presignature.sign(guard, &message))??))
        }

        /// Over which group it is.
        #[getter]
        fn group(&self) -> Group {
            self.group
        }

        /// Of which class its tag is.
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

/// Opens a share that was sent, if others ask for it.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct Opener {
    secret: Held<any::Opener>,
}

held! {
    Opener, "an Opener cannot be pickled or copied", {
        /// The opening, for whoever has the share. Raises `WrongContextError` if the dealer made a mistake.
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
