//! DSig: one-time keys sign, and Ed25519 signs them in batches.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;
use quorate::committee::MAX_MEMBERS;
use quorate::dsig::dynamic::{self, DynAnnounced, DynAuditor, DynPlan, DynSigner, DynVerifier, SuiteId};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::ed25519;
use quorate::machine::{MemberIndex, Time};
use quorate::{Error, any};
use quorate_interface::keys::{PublicKey, SecretKey};

use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, failure, handle, number, queue};
use crate::handle::{External, Taken};

/// A public key of the declaration.
type Key = Arc<PublicKey>;

/// A signer until it is closed, with the lock that it shares with the threads in `prepare`.
pub type SharedSigner = Arc<Mutex<Closable<HookedSigner>>>;

/// A signer, and the last identifier of this copy of the machine that the hook returned.
///
/// The core reads the identifier; `dsig.ts` calls the hook, on the one thread where that is possible, and without a
/// lock.
pub struct HookedSigner {
    signer: DynSigner,
    copy: Arc<AtomicU64>,
}

impl HookedSigner {
    fn new(signer: DynSigner) -> Self {
        Self { signer, copy: Arc::default() }
    }

    /// Returns the signer after storing the hook's answer, if there is one.
    fn with_answer(&mut self, copy: Option<&BigInt>) -> &mut DynSigner {
        if let Some(copy) = copy {
            self.copy.store(number(copy), Ordering::Relaxed);
        }
        &mut self.signer
    }
}

fn lock_signer(signer: &SharedSigner) -> MutexGuard<'_, Closable<HookedSigner>> {
    signer.lock().unwrap_or_else(|panicked| {
        // It is unknown which of its keys are still unused.
        let mut signer = panicked.into_inner();
        signer.close();
        signer
    })
}

/// A verifier, with the lock that it shares with the threads that verify announcements.
pub type SharedVerifier = Arc<Mutex<HookedVerifier>>;

/// A verifier, and the result of the revocation hook for the current signer; see [`HookedSigner`].
pub struct HookedVerifier {
    verifier: DynVerifier,
    revoked: Arc<AtomicBool>,
}

impl HookedVerifier {
    fn new(mut verifier: DynVerifier) -> Self {
        let revoked = Arc::new(AtomicBool::default());
        let answer = revoked.clone();
        verifier.check_revocation(move |_| answer.load(Ordering::Relaxed));
        Self { verifier, revoked }
    }

    fn with_answer(&mut self, revoked: bool) -> &mut DynVerifier {
        self.revoked.store(revoked, Ordering::Relaxed);
        &mut self.verifier
    }
}

fn lock_verifier(verifier: &SharedVerifier) -> MutexGuard<'_, HookedVerifier> {
    verifier.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An announcement and its recipients; none stands for all verifiers.
#[napi(object, object_from_js = false)]
pub struct Announced {
    pub to: Option<Vec<MemberIndex>>,
    pub announcement: Uint8Array,
}

impl From<DynAnnounced> for Announced {
    fn from(announced: DynAnnounced) -> Self {
        let DynAnnounced { to, announcement } = announced;
        Self { to: to.map(|members| members.into_iter().collect()), announcement: announcement.into() }
    }
}

#[napi(catch_unwind)]
pub fn dsig_suites() -> Vec<&'static str> {
    SuiteId::ALL.iter().map(|suite| suite.name()).collect()
}

#[napi(catch_unwind)]
pub fn dsig_signature_len(suite: String) -> Result<u32> {
    Ok(suite.parse::<SuiteId>().throw()?.signature_len() as u32)
}

#[napi(catch_unwind)]
pub fn dsig_signer_new(
    key: Taken<Arc<SecretKey>>,
    suite: Option<String>,
    groups: Vec<Vec<MemberIndex>>,
    log2_batch: Option<u8>,
    low_water: Option<u32>,
    lifetime: Option<BigInt>,
) -> Result<External<SharedSigner>> {
    let identity = quorate_interface::taken(key.value()?).try_into().throw()?;
    let groups = at_most(groups, "DSig groups").and_then(|groups| groups.into_iter().map(set).collect());
    let default = SignerConfig::default();
    let config = SignerConfig {
        log2_batch: log2_batch.unwrap_or(default.log2_batch),
        low_water: low_water.map_or(default.low_water, |keys| keys as usize),
        lifetime: duration(lifetime.as_ref(), default.lifetime),
    };
    let suite = suite_of(suite).throw()?;
    let signer = DynSigner::new(suite, identity, groups.throw()?, config, &mut SysRng);
    handle(signer.map(|signer| Arc::new(Mutex::new(Closable::new("signer", HookedSigner::new(signer))))))
}

