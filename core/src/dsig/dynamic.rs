//! Suites that are chosen while the program runs: by configuration, or by what a message says. Everything goes in and
//! out as bytes. Where the suite is known when the program is written, its type catches more mistakes.

mod background;

pub use auditor::{DynAuditor, DynEntry, verify_all};
pub use background::{DynAdmitted, DynBatch, DynChecked, DynPlan};

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use rand_core::TryCryptoRng;

use super::evidence::Reuse;
use super::signature::Signature;
use super::signer::{ATTEMPTS, Announced, Signer, SignerConfig};
use super::suite::{self, Suite};
use super::verifier::{Verifier, VerifierConfig};
use crate::ed25519::{PublicKey, SecretKey};
use crate::machine::{MemberIndex, Time};
use crate::scheme::{SecretBytes, random_32};
use crate::wire::{Decode, Encode};
use crate::{Error, Result};

macro_rules! suites {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One of our suites.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum SuiteId {
            $($(#[$doc])* $name,)*
        }

        impl SuiteId {
            /// All of them, by number.
            pub const ALL: &'static [SuiteId] = &[$(Self::$name,)*];

            /// The suite byte.
            pub fn number(self) -> u8 {
                match self {
                    $(Self::$name => suite::$name::NUMBER,)*
                }
            }

            /// The name in configuration files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => suite::$name::NAME,)*
                }
            }

            /// Bytes of a signature.
            pub fn signature_len(self) -> usize {
                match self {
                    $(Self::$name => Signature::<suite::$name>::LEN,)*
                }
            }
        }

        /// Calls a generic function with the suite's type.
        macro_rules! with_suite {
            ($id:expr, $S:ident => $body:expr) => {
                match $id {
                    $(SuiteId::$name => { type $S = suite::$name; $body })*
                }
            };
        }
    };
}

suites! {
    /// Suite 1, the paper's.
    WotsHaraka512,
    /// Suite 2, the fastest where the processor has AES.
    WotsHaraka256,
    /// Suite 3, the default.
    WotsBlake3,
    /// Suite 4, the conservative one.
    WotsBlake3Wide,
    /// Suite 5.
    HorsFBlake3,
    /// Suite 6.
    HorsMBlake3,
    /// Suite 7.
    HorsFHaraka256,
    /// Suite 8.
    HorsMHaraka256,
    /// Suite 9.
    WotsSha256,
    /// Suite 10.
    HorsFSha256,
    /// Suite 11.
    HorsMSha256,
}

// Below the macro that it uses.
mod auditor;

impl SuiteId {
    /// The suite with a number.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for any other number.
    pub fn from_number(number: u8) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.number() == number);
        found.ok_or(Error::WrongContext { what: "suite" })
    }

    /// The suite that encoded bytes of a signature or announcement claim.
    fn of(bytes: &[u8]) -> Result<Self> {
        Self::from_number(*bytes.first().ok_or(Error::Malformed { what: "DSig: no bytes" })?)
    }
}

impl fmt::Display for SuiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SuiteId {
    type Err = Error;

    /// From a name in configuration files.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().copied().find(|suite| suite.name() == name);
        found.ok_or(Error::WrongContext { what: "suite" })
    }
}

/// An encoded announcement, and whom to send it to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DynAnnounced {
    /// The members of the batch's group; `None` for everybody.
    pub to: Option<BTreeSet<MemberIndex>>,
    /// What to send.
    pub announcement: Vec<u8>,
}

/// A [`Signer`] of any suite.
pub struct DynSigner {
    suite: SuiteId,
    signer: Box<dyn AnySigner>,
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

/// A [`Verifier`] of any suite.
pub struct DynVerifier {
    suite: SuiteId,
    verifier: Box<dyn AnyVerifier>,
}

impl DynVerifier {
    /// As [`Verifier::new`].
    pub fn new(suite: SuiteId, config: VerifierConfig) -> Self {
        let verifier: Box<dyn AnyVerifier> = with_suite!(suite, S => Box::new(Verifier::<S>::new(config)));
        Self { suite, verifier }
    }

    /// Which suite it is of.
    pub fn suite(&self) -> SuiteId {
        self.suite
    }

