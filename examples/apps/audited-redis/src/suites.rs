//! DSig with a suite that is chosen while the program runs, and with both planes apart: what is long needs no lock.
//! Suites 1 to 4; the others are in the core to be measured.

use std::any::Any;
use std::sync::Arc;

use quorate::dsig::dynamic::SuiteId;
use quorate::dsig::{
    Auditor, Batch, DsigSuite, Signature, Signer, SignerConfig, VerifiedAnnouncement, Verifier,
    VerifierConfig, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512,
};
use quorate::ed25519::{PublicKey, SecretKey};
use quorate::machine::Time;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

/// The suites that clients may sign with.
pub const SUITES: [SuiteId; 4] =
    [SuiteId::WotsHaraka512, SuiteId::WotsHaraka256, SuiteId::WotsBlake3, SuiteId::WotsBlake3Wide];

macro_rules! with_suite {
    ($id:expr, $S:ident => $body:expr) => {
        match $id {
            SuiteId::WotsHaraka512 => {
                type $S = WotsHaraka512;
                $body
            }
            SuiteId::WotsHaraka256 => {
                type $S = WotsHaraka256;
                $body
            }
            SuiteId::WotsBlake3 => {
                type $S = WotsBlake3;
                $body
            }
            SuiteId::WotsBlake3Wide => {
                type $S = WotsBlake3Wide;
                $body
            }
            _ => return Err(Error::WrongContext { what: "suite" }),
        }
    };
}

/// The largest announcement, of 128 keys.
pub const MAX_ANNOUNCEMENT: usize = 68 + 128 * 32;

/// The suite that a signature or an announcement names in its first byte.
///
/// # Errors
/// [`Error::Malformed`] for no bytes, [`Error::WrongContext`] for a suite that is not of [`SUITES`].
pub fn suite_of(bytes: &[u8]) -> Result<SuiteId> {
    let number = *bytes.first().ok_or(Error::Malformed { what: "DSig: no bytes" })?;
    let found = SUITES.into_iter().find(|suite| suite.number() == number);
    found.ok_or(Error::WrongContext { what: "suite" })
}

/// What one half of a plane hands to the other.
pub type Parcel = Box<dyn Any + Send>;

/// A signer for everybody.
pub trait AnySigner: Send {
    /// Signs; the signature is encoded. Errors: [`Error::Exhausted`].
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>>;
    /// How many keys are ready.
    fn ready(&self) -> usize;
    /// Background work to be done without the signer, if there is any.
    fn plan(&mut self, now: Time) -> Result<Option<Work>>;
    /// Takes the work's result in, and answers with the announcement to send.
    fn add(&mut self, batch: Parcel) -> Option<Vec<u8>>;
}

/// Long work that needs no lock.
pub type Work = Box<dyn FnOnce() -> Result<Parcel> + Send>;

/// A verifier for one signer.
pub trait AnyVerifier: Send {
    /// Verifies an encoded signature.
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()>;
    /// Whether an announcement may be looked at; if so, the work of it.
    fn admit(&mut self, now: Time, announcement: Arc<[u8]>) -> Result<Work>;
    /// Takes the work's result in.
    fn learn(&mut self, checked: Parcel) -> Result<()>;
}

/// Verifies a log's signatures together.
pub trait AnyAuditor: Send {
    /// As [`Auditor::check`], of an encoded signature; says which of the signer's one-time keys it is of.
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<OneTimeKey>;
}

/// Which of a signer's one-time keys: its suite, the size and the root of its batch, and its place in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OneTimeKey {
    suite: u8,
    log2: u8,
    index: u16,
    root: [u8; 32],
}

/// A signer of a suite.
///
/// # Errors
/// Those of [`Signer::new`]; [`Error::WrongContext`] for a suite that is not of [`SUITES`].
pub fn signer(suite: SuiteId, identity: SecretKey, config: SignerConfig) -> Result<Box<dyn AnySigner>> {
    with_suite!(suite, S => Ok(Box::new(Signer::<S>::new(identity, vec![], config, &mut getrandom::SysRng)?)))
}

/// A verifier of a suite that knows one signer.
///
/// # Errors
/// [`Error::WrongContext`] for a suite that is not of [`SUITES`].
pub fn verifier(suite: SuiteId, key: PublicKey) -> Result<Box<dyn AnyVerifier>> {
    with_suite!(suite, S => {
        let mut verifier = Verifier::<S>::new(VerifierConfig::default());
        verifier.admit(key.clone());
        Ok(Box::new(OfOne { verifier, key }))
    })
}