#[napi(catch_unwind)]
pub fn dsig_signer_detect_copies(signer: &External<SharedSigner>, copy: BigInt) -> Result<()> {
    let mut signer = lock_signer(signer);
    let signer = signer.open_mut()?;
    let answer = signer.copy.clone();
    signer.with_answer(Some(&copy)).detect_copies(move || answer.load(Ordering::Relaxed));
    Ok(())
}

#[napi(catch_unwind)]
pub fn dsig_signer_prepare(
    signer: &External<SharedSigner>,
    now: BigInt,
    copy: Option<BigInt>,
) -> Result<Option<Announced>> {
    let announced = lock_signer(signer)
        .open_mut()?
        .with_answer(copy.as_ref())
        .prepare(&mut SysRng, Time(number(&now)))
        .throw()?;
    Ok(announced.map(Announced::from))
}

/// The batch is generated without the lock, so that the signer can sign meanwhile. `None` also if the signer was closed
/// before it received the batch; the next call reports that. The threads use the last answer stored in the signer.
#[napi(catch_unwind)]
pub fn dsig_signer_prepare_async(
    signer: &External<SharedSigner>,
    now: BigInt,
    copy: Option<BigInt>,
    cancelled: Option<&External<Flag>>,
) -> Promised<Option<Announced>> {
    let (signer, now) = (SharedSigner::clone(signer), Time(number(&now)));
    if let Ok(signer) = lock_signer(&signer).open_mut() {
        signer.with_answer(copy.as_ref());
    }
    queue(cancelled, move || {
        loop {
            let plan = match lock_signer(&signer).open_mut() {
                Ok(signer) => signer.with_answer(None).plan(&mut SysRng, now)?,
                Err(_) => return Ok(None),
            };
            let Some(batch) = plan.map(DynPlan::make).transpose()? else { return Ok(None) };
            match lock_signer(&signer).open_mut().map(|signer| signer.with_answer(None).add(batch)) {
                // The keys were invalidated meanwhile, and this batch with them.
                Ok(None) => {}
                announced => return Ok(announced.ok().flatten().map(Announced::from)),
            }
        }
    })
}

#[napi(catch_unwind)]
pub fn dsig_signer_announcements(signer: &External<SharedSigner>) -> Result<Vec<Announced>> {
    Ok(lock_signer(signer).open()?.signer.announcements().into_iter().map(Announced::from).collect())
}

#[napi(catch_unwind)]
pub fn dsig_signer_sign<'env>(
    env: &'env Env,
    signer: &External<SharedSigner>,
    message: &[u8],
    hint: Vec<MemberIndex>,
    now: BigInt,
    copy: Option<BigInt>,
) -> Result<Bytes<'env>> {
    let hint = at_most(hint, "DSig hint").throw()?;
    let signature = lock_signer(signer)
        .open_mut()?
        .with_answer(copy.as_ref())
        .sign(message, &hint, Time(number(&now)))
        .throw()?;
    bytes(env, signature)
}

#[napi(catch_unwind)]
pub fn dsig_signer_suite(signer: &External<SharedSigner>) -> Result<&'static str> {
    Ok(lock_signer(signer).open()?.signer.suite().name())
}

#[napi(catch_unwind)]
pub fn dsig_signer_public_key(signer: &External<SharedSigner>) -> Result<External<Key>> {
    Ok(shown(lock_signer(signer).open()?.signer.public_key().clone()))
}

#[napi(catch_unwind)]
pub fn dsig_signer_ready(signer: &External<SharedSigner>) -> Result<u32> {
    lock_signer(signer).open().map(|signer| signer.signer.ready() as u32)
}

#[napi(catch_unwind)]
pub fn dsig_signer_invalidate(signer: &External<SharedSigner>) -> Result<()> {
    lock_signer(signer).open_mut().map(|signer| signer.signer.invalidate())
}

#[napi(catch_unwind)]
pub fn dsig_signer_close(signer: &External<SharedSigner>) {
    lock_signer(signer).close();
}

