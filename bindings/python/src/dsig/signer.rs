use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use getrandom::SysRng;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_hint_identifier;
use pyo3::types::{PyBytes, PyFrozenSet};
use quorate::any;
use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::{DynAnnounced, DynSigner, SuiteId};

use super::hook::{Asked, Copies};
use super::{locked, named};
use crate::convert::{Bytes, List, Log2, LowWater, Member, Members, Now, size};
use crate::failure::{Failure, Outcome};
use crate::keys::{PublicKey, SecretKey};
use crate::times::{Lifetime, at};
use crate::layer::{Coroutine, off_thread};
use crate::pickle::refused;

const WHAT: &str = "Signer";

/// Makes one-time keys ahead of time and signs with each of them once. Nothing copies or stores them: they are wiped
/// when they expire, in a forked child, and when the signer is closed or collected. Threads may share a signer; one
/// that prepares never keeps another from signing.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Signer {
    suite: SuiteId,
    public: any::PublicKey,
    inner: Mutex<Option<DynSigner>>,
    copies: Asked<Copies>,
    /// What the hook answered last, for the core.
    copy: Arc<AtomicU64>,
}

impl Signer {
    fn quickly<T>(&self, py: Python<'_>, work: impl FnOnce(&mut DynSigner) -> T) -> Outcome<T> {
        locked(py, &self.inner, |signer| signer.as_mut().map(work)).ok_or(Failure::Closed(WHAT))
    }

    /// As [`quickly`](Signer::quickly), with what the hook answered. If threads come here in another order than their
    /// answers were given in, the keys are wiped once too often.
    fn told<T>(
        &self,
        py: Python<'_>,
        copy: Option<u64>,
        work: impl FnOnce(&mut DynSigner) -> T,
    ) -> Outcome<T> {
        self.quickly(py, |signer| {
            if let Some(copy) = copy {
                self.copy.store(copy, Ordering::Relaxed);
            }
            work(signer)
        })
    }
}

