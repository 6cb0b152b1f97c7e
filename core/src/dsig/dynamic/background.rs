//! What takes long in thirds, so that a thread works for long without the signer or the verifier.

use alloc::boxed::Box;
use core::any::Any;

use rand_core::TryCryptoRng;

use super::{DynAnnounced, DynSigner, DynVerifier, SuiteId};
use crate::dsig::batch::{Batch, Plan};
use crate::dsig::signature::Signature;
use crate::dsig::signer::Signer;
#[cfg(feature = "driver")]
use crate::dsig::signer::SignerConfig;
use crate::dsig::suite::{self, Suite};
use crate::dsig::verifier::{Admitted, Checked, Verified, Verifier};
use crate::ed25519::PublicKey;
use crate::machine::Time;
#[cfg(feature = "driver")]
use crate::scheme::SecretBytes;
use crate::scheme::random_32;
use crate::wire::Decode;
use crate::{Error, Result};

impl DynSigner {
    /// As [`Signer::plan`].
    ///
    /// # Errors
    /// Those of [`Signer::plan`].
    pub fn plan<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R, now: Time) -> Result<Option<DynPlan>> {
        self.signer.plan(&mut || random_32(rng), now)
    }

    /// As [`Signer::add`]. A batch of another suite is wiped too.
    pub fn add(&mut self, batch: DynBatch) -> Option<DynAnnounced> {
        self.signer.add(batch)
    }
}

/// For a driver.
#[cfg(feature = "driver")]
impl DynSigner {
    pub(in crate::dsig) fn plan_from(
        &mut self,
        random: &mut dyn FnMut() -> Result<SecretBytes>,
        now: Time,
    ) -> Result<Option<DynPlan>> {
        self.signer.plan(random, now)
    }

    pub(in crate::dsig) fn announced(&self, batch: &DynBatch) -> Option<DynAnnounced> {
        self.signer.announced(batch)
    }

    pub(in crate::dsig) fn shortest(&self, now: Time) -> Option<usize> {
        self.signer.shortest(now)
    }

    pub(in crate::dsig) fn take_expired(&mut self) -> Box<dyn Send> {
        self.signer.take_expired()
    }

    pub(in crate::dsig) fn config(&self) -> &SignerConfig {
        self.signer.config()
    }
}

impl DynVerifier {
    /// As [`Verifier::admit_announcement`].
    ///
    /// # Errors
    /// Those of [`Verifier::admit_announcement`].
    pub fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmitted> {
        self.verifier.admit_announcement(signer, now)
    }

    /// As [`Verifier::learn`].
    ///
    /// # Errors
    /// Those of [`Verifier::learn`], and [`Error::WrongContext`] for an announcement of another suite.
    pub fn learn(&mut self, checked: DynChecked) -> Result<()> {
        self.verifier.learn(checked)
    }

    /// As [`Verifier::verify_fast`].
    ///
    /// # Errors
    /// What decoding reports, and those of [`Verifier::verify_fast`].
    pub fn verify_fast(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<bool> {
        self.verifier.verify_fast(signer, message, signature)
    }

    /// As [`Verifier::remember`].
    ///
    /// # Errors
    /// Those of [`Verifier::remember`], and [`Error::WrongContext`] for a signature of another suite.
    pub fn remember(&mut self, verified: DynVerified) -> Result<()> {
        self.verifier.remember(verified)
    }
}

/// As [`Signature::verified`], of any suite.
///
/// # Errors
/// What decoding reports, [`Error::WrongContext`] for an unknown suite, and [`Error::BadSignature`].
pub fn verified(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<DynVerified> {
    with_suite!(SuiteId::of(signature)?, S => {
        let verified = Signature::<S>::decode(signature, &())?.verified(signer, message)?;
        Ok(DynVerified(Box::new(verified)))
    })
}

/// A [`Plan`] of any suite.
pub struct DynPlan(Box<dyn AnyPlan>);

impl DynPlan {
    /// As [`Plan::make`].
    ///
    /// # Errors
    /// Those of [`Plan::make`].
    pub fn make(self) -> Result<DynBatch> {
        self.0.make()
    }
}

/// A [`Batch`] of any suite.
pub struct DynBatch(Box<dyn Any + Send>);

/// An [`Admitted`] of any suite.
pub struct DynAdmitted(Box<dyn AnyAdmitted>);

impl DynAdmitted {
    /// As [`Admitted::check`].
    ///
    /// # Errors
    /// Those of [`Admitted::check`].
    pub fn check(self, announcement: &[u8]) -> Result<DynChecked> {
        self.0.check(announcement)
    }
}

/// A [`Checked`] of any suite.
pub struct DynChecked(Box<dyn Any + Send>);

/// A [`Verified`] of any suite.
#[must_use]
pub struct DynVerified(Box<dyn Any + Send>);

impl<S: Suite> From<Plan<S>> for DynPlan {
    fn from(plan: Plan<S>) -> Self {
        Self(Box::new(plan))
    }
}

impl<S: Suite> From<Admitted<S>> for DynAdmitted {
    fn from(admitted: Admitted<S>) -> Self {
        Self(Box::new(admitted))
    }
}

/// Takes in a batch; one of another suite is wiped.
pub(super) fn add<S: Suite>(signer: &mut Signer<S>, batch: DynBatch) -> Option<DynAnnounced> {
    let batch = batch.0.downcast::<Batch<S>>().ok()?;
    signer.add(*batch).map(DynAnnounced::from)
}

/// What will announce a batch; nothing for one of another suite.
#[cfg(feature = "driver")]
pub(super) fn announced<S: Suite>(signer: &Signer<S>, batch: &DynBatch) -> Option<DynAnnounced> {
    signer.announced(batch.0.downcast_ref::<Batch<S>>()?).map(DynAnnounced::from)
}

/// Takes in an announcement.
pub(super) fn learn<S: Suite>(verifier: &mut Verifier<S>, checked: DynChecked) -> Result<()> {
    let checked = checked.0.downcast::<Checked<S>>().map_err(|_| Error::WrongContext { what: "suite" })?;
    verifier.learn(*checked)
}

/// Notes what a key signed.
pub(super) fn remember<S: Suite>(verifier: &mut Verifier<S>, verified: DynVerified) -> Result<()> {
    let verified = verified.0.downcast::<Verified<S>>().map_err(|_| Error::WrongContext { what: "suite" })?;
    verifier.remember(*verified)
}

trait AnyPlan: Send {
    fn make(self: Box<Self>) -> Result<DynBatch>;
}

impl<S: Suite> AnyPlan for Plan<S> {
    fn make(self: Box<Self>) -> Result<DynBatch> {
        Ok(DynBatch(Box::new(Plan::make(*self)?)))
    }
}

trait AnyAdmitted: Send {
    fn check(self: Box<Self>, announcement: &[u8]) -> Result<DynChecked>;
}

impl<S: Suite> AnyAdmitted for Admitted<S> {
    fn check(self: Box<Self>, announcement: &[u8]) -> Result<DynChecked> {
        Ok(DynChecked(Box::new(Admitted::check(*self, announcement)?)))
    }
}