#[napi(catch_unwind)]
pub fn dsig_verifier_new(
    suite: Option<String>,
    announced: Option<u32>,
    checked: Option<u32>,
    burst: Option<u32>,
    interval: Option<BigInt>,
) -> Result<External<SharedVerifier>> {
    let default = VerifierConfig::default();
    let config = VerifierConfig {
        announced: announced.map_or(default.announced, |batches| batches as usize),
        checked: checked.map_or(default.checked, |batches| batches as usize),
        burst: burst.unwrap_or(default.burst),
        interval: duration(interval.as_ref(), default.interval),
    };
    handle(
        suite_of(suite)
            .map(|suite| Arc::new(Mutex::new(HookedVerifier::new(DynVerifier::new(suite, config))))),
    )
}

#[napi(catch_unwind)]
pub fn dsig_verifier_suite(verifier: &External<SharedVerifier>) -> &'static str {
    lock_verifier(verifier).verifier.suite().name()
}

#[napi(catch_unwind)]
pub fn dsig_verifier_admit(verifier: &External<SharedVerifier>, signer: &External<Key>) -> Result<()> {
    lock_verifier(verifier).verifier.admit(ed25519(signer).throw()?.clone());
    Ok(())
}

#[napi(catch_unwind)]
pub fn dsig_verifier_revoke(verifier: &External<SharedVerifier>, signer: &External<Key>) -> Result<bool> {
    Ok(lock_verifier(verifier).verifier.revoke(ed25519(signer).throw()?))
}

#[napi(catch_unwind)]
pub fn dsig_verifier_announce(
    verifier: &External<SharedVerifier>,
    signer: &External<Key>,
    announcement: &[u8],
    now: BigInt,
    revoked: bool,
) -> Result<()> {
    let (signer, now) = (ed25519(signer).throw()?, Time(number(&now)));
    lock_verifier(verifier).with_answer(revoked).announce(signer, announcement, now).throw()
}

/// Announcements of unknown signers and those above the allowance are rejected at once, without queueing. An
/// announcement is verified without the lock, so that the verifier can verify meanwhile.
#[napi(catch_unwind)]
pub fn dsig_verifier_announce_async(
    verifier: &External<SharedVerifier>,
    signer: &External<Key>,
    announcement: &[u8],
    now: BigInt,
    revoked: bool,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<()>> {
    let signer = ed25519(signer).throw()?;
    let admitted = lock_verifier(verifier)
        .with_answer(revoked)
        .admit_announcement(signer, Time(number(&now)))
        .throw()?;
    let (verifier, announcement) = (SharedVerifier::clone(verifier), announcement.to_vec());
    Ok(queue(cancelled, move || {
        let checked = admitted.check(&announcement)?;
        lock_verifier(&verifier).with_answer(false).learn(checked)
    }))
}

#[napi(catch_unwind)]
pub fn dsig_verifier_can_verify_fast(
    verifier: &External<SharedVerifier>,
    signer: &External<Key>,
    signature: &[u8],
    revoked: bool,
) -> Result<bool> {
    lock_verifier(verifier).with_answer(revoked).can_verify_fast(ed25519(signer).throw()?, signature).throw()
}

#[napi(catch_unwind)]
pub fn dsig_verifier_verify(
    verifier: &External<SharedVerifier>,
    signer: &External<Key>,
    message: &[u8],
    signature: &[u8],
    revoked: bool,
) -> Result<()> {
    lock_verifier(verifier).with_answer(revoked).verify(ed25519(signer).throw()?, message, signature).throw()
}

/// An auditor behind a lock.
pub type SharedAuditor = Mutex<DynAuditor>;

#[napi(catch_unwind)]
pub fn dsig_auditor_new(suite: Option<String>, roots: Option<u32>) -> Result<External<SharedAuditor>> {
    let roots = roots.map_or(1024, |roots| roots as usize);
    handle(suite_of(suite).map(|suite| Mutex::new(DynAuditor::new(suite, roots))))
}

#[napi(catch_unwind)]
pub fn dsig_auditor_suite(auditor: &External<SharedAuditor>) -> &'static str {
    auditor.lock().unwrap_or_else(PoisonError::into_inner).suite().name()
}

