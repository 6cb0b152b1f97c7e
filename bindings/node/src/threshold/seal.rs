//! Sealed files.

use std::sync::Arc;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quorate::threshold::seal::{MAX_CONTENT, OVERHEAD, SealingKey, SealingPublicKey};
use quorate::wire::{Decode, Encode};

use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, array, bytes, handle, queue};
use crate::handle::External;

/// A private key that opens files, until it is closed. A thread that is opening a file holds the key until it is done.
pub type OpenSealingKey = Closable<Arc<SealingKey>>;

/// Limits.
#[napi(object, object_from_js = false)]
pub struct SealConstants {
    pub max_content: u32,
    pub overhead: u32,
}

#[napi(catch_unwind)]
pub fn seal_constants() -> SealConstants {
    SealConstants { max_content: MAX_CONTENT as u32, overhead: OVERHEAD as u32 }
}

fn key(made: quorate::Result<SealingKey>) -> Result<External<OpenSealingKey>> {
    handle(made.map(|key| Closable::new("sealing key", Arc::new(key))))
}

#[napi(catch_unwind)]
pub fn seal_key_generate() -> Result<External<OpenSealingKey>> {
    key(SealingKey::generate(&mut SysRng))
}

#[napi(catch_unwind)]
pub fn seal_key_from_bytes(data: &[u8]) -> Result<External<OpenSealingKey>> {
    let exact: &[u8; 32] =
        data.try_into().map_err(|_| quorate::Error::Malformed { what: "sealing key" }).throw()?;
    key(SealingKey::from_bytes(exact))
}

#[napi(catch_unwind)]
pub fn seal_key_to_bytes<'env>(env: &'env Env, key: &External<OpenSealingKey>) -> Result<Bytes<'env>> {
    bytes(env, key.open()?.to_bytes().as_slice())
}

#[napi(catch_unwind)]
pub fn seal_key_public(key: &External<OpenSealingKey>) -> Result<External<SealingPublicKey>> {
    Ok(External::new(key.open()?.public()))
}

#[napi(catch_unwind)]
pub fn seal_key_open<'env>(
    env: &'env Env,
    key: &External<OpenSealingKey>,
    context: &[u8],
    sealed: &[u8],
) -> Result<Bytes<'env>> {
    bytes(env, key.open()?.open(context, sealed).throw()?.as_slice())
}

#[napi(catch_unwind)]
pub fn seal_key_open_async(
    key: &External<OpenSealingKey>,
    context: &[u8],
    sealed: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Result<Promised<Uint8Array>> {
    let (key, context, sealed) = (key.open()?.clone(), context.to_vec(), sealed.to_vec());
    Ok(queue(cancelled, move || Ok(std::mem::take(&mut *key.open(&context, &sealed)?).into())))
}

#[napi(catch_unwind)]
pub fn seal_key_close(key: &mut External<OpenSealingKey>) {
    key.close();
}

#[napi(catch_unwind)]
pub fn seal_key_closed(key: &External<OpenSealingKey>) -> bool {
    key.is_closed()
}

#[napi(catch_unwind)]
pub fn seal_public_decode(data: &[u8]) -> Result<External<SealingPublicKey>> {
    let exact = array("sealing public key", data)?;
    handle(SealingPublicKey::decode(&exact, &()))
}

#[napi(catch_unwind)]
pub fn seal_public_encode<'env>(env: &'env Env, key: &External<SealingPublicKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

#[napi(catch_unwind)]
pub fn seal_public_seal<'env>(
    env: &'env Env,
    key: &External<SealingPublicKey>,
    context: &[u8],
    content: &[u8],
) -> Result<Bytes<'env>> {
    bytes(env, key.seal(context, content, &mut SysRng).throw()?)
}

#[napi(catch_unwind)]
pub fn seal_public_seal_async(
    key: &External<SealingPublicKey>,
    context: &[u8],
    content: &[u8],
    cancelled: Option<&External<Flag>>,
) -> Promised<Uint8Array> {
    let (key, context) = (**key, context.to_vec());
    let content = zeroize::Zeroizing::new(content.to_vec());
    queue(cancelled, move || Ok(key.seal(&context, &content, &mut SysRng)?.into()))
}
