use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::background::{DynBatch, DynPlan};
use super::suite_id::SuiteId;
use crate::dsig::batch::Batch;
use crate::dsig::signer::{ATTEMPTS, Announced, Signer};
use crate::dsig::signer_config::SignerConfig;
use crate::dsig::suite::{self, DsigSuite};
use crate::ed25519::{PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{SecretBytes, random_32};
use crate::wire::Encode;
use crate::{Error, Result};

/// An encoded announcement and its recipients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DynAnnounced {
    /// Members of the batch's group; `None` for all verifiers.
    pub to: Option<BTreeSet<MemberIndex>>,
    /// The announcement to send.
    pub announcement: Vec<u8>,
}

/// A [`Signer`] of a suite chosen at run time.
///
/// ```compile_fail,E0277
/// fn copy<T: Clone>() {}
/// copy::<quorate::dsig::dynamic::DynSigner>();
/// ```
///
/// ```compile_fail,E0277
/// fn write<T: quorate::wire::Encode>() {}
/// write::<quorate::dsig::dynamic::DynSigner>();
/// ```
///
/// ```compile_fail,E0277
/// fn print<T: std::fmt::Debug>() {}
/// print::<quorate::dsig::dynamic::DynSigner>();
/// ```
pub struct DynSigner {
    suite: SuiteId,
    signer: Box<dyn AnySigner>,
}

impl DynSigner {
    /// Creates a signer with an identity key, see [`Signer::new`].
    ///
    /// # Errors
    /// Those of [`Signer::new`].
    pub fn new<R: TryCryptoRng + ?Sized>(
        suite: SuiteId,
        identity: SecretKey,
        groups: Vec<BTreeSet<MemberIndex>>,
        config: SignerConfig,
        rng: &mut R,
    ) -> Result<Self> {
        let seed = random_32(rng)?;
        let signer: Box<dyn AnySigner> =
            with_suite!(suite, S => Box::new(Signer::<S>::with_seed(identity, groups, config, seed)?));
        Ok(Self { suite, signer })
    }

    /// Returns the suite.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// Sets a hook that detects copies of this machine, see [`Signer::detect_copies`].
    pub fn detect_copies(&mut self, hook: impl FnMut() -> u64 + Send + 'static) {
        self.signer.detect_copies(Box::new(hook));
    }

    /// Returns the key that verifies this signer's signatures, see [`Signer::public_key`].
    pub fn public_key(&self) -> &PublicKey {
        self.signer.public_key()
    }

    /// Makes one batch if any group needs keys, see [`Signer::prepare`].
    ///
    /// # Errors
    /// Those of [`Signer::prepare`].
    pub fn prepare<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        now: Time,
    ) -> Result<Option<DynAnnounced>> {
        for _ in 0..ATTEMPTS {
            let Some(plan) = self.plan(rng, now)? else { return Ok(None) };
            if let Some(announced) = self.add(plan.make()?) {
                return Ok(Some(announced));
            }
        }
        Err(Error::Exhausted)
    }

    /// Returns the announcements of all batches that still have keys, see [`Signer::announcements`].
    pub fn announcements(&self) -> Vec<DynAnnounced> {
        self.signer.announcements()
    }

    /// Signs a message and encodes the signature, see [`Signer::sign`].
    ///
    /// # Errors
    /// Those of [`Signer::sign`].
    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Vec<u8>> {
        self.signer.sign(message, hint, now)
    }

    /// Returns the number of keys ready in all groups, see [`Signer::ready`].
    pub fn ready(&self) -> usize {
        self.signer.ready()
    }

    /// Wipes every key, see [`Signer::invalidate`].
    pub fn invalidate(&mut self) {
        self.signer.invalidate();
    }

    /// Plans a batch if any group needs keys, see [`Signer::plan`].
    ///
    /// # Errors
    /// Those of [`Signer::plan`].
    pub fn plan<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R, now: Time) -> Result<Option<DynPlan>> {
        self.signer.plan(&mut || random_32(rng), now)
    }

    /// Adds a batch that this signer planned, see [`Signer::add`]. A batch of another suite is wiped.
    pub fn add(&mut self, batch: DynBatch) -> Option<DynAnnounced> {
        self.signer.add(batch)
    }
}

