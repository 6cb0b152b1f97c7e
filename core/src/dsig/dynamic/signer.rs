use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::SuiteId;
use super::background::{self, DynBatch, DynPlan};
use crate::dsig::signer::{ATTEMPTS, Announced, Signer, SignerConfig};
use crate::dsig::suite::{self, Suite};
use crate::ed25519::{PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{SecretBytes, random_32};
use crate::wire::Encode;
use crate::{Error, Result};

/// An encoded announcement, and whom to send it to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DynAnnounced {
    /// The members of the batch's group; `None` for everybody.
    pub to: Option<BTreeSet<MemberIndex>>,
    /// What to send.
    pub announcement: Vec<u8>,
}

/// A [`Signer`] of any suite.
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
    pub(super) signer: Box<dyn AnySigner>,
}

impl DynSigner {
    /// As [`Signer::new`].
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

    /// Which suite it is of.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// As [`Signer::detect_copies`].
    pub fn detect_copies(&mut self, hook: impl FnMut() -> u64 + Send + 'static) {
        self.signer.detect_copies(Box::new(hook));
    }

    /// As [`Signer::public_key`].
    pub fn public_key(&self) -> &PublicKey {
        self.signer.public_key()
    }

    /// As [`Signer::prepare`].
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

    /// As [`Signer::announcements`].
    pub fn announcements(&self) -> Vec<DynAnnounced> {
        self.signer.announcements()
    }

    /// As [`Signer::sign`]; the signature is encoded.
    ///
    /// # Errors
    /// Those of [`Signer::sign`].
    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: Time) -> Result<Vec<u8>> {
        self.signer.sign(message, hint, now)
    }

    /// As [`Signer::ready`].
    pub fn ready(&self) -> usize {
        self.signer.ready()
    }

    /// As [`Signer::invalidate`].
    pub fn invalidate(&mut self) {
        self.signer.invalidate();
    }
}

pub(super) trait AnySigner: Send {
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

impl<S: Suite> AnySigner for Signer<S> {
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
        background::add(self, batch)
    }

    #[cfg(feature = "driver")]
    fn announced(&self, batch: &DynBatch) -> Option<DynAnnounced> {
        background::announced(self, batch)
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

impl<S: Suite> From<Announced<S>> for DynAnnounced {
    fn from(announced: Announced<S>) -> Self {
        Self { to: announced.to, announcement: announced.announcement.encode() }
    }
}
