//! Secret and public keys, signatures, proofs of possession.

use getrandom::SysRng;
use napi::Env;
use napi_derive::napi;
use quorate::any::{PublicKey, SecretKey, Signature, UnverifiedKey, VerifiedKey};
use quorate_interface::ciphersuite::Ciphersuite;

use crate::glue::{Bytes, Closable, Flag, Promised, Result, Throw, bytes, handle, queue, suite};
use crate::handle::External;

/// A secret key until it is closed or a guard takes ownership of it.
pub type Secret = Closable<SecretKey>;

fn secret(made: quorate::Result<SecretKey>) -> Result<External<Secret>> {
    handle(made.map(|key| Closable::new("secret key", key)))
}

#[napi(catch_unwind)]
pub fn secret_key_generate(name: String) -> Result<External<Secret>> {
    secret(SecretKey::generate(suite(&name)?, &mut SysRng))
}

#[napi(catch_unwind)]
pub fn secret_key_from_bytes(name: String, data: &[u8]) -> Result<External<Secret>> {
    secret(SecretKey::from_bytes(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn secret_key_to_bytes<'env>(env: &'env Env, key: &External<Secret>) -> Result<Bytes<'env>> {
    bytes(env, key.open()?.to_bytes().as_slice())
}

#[napi(catch_unwind)]
pub fn secret_key_suite(key: &External<Secret>) -> Result<&'static str> {
    Ok(key.open()?.suite().name())
}

#[napi(catch_unwind)]
pub fn secret_key_public_key(key: &External<Secret>) -> Result<External<PublicKey>> {
    Ok(External::new(key.open()?.public_key()))
}

#[napi(catch_unwind)]
pub fn secret_key_sign(key: &External<Secret>, message: &[u8]) -> Result<External<Signature>> {
    Ok(External::new(key.open()?.sign(message)))
}

#[napi(catch_unwind)]
pub fn secret_key_sign_with(
    key: &External<Secret>,
    ciphersuite: &External<Ciphersuite>,
    message: &[u8],
) -> Result<External<Signature>> {
    handle(key.open()?.sign_with(&ciphersuite.0, message))
}

#[napi(catch_unwind)]
pub fn secret_key_prove_possession(key: &External<Secret>) -> Result<External<Signature>> {
    Ok(External::new(key.open()?.prove_possession()))
}

#[napi(catch_unwind)]
pub fn secret_key_close(key: &mut External<Secret>) {
    key.close();
}

#[napi(catch_unwind)]
pub fn secret_key_closed(key: &External<Secret>) -> bool {
    key.is_closed()
}