/// An auditor of a suite that remembers so many batches of keys.
///
/// # Errors
/// [`Error::WrongContext`] for a suite that is not of [`SUITES`].
pub fn auditor(suite: SuiteId, roots: usize) -> Result<Box<dyn AnyAuditor>> {
    with_suite!(suite, S => Ok(Box::new(Auditor::<S>::new(roots))))
}

impl<S: DsigSuite> AnySigner for Signer<S> {
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        Ok(Signer::sign(self, message, &[], now)?.encode())
    }

    fn ready(&self) -> usize {
        Signer::ready(self)
    }

    fn plan(&mut self, now: Time) -> Result<Option<Work>> {
        let plan = Signer::plan(self, &mut getrandom::SysRng, now)?;
        Ok(plan.map(|plan| -> Work { Box::new(move || Ok(Box::new(plan.make()?))) }))
    }

    fn add(&mut self, batch: Parcel) -> Option<Vec<u8>> {
        let batch = batch.downcast::<Batch<S>>().ok()?;
        Some(Signer::add(self, *batch)?.announcement.encode())
    }
}

struct OfOne<S: DsigSuite> {
    verifier: Verifier<S>,
    key: PublicKey,
}

impl<S: DsigSuite> AnyVerifier for OfOne<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verifier.verify(&self.key, message, &Signature::decode(signature, &())?)
    }

    fn admit(&mut self, now: Time, announcement: Arc<[u8]>) -> Result<Work> {
        let admitted = self.verifier.admit_announcement(&self.key, now)?;
        Ok(Box::new(move || Ok(Box::new(admitted.check(&announcement)?))))
    }

    fn learn(&mut self, checked: Parcel) -> Result<()> {
        match checked.downcast::<VerifiedAnnouncement<S>>() {
            Ok(checked) => self.verifier.learn(*checked),
            Err(_) => Err(Error::WrongContext { what: "suite" }),
        }
    }
}

impl<S: DsigSuite> AnyAuditor for Auditor<S> {
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<OneTimeKey> {
        let decoded = Signature::decode(signature, &())?;
        Auditor::check(self, signer, message, &decoded)?;
        let log2 = signature.get(1).copied().unwrap_or_default();
        Ok(OneTimeKey { suite: S::NUMBER, log2, index: decoded.index(), root: *decoded.root() })
    }
}

#[cfg(test)]
mod tests {
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;

    use super::*;

    #[test]
    fn no_announcement_is_larger_than_the_largest() {
        let identity = Ed25519::generate(&mut getrandom::SysRng).unwrap();
        let mut signer = signer(SuiteId::WotsBlake3, identity, SignerConfig::default()).unwrap();
        let batch = signer.plan(Time(1)).unwrap().unwrap()().unwrap();
        assert_eq!(signer.add(batch).unwrap().len(), MAX_ANNOUNCEMENT);
    }

    #[test]
    fn both_planes_work_in_every_suite() {
        for suite in SUITES {
            let identity = Ed25519::generate(&mut getrandom::SysRng).unwrap();
            let key = Ed25519::public_key(&identity);
            let config = SignerConfig { log2_batch: 2, low_water: 1, ..SignerConfig::default() };
            let mut signer = signer(suite, identity, config).unwrap();
            let (mut verifier, now) = (verifier(suite, key.clone()).unwrap(), Time(1));
            assert!(matches!(signer.sign(b"m", now), Err(Error::Exhausted)));
            let batch = signer.plan(now).unwrap().unwrap()().unwrap();
            let announcement = signer.add(batch).unwrap();
            assert!(announcement.len() <= MAX_ANNOUNCEMENT);
            let checked = verifier.admit(now, announcement.into()).unwrap()().unwrap();
            verifier.learn(checked).unwrap();
            let signature = signer.sign(b"m", now).unwrap();
            assert_eq!(suite_of(&signature), Ok(suite));
            assert_eq!(signature.len(), suite.signature_len());
            verifier.verify(b"m", &signature).unwrap();
            assert!(verifier.verify(b"n", &signature).is_err());
            auditor(suite, 4).unwrap().check(&key, b"m", &signature).unwrap();
        }
        assert!(auditor(SuiteId::HorsFBlake3, 1).is_err());
        assert!(suite_of(&[5]).is_err() && suite_of(&[]).is_err());
    }
}
