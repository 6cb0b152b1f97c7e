//! Verifiers of admitted signers.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use quorate::Result;
use quorate::dsig::VerifierConfig;
use quorate::dsig::dynamic::{self, DynVerifier};

use super::{Suite, ed25519};
use crate::keys::PublicKey;
use crate::{Locked, at};

class! {
    /// Verifies signatures of admitted signers, fast if their batch was announced. Even a hostile announcement never
    /// blocks another thread from verifying.
    #[cfg_attr(binding, within = "Dsig")]
    object stateful struct Verifier {
        suite: Suite,
        verifier: Locked<DynVerifier>,
        /// The hook's answer for the current signer, which the core reads. It belongs to the holder of the lock.
        revoked: Arc<AtomicBool>,
    }:;
    shown |self, f| write!(f, "Verifier({})", self.suite);
    /// Creates a verifier without admitted signers. For each signer, it remembers up to `announced` announced batches
    /// and `checked` batches of signatures without an announcement; the oldest are evicted, and each takes about 12 kB.
    /// It accepts bursts of `burst` announcements, and one more per `interval`. A signer has `low_water` / 128 + 1
    /// batches for each of its groups; signatures of batches that do not fit verify slowly.
    quick fn new(
        #[cfg_attr(binding, option = "positional")] suite: Option<&Suite>,
        #[cfg_attr(binding, option, default = 32)] announced: Option<usize>,
        #[cfg_attr(binding, option, default = 8)] checked: Option<usize>,
        #[cfg_attr(binding, option, default = 32)] burst: Option<u32>,
        #[cfg_attr(binding, option, default = 200)] interval: Option<Duration>,
    ) -> Self {
        let default = VerifierConfig::default();
        let config = VerifierConfig {
            announced: announced.unwrap_or(default.announced),
            checked: checked.unwrap_or(default.checked),
            burst: burst.unwrap_or(default.burst),
            interval: interval.unwrap_or(default.interval),
        };
        let suite = Suite::chosen(suite);
        let verifier = DynVerifier::new(suite, config);
        Self { suite: suite.into(), verifier: Locked::new(verifier), revoked: Arc::default() }
    }
    /// The suite.
    getter fn suite(&self) -> Suite { self.suite }
    /// Admits a signer. Does nothing if the signer is known.
    /// [`Error::WrongContext`](quorate::Error) for a key of another scheme.
    quick fn admit(&self, signer: &PublicKey) -> Result<()> {
        let signer = ed25519(signer)?.clone();
        self.verifier.lock().admit(signer);
        Ok(())
    }
    /// Forgets a signer: all of its signatures are rejected from now on. Returns true if it was known.
    /// [`Error::WrongContext`](quorate::Error) for a key of another scheme.
    quick fn revoke(&self, signer: &PublicKey) -> Result<bool> {
        let signer = ed25519(signer)?;
        Ok(self.verifier.lock().revoke(signer))
    }
    /// Sets a hook that returns true for a key that an external list revokes. `announce`, `can_verify_fast` and
    /// `verify` call it first, on the calling thread. If it fails, or returns anything but a boolean, nothing is
    /// accepted, and the caller gets the exception. It may use this verifier, and should cost no more than a lookup.
    hook quick fn check_revocation(&self) {
        let answer = self.revoked.clone();
        self.verifier.lock().check_revocation(move |_| answer.load(Ordering::Relaxed));
    }
    /// Background work: processes an announcement received from its signer over an authenticated link. Cost: 127
    /// hashes, one Ed25519 verification.
    /// [`Error::WrongContext`](quorate::Error) for unknown signers, and for another suite.
    /// [`Error::RateLimited`](quorate::Error) above the allowance.
    /// [`Error::BadSignature`](quorate::Error) if it is not the signer's.
    slow fn announce(
        &self,
        signer: &PublicKey,
        announcement: &[u8],
        now: Option<u64>,
        #[cfg_attr(binding, answer = "check_revocation", of = "signer")] revoked: Option<bool>,
    ) -> Result<()> {
        let signer = ed25519(signer)?;
        let admitted = self.answered(revoked).admit_announcement(signer, at(now))?;
        // Without the lock, so that other threads can verify.
        let checked = admitted.check(announcement)?;
        self.answered(revoked).learn(checked)
    }
    /// Returns true if [`Verifier::verify`] would not need an Ed25519 verification. Cost: one lookup.
    /// [`Error::Malformed`](quorate::Error) for what is no signature.
    /// [`Error::WrongContext`](quorate::Error) for a signature of another suite.
    quick fn can_verify_fast(
        &self,
        signer: &PublicKey,
        signature: &[u8],
        #[cfg_attr(binding, answer = "check_revocation", of = "signer")] revoked: Option<bool>,
    ) -> Result<bool> {
        let signer = ed25519(signer)?;
        self.answered(revoked).can_verify_fast(signer, signature)
    }
    /// Verifies a signature, whether or not its batch was announced. It accepts the same signatures as the function of
    /// this name outside classes, except those of keys that signed another message before: keep each verified message
    /// with its signature, to make evidence with `reuse`.
    /// [`Error::WrongContext`](quorate::Error) for unknown signers, and for another suite.
    /// [`Error::BadSignature`](quorate::Error) if it is not valid.
    /// [`Error::OneTimeReuse`](quorate::Error) if it is valid, but its key signed another message before.
    quick fn verify(
        &self,
        signer: &PublicKey,
        message: &[u8],
        signature: &[u8],
        #[cfg_attr(binding, answer = "check_revocation", of = "signer")] revoked: Option<bool>,
    ) -> Result<()> {
        let signer = ed25519(signer)?;
        if self.answered(revoked).verify_fast(signer, message, signature)? {
            return Ok(());
        }
        let verified = dynamic::verify_detached(signer, message, signature)?;
        self.answered(revoked).remember(verified)
    }
}

impl Verifier {
    /// Locks the verifier, and stores the hook's answer.
    fn answered(&self, revoked: Option<bool>) -> MutexGuard<'_, DynVerifier> {
        let verifier = self.verifier.lock();
        self.revoked.store(revoked.unwrap_or(false), Ordering::Relaxed);
        verifier
    }
}