#[pymethods]
impl Signer {
    /// A signer under an Ed25519 key, which it takes over: the `SecretKey` is closed afterwards, also if the signer is
    /// refused. `groups` are sets of likely verifiers; that of everybody is always there. A batch has 2**`log2_batch`
    /// keys, at most 128; a group with fewer keys than `low_water` gets another; keys older than `lifetime` are wiped.
    #[new]
    #[pyo3(signature = (
        secret,
        suite = "wots-blake3",
        *,
        groups = List::NONE,
        log2_batch = Log2(7),
        low_water = LowWater(512),
        lifetime = Lifetime(std::time::Duration::from_secs(10)),
    ))]
    fn new(
        py: Python<'_>,
        secret: &SecretKey,
        suite: &str,
        groups: List<List<Member>>,
        log2_batch: Log2,
        low_water: LowWater,
        lifetime: Lifetime,
    ) -> Outcome<Self> {
        let secret = secret.take(py)?;
        let suite = named(suite)?;
        let group = |group: List<Member>| Ok(group.all()?.into_iter().map(|member| member.0).collect());
        let groups = groups.all()?.into_iter().map(group).collect::<Outcome<Vec<BTreeSet<_>>>>()?;
        let config =
            SignerConfig { log2_batch: log2_batch.0, low_water: size(low_water.0), lifetime: lifetime.0 };
        let signer = DynSigner::new(suite, secret.try_into()?, groups, config, &mut SysRng)?;
        let public = signer.public_key().clone().into();
        let copy = Arc::default();
        Ok(Self { suite, public, inner: Mutex::new(Some(signer)), copies: Asked::nobody(), copy })
    }

    /// Sets a hook that tells this machine's copies apart: it answers with a virtual machine's generation identifier, a
    /// counter of restored checkpoints, any integer of 64 bits. `sign` and `prepare` ask it first, on whatever thread
    /// they run, and whenever its answer changes, all keys are wiped. What it raises they raise, and nothing is signed.
    /// It may use this signer. Forks are noticed without it, and what nobody notices expires.
    fn detect_copies(&self, py: Python<'_>, hook: Copies) -> Outcome<()> {
        let copy = hook.ask(py)?;
        self.told(py, Some(copy), |signer| {
            let copy = self.copy.clone();
            signer.detect_copies(move || copy.load(Ordering::Relaxed));
        })?;
        self.copies.set(py, hook);
        Ok(())
    }

    /// Background work: makes one batch for the group that is shortest of keys, and answers with what to send to whom;
    /// `None` if no group is short. Call it until then, and again while the signer lives. Cost: 128 times what a
    /// signature takes to make and to verify, and more in the suites with HORS. One call at a time: two make a batch
    /// each.
    #[pyo3(signature = (now = None))]
    fn prepare(&self, py: Python<'_>, now: Option<Now>) -> Outcome<Option<Announced>> {
        loop {
            let copy = self.copies.copy(py)?;
            let now = at(now);
            let plan = self.told(py, copy, |signer| signer.plan(&mut SysRng, now))??;
            let Some(plan) = plan else { return Ok(None) };
            let batch = py.detach(|| plan.make())?;
            // None if the keys were invalidated meanwhile, and with them these.
            if let Some(announced) = self.quickly(py, |signer| signer.add(batch))? {
                return Ok(Some(Announced(announced)));
            }
        }
    }

    /// As `prepare`, on another thread.
    #[pyo3(signature = (now = None))]
    fn prepare_async<'py>(
        slf: &Bound<'py, Self>,
        now: Option<Now>,
    ) -> PyResult<Coroutine<'py, Option<Announced>>> {
        off_thread(slf, "prepare", (now.map(|now| now.0),))
    }

    /// What announces all batches that still have keys: for a verifier that comes late or starts again.
    fn announcements(&self, py: Python<'_>) -> Outcome<Vec<Announced>> {
        self.quickly(py, |signer| signer.announcements().into_iter().map(Announced).collect())
    }

    /// Signs with a fresh key of the smallest group that contains all of `hint` and has one; an empty hint means
    /// everybody. The hint decides who verifies fast, never who can verify. Raises `ExhaustedError` if no key is left.
    ///
    /// `now`, here and everywhere, is in microseconds, of a clock that goes on while the machine sleeps; without it,
    /// it is the system's time of day.
    #[pyo3(signature = (message, hint = Members::NONE, now = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        hint: Members<Member>,
        now: Option<Now>,
    ) -> Outcome<Bound<'py, PyBytes>> {
        let hint: Vec<u16> = hint.counted().into_iter().map(|member| member.0).collect();
        // The clock after the hook, which may take its time.
        let copy = self.copies.copy(py)?;
        let now = at(now);
        let signature = self.told(py, copy, |signer| signer.sign(&message, &hint, now))??;
        Ok(PyBytes::new(py, &signature))
    }

    /// How many keys are ready in all groups.
    #[getter]
    fn ready(&self, py: Python<'_>) -> Outcome<usize> {
        self.quickly(py, |signer| signer.ready())
    }

    /// Wipes every key: for whoever learns that the machine was copied, or is about to be.
    fn invalidate(&self, py: Python<'_>) -> Outcome<()> {
        self.quickly(py, DynSigner::invalidate)
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    /// The key that verifies what this signer signs.
    #[getter]
    fn public_key(&self) -> PublicKey {
        PublicKey(self.public.clone())
    }

    /// Wipes all keys. What is called later raises `ClosedError`; closing again does nothing.
    fn close(&self, py: Python<'_>) {
        let signer = locked(py, &self.inner, Option::take);
        py.detach(|| drop(signer));
        self.copies.forget();
    }

    /// Whether the signer was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.quickly(py, |_| ()).is_err()
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
        format!("Signer({}, {}{closed})", self.suite, hex::encode(self.public.encode()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.copies.traverse(&visit)
    }

    fn __clear__(&self) {
        self.copies.forget();
    }

    /// Refused.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused("a Signer cannot be pickled or copied: a one-time key that signs twice can be forged")
    }
}

/// `quorate.dsig.Announced`.
pub(super) struct Announced(DynAnnounced);

impl<'py> IntoPyObject<'py> for Announced {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!("quorate.dsig", "Announced");

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let to = self.0.to.map(|members| PyFrozenSet::new(py, members)).transpose()?;
        let announcement = PyBytes::new(py, &self.0.announcement);
        CLASS.import(py, "quorate.dsig", "Announced")?.call1((to, announcement))
    }
}
