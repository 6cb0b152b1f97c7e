//! The steps of the long operations that need neither the signer nor the verifier.

use alloc::boxed::Box;
use core::any::Any;

use crate::Result;
use crate::dsig::batch::Plan;
use crate::dsig::suite::DsigSuite;
use crate::dsig::verifier::AdmittedAnnouncement;

/// A [`Plan`] of a suite chosen at run time.
pub struct DynPlan(Box<dyn AnyPlan>);

impl DynPlan {
    /// Generates the keys of the planned batch, see [`Plan::make`].
    ///
    /// # Errors
    /// Those of [`Plan::make`].
    pub fn make(self) -> Result<DynBatch> {
        self.0.make()
    }
}

/// A [`Batch`](crate::dsig::Batch) of a suite chosen at run time.
pub struct DynBatch(pub(super) Box<dyn Any + Send>);

/// An [`AdmittedAnnouncement`] of a suite chosen at run time.
pub struct DynAdmittedAnnouncement(Box<dyn AnyAdmittedAnnouncement>);

impl DynAdmittedAnnouncement {
    /// Decodes and verifies an announcement, see [`AdmittedAnnouncement::check`].
    ///
    /// # Errors
    /// Those of [`AdmittedAnnouncement::check`].
    pub fn check(self, announcement: &[u8]) -> Result<DynVerifiedAnnouncement> {
        self.0.check(announcement)
    }
}

/// A [`VerifiedAnnouncement`](crate::dsig::VerifiedAnnouncement) of a suite chosen at run time.
pub struct DynVerifiedAnnouncement(pub(super) Box<dyn Any + Send>);

/// A [`VerifiedSignature`](crate::dsig::VerifiedSignature) of a suite chosen at run time.
#[must_use]
pub struct DynVerifiedSignature(pub(super) Box<dyn Any + Send>);

impl<S: DsigSuite> From<Plan<S>> for DynPlan {
    fn from(plan: Plan<S>) -> Self {
        Self(Box::new(plan))
    }
}

impl<S: DsigSuite> From<AdmittedAnnouncement<S>> for DynAdmittedAnnouncement {
    fn from(admitted: AdmittedAnnouncement<S>) -> Self {
        Self(Box::new(admitted))
    }
}

trait AnyPlan: Send {
    fn make(self: Box<Self>) -> Result<DynBatch>;
}

impl<S: DsigSuite> AnyPlan for Plan<S> {
    fn make(self: Box<Self>) -> Result<DynBatch> {
        Ok(DynBatch(Box::new(Plan::make(*self)?)))
    }
}

trait AnyAdmittedAnnouncement: Send {
    fn check(self: Box<Self>, announcement: &[u8]) -> Result<DynVerifiedAnnouncement>;
}

impl<S: DsigSuite> AnyAdmittedAnnouncement for AdmittedAnnouncement<S> {
    fn check(self: Box<Self>, announcement: &[u8]) -> Result<DynVerifiedAnnouncement> {
        Ok(DynVerifiedAnnouncement(Box::new(AdmittedAnnouncement::check(*self, announcement)?)))
    }
}
