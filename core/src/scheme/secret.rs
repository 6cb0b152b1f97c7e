use alloc::boxed::Box;
use core::ops::Deref;

use zeroize::Zeroize;

/// 32 secret bytes on the heap, wiped when dropped. To move them moves a pointer: no copy stays behind where they
/// were, as it would with an array, which nobody wipes.
pub(crate) struct SecretBytes(Box<[u8; 32]>);

impl SecretBytes {
    /// Zeros that `fill` writes over, where they stay.
    pub(crate) fn filled<E>(fill: impl FnOnce(&mut [u8; 32]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = Self(Box::new([0; 32]));
        fill(&mut bytes.0).map(|()| bytes)
    }

    /// Another copy.
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
