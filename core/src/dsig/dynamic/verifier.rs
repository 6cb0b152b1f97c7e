use alloc::boxed::Box;

use super::background::{DynAdmittedAnnouncement, DynVerifiedAnnouncement, DynVerifiedSignature};
use super::suite_id::SuiteId;
use crate::dsig::signature::Signature;
use crate::dsig::suite::{self, DsigSuite};
use crate::dsig::verifier::{VerifiedAnnouncement, VerifiedSignature, Verifier, VerifierConfig};
use crate::ed25519::PublicKey;
use crate::machine::Time;
use crate::wire::Decode;
use crate::{Error, Result};

/// A [`Verifier`] of a suite chosen at run time.
pub struct DynVerifier {
    suite: SuiteId,
    verifier: Box<dyn AnyVerifier>,
}

impl DynVerifier {
    /// Creates a verifier without signers, see [`Verifier::new`].
    pub fn new(suite: SuiteId, config: VerifierConfig) -> Self {
        let verifier: Box<dyn AnyVerifier> = with_suite!(suite, S => Box::new(Verifier::<S>::new(config)));
        Self { suite, verifier }
    }

    /// Returns the suite.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// Adds a signer, see [`Verifier::admit`].
    pub fn admit(&mut self, signer: PublicKey) {
        self.verifier.admit(signer);
    }

    /// Removes a signer and returns true if it was known, see [`Verifier::revoke`].
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.verifier.revoke(signer)
    }

    /// Sets a hook that returns true for revoked keys, see [`Verifier::check_revocation`].
    pub fn check_revocation(&mut self, hook: impl Fn(&PublicKey) -> bool + Send + Sync + 'static) {
        self.verifier.check_revocation(Box::new(hook));
    }

    /// Verifies an announcement that arrived from a signer, see [`Verifier::announce`].
    ///
    /// # Errors
    /// Those of [`Verifier::announce`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        self.verifier.announce(signer, announcement, now)
    }

    /// Returns true if verifying the signature needs no Ed25519 verification, see [`Verifier::can_verify_fast`]. Cost:
    /// decoding, which copies the signature, and one lookup.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        self.verifier.can_verify_fast(signer, signature)
    }

    /// Verifies an encoded signature, see [`Verifier::verify`].
    ///
    /// # Errors
    /// Decoding errors, and those of [`Verifier::verify`].
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verifier.verify(signer, message, signature)
    }

    /// Admits an announcement to verification, see [`Verifier::admit_announcement`].
    ///
    /// # Errors
    /// Those of [`Verifier::admit_announcement`].
    pub fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmittedAnnouncement> {
        self.verifier.admit_announcement(signer, now)
    }

    /// Stores a verified announcement, see [`Verifier::learn`].
    ///
    /// # Errors
    /// Those of [`Verifier::learn`], and [`Error::WrongContext`] for an announcement of another suite.
    pub fn learn(&mut self, checked: DynVerifiedAnnouncement) -> Result<()> {
        self.verifier.learn(checked)
    }

    /// Verifies an encoded signature if its batch is known, see [`Verifier::verify_fast`].
    ///
    /// # Errors
    /// Decoding errors, and those of [`Verifier::verify_fast`].
    pub fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool> {
        self.verifier.verify_fast(signer, message, signature)
    }

    /// Records what a key signed, see [`Verifier::remember`].
    ///
    /// # Errors
    /// Those of [`Verifier::remember`], and [`Error::WrongContext`] for a signature of another suite.
    pub fn remember(&mut self, verified: DynVerifiedSignature) -> Result<()> {
        self.verifier.remember(verified)
    }
}

trait AnyVerifier: Send + Sync {
    fn admit(&mut self, signer: PublicKey);
    fn revoke(&mut self, signer: &PublicKey) -> bool;
    fn check_revocation(&mut self, hook: Box<dyn Fn(&PublicKey) -> bool + Send + Sync>);
    fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()>;
    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmittedAnnouncement>;
    fn learn(&mut self, checked: DynVerifiedAnnouncement) -> Result<()>;
    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool>;
    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()>;
    fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool>;
    fn remember(&mut self, verified: DynVerifiedSignature) -> Result<()>;
}

impl<S: DsigSuite> AnyVerifier for Verifier<S> {
    fn admit(&mut self, signer: PublicKey) {
        Verifier::admit(self, signer);
    }

    fn revoke(&mut self, signer: &PublicKey) -> bool {
        Verifier::revoke(self, signer)
    }

    fn check_revocation(&mut self, hook: Box<dyn Fn(&PublicKey) -> bool + Send + Sync>) {
        Verifier::check_revocation(self, hook);
    }

    fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        Verifier::announce(self, signer, announcement, now)
    }

    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmittedAnnouncement> {
        Verifier::admit_announcement(self, signer, now).map(DynAdmittedAnnouncement::from)
    }

    fn learn(&mut self, checked: DynVerifiedAnnouncement) -> Result<()> {
        learn(self, checked)
    }

    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        Ok(Verifier::can_verify_fast(self, signer, &Signature::decode(signature, &())?))
    }

    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        Verifier::verify(self, signer, message, &Signature::decode(signature, &())?)
    }

    fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool> {
        Verifier::verify_fast(self, signer, message, &Signature::decode(signature, &())?)
    }

    fn remember(&mut self, verified: DynVerifiedSignature) -> Result<()> {
        remember(self, verified)
    }
}

/// Stores a verified announcement.
fn learn<S: DsigSuite>(verifier: &mut Verifier<S>, checked: DynVerifiedAnnouncement) -> Result<()> {
    let checked =
        checked.0.downcast::<VerifiedAnnouncement<S>>().map_err(|_| Error::WrongContext { what: "suite" })?;
    verifier.learn(*checked)
}

/// Records what a key signed.
fn remember<S: DsigSuite>(verifier: &mut Verifier<S>, verified: DynVerifiedSignature) -> Result<()> {
    let verified =
        verified.0.downcast::<VerifiedSignature<S>>().map_err(|_| Error::WrongContext { what: "suite" })?;
    verifier.remember(*verified)
}
