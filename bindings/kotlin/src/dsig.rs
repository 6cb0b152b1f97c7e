//! DSig: one-time keys sign, and Ed25519 signs these keys in batches.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use getrandom::SysRng;
use quorate::dsig::dynamic::{self, DynAnnounced, DynAuditor, DynSigner, DynVerifier, SuiteId};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::ed25519;
use quorate::machine::Time;

use crate::glue::{Failure, Result, lock};
use crate::keys::{PublicKey, SecretKey};

/// Returns the suite with this number; suites cross the boundary as one byte.
fn suite(number: u8) -> Result<SuiteId> {
    Ok(SuiteId::from_number(number)?)
}

/// Batches are signed with Ed25519 only.
fn ed25519(key: &PublicKey) -> quorate::Result<&ed25519::PublicKey> {
    (&key.0.0).try_into()
}

fn public_key(key: ed25519::PublicKey) -> PublicKey {
    PublicKey(quorate_interface::keys::PublicKey(key.into()))
}

#[uniffi::export]
fn dsig_suite_name(number: u8) -> Result<String> {
    Ok(suite(number)?.name().to_owned())
}

#[uniffi::export]
fn dsig_suite_from_name(name: String) -> Result<u8> {
    Ok(name.parse::<SuiteId>()?.number())
}

#[uniffi::export]
fn dsig_signature_len(number: u8) -> Result<u32> {
    Ok(suite(number)?.signature_len() as u32)
}

#[uniffi::export]
fn dsig_verify(signer: &PublicKey, message: Vec<u8>, signature: Vec<u8>) -> Result<()> {
    Ok(dynamic::verify(ed25519(signer)?, &message, &signature)?)
}

/// A message and its signature.
#[derive(uniffi::Record)]
struct DsigSigned {
    message: Vec<u8>,
    signature: Vec<u8>,
}

/// An entry of a log.
#[derive(uniffi::Record)]
struct DsigEntry {
    signer: Arc<PublicKey>,
    signed: DsigSigned,
}

#[uniffi::export]
fn dsig_verify_all(suite: u8, entries: Vec<DsigEntry>) -> Result<Vec<Option<Failure>>> {
    let suite = self::suite(suite)?;
    let entries = entries.iter().map(|entry| {
        let DsigSigned { message, signature } = &entry.signed;
        Ok((ed25519(&entry.signer)?, message.as_slice(), signature.as_slice()))
    });
    let entries: Vec<_> = entries.collect::<quorate::Result<_>>()?;
    let outcomes = dynamic::verify_all(suite, &entries);
    Ok(outcomes.into_iter().map(|outcome| outcome.err().map(Failure::from)).collect())
}

#[uniffi::export]
fn dsig_reuse(signer: &PublicKey, first: DsigSigned, second: DsigSigned) -> Result<Vec<u8>> {
    let [first, second] = [&first, &second].map(|one| (one.message.as_slice(), one.signature.as_slice()));
    Ok(dynamic::reuse(ed25519(signer)?, first, second)?)
}

#[uniffi::export]
fn dsig_verify_reuse(suite: u8, evidence: Vec<u8>) -> Result<Arc<PublicKey>> {
    let culprit = dynamic::verify_reuse(self::suite(suite)?, &evidence)?;
    Ok(Arc::new(public_key(culprit)))
}

/// An announcement and its recipients; `None` for all verifiers.
#[derive(uniffi::Record)]
struct DsigAnnounced {
    to: Option<Vec<u16>>,
    announcement: Vec<u8>,
}

impl From<DynAnnounced> for DsigAnnounced {
    fn from(announced: DynAnnounced) -> Self {
        let to = announced.to.map(|members| members.into_iter().collect());
        Self { to, announcement: announced.announcement }
    }
}

#[derive(uniffi::Object)]
struct DsigSigner {
    inner: Mutex<DynSigner>,
    /// The hook's last identifier of this copy of the machine. The core reads it. Kotlin calls the hook before the
    /// native call, so that no lock is held and the hook's exceptions do not cross native code.
    copy: Arc<AtomicU64>,
    /// Held while a batch is generated, so that only one plan exists at a time.
    background: Mutex<()>,
}

impl DsigSigner {
    /// Works on the signer, after storing the hook's answer, if there is one.
    fn with_answer<T>(&self, copy: Option<u64>, work: impl FnOnce(&mut DynSigner) -> T) -> T {
        let mut signer = lock(&self.inner);
        if let Some(copy) = copy {
            self.copy.store(copy, Ordering::Relaxed);
        }
        work(&mut signer)
    }
}

#[uniffi::export]
impl DsigSigner {
    #[uniffi::constructor]
    fn new(
        secret: &SecretKey,
        suite: u8,
        groups: Vec<Vec<u16>>,
        log2_batch: u8,
        low_water: u32,
        lifetime: Duration,
    ) -> Result<Self> {
        let (secret, suite) = (secret.0.take()?.0.try_into()?, self::suite(suite)?);
        let groups = groups.into_iter().map(BTreeSet::from_iter).collect();
        let config = SignerConfig { log2_batch, low_water: low_water as usize, lifetime };
        let signer = DynSigner::new(suite, secret, groups, config, &mut SysRng)?;
        Ok(Self { inner: Mutex::new(signer), copy: Arc::default(), background: Mutex::new(()) })
    }

