//! DSig: one-time keys that sign, and that Ed25519 signs in batches.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::{BigInt, External, Uint8Array};
use napi_derive::napi;
use quorate::Error;
use quorate::any::PublicKey;
use quorate::committee::MAX_MEMBERS;
use quorate::dsig::dynamic::{self, DynAnnounced, DynPlan, DynSigner, DynVerifier, SuiteId};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::machine::{MemberIndex, Time};

use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, handle, number, queue};
use crate::keys::Secret;

/// A signer until it is closed, and the lock that it shares with the threads that prepare.
pub type SharedSigner = Arc<Mutex<Closable<DynSigner>>>;

fn lock(signer: &SharedSigner) -> MutexGuard<'_, Closable<DynSigner>> {
    signer.lock().unwrap_or_else(|panicked| {
        // Nobody knows which of its keys are still fresh.
        let mut signer = panicked.into_inner();
        signer.close();
        signer
    })
}

/// A verifier, and the lock that it shares with the threads that check announcements.
pub type SharedVerifier = Arc<Mutex<DynVerifier>>;

fn held(verifier: &SharedVerifier) -> MutexGuard<'_, DynVerifier> {
    verifier.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to send, and to whom: nobody in particular is everybody.
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
pub fn dsig_signer_new(
    key: &mut External<Secret>,
    suite: Option<String>,
    groups: Vec<Vec<MemberIndex>>,
    log2_batch: Option<u8>,
    low_water: Option<u32>,
    lifetime: Option<BigInt>,
) -> Result<External<SharedSigner>> {
    let identity = key.take()?.try_into().throw()?;
    let groups = at_most(groups, "DSig groups").and_then(|groups| groups.into_iter().map(set).collect());
    let default = SignerConfig::default();
    let config = SignerConfig {
        log2_batch: log2_batch.unwrap_or(default.log2_batch),
        low_water: low_water.map_or(default.low_water, |keys| keys as usize),
        lifetime: duration(lifetime.as_ref(), default.lifetime),
    };
    let suite = suite_of(suite).throw()?;
    let signer = DynSigner::new(suite, identity, groups.throw()?, config, &mut SysRng);
    handle(signer.map(|signer| Arc::new(Mutex::new(Closable::new("signer", signer)))))
}

#[napi(catch_unwind)]
pub fn dsig_signer_prepare(signer: &External<SharedSigner>, now: BigInt) -> Result<Option<Announced>> {
    let announced = lock(signer).open_mut()?.prepare(&mut SysRng, Time(number(&now))).throw()?;
    Ok(announced.map(Announced::from))
}

/// The batch is made without the lock, so that the signer signs in the meantime. `None` also if the signer was closed
/// before the batch was its own; whoever asks it next hears of that.
#[napi(catch_unwind)]
pub fn dsig_signer_prepare_async(
    signer: &External<SharedSigner>,
    now: BigInt,
    unwanted: Option<&External<Flag>>,
) -> Promised<Option<Announced>> {
    let (signer, now) = (SharedSigner::clone(signer), Time(number(&now)));
    queue(unwanted, move || {
        loop {
            let plan = match lock(&signer).open_mut() {
                Ok(signer) => signer.plan(&mut SysRng, now)?,
                Err(_) => return Ok(None),
            };
            let Some(batch) = plan.map(DynPlan::make).transpose()? else { return Ok(None) };
            match lock(&signer).open_mut().map(|signer| signer.add(batch)) {
                // The keys were invalidated meanwhile, and with them these.
                Ok(None) => {}
                announced => return Ok(announced.ok().flatten().map(Announced::from)),
            }
        }
    })
}

#[napi(catch_unwind)]
pub fn dsig_signer_announcements(signer: &External<SharedSigner>) -> Result<Vec<Announced>> {
    Ok(lock(signer).open()?.announcements().into_iter().map(Announced::from).collect())
}

#[napi(catch_unwind)]
pub fn dsig_signer_sign<'env>(
    env: &'env Env,
    signer: &External<SharedSigner>,
    message: &[u8],
    hint: Vec<MemberIndex>,
    now: BigInt,
) -> Result<Bytes<'env>> {
    let hint = at_most(hint, "DSig hint").throw()?;
    let signature = lock(signer).open_mut()?.sign(message, &hint, Time(number(&now))).throw()?;
    bytes(env, signature)
}

#[napi(catch_unwind)]
pub fn dsig_signer_suite(signer: &External<SharedSigner>) -> Result<&'static str> {
    Ok(lock(signer).open()?.suite().name())
}

#[napi(catch_unwind)]
pub fn dsig_signer_public_key(signer: &External<SharedSigner>) -> Result<External<PublicKey>> {
    Ok(External::new(lock(signer).open()?.public_key().clone().into()))
}

