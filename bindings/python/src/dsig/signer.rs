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

use super::hook::{Copies, HookSlot};
use super::{locked, named, public_key};
use crate::convert::{Bytes, List, Log2, LowWater, Member, Members, Now, size};
use crate::failure::{Failure, Outcome};
use crate::keys::{PublicKey, SecretKey};
use crate::layer::{Coroutine, off_thread};
use crate::pickle::refused;
use crate::times::{Lifetime, at};

const WHAT: &str = "Signer";

/// Generates one-time keys ahead of time and signs with each of them once. The keys are never copied or stored: they
/// are wiped when they expire, in a forked child, and when the signer is closed or collected. Threads may share a
/// signer; a thread in `prepare` never blocks one in `sign`.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Signer {
    suite: SuiteId,
    public: any::PublicKey,
    inner: Mutex<Option<DynSigner>>,
    copies: HookSlot<Copies>,
    /// The hook's last answer, for the core.
    copy: Arc<AtomicU64>,
}

impl Signer {
    fn with_lock<T>(&self, py: Python<'_>, work: impl FnOnce(&mut DynSigner) -> T) -> Outcome<T> {
        locked(py, &self.inner, |signer| signer.as_mut().map(work)).ok_or(Failure::Closed(WHAT))
    }

    /// As [`with_lock`](Signer::with_lock), with the hook's answer. If threads arrive in another order than their answers
    /// were given, the keys are wiped once more than needed.
    fn with_answer<T>(
        &self,
        py: Python<'_>,
        copy: Option<u64>,
        work: impl FnOnce(&mut DynSigner) -> T,
    ) -> Outcome<T> {
        self.with_lock(py, |signer| {
            if let Some(copy) = copy {
                self.copy.store(copy, Ordering::Relaxed);
            }
            work(signer)
        })
    }
}

#[pymethods]
impl Signer {
    /// A signer under an Ed25519 key, whose ownership it takes: the `SecretKey` is closed afterwards, even if this
    /// fails. `groups` are sets of likely verifiers; the group of all verifiers always exists. A batch has
    /// 2**`log2_batch` keys, at most 128; a group with fewer keys than `low_water` gets another batch; keys older than
    /// `lifetime` are wiped.
    #[new]
    #[pyo3(
        signature = (
            secret,
            suite = "wots-blake3",
            *,
            groups = List::NONE,
            log2_batch = Log2(7),
            low_water = LowWater(512),
            lifetime = Lifetime(std::time::Duration::from_secs(10)),
        ),
        text_signature = "(secret, suite='wots-blake3', *, groups=(), log2_batch=7, low_water=512, lifetime=...)"
    )]
    fn new(
        py: Python<'_>,
        secret: &SecretKey,
        suite: &str,
        groups: List<List<Member>>,
        log2_batch: Log2,
        low_water: LowWater,
        lifetime: Lifetime,
    ) -> Outcome<Self> {
        let secret = py.detach(|| secret.0.take())?.0;
        let suite = named(suite)?;
        let group = |group: List<Member>| Ok(group.all()?.into_iter().map(|member| member.0).collect());
        let groups = groups.all()?.into_iter().map(group).collect::<Outcome<Vec<BTreeSet<_>>>>()?;
        let config =
            SignerConfig { log2_batch: log2_batch.0, low_water: size(low_water.0), lifetime: lifetime.0 };
        let signer = DynSigner::new(suite, secret.try_into()?, groups, config, &mut SysRng)?;
        let public = signer.public_key().clone().into();
        let copy = Arc::default();
        Ok(Self { suite, public, inner: Mutex::new(Some(signer)), copies: HookSlot::unset(), copy })
    }

    /// Sets a hook that distinguishes copies of this machine: it returns a virtual machine's generation identifier, a
    /// counter of restored checkpoints, or any other 64-bit integer. `sign` and `prepare` call it first, on the calling
    /// thread. When its answer changes, all keys are wiped. Its exceptions propagate, and then nothing is signed. It
    /// may use this signer. Forks are detected without it; undetected copies are limited by the keys' lifetime.
    fn detect_copies(&self, py: Python<'_>, hook: Copies) -> Outcome<()> {
        let copy = hook.call(py)?;
        self.with_answer(py, Some(copy), |signer| {
            let copy = self.copy.clone();
            signer.detect_copies(move || copy.load(Ordering::Relaxed));
        })?;
        self.copies.set(py, hook);
        Ok(())
    }

    /// Background work: generates one batch for the group with the fewest keys and returns the announcement to send;
    /// `None` if no group needs a batch. Call it until it returns `None`, and again during the signer's lifetime. Cost:
    /// 128 times the cost of making and verifying a signature, and more in the HORS suites. Make one call at a time:
    /// concurrent calls make a batch each.
    #[pyo3(signature = (now = None))]
    fn prepare(&self, py: Python<'_>, now: Option<Now>) -> Outcome<Option<Announced>> {
        loop {
            let copy = self.copies.copy(py)?;
            let now = at(now);
            let plan = self.with_answer(py, copy, |signer| signer.plan(&mut SysRng, now))??;
            let Some(plan) = plan else { return Ok(None) };
            let batch = py.detach(|| plan.make())?;
            // None if the keys were invalidated meanwhile, and this batch with them.
            if let Some(announced) = self.with_lock(py, |signer| signer.add(batch))? {
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

    /// Announcements of all batches that still have keys, for a verifier that joins late or restarts.
    fn announcements(&self, py: Python<'_>) -> Outcome<Vec<Announced>> {
        self.with_lock(py, |signer| signer.announcements().into_iter().map(Announced).collect())
    }

    /// Signs with a fresh key of the smallest group that contains all of `hint` and has a key; an empty hint means all
    /// verifiers. The hint determines which verifiers verify fast, never which can verify. Raises `ExhaustedError` if
    /// no key is left.
    ///
    /// `now`, in all methods, is in microseconds of a clock that continues while the machine sleeps; it defaults to the
    /// system's time of day.
    #[pyo3(
        signature = (message, hint = Members::NONE, now = None),
        text_signature = "($self, message, hint=(), now=None)"
    )]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        hint: Members<Member>,
        now: Option<Now>,
    ) -> Outcome<Bound<'py, PyBytes>> {
        let hint: Vec<u16> = hint.counted().into_iter().map(|member| member.0).collect();
        // The clock is read after the hook, which may take its time.
        let copy = self.copies.copy(py)?;
        let now = at(now);
        let signature = self.with_answer(py, copy, |signer| signer.sign(&message, &hint, now))??;
        Ok(PyBytes::new(py, &signature))
    }

    /// Number of keys ready in all groups.
    #[getter]
    fn ready(&self, py: Python<'_>) -> Outcome<usize> {
        self.with_lock(py, |signer| signer.ready())
    }

    /// Wipes every key. Call it when the machine was copied, or is about to be.
    fn invalidate(&self, py: Python<'_>) -> Outcome<()> {
        self.with_lock(py, DynSigner::invalidate)
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    /// Key that verifies this signer's signatures.
    #[getter]
    fn public_key(&self) -> PublicKey {
        public_key(self.public.clone())
    }

    /// Wipes all keys. Later calls raise `ClosedError`; closing again does nothing.
    fn close(&self, py: Python<'_>) {
        let signer = locked(py, &self.inner, Option::take);
        py.detach(|| drop(signer));
        self.copies.clear();
    }

    /// True if the signer was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.with_lock(py, |_| ()).is_err()
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
        self.copies.clear();
    }

    /// Raises `TypeError`: this object cannot be pickled.
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