    /// As [`Verifier::admit`].
    pub fn admit(&mut self, signer: PublicKey) {
        self.verifier.admit(signer);
    }

    /// As [`Verifier::revoke`].
    pub fn revoke(&mut self, signer: &PublicKey) -> bool {
        self.verifier.revoke(signer)
    }

    /// As [`Verifier::check_revocation`].
    pub fn check_revocation(&mut self, hook: impl Fn(&PublicKey) -> bool + Send + Sync + 'static) {
        self.verifier.check_revocation(Box::new(hook));
    }

    /// As [`Verifier::announce`].
    ///
    /// # Errors
    /// Those of [`Verifier::announce`].
    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()> {
        self.verifier.announce(signer, announcement, now)
    }

    /// As [`Verifier::can_verify_fast`].
    ///
    /// # Errors
    /// What decoding reports.
    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        self.verifier.can_verify_fast(signer, signature)
    }

    /// As [`Verifier::verify`].
    ///
    /// # Errors
    /// What decoding reports, and those of [`Verifier::verify`].
    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verifier.verify(signer, message, signature)
    }
}

/// Verifies an encoded signature of any suite, with nothing known beforehand. As [`Signature::verify`].
///
/// # Errors
/// What decoding reports, [`Error::WrongContext`] for an unknown suite, and [`Error::BadSignature`].
pub fn verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
    with_suite!(SuiteId::of(signature)?, S => Signature::<S>::decode(signature, &())?.verify(signer, message))
}

/// Puts two encoded signatures of one key side by side and answers with the encoded evidence. As [`Reuse::new`].
///
/// # Errors
/// What decoding reports, [`Error::WrongContext`] for an unknown or another suite, and those of [`Reuse::new`].
pub fn reuse(signer: &PublicKey, first: (&[u8], &[u8]), second: (&[u8], &[u8])) -> Result<Vec<u8>> {
    with_suite!(SuiteId::of(first.1)?, S => {
        let one = |(message, signature): (&[u8], &[u8])| -> Result<_> {
            Ok((message.to_vec(), Signature::<S>::decode(signature, &())?))
        };
        Ok(Reuse::new(signer.clone(), one(first)?, one(second)?)?.encode())
    })
}

/// Verifies encoded evidence of reuse in a suite, and answers with the culprit. As [`Reuse::verify`].
///
/// # Errors
/// What decoding reports, and those of [`Reuse::verify`].
pub fn verify_reuse(suite: SuiteId, evidence: &[u8]) -> Result<PublicKey> {
    with_suite!(suite, S => {
        let reuse = Reuse::<S>::decode(evidence, &())?;
        reuse.verify()?;
        Ok(reuse.culprit().clone())
    })
}

trait AnySigner: Send {
    fn detect_copies(&mut self, hook: Box<dyn FnMut() -> u64 + Send>);
    fn public_key(&self) -> &PublicKey;
    fn plan(&mut self, random: &mut dyn FnMut() -> Result<SecretBytes>, now: Time)
    -> Result<Option<DynPlan>>;
    fn add(&mut self, batch: DynBatch) -> Option<DynAnnounced>;
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

trait AnyVerifier: Send + Sync {
    fn admit(&mut self, signer: PublicKey);
    fn revoke(&mut self, signer: &PublicKey) -> bool;
    fn check_revocation(&mut self, hook: Box<dyn Fn(&PublicKey) -> bool + Send + Sync>);
    fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: Time) -> Result<()>;
    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmitted>;
    fn learn(&mut self, checked: DynChecked) -> Result<()>;
    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool>;
    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()>;
}

impl<S: Suite> AnyVerifier for Verifier<S> {
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

    fn admit_announcement(&mut self, signer: &PublicKey, now: Time) -> Result<DynAdmitted> {
        Verifier::admit_announcement(self, signer, now).map(DynAdmitted::from)
    }

    fn learn(&mut self, checked: DynChecked) -> Result<()> {
        background::learn(self, checked)
    }

    fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Result<bool> {
        Ok(Verifier::can_verify_fast(self, signer, &Signature::decode(signature, &())?))
    }

    fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<()> {
        Verifier::verify(self, signer, message, &Signature::decode(signature, &())?)
    }
}
