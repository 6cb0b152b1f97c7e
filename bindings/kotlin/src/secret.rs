//! Secrets cross to Kotlin as numbers, which return in a register. A byte array would leave an unwiped copy of the
//! secret in memory.

use std::sync::Arc;

use zeroize::Zeroizing;

/// Bytes that are wiped when the last call that uses them returns.
#[derive(uniffi::Object)]
pub(crate) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    pub(crate) fn new(bytes: &[u8]) -> Arc<Self> {
        Arc::new(Self(Zeroizing::new(bytes.to_vec())))
    }
}

#[uniffi::export]
impl Secret {
    fn size(&self) -> u32 {
        self.0.len() as u32
    }

    /// Returns eight bytes, big-endian, padded with zeros at the end.
    fn word(&self, index: u32) -> u64 {
        let at = index as usize * 8;
        let bytes = self.0.get(at..).unwrap_or_default();
        let byte = |n: usize| u64::from(bytes.get(n).copied().unwrap_or_default());
        (0..8).fold(0, |word, n| word << 8 | byte(n))
    }
}
