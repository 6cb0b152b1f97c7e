//! Threshold encryption: any client encrypts, and f + 1 members decrypt.

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;
use quorate::any::threshold::Cache;
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::tdh2::{
    Ciphertext, Decryption, EncryptionKey, Label, MAX_PLAINTEXT, OVERHEAD, ValidCiphertext,
};
use quorate::wire::{Decode, Encode};

use super::SharedCache;
use super::dleq::{
    AnyInstance, AnyKeys, AnyShare, AnyVerified, Either, Fault, OpenKeyShare, all, tdh2, tdh2_faults,
};
use crate::glue::{Bytes, Flag, Promised, Result, Throw, bytes, failure, handle, number, queue};
use crate::handle::External;

/// A key shared by threads.
pub type SharedKey = std::sync::Arc<EncryptionKey>;

/// Limits.
#[napi(object, object_from_js = false)]
pub struct Tdh2Constants {
    pub max_plaintext: u32,
    pub overhead: u32,
}

#[napi(catch_unwind)]
pub fn tdh2_constants() -> Tdh2Constants {
    Tdh2Constants { max_plaintext: MAX_PLAINTEXT as u32, overhead: OVERHEAD as u32 }
}

#[napi(catch_unwind)]
pub fn tdh2_key_from_public_keys(keys: &External<AnyKeys>) -> Result<External<SharedKey>> {
    handle(tdh2(keys).map(|keys| EncryptionKey::from_public_keys(keys).into()))
}

#[napi(catch_unwind)]
pub fn tdh2_key_decode(data: &[u8]) -> Result<External<SharedKey>> {
    handle(EncryptionKey::decode(data, &()).map(SharedKey::new))
}

#[napi(catch_unwind)]
pub fn tdh2_key_encode<'env>(env: &'env Env, key: &External<SharedKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

#[napi(catch_unwind)]
pub fn tdh2_key_precomputed(key: &External<SharedKey>) -> Result<External<SharedKey>> {
    handle(EncryptionKey::decode(&key.encode(), &()).map(|key| key.precomputed().into()))
}

#[napi(catch_unwind)]
pub fn tdh2_key_committee(key: &External<SharedKey>) -> External<CommitteeId> {
    External::new(key.committee())
}

#[napi(catch_unwind)]
pub fn tdh2_key_key<'env>(env: &'env Env, key: &External<SharedKey>) -> Result<Bytes<'env>> {
    bytes(env, key.key().as_bytes())
}

fn large(made: Ciphertext) -> External<Ciphertext> {
    let size = made.payload().len();
    External::sized(made, size)
}

#[napi(catch_unwind)]
pub fn tdh2_encrypt(
    key: &External<SharedKey>,
    epoch: BigInt,
    proposer: MemberIndex,
    plaintext: &[u8],
) -> Result<External<Ciphertext>> {
    key.encrypt(number(&epoch), proposer, plaintext, &mut SysRng).map(large).throw()
}

#[napi(catch_unwind)]
pub fn tdh2_encrypt_async(
    key: &External<SharedKey>,
    epoch: BigInt,
    proposer: MemberIndex,
    plaintext: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Promised<External<Ciphertext>> {
    let (key, epoch, plaintext) = (SharedKey::clone(key), number(&epoch), plaintext.to_vec());
    queue(cancelled, move || key.encrypt(epoch, proposer, &plaintext, &mut SysRng).map(large))
}

#[napi(catch_unwind)]
pub fn tdh2_ciphertext_decode(data: &[u8]) -> Result<External<Ciphertext>> {
    Ciphertext::decode(data, &()).map(large).throw()
}

#[napi(catch_unwind)]
pub fn tdh2_ciphertext_encode<'env>(
    env: &'env Env,
    ciphertext: &External<Ciphertext>,
) -> Result<Bytes<'env>> {
    bytes(env, ciphertext.encode())
}

#[napi(catch_unwind)]
pub fn tdh2_ciphertext_payload<'env>(
    env: &'env Env,
    ciphertext: &External<Ciphertext>,
) -> Result<Bytes<'env>> {
    bytes(env, ciphertext.payload())
}

#[napi(catch_unwind)]
pub fn tdh2_ciphertext_equals(ciphertext: &External<Ciphertext>, other: &External<Ciphertext>) -> bool {
    **ciphertext == **other
}

/// Context of a ciphertext.
#[napi(object, object_from_js = false)]
pub struct LabelInfo {
    pub committee: External<CommitteeId>,
    pub epoch: u64,
    pub proposer: MemberIndex,
    pub payload: Uint8Array,
}

impl From<&Label> for LabelInfo {
    fn from(label: &Label) -> Self {
        Self {
            committee: External::new(label.committee),
            epoch: label.epoch,
            proposer: label.proposer,
            payload: label.payload.to_vec().into(),
        }
    }
}

#[napi(catch_unwind)]
pub fn tdh2_ciphertext_label(ciphertext: &External<Ciphertext>) -> LabelInfo {
    (&ciphertext.header().label).into()
}

fn check(
    ciphertext: Ciphertext,
    key: &EncryptionKey,
    epoch: u64,
    proposer: MemberIndex,
) -> quorate::Result<External<ValidCiphertext>> {
    let size = ciphertext.payload().len();
    Ok(External::sized(ciphertext.check(key, epoch, proposer)?, size))
}

