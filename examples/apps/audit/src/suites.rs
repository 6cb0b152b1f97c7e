//! DSig with a suite chosen at run time. Background work is separate from signing and verification, so that it
//! needs no lock. Suites 1 to 4; the core has more suites for measurements.

use std::any::Any;
use std::sync::Arc;

use quorate::dsig::dynamic::SuiteId;
use quorate::dsig::{
    Auditor, Batch, DsigSuite, Signature, Signer, SignerConfig, VerifiedAnnouncement, Verifier,
    VerifierConfig, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512,
};
use quorate::ed25519::{PublicKey, SecretKey};
use quorate::machine::Time;
use quorate::wire::{Decode, Encode, Writer};
use quorate::{Error, Result};

/// Suites that clients may sign with.
pub const SUITES: [SuiteId; 4] =
    [SuiteId::WotsHaraka512, SuiteId::WotsHaraka256, SuiteId::WotsBlake3, SuiteId::WotsBlake3Wide];

/// Names of [`SUITES`].
const NAMES: &[&str] = &[WotsHaraka512::NAME, WotsHaraka256::NAME, WotsBlake3::NAME, WotsBlake3Wide::NAME];

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
            other => return Err(unknown_suite(other.name())),
        }
    };
}

/// Maximum size of an announcement, of 128 keys.
pub const MAX_ANNOUNCEMENT: usize = 68 + 128 * 32;

/// Returns the suite that a signature or an announcement names in its first byte.
///
/// # Errors
/// [`Error::Malformed`] for no bytes, [`Error::UnknownName`] for a suite that is not in [`SUITES`].
pub fn parse_suite(bytes: &[u8]) -> Result<SuiteId> {
    let number = *bytes.first().ok_or(Error::Malformed { what: "DSig: no bytes" })?;
    let found = SUITES.into_iter().find(|suite| suite.number() == number);
    found.ok_or_else(|| unknown_suite(number))
}

/// Returns the error for a suite that is not in [`SUITES`], by name or number.
fn unknown_suite(given: impl ToString) -> Error {
    Error::UnknownName { what: "suite", given: given.to_string(), known: NAMES }
}

/// Result of background work.
pub type BackgroundResult = Box<dyn Any + Send>;

/// A signer of any suite.
pub trait DynSigner: Send {
    /// Signs and appends the encoded signature to `out`. Errors: [`Error::Exhausted`].
    fn sign_to(&mut self, message: &[u8], now: Time, out: &mut Vec<u8>) -> Result<()>;
    /// Signs; the signature is encoded. Errors: [`Error::Exhausted`].
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        let mut signature = Vec::new();
        self.sign_to(message, now, &mut signature)?;
        Ok(signature)
    }
    /// Returns the number of one-time keys that are ready.
    fn ready(&self) -> usize;
    /// Returns background work that does not need the signer, if there is any.
    fn plan(&mut self, now: Time) -> Result<Option<Work>>;
    /// Adds the result of background work and returns the announcement to send.
    fn add(&mut self, batch: BackgroundResult) -> Option<Vec<u8>>;
}

/// Background work that needs no lock.
pub type Work = Box<dyn FnOnce() -> Result<BackgroundResult> + Send>;

/// A verifier of any suite for one signer.
pub trait DynVerifier: Send {
    /// Verifies an encoded signature.
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()>;
    /// Admits an announcement within the rate limit and returns the background work that verifies it.
    fn admit(&mut self, now: Time, announcement: Arc<[u8]>) -> Result<Work>;
    /// Adds the result of background work.
    fn learn(&mut self, checked: BackgroundResult) -> Result<()>;
}

/// An auditor of any suite, which verifies many signatures efficiently.
pub trait DynAuditor: Send {
    /// Verifies an encoded signature as [`Auditor::check`] does, and returns its one-time key.
    fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Result<OneTimeKey>;
}

/// Identity of a signer's one-time key: suite, size and root of the batch, index in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OneTimeKey {
    suite: u8,
    log2: u8,
    index: u16,
    root: [u8; 32],
}

/// Creates a signer of a suite.
///
/// # Errors
/// Those of [`Signer::new`]; [`Error::UnknownName`] for a suite that is not in [`SUITES`].
pub fn signer(suite: SuiteId, identity: SecretKey, config: SignerConfig) -> Result<Box<dyn DynSigner>> {
    with_suite!(suite, S => Ok(Box::new(Signer::<S>::new(identity, vec![], config, &mut getrandom::SysRng)?)))
}