#[napi(catch_unwind)]
pub fn dsig_signer_ready(signer: &External<SharedSigner>) -> Result<u32> {
    lock(signer).open().map(|signer| signer.ready() as u32)
}

#[napi(catch_unwind)]
pub fn dsig_signer_invalidate(signer: &External<SharedSigner>) -> Result<()> {
    lock(signer).open_mut().map(DynSigner::invalidate)
}

#[napi(catch_unwind)]
pub fn dsig_signer_close(signer: &External<SharedSigner>) {
    lock(signer).close();
}

#[napi(catch_unwind)]
pub fn dsig_signer_closed(signer: &External<SharedSigner>) -> bool {
    lock(signer).is_closed()
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
    handle(suite_of(suite).map(|suite| Arc::new(Mutex::new(DynVerifier::new(suite, config)))))
}

#[napi(catch_unwind)]
pub fn dsig_verifier_suite(verifier: &External<SharedVerifier>) -> &'static str {
    held(verifier).suite().name()
}

#[napi(catch_unwind)]
pub fn dsig_verifier_admit(verifier: &External<SharedVerifier>, signer: &External<PublicKey>) -> Result<()> {
    held(verifier).admit(PublicKey::clone(signer).try_into().throw()?);
    Ok(())
}

#[napi(catch_unwind)]
pub fn dsig_verifier_revoke(
    verifier: &External<SharedVerifier>,
    signer: &External<PublicKey>,
) -> Result<bool> {
    Ok(held(verifier).revoke((&**signer).try_into().throw()?))
}

#[napi(catch_unwind)]
pub fn dsig_verifier_announce(
    verifier: &External<SharedVerifier>,
    signer: &External<PublicKey>,
    announcement: &[u8],
    now: BigInt,
) -> Result<()> {
    held(verifier).announce((&**signer).try_into().throw()?, announcement, Time(number(&now))).throw()
}

/// What comes from strangers or too often is refused at once and not queued. An announcement is checked without the
/// lock, so that the verifier verifies in the meantime.
#[napi(catch_unwind)]
pub fn dsig_verifier_announce_async(
    verifier: &External<SharedVerifier>,
    signer: &External<PublicKey>,
    announcement: &[u8],
    now: BigInt,
    unwanted: Option<&External<Flag>>,
) -> Result<Promised<()>> {
    let signer = (&**signer).try_into().throw()?;
    let admitted = held(verifier).admit_announcement(signer, Time(number(&now))).throw()?;
    let (verifier, announcement) = (SharedVerifier::clone(verifier), announcement.to_vec());
    Ok(queue(unwanted, move || {
        let checked = admitted.check(&announcement)?;
        held(&verifier).learn(checked)
    }))
}

#[napi(catch_unwind)]
pub fn dsig_verifier_can_verify_fast(
    verifier: &External<SharedVerifier>,
    signer: &External<PublicKey>,
    signature: &[u8],
) -> Result<bool> {
    held(verifier).can_verify_fast((&**signer).try_into().throw()?, signature).throw()
}

#[napi(catch_unwind)]
pub fn dsig_verifier_verify(
    verifier: &External<SharedVerifier>,
    signer: &External<PublicKey>,
    message: &[u8],
    signature: &[u8],
) -> Result<()> {
    held(verifier).verify((&**signer).try_into().throw()?, message, signature).throw()
}

#[napi(catch_unwind)]
pub fn dsig_verify(signer: &External<PublicKey>, message: &[u8], signature: &[u8]) -> Result<()> {
    dynamic::verify((&**signer).try_into().throw()?, message, signature).throw()
}

#[napi(catch_unwind)]
pub fn dsig_reuse<'env>(
    env: &'env Env,
    signer: &External<PublicKey>,
    first: &[u8],
    first_signature: &[u8],
    second: &[u8],
    second_signature: &[u8],
) -> Result<Bytes<'env>> {
    let signer = (&**signer).try_into().throw()?;
    bytes(env, dynamic::reuse(signer, (first, first_signature), (second, second_signature)).throw()?)
}

#[napi(catch_unwind)]
pub fn dsig_verify_reuse(suite: String, evidence: &[u8]) -> Result<External<PublicKey>> {
    handle(suite.parse().and_then(|suite| dynamic::verify_reuse(suite, evidence)).map(PublicKey::from))
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

/// `lib/dsig.js` reads no more than one above the limit of a list, however long it is.
fn at_most<T>(list: Vec<T>, what: &'static str) -> quorate::Result<Vec<T>> {
    let limit = MAX_MEMBERS;
    if list.len() > limit { Err(Error::TooLarge { what, limit: limit as u64 }) } else { Ok(list) }
}
