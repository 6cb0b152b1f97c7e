use getrandom::SysRng;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any::threshold::ecdsa as any;
use zeroize::Zeroizing;

use super::{EcdsaGroupKey, Plan, Presignatures};
use crate::convert::{Bytes, Epoch, exactly};
use crate::failure::Outcome;
use crate::held::{Held, held};
use crate::ids::CommitteeId;
use crate::layer::{Coroutine, off_thread};
use crate::threshold::common::{Group, Tolerance};

/// Generates a key and deals its presignatures. IT KNOWS THE KEY: it can sign alone, and so can an attacker that
/// compromises it. Run it offline, seal each party's file, and wipe the machine. It cannot be printed, pickled or
/// copied, and is wiped when it is closed or collected: use it in a `with` block.
#[pyclass(frozen, module = "quorate.threshold.ecdsa")]
pub(crate) struct TrustedDealer {
    key: any::GroupKey,
    secret: Held<any::TrustedDealer>,
}

impl TrustedDealer {
    fn new_held(dealer: any::TrustedDealer) -> Self {
        Self { key: dealer.key(), secret: Held::new("TrustedDealer", dealer) }
    }
}

held! {
    TrustedDealer, "a TrustedDealer cannot be pickled or copied; use to_bytes() to write a key file", {
        /// The dealer of a new key for a committee.
        #[new]
        fn new(py: Python<'_>, group: Group, committee: &CommitteeId, tolerance: &Tolerance) -> Outcome<Self> {
            let (committee, tolerance) = (committee.0, tolerance.0);
            let dealer = py.detach(|| any::TrustedDealer::new(group.0, committee, tolerance, &mut SysRng))?;
            Ok(Self::new_held(dealer))
        }

        /// Returns the dealer of a stored key of 32 bytes, to deal for further epochs. The caller keeps the bytes: pass
        /// a `bytearray` and overwrite it.
        #[staticmethod]
        fn from_bytes(
            group: Group,
            committee: &CommitteeId,
            tolerance: &Tolerance,
            data: Bytes,
        ) -> Outcome<Self> {
            let bytes = Zeroizing::new(exactly(&data, "secret threshold key")?);
            Ok(Self::new_held(any::TrustedDealer::from_bytes(group.0, committee.0, tolerance.0, &bytes)?))
        }

        /// Returns the secret key: 32 bytes in a Python object that is never wiped.
        fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
            let bytes = self.secret.with(py, any::TrustedDealer::to_bytes)?;
            Ok(PyBytes::new(py, bytes.as_ref()))
        }

        /// Its group.
        #[getter]
        fn group(&self) -> Group {
            Group(self.key.group())
        }

        /// The public key.
        #[getter]
        fn key(&self) -> EcdsaGroupKey {
            EcdsaGroupKey(self.key.clone())
        }

        /// Deals the presignatures of one epoch: one file for each party, in the parties' order. NEVER DEAL AN EPOCH
        /// TWICE. Cost: 0.1 ms per presignature and party.
        fn deal(&self, py: Python<'_>, epoch: Epoch, plan: &Plan) -> Outcome<Vec<Presignatures>> {
            let dealt = self.secret.with(py, |dealer| dealer.deal(epoch.0, plan.0, &mut SysRng))??;
            Ok(dealt.into_iter().map(Presignatures::new).collect())
        }

        /// As `deal`, on another thread.
        fn deal_async<'py>(
            slf: &Bound<'py, Self>,
            epoch: Epoch,
            plan: &Bound<'py, Plan>,
        ) -> PyResult<Coroutine<'py, Vec<Presignatures>>> {
            off_thread(slf, "deal", (epoch.0, plan))
        }

        fn __repr__(&self, py: Python<'_>) -> String {
            let closed = if self.closed(py) { ", closed" } else { "" };
            format!("TrustedDealer({}{closed})", self.key.group())
        }
    }
}
