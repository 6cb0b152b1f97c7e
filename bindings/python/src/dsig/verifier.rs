use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use quorate::dsig::VerifierConfig;
use quorate::dsig::dynamic::{self, DynAuditor, DynVerifier, SuiteId};

use super::{Interval, at, ed25519, locked, named};
use crate::convert::{Batches, Burst, Bytes, Now, Roots, size};
use crate::failure::Outcome;
use crate::keys::PublicKey;

/// Verifies signatures of the signers that were let in, fast where their batch was announced. Threads may share a
/// verifier; an announcement, however hostile, never keeps another thread from verifying.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Verifier {
    suite: SuiteId,
    inner: Mutex<DynVerifier>,
}

#[pymethods]
impl Verifier {
    /// A verifier that knows nobody yet. It remembers, for each signer, so many batches that were `announced`, and that
    /// it `checked` when signatures came without an announcement; the oldest give way, and each takes about 12 kB. So
    /// many announcements may come at once (`burst`), and one more each `interval`. A signer has `low_water` / 128 + 1
    /// batches for each of its groups; those that do not fit verify slowly.
    #[new]
    #[pyo3(signature = (
        suite = "wots-blake3",
        *,
        announced = Batches(32),
        checked = Batches(8),
        burst = Burst(32),
        interval = Interval(Duration::from_micros(200)),
    ))]
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
        Ok(Self { suite, inner: Mutex::new(DynVerifier::new(suite, config)) })
    }

    /// Lets a signer in. Does nothing if it is known.
    fn admit(&self, py: Python<'_>, signer: &PublicKey) -> Outcome<()> {
        let signer = ed25519(signer)?.clone();
        locked(py, &self.inner, |verifier| verifier.admit(signer));
        Ok(())
    }

    /// Forgets a signer: all of its signatures are refused from now on. Answers whether it was known.
    fn revoke(&self, py: Python<'_>, signer: &PublicKey) -> Outcome<bool> {
        let signer = ed25519(signer)?;
        Ok(locked(py, &self.inner, |verifier| verifier.revoke(signer)))
    }

    /// Background work: takes in an announcement of the signer that it came from, over a link that says who it is.
    /// Raises `WrongContextError` for strangers, `RateLimitedError` for too many. Cost: 127 hashes, one Ed25519
    /// verification.
    #[pyo3(signature = (signer, announcement, now = None))]
    fn announce(
        &self,
        py: Python<'_>,
        signer: &PublicKey,
        announcement: Bytes,
        now: Option<Now>,
    ) -> Outcome<()> {
        let (signer, now) = (ed25519(signer)?, at(now));
        let admitted = locked(py, &self.inner, |verifier| verifier.admit_announcement(signer, now))?;
        let checked = py.detach(|| admitted.check(&announcement))?;
        Ok(locked(py, &self.inner, |verifier| verifier.learn(checked))?)
    }

    /// Whether `verify` would not need an Ed25519 verification. Cost: one lookup.
    fn can_verify_fast(&self, py: Python<'_>, signer: &PublicKey, signature: Bytes) -> Outcome<bool> {
        let signer = ed25519(signer)?;
        Ok(locked(py, &self.inner, |verifier| verifier.can_verify_fast(signer, &signature))?)
    }

    /// Verifies a signature, whatever was announced. Raises `WrongContextError` for strangers, `BadSignatureError`, and
    /// `OneTimeReuseError` if the signature is valid but its key signed something else before: for evidence see `reuse`,
    /// and keep what you verified. Only Ed25519, where the batch is not known, lets other threads run meanwhile.
    fn verify(&self, py: Python<'_>, signer: &PublicKey, message: Bytes, signature: Bytes) -> Outcome<()> {
        let signer = ed25519(signer)?;
        if locked(py, &self.inner, |verifier| verifier.verify_fast(signer, &message, &signature))? {
            return Ok(());
        }
        let verified = py.detach(|| dynamic::verified(signer, &message, &signature))?;
        Ok(locked(py, &self.inner, |verifier| verifier.remember(verified))?)
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    fn __repr__(&self) -> String {
        format!("Verifier({})", self.suite)
    }
}

/// Verifies a log, one signature after the other, with nothing known beforehand and with one Ed25519 verification per
/// batch of keys. It knows no signers: whom to trust is the caller's business. Threads may share an auditor.
#[pyclass(frozen, module = "quorate.dsig")]
pub(crate) struct Auditor {
    suite: SuiteId,
    inner: Mutex<DynAuditor>,
}

#[pymethods]
impl Auditor {
    /// An auditor that remembers so many batches of keys (`roots`), at least one; the oldest give way, and each takes
    /// about 12 kB.
    #[new]
    #[pyo3(signature = (suite = "wots-blake3", *, roots = Roots(1024)))]
    fn new(suite: &str, roots: Roots) -> Outcome<Self> {
        let suite = named(suite)?;
        Ok(Self { suite, inner: Mutex::new(DynAuditor::new(suite, size(roots.0))) })
    }

    /// Verifies the next signature of a log. Raises `BadSignatureError`, or `OneTimeReuseError` if its key signed
    /// something else before, in a batch that is remembered.
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