/// Operations for the driver.
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

trait AnySigner: Send {
    fn detect_copies(&mut self, hook: Box<dyn FnMut() -> u64 + Send>);
    fn public_key(&self) -> &PublicKey;
    fn plan(&mut self, random: &mut dyn FnMut() -> Result<SecretBytes>, now: Time)
    -> Result<Option<DynPlan>>;
    fn add(&mut self, batch: DynBatch) -> Option<DynAnnounced>;
    #[cfg(feature = "driver")]
    fn announced(&self, batch: &DynBatch) -> Option<DynAnnounced>;
    #[cfg(feature = "driver")]
    fn shortest(&self, now: Time) -> Option<usize>;
    #[cfg(feature = "driver")]
    fn take_expired(&mut self) -> Box<dyn Send>;
    #[cfg(feature = "driver")]
    fn config(&self) -> &SignerConfig;
    fn announcements(&self) -> Vec<DynAnnounced>;
    fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Vec<u8>>;
    fn ready(&self) -> usize;
    fn invalidate(&mut self);
}

impl<S: DsigSuite> AnySigner for Signer<S> {
    fn detect_copies(&mut self, hook: Box<dyn FnMut() -> u64 + Send>) {
        Signer::detect_copies(self, hook);
    }

    fn public_key(&self) -> &PublicKey {
        Signer::public_key(self)
    }

    fn plan(
        &mut self,
        random: &mut dyn FnMut() -> Result<SecretBytes>,
        now: Time,
    ) -> Result<Option<DynPlan>> {
        Ok(self.plan_from(random, now)?.map(DynPlan::from))
    }

    fn add(&mut self, batch: DynBatch) -> Option<DynAnnounced> {
        add(self, batch)
    }

    #[cfg(feature = "driver")]
    fn announced(&self, batch: &DynBatch) -> Option<DynAnnounced> {
        announced(self, batch)
    }

    #[cfg(feature = "driver")]
    fn shortest(&self, now: Time) -> Option<usize> {
        Signer::shortest(self, now)
    }

    #[cfg(feature = "driver")]
    fn take_expired(&mut self) -> Box<dyn Send> {
        Box::new(Signer::take_expired(self))
    }

    #[cfg(feature = "driver")]
    fn config(&self) -> &SignerConfig {
        Signer::config(self)
    }

    fn announcements(&self) -> Vec<DynAnnounced> {
        Signer::announcements(self).map(DynAnnounced::from).collect()
    }

    fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Vec<u8>> {
        Ok(Signer::sign(self, message, hint, now)?.encode())
    }

    fn ready(&self) -> usize {
        Signer::ready(self)
    }

    fn invalidate(&mut self) {
        Signer::invalidate(self);
    }
}

impl<S: DsigSuite> From<Announced<S>> for DynAnnounced {
    fn from(announced: Announced<S>) -> Self {
        Self { to: announced.to, announcement: announced.announcement.encode() }
    }
}

/// Adds a batch; one of another suite is wiped.
fn add<S: DsigSuite>(signer: &mut Signer<S>, batch: DynBatch) -> Option<DynAnnounced> {
    let batch = batch.0.downcast::<Batch<S>>().ok()?;
    signer.add(*batch).map(DynAnnounced::from)
}

/// Returns the announcement of a batch; `None` for one of another suite.
#[cfg(feature = "driver")]
fn announced<S: DsigSuite>(signer: &Signer<S>, batch: &DynBatch) -> Option<DynAnnounced> {
    signer.announced(batch.0.downcast_ref::<Batch<S>>()?).map(DynAnnounced::from)
}
