//! In the place of the functions of libsodium, which this program was built without.

use crate::error::Unavailable;

pub(super) fn initialize() -> Result<(), Unavailable> {
    Err(Unavailable)
}

pub(super) fn expand(_: &[u8; 32], _: &mut [u8; 64]) -> Result<(), Unavailable> {
    Err(Unavailable)
}

pub(super) fn sign(_: &[u8], _: &[u8; 64]) -> Result<[u8; 64], Unavailable> {
    Err(Unavailable)
}

pub(super) fn verify(_: &[u8], _: &[u8; 64], _: &[u8; 32]) -> bool {
    false
}
