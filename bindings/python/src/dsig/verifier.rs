use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use quorate::dsig::VerifierConfig;
use quorate::dsig::dynamic::{self, DynAuditor, DynVerifier, SuiteId};

use super::hook::{HookSlot, Revocation};
use super::{ed25519, locked, named};
use crate::convert::{Batches, Burst, Bytes, Now, Roots, size};
use crate::failure::Outcome;
use crate::keys::PublicKey;
use crate::times::{Interval, at};

/// Verifies signatures of admitted signers, fast if their batch was announced. Threads may share a verifier; even a
/// hostile announcement never blocks another thread from verifying.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Verifier {
    suite: SuiteId,
    inner: Mutex<DynVerifier>,
    revocation: HookSlot<Revocation>,
    /// The hook's answer for the current signer, for the core. It belongs to the holder of the lock.
    revoked: Arc<AtomicBool>,
}

impl Verifier {
    fn with_answer<T>(&self, py: Python<'_>, revoked: bool, work: impl FnOnce(&mut DynVerifier) -> T) -> T {
        locked(py, &self.inner, |verifier| {
            self.revoked.store(revoked, Ordering::Relaxed);
            work(verifier)
        })
    }
}

#[pymethods]
impl Verifier {
    /// A verifier without admitted signers. For each signer, it remembers up to `announced` announced batches and
    /// `checked` batches of signatures without an announcement; the oldest are evicted, and each takes about 12 kB. It
    /// accepts bursts of `burst` announcements, and one more per `interval`. A signer has `low_water` / 128 + 1 batches
    /// for each of its groups; signatures of batches that do not fit verify slowly.
    #[new]
    #[pyo3(
        signature = (
            suite = "wots-blake3",
            *,
            announced = Batches(32),
            checked = Batches(8),
            burst = Burst(32),
            interval = Interval(Duration::from_micros(200)),
        ),
        text_signature = "(suite='wots-blake3', *, announced=32, checked=8, burst=32, interval=...)"
    )]
    fn new(
        suite: &str,
        announced: Batches,
        checked: Batches,
        burst: Burst,
        interval: Interval,
    ) -> Outcome<Self> {
        let suite = named(suite)?;
        let config = VerifierConfig {
            announced: size(announced.0),
            checked: size(checked.0),
            burst: burst.0,
            interval: interval.0,
        };
        let mut verifier = DynVerifier::new(suite, config);
        let revoked = Arc::new(AtomicBool::default());
        let answer = revoked.clone();
        verifier.check_revocation(move |_| answer.load(Ordering::Relaxed));
        Ok(Self { suite, inner: Mutex::new(verifier), revocation: HookSlot::unset(), revoked })
    }

    /// Admits a signer. Does nothing if the signer is known.
    fn admit(&self, py: Python<'_>, signer: &PublicKey) -> Outcome<()> {
        let signer = ed25519(signer)?.clone();
        locked(py, &self.inner, |verifier| verifier.admit(signer));
        Ok(())
    }

    /// Forgets a signer: all of its signatures are rejected from now on. Returns true if it was known.
    fn revoke(&self, py: Python<'_>, signer: &PublicKey) -> Outcome<bool> {
        let signer = ed25519(signer)?;
        Ok(locked(py, &self.inner, |verifier| verifier.revoke(signer)))
    }

    /// Sets a hook that returns true for a key that an external list revokes. `announce`, `can_verify_fast`
    /// and `verify` call it first, on the calling thread. Its exceptions propagate, and then nothing is accepted. It
    /// may use this verifier, and should cost no more than a lookup.
    fn check_revocation(&self, py: Python<'_>, hook: Revocation) {
        self.revocation.set(py, hook);
    }

    /// Background work: processes an announcement received from its signer over an authenticated link. Raises
    /// `WrongContextError` for unknown signers and `RateLimitedError` above the allowance. Cost: 127 hashes, one
    /// Ed25519 verification.
    #[pyo3(signature = (signer, announcement, now = None))]
    fn announce(
        &self,
        py: Python<'_>,
        signer: &Bound<'_, PublicKey>,
        announcement: Bytes,
        now: Option<Now>,
    ) -> Outcome<()> {
        let key = ed25519(signer.get())?;
        let revoked = self.revocation.is_revoked(signer)?;
        let now = at(now);
        let admitted = self.with_answer(py, revoked, |verifier| verifier.admit_announcement(key, now))?;
        let checked = py.detach(|| admitted.check(&announcement))?;
        Ok(self.with_answer(py, revoked, |verifier| verifier.learn(checked))?)
    }

    /// Returns true if `verify` would not need an Ed25519 verification. Cost: one lookup.
    fn can_verify_fast(
        &self,
        py: Python<'_>,
        signer: &Bound<'_, PublicKey>,
        signature: Bytes,
    ) -> Outcome<bool> {
        let key = ed25519(signer.get())?;
        let revoked = self.revocation.is_revoked(signer)?;
        Ok(self.with_answer(py, revoked, |verifier| verifier.can_verify_fast(key, &signature))?)
    }

    /// Verifies a signature, whether or not its batch was announced. Raises `WrongContextError` for unknown signers,
    /// `BadSignatureError`, and `OneTimeReuseError` if the signature is valid but its key signed another message
    /// before: for evidence see `reuse`, and store each verified message. The interpreter is released only for the
    /// Ed25519 verification of an unknown batch.
    fn verify(
        &self,
        py: Python<'_>,
        signer: &Bound<'_, PublicKey>,
        message: Bytes,
        signature: Bytes,
    ) -> Outcome<()> {
        let key = ed25519(signer.get())?;
        let revoked = self.revocation.is_revoked(signer)?;
        if self.with_answer(py, revoked, |verifier| verifier.verify_fast(key, &message, &signature))? {
            return Ok(());
        }
        let verified = py.detach(|| dynamic::verify_detached(key, &message, &signature))?;
        Ok(self.with_answer(py, revoked, |verifier| verifier.remember(verified))?)
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.revocation.traverse(&visit)
    }

    fn __clear__(&self) {
        self.revocation.clear();
    }

    fn __repr__(&self) -> String {
        format!("Verifier({})", self.suite)
    }
}

/// Verifies a log, one signature after the other, without prior knowledge and with one Ed25519 verification per batch
/// of keys. It has no list of signers: the caller decides which to trust. Threads may share an auditor.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Auditor {
    suite: SuiteId,
    inner: Mutex<DynAuditor>,
}

#[pymethods]
impl Auditor {
    /// An auditor that remembers up to `roots` batches of keys, at least one; the oldest are evicted, and each takes
    /// about 12 kB.
    #[new]
    #[pyo3(
        signature = (suite = "wots-blake3", *, roots = Roots(1024)),
        text_signature = "(suite='wots-blake3', *, roots=1024)"
    )]
    fn new(suite: &str, roots: Roots) -> Outcome<Self> {
        let suite = named(suite)?;
        Ok(Self { suite, inner: Mutex::new(DynAuditor::new(suite, size(roots.0))) })
    }

    /// Verifies the next signature of a log. Raises `BadSignatureError`, or `OneTimeReuseError` if its key signed
    /// another message before, in a batch that is remembered.
    fn check(&self, py: Python<'_>, signer: &PublicKey, message: Bytes, signature: Bytes) -> Outcome<()> {
        let signer = ed25519(signer)?;
        Ok(locked(py, &self.inner, |auditor| auditor.check(signer, &message, &signature))?)
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    fn __repr__(&self) -> String {
        format!("Auditor({})", self.suite)
    }
}