/// Creates a verifier of a suite for one signer.
///
/// # Errors
/// [`Error::UnknownName`] for a suite that is not in [`SUITES`].
pub fn verifier(suite: SuiteId, key: PublicKey) -> Result<Box<dyn DynVerifier>> {
    with_suite!(suite, S => {
        let mut verifier = Verifier::<S>::new(VerifierConfig::default());
        verifier.admit(key.clone());
        Ok(Box::new(BoundVerifier { verifier, key }))
    })
}

/// Creates an auditor of a suite that remembers `roots` batches of keys.
///
/// # Errors
/// [`Error::UnknownName`] for a suite that is not in [`SUITES`].
pub fn auditor(suite: SuiteId, roots: usize) -> Result<Box<dyn DynAuditor>> {
    with_suite!(suite, S => Ok(Box::new(Auditor::<S>::new(roots))))
}

impl<S: DsigSuite> DynSigner for Signer<S> {
    fn sign_to(&mut self, message: &[u8], now: Time, out: &mut Vec<u8>) -> Result<()> {
        let signature = Signer::sign(self, message, &[], now)?;
        let mut writer = Writer::from(std::mem::take(out));
        signature.encode_to(&mut writer);
        *out = writer.into_bytes();
        Ok(())
    }

    fn ready(&self) -> usize {
        Signer::ready(self)
    }

    fn plan(&mut self, now: Time) -> Result<Option<Work>> {
        let plan = Signer::plan(self, &mut getrandom::SysRng, now)?;
        Ok(plan.map(|plan| -> Work { Box::new(move || Ok(Box::new(plan.make()?))) }))
    }

    fn add(&mut self, batch: BackgroundResult) -> Option<Vec<u8>> {
        let batch = batch.downcast::<Batch<S>>().ok()?;
        Some(Signer::add(self, *batch)?.announcement.encode())
    }
}

struct BoundVerifier<S: DsigSuite> {
    verifier: Verifier<S>,
    key: PublicKey,
}

impl<S: DsigSuite> DynVerifier for BoundVerifier<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verifier.verify(&self.key, message, &Signature::decode(signature, &())?)
    }

    fn admit(&mut self, now: Time, announcement: Arc<[u8]>) -> Result<Work> {
        let admitted = self.verifier.admit_announcement(&self.key, now)?;
        Ok(Box::new(move || Ok(Box::new(admitted.check(&announcement)?))))
    }

    fn learn(&mut self, checked: BackgroundResult) -> Result<()> {
        match checked.downcast::<VerifiedAnnouncement<S>>() {
            Ok(checked) => self.verifier.learn(*checked),
            Err(_) => Err(Error::WrongContext { what: "suite" }),
        }
    }
}

impl<S: DsigSuite> DynAuditor for Auditor<S> {
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
    fn the_default_announcement_has_the_maximum_size() {
        let identity = Ed25519::generate(&mut getrandom::SysRng).unwrap();
        let mut signer = signer(SuiteId::WotsBlake3, identity, SignerConfig::default()).unwrap();
        let batch = signer.plan(Time(1)).unwrap().unwrap()().unwrap();
        assert_eq!(signer.add(batch).unwrap().len(), MAX_ANNOUNCEMENT);
    }

    #[test]
    fn signing_and_background_work_in_every_suite() {
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
            assert_eq!(parse_suite(&signature), Ok(suite));
            assert_eq!(signature.len(), suite.signature_len());
            verifier.verify(b"m", &signature).unwrap();
            assert!(verifier.verify(b"n", &signature).is_err());
            auditor(suite, 4).unwrap().check(&key, b"m", &signature).unwrap();
        }
        assert!(parse_suite(&[]).is_err());
    }

    #[test]
    fn an_unsupported_suite_is_refused_with_the_supported_names() {
        assert_eq!(SUITES.map(SuiteId::name), NAMES);
        let hors = auditor(SuiteId::HorsFBlake3, 1).err().unwrap();
        assert_eq!(hors, unknown_suite("hors-f-blake3"));
        let text = format!("unknown suite 5: expected one of {}", NAMES.join(", "));
        assert_eq!(parse_suite(&[5]).unwrap_err().to_string(), text);
    }
}
