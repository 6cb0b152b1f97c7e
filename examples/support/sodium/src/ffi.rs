//! The functions of libsodium behind safe ones. The declarations are those of `sodium/core.h` and `sodium/crypto_sign.h`, which
//! are the same in all versions since 1.0.0.
//!
//! All pointers come from references to arrays of the lengths that the headers name, or from a slice with its length.
#![allow(unsafe_code, reason = "libsodium is C")]

use std::ffi::{c_int, c_uchar, c_ulonglong};

use crate::error::Unavailable;

#[link(name = "sodium")]
unsafe extern "C" {
    /// May be called again, and from several threads. Returns a negative number if the library cannot be used.
    fn sodium_init() -> c_int;
    fn crypto_sign_seed_keypair(pk: *mut [u8; 32], sk: *mut [u8; 64], seed: *const [u8; 32]) -> c_int;
    fn crypto_sign_detached(
        sig: *mut [u8; 64],
        siglen: *mut c_ulonglong,
        m: *const c_uchar,
        mlen: c_ulonglong,
        sk: *const [u8; 64],
    ) -> c_int;
    fn crypto_sign_verify_detached(
        sig: *const [u8; 64],
        m: *const c_uchar,
        mlen: c_ulonglong,
        pk: *const [u8; 32],
    ) -> c_int;
}

pub(super) fn initialize() -> Result<(), Unavailable> {
    // SAFETY: no arguments; the header permits calls at any time and from any thread.
    let outcome = unsafe { sodium_init() };
    if outcome < 0 { Err(Unavailable) } else { Ok(()) }
}

pub(super) fn expand(seed: &[u8; 32], expanded: &mut [u8; 64]) -> Result<(), Unavailable> {
    let mut public = [0; 32];
    // SAFETY: the lengths are those of the header; nothing is kept after the call.
    checked(unsafe { crypto_sign_seed_keypair(&raw mut public, expanded, seed) })
}

pub(super) fn sign(message: &[u8], expanded: &[u8; 64]) -> Result<[u8; 64], Unavailable> {
    let (mut signature, mut len) = ([0; 64], 0);
    // SAFETY: the lengths are those of the header and of the slice; nothing is kept after the call.
    let outcome = unsafe {
        crypto_sign_detached(
            &raw mut signature,
            &raw mut len,
            message.as_ptr(),
            message.len() as u64,
            expanded,
        )
    };
    checked(outcome).map(|()| signature)
}

pub(super) fn verify(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
    // SAFETY: the lengths are those of the header and of the slice; nothing is kept after the call.
    let outcome =
        unsafe { crypto_sign_verify_detached(signature, message.as_ptr(), message.len() as u64, key) };
    outcome == 0
}

fn checked(outcome: c_int) -> Result<(), Unavailable> {
    if outcome == 0 { Ok(()) } else { Err(Unavailable) }
}