    fn detect_copies(&self, copy: u64) {
        let answer = self.copy.clone();
        self.with_answer(Some(copy), |signer| signer.detect_copies(move || answer.load(Ordering::Relaxed)));
    }

    /// The signer is locked only before and after the long part.
    fn prepare(&self, now: u64, copy: Option<u64>) -> Result<Option<DsigAnnounced>> {
        // Stored immediately: while this call waits, other calls may store a newer answer.
        self.with_answer(copy, |_| ());
        let _alone = lock(&self.background);
        loop {
            let plan = lock(&self.inner).plan(&mut SysRng, Time(now))?;
            let Some(plan) = plan else { return Ok(None) };
            let batch = plan.make()?;
            // None if the keys were invalidated meanwhile, and this batch with them.
            let announced = lock(&self.inner).add(batch);
            if let Some(announced) = announced {
                return Ok(Some(announced.into()));
            }
        }
    }

    fn announcements(&self) -> Vec<DsigAnnounced> {
        lock(&self.inner).announcements().into_iter().map(DsigAnnounced::from).collect()
    }

    fn sign(&self, message: Vec<u8>, hint: Vec<u16>, now: u64, copy: Option<u64>) -> Result<Vec<u8>> {
        Ok(self.with_answer(copy, |signer| signer.sign(&message, &hint, Time(now)))?)
    }

    fn ready(&self) -> u64 {
        lock(&self.inner).ready() as u64
    }

    fn invalidate(&self) {
        lock(&self.inner).invalidate();
    }

    fn suite(&self) -> u8 {
        lock(&self.inner).suite().number()
    }

    fn public_key(&self) -> Arc<PublicKey> {
        Arc::new(public_key(lock(&self.inner).public_key().clone()))
    }
}

#[derive(uniffi::Object)]
struct DsigVerifier {
    inner: Mutex<DynVerifier>,
    /// The hook's answer for the current signer; it belongs to the holder of the lock. As `DsigSigner::copy`.
    revoked: Arc<AtomicBool>,
}

impl DsigVerifier {
    fn with_answer<T>(&self, revoked: bool, work: impl FnOnce(&mut DynVerifier) -> T) -> T {
        let mut verifier = lock(&self.inner);
        self.revoked.store(revoked, Ordering::Relaxed);
        work(&mut verifier)
    }
}

#[uniffi::export]
impl DsigVerifier {
    #[uniffi::constructor]
    fn new(suite: u8, announced: u32, checked: u32, burst: u32, interval: Duration) -> Result<Self> {
        let (announced, checked) = (announced as usize, checked as usize);
        let config = VerifierConfig { announced, checked, burst, interval };
        let mut verifier = DynVerifier::new(self::suite(suite)?, config);
        let revoked = Arc::new(AtomicBool::default());
        let answer = revoked.clone();
        verifier.check_revocation(move |_| answer.load(Ordering::Relaxed));
        Ok(Self { inner: Mutex::new(verifier), revoked })
    }

    fn admit(&self, signer: &PublicKey) -> Result<()> {
        lock(&self.inner).admit(ed25519(signer)?.clone());
        Ok(())
    }

    fn revoke(&self, signer: &PublicKey) -> Result<bool> {
        Ok(lock(&self.inner).revoke(ed25519(signer)?))
    }

    /// The lock is held only before and after the long part.
    fn announce(&self, signer: &PublicKey, announcement: Vec<u8>, now: u64, revoked: bool) -> Result<()> {
        let signer = ed25519(signer)?;
        let admitted =
            self.with_answer(revoked, |verifier| verifier.admit_announcement(signer, Time(now)))?;
        let checked = admitted.check(&announcement)?;
        Ok(self.with_answer(revoked, |verifier| verifier.learn(checked))?)
    }

    fn can_verify_fast(&self, signer: &PublicKey, signature: Vec<u8>, revoked: bool) -> Result<bool> {
        let signer = ed25519(signer)?;
        Ok(self.with_answer(revoked, |verifier| verifier.can_verify_fast(signer, &signature))?)
    }

    fn verify(&self, signer: &PublicKey, message: Vec<u8>, signature: Vec<u8>, revoked: bool) -> Result<()> {
        let signer = ed25519(signer)?;
        let known =
            self.with_answer(revoked, |verifier| verifier.verify_fast(signer, &message, &signature))?;
        if !known {
            // The lock is held only before and after the long part.
            let verified = dynamic::verify_detached(signer, &message, &signature)?;
            self.with_answer(revoked, |verifier| verifier.remember(verified))?;
        }
        Ok(())
    }

    fn suite(&self) -> u8 {
        lock(&self.inner).suite().number()
    }
}

#[derive(uniffi::Object)]
struct DsigAuditor(Mutex<DynAuditor>);

#[uniffi::export]
impl DsigAuditor {
    #[uniffi::constructor]
    fn new(suite: u8, roots: u32) -> Result<Self> {
        Ok(Self(Mutex::new(DynAuditor::new(self::suite(suite)?, roots as usize))))
    }

    fn check(&self, signer: &PublicKey, message: Vec<u8>, signature: Vec<u8>) -> Result<()> {
        Ok(lock(&self.0).check(ed25519(signer)?, &message, &signature)?)
    }

    fn suite(&self) -> u8 {
        lock(&self.0).suite().number()
    }
}
