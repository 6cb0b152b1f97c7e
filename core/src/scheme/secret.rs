use alloc::boxed::Box;
use core::ops::Deref;

use rand_core::TryCryptoRng;
use zeroize::Zeroize;

use crate::{Error, Result};

/// 32 secret bytes on the heap, wiped when dropped.
///
/// Moving the value moves a pointer. Moving an array would leave an unwiped copy behind.
pub(crate) struct SecretBytes(Box<[u8; 32]>);

impl SecretBytes {
    /// Allocates 32 zeros and lets `fill` overwrite them in place.
    pub(crate) fn filled<E>(fill: impl FnOnce(&mut [u8; 32]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = Self(Box::new([0; 32]));
        fill(&mut bytes.0).map(|()| bytes)
    }

    /// Copies `bytes`.
    #[cfg(feature = "ed25519")]
    pub(crate) fn copy_of(bytes: &[u8; 32]) -> Self {
        let mut copy = Self(Box::new([0; 32]));
        copy.0.copy_from_slice(bytes);
        copy
    }
}

impl Drop for SecretBytes {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Deref for SecretBytes {
    type Target = [u8; 32];

    fn deref(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Draws 32 random bytes.
pub(crate) fn random_32<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretBytes> {
    SecretBytes::filled(|bytes| rng.try_fill_bytes(bytes).map_err(|_| Error::Rng))
}