#[napi(catch_unwind)]
pub fn dsig_auditor_check(
    auditor: &External<SharedAuditor>,
    signer: &External<Key>,
    message: &[u8],
    signature: &[u8],
) -> Result<()> {
    let mut auditor = auditor.lock().unwrap_or_else(PoisonError::into_inner);
    auditor.check(ed25519(signer).throw()?, message, signature).throw()
}

/// Outcome for each signature: nothing, or an error as text.
type Outcomes = Vec<Option<String>>;

fn outcomes(suite: SuiteId, entries: &[dynamic::DynEntry<'_>]) -> Outcomes {
    let all = dynamic::verify_all(suite, entries).into_iter();
    all.map(|outcome| outcome.err().as_ref().map(failure)).collect()
}

#[napi(catch_unwind)]
pub fn dsig_verify_all(
    suite: String,
    signers: Vec<&External<Key>>,
    messages: Vec<&[u8]>,
    signatures: Vec<&[u8]>,
) -> Result<Outcomes> {
    let suite = suite.parse().throw()?;
    let signers = signers.into_iter().map(|signer| ed25519(signer)).collect::<quorate::Result<Vec<_>>>();
    let signed = messages.into_iter().zip(signatures);
    let entries = signers
        .throw()?
        .into_iter()
        .zip(signed)
        .map(|(signer, (message, signature))| (signer, message, signature));
    Ok(outcomes(suite, &entries.collect::<Vec<_>>()))
}

#[napi(catch_unwind)]
pub fn dsig_verify_all_async(
    suite: String,
    signers: Vec<&External<Key>>,
    messages: Vec<&[u8]>,
    signatures: Vec<&[u8]>,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<Outcomes>> {
    let suite = suite.parse().throw()?;
    let signers = signers.into_iter().map(|signer| ed25519(signer).cloned());
    let signers = signers.collect::<quorate::Result<Vec<_>>>().throw()?;
    let signed: Vec<_> = messages.iter().zip(signatures).map(|(m, s)| (m.to_vec(), s.to_vec())).collect();
    Ok(queue(cancelled, move || {
        let entries = signers.iter().zip(&signed);
        let entries = entries.map(|(signer, (message, signature))| (signer, &**message, &**signature));
        Ok(outcomes(suite, &entries.collect::<Vec<_>>()))
    }))
}

#[napi(catch_unwind)]
pub fn dsig_verify(signer: &External<Key>, message: &[u8], signature: &[u8]) -> Result<()> {
    dynamic::verify(ed25519(signer).throw()?, message, signature).throw()
}

#[napi(catch_unwind)]
pub fn dsig_reuse<'env>(
    env: &'env Env,
    signer: &External<Key>,
    first: &[u8],
    first_signature: &[u8],
    second: &[u8],
    second_signature: &[u8],
) -> Result<Bytes<'env>> {
    let signer = ed25519(signer).throw()?;
    bytes(env, dynamic::reuse(signer, (first, first_signature), (second, second_signature)).throw()?)
}

#[napi(catch_unwind)]
pub fn dsig_verify_reuse(suite: String, evidence: &[u8]) -> Result<External<Key>> {
    let culprit = suite.parse().and_then(|suite| dynamic::verify_reuse(suite, evidence));
    culprit.map(shown).throw()
}

/// Batches are signed with Ed25519 only.
fn ed25519(key: &Key) -> quorate::Result<&ed25519::PublicKey> {
    let key: &any::PublicKey = (**key).as_ref();
    key.try_into()
}

fn shown(key: ed25519::PublicKey) -> External<Key> {
    External::new(Arc::new(any::PublicKey::from(key).into()))
}

fn suite_of(name: Option<String>) -> quorate::Result<SuiteId> {
    name.map_or(Ok(SuiteId::WotsBlake3), |name| name.parse())
}

fn duration(micros: Option<&BigInt>, default: Duration) -> Duration {
    micros.map_or(default, |micros| Duration::from_micros(number(micros)))
}

fn set(members: Vec<MemberIndex>) -> quorate::Result<BTreeSet<MemberIndex>> {
    at_most(members, "DSig group").map(|members| members.into_iter().collect())
}

/// `dsig-parts.ts` reads at most one item above the limit of a list.
fn at_most<T>(list: Vec<T>, what: &'static str) -> quorate::Result<Vec<T>> {
    let limit = MAX_MEMBERS;
    if list.len() > limit { Err(Error::TooLarge { what, limit: limit as u64 }) } else { Ok(list) }
}