#[napi(catch_unwind)]
pub fn public_key_decode(name: String, data: &[u8]) -> Result<External<PublicKey>> {
    handle(PublicKey::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn public_key_encode<'env>(env: &'env Env, key: &External<PublicKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

#[napi(catch_unwind)]
pub fn public_key_suite(key: &External<PublicKey>) -> &'static str {
    key.suite().name()
}

#[napi(catch_unwind)]
pub fn public_key_verify(
    key: &External<PublicKey>,
    message: &[u8],
    signature: &External<Signature>,
) -> Result<()> {
    key.verify(message, signature).throw()
}

#[napi(catch_unwind)]
pub fn public_key_verify_async(
    key: &External<PublicKey>,
    message: &[u8],
    signature: &External<Signature>,
    cancelled: Option<&External<Flag>>,
) -> Promised<()> {
    let (key, message) = (PublicKey::clone(key), message.to_vec());
    let signature = Signature::clone(signature);
    queue(cancelled, move || key.verify(&message, &signature))
}

#[napi(catch_unwind)]
pub fn public_key_verify_with(
    key: &External<PublicKey>,
    ciphersuite: &External<Ciphersuite>,
    message: &[u8],
    signature: &External<Signature>,
) -> Result<()> {
    key.verify_with(&ciphersuite.0, message, signature).throw()
}

#[napi(catch_unwind)]
pub fn public_key_verify_with_async(
    key: &External<PublicKey>,
    ciphersuite: &External<Ciphersuite>,
    message: &[u8],
    signature: &External<Signature>,
    cancelled: Option<&External<Flag>>,
) -> Promised<()> {
    let (key, ciphersuite, message) = (PublicKey::clone(key), ciphersuite.0.clone(), message.to_vec());
    let signature = Signature::clone(signature);
    queue(cancelled, move || key.verify_with(&ciphersuite, &message, &signature))
}

#[napi(catch_unwind)]
pub fn public_key_verify_possession(
    key: &External<PublicKey>,
    possession: &External<Signature>,
) -> Result<()> {
    key.verify_possession(possession).throw()
}

#[napi(catch_unwind)]
pub fn public_key_verify_possession_async(
    key: &External<PublicKey>,
    possession: &External<Signature>,
    cancelled: Option<&External<Flag>>,
) -> Promised<()> {
    let (key, possession) = (PublicKey::clone(key), Signature::clone(possession));
    queue(cancelled, move || key.verify_possession(&possession))
}

#[napi(catch_unwind)]
pub fn public_key_equals(key: &External<PublicKey>, other: &External<PublicKey>) -> bool {
    **key == **other
}

#[napi(catch_unwind)]
pub fn signature_decode(name: String, data: &[u8]) -> Result<External<Signature>> {
    handle(Signature::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn signature_encode<'env>(env: &'env Env, signature: &External<Signature>) -> Result<Bytes<'env>> {
    bytes(env, signature.encode())
}

#[napi(catch_unwind)]
pub fn signature_decode_link(name: String, data: &[u8]) -> Result<External<Signature>> {
    handle(Signature::decode_link(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn signature_encode_link<'env>(env: &'env Env, signature: &External<Signature>) -> Result<Bytes<'env>> {
    bytes(env, signature.encode_link())
}

#[napi(catch_unwind)]
pub fn signature_suite(signature: &External<Signature>) -> &'static str {
    signature.suite().name()
}

#[napi(catch_unwind)]
pub fn signature_equals(signature: &External<Signature>, other: &External<Signature>) -> bool {
    **signature == **other
}

#[napi(catch_unwind)]
pub fn unverified_key_new(
    key: &External<PublicKey>,
    possession: &External<Signature>,
) -> Result<External<UnverifiedKey>> {
    handle(UnverifiedKey::new(PublicKey::clone(key), Signature::clone(possession)))
}

#[napi(catch_unwind)]
pub fn unverified_key_prove(key: &External<Secret>) -> Result<External<UnverifiedKey>> {
    Ok(External::new(UnverifiedKey::prove(key.open()?)))
}

#[napi(catch_unwind)]
pub fn unverified_key_decode(name: String, data: &[u8]) -> Result<External<UnverifiedKey>> {
    handle(UnverifiedKey::decode(suite(&name)?, data))
}

#[napi(catch_unwind)]
pub fn unverified_key_encode<'env>(env: &'env Env, key: &External<UnverifiedKey>) -> Result<Bytes<'env>> {
    bytes(env, key.encode())
}

#[napi(catch_unwind)]
pub fn unverified_key_suite(key: &External<UnverifiedKey>) -> &'static str {
    key.suite().name()
}

#[napi(catch_unwind)]
pub fn unverified_key_public(key: &External<UnverifiedKey>) -> External<PublicKey> {
    External::new(key.public())
}

#[napi(catch_unwind)]
pub fn unverified_key_possession(key: &External<UnverifiedKey>) -> External<Signature> {
    External::new(key.possession())
}

#[napi(catch_unwind)]
pub fn unverified_key_verify(key: &External<UnverifiedKey>) -> Result<External<VerifiedKey>> {
    handle(key.verify())
}

#[napi(catch_unwind)]
pub fn unverified_key_verify_async(
    key: &External<UnverifiedKey>,
    cancelled: Option<&External<Flag>>,
) -> Promised<External<VerifiedKey>> {
    let key = UnverifiedKey::clone(key);
    queue(cancelled, move || key.verify().map(External::new))
}

#[napi(catch_unwind)]
pub fn unverified_key_equals(key: &External<UnverifiedKey>, other: &External<UnverifiedKey>) -> bool {
    **key == **other
}

#[napi(catch_unwind)]
pub fn verified_key_from_secret(key: &External<Secret>) -> Result<External<VerifiedKey>> {
    Ok(External::new(VerifiedKey::from_secret(key.open()?)))
}

#[napi(catch_unwind)]
pub fn verified_key_suite(key: &External<VerifiedKey>) -> &'static str {
    key.suite().name()
}

#[napi(catch_unwind)]
pub fn verified_key_public(key: &External<VerifiedKey>) -> External<PublicKey> {
    External::new(key.public())
}

#[napi(catch_unwind)]
pub fn verified_key_equals(key: &External<VerifiedKey>, other: &External<VerifiedKey>) -> bool {
    **key == **other
}
