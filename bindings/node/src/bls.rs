//! BLS signatures outside committees.

use napi_derive::napi;
use quorate::any::{Signature, VerifiedKey, bls};

use crate::glue::{Flag, Promised, Result, Throw, handle, queue};
use crate::handle::External;

fn owned<T: Clone>(handles: Vec<&External<T>>) -> Vec<T> {
    handles.into_iter().map(|handle| T::clone(handle)).collect()
}

#[napi(catch_unwind)]
pub fn bls_aggregate(signatures: Vec<&External<Signature>>) -> Result<External<Signature>> {
    handle(bls::aggregate(&owned(signatures)))
}

#[napi(catch_unwind)]
pub fn bls_fast_aggregate_verify(
    keys: Vec<&External<VerifiedKey>>,
    message: &[u8],
    signature: &External<Signature>,
) -> Result<()> {
    bls::fast_aggregate_verify(&owned(keys), message, signature).throw()
}

#[napi(catch_unwind)]
pub fn bls_fast_aggregate_verify_async(
    keys: Vec<&External<VerifiedKey>>,
    message: &[u8],
    signature: &External<Signature>,
    cancelled: Option<&External<Flag>>,
) -> Promised<()> {
    let (keys, message, signature) = (owned(keys), message.to_vec(), Signature::clone(signature));
    queue(cancelled, move || bls::fast_aggregate_verify(&keys, &message, &signature))
}

#[napi(catch_unwind)]
pub fn bls_aggregate_verify(
    keys: Vec<&External<VerifiedKey>>,
    messages: Vec<&[u8]>,
    signature: &External<Signature>,
) -> Result<()> {
    let signed: Vec<(&VerifiedKey, &[u8])> = keys.iter().map(|key| &***key).zip(messages).collect();
    bls::aggregate_verify(&signed, signature).throw()
}

#[napi(catch_unwind)]
pub fn bls_aggregate_verify_async(
    keys: Vec<&External<VerifiedKey>>,
    messages: Vec<&[u8]>,
    signature: &External<Signature>,
    cancelled: Option<&External<Flag>>,
) -> Promised<()> {
    let messages: Vec<Vec<u8>> = messages.into_iter().map(<[u8]>::to_vec).collect();
    let (keys, signature) = (owned(keys), Signature::clone(signature));
    queue(cancelled, move || {
        let signed: Vec<_> = keys.iter().zip(messages.iter().map(Vec::as_slice)).collect();
        bls::aggregate_verify(&signed, &signature)
    })
}
