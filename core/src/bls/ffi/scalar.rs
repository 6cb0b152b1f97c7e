//! Secret scalars.

use alloc::boxed::Box;
use core::ptr;

use blst::*;
use zeroize::{Zeroize, Zeroizing};

/// A secret scalar s with 0 < s < r, wiped when dropped. It is on the heap, so moving it moves only a pointer.
pub struct Scalar(pub(super) Box<blst_scalar>);

impl Drop for Scalar {
    fn drop(&mut self) {
        self.0.b.zeroize();
    }
}

impl Scalar {
    /// Derives a secret scalar by KeyGen of the BLS standard from 32 bytes of entropy.
    pub(crate) fn derive(entropy: &[u8; 32]) -> Self {
        let mut scalar = Self(Box::default());
        // SAFETY: 32 readable bytes, no info; blst writes one scalar.
        unsafe { blst_keygen(&mut *scalar.0, entropy.as_ptr(), entropy.len(), ptr::null(), 0) };
        scalar
    }

    /// Derives the root of a tree of keys from a seed of 32 bytes or more (EIP-2333, `derive_master_SK`).
    pub(crate) fn derive_root(seed: &[u8]) -> Self {
        let mut scalar = Self(Box::default());
        // SAFETY: as many readable bytes as their length says; blst writes one scalar.
        unsafe { blst_derive_master_eip2333(&mut *scalar.0, seed.as_ptr(), seed.len()) };
        scalar
    }

    /// Derives a child in a tree of keys (EIP-2333, `derive_child_SK`).
    pub(crate) fn derive_child(&self, index: u32) -> Self {
        let mut scalar = Self(Box::default());
        // SAFETY: one scalar is read and another one is written.
        unsafe { blst_derive_child_eip2333(&mut *scalar.0, &*self.0, index) };
        scalar
    }

    /// Decodes a big-endian scalar, as in the standard's key files; `None` unless it is in 1..r.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let mut scalar = Self(Box::default());
        // SAFETY: 32 readable bytes; one scalar is written and then read.
        let valid = unsafe {
            blst_scalar_from_bendian(&mut *scalar.0, bytes.as_ptr());
            blst_sk_check(&*scalar.0)
        };
        valid.then_some(scalar)
    }

    pub(crate) fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        let mut bytes = Zeroizing::new([0; 32]);
        // SAFETY: one scalar is read and 32 bytes are written.
        unsafe { blst_bendian_from_scalar(bytes.as_mut_ptr(), &*self.0) };
        bytes
    }
}