#[napi(catch_unwind)]
pub fn tdh2_check(
    ciphertext: &External<Ciphertext>,
    key: &External<SharedKey>,
    epoch: BigInt,
    proposer: MemberIndex,
) -> Result<External<ValidCiphertext>> {
    check(Ciphertext::clone(ciphertext), key, number(&epoch), proposer).throw()
}

#[napi(catch_unwind)]
pub fn tdh2_check_async(
    ciphertext: &External<Ciphertext>,
    key: &External<SharedKey>,
    epoch: BigInt,
    proposer: MemberIndex,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<ValidCiphertext>> {
    let (ciphertext, key, epoch) = (Ciphertext::clone(ciphertext), SharedKey::clone(key), number(&epoch));
    queue(cancelled, move || check(ciphertext, &key, epoch, proposer))
}

#[napi(catch_unwind)]
pub fn tdh2_valid_value(valid: &External<ValidCiphertext>) -> External<Ciphertext> {
    large(ValidCiphertext::clone(valid).into_inner())
}

#[napi(catch_unwind)]
pub fn tdh2_valid_label(valid: &External<ValidCiphertext>) -> LabelInfo {
    valid.label().into()
}

#[napi(catch_unwind)]
pub fn tdh2_valid_id<'env>(env: &'env Env, valid: &External<ValidCiphertext>) -> Result<Bytes<'env>> {
    bytes(env, valid.instance().id())
}

#[napi(catch_unwind)]
pub fn tdh2_valid_base<'env>(env: &'env Env, valid: &External<ValidCiphertext>) -> Result<Bytes<'env>> {
    bytes(env, valid.instance().base().as_bytes())
}

#[napi(catch_unwind)]
pub fn tdh2_valid_instance(valid: &External<ValidCiphertext>) -> External<AnyInstance> {
    External::new(Either::Tdh2(valid.instance().clone()))
}

#[napi(catch_unwind)]
pub fn tdh2_valid_share(
    share: &External<OpenKeyShare>,
    valid: &External<ValidCiphertext>,
) -> Result<External<AnyShare>> {
    let made = tdh2(share.open()?).and_then(|share| share.decryption_share(valid, &mut SysRng));
    handle(made.map(Either::Tdh2))
}

#[napi(catch_unwind)]
pub fn tdh2_valid_combine<'env>(
    env: &'env Env,
    valid: &External<ValidCiphertext>,
    keys: &External<AnyKeys>,
    shares: Vec<&External<AnyVerified>>,
    cache: Option<&External<SharedCache>>,
) -> Result<Bytes<'env>> {
    let keys = tdh2(keys).throw()?;
    let shares = all(&shares, tdh2).throw()?;
    let combine = |cache: &mut Cache| valid.combine(keys, &shares, cache.as_mut());
    let plaintext = SharedCache::or_new(cache).with(combine).throw()?;
    bytes(env, plaintext)
}

#[napi(catch_unwind)]
pub fn tdh2_valid_combine_async(
    valid: &External<ValidCiphertext>,
    keys: &External<AnyKeys>,
    shares: Vec<&External<AnyVerified>>,
    cache: Option<&External<SharedCache>>,
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<Uint8Array>> {
    let (valid, keys) = (ValidCiphertext::clone(valid), tdh2(keys).throw()?.clone());
    let shares = all(&shares, tdh2).throw()?;
    let cache = SharedCache::or_new(cache);
    Ok(queue(cancelled, move || {
        let combine = |cache: &mut Cache| valid.combine(&keys, &shares, cache.as_mut());
        cache.with(combine).map(Uint8Array::from)
    }))
}

/// A decryption with its cache.
pub struct Opening {
    decryption: Decryption,
    cache: SharedCache,
}

#[napi(catch_unwind)]
pub fn tdh2_decryption_new(
    keys: &External<AnyKeys>,
    valid: &External<ValidCiphertext>,
    cache: Option<&External<SharedCache>>,
) -> Result<External<Opening>> {
    let keys = tdh2(keys).throw()?.clone();
    let decryption = Decryption::new(keys, ValidCiphertext::clone(valid));
    handle(decryption.map(|decryption| Opening { decryption, cache: SharedCache::or_new(cache) }))
}

/// Result of adding a share: the plaintext, or the reason why there is none.
#[napi(object, object_from_js = false)]
pub struct Opened {
    pub output: Option<Uint8Array>,
    pub error: Option<String>,
    pub faults: Vec<Fault>,
}

#[napi(catch_unwind)]
pub fn tdh2_decryption_add(opening: &mut External<Opening>, share: &External<AnyShare>) -> Result<Opened> {
    let share = *tdh2(share).throw()?;
    let Opening { decryption, cache } = &mut **opening;
    let collected = cache.with(|cache| decryption.add(share, cache.as_mut())).throw()?;
    let (output, error) = match collected.output {
        Some(Ok(plaintext)) => (Some(plaintext.into()), None),
        Some(Err(error)) => (None, Some(failure(&error))),
        None => (None, None),
    };
    Ok(Opened { output, error, faults: tdh2_faults(collected.faults) })
}

#[napi(catch_unwind)]
pub fn tdh2_decryption_done(opening: &External<Opening>) -> bool {
    opening.decryption.is_done()
}
