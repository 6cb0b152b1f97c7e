//! Secrets: their bytes on the way to Kotlin, and objects whose secret a function takes.

use std::sync::{Arc, PoisonError, RwLock};

use zeroize::Zeroizing;

use crate::glue::{NativeFailure, Result};

/// Bytes that are wiped when the last call that uses them returns. They cross as numbers, which return in a register: a
/// byte array would leave an unwiped copy in memory.
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

/// A secret until a function takes it. It is wiped when the last call that uses it returns.
pub(crate) struct Owned<T> {
    class: &'static str,
    secret: RwLock<Option<T>>,
}

impl<T> Owned<T> {
    pub(crate) fn new(class: &'static str, secret: T) -> Self {
        Self { class, secret: RwLock::new(Some(secret)) }
    }

    /// Calls `work` with the secret.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        let secret = self.secret.read().unwrap_or_else(PoisonError::into_inner);
        work(secret.as_ref().ok_or_else(|| NativeFailure::closed(self.class))?)
    }

    /// Takes the secret; this object is empty afterwards.
    pub(crate) fn take(&self) -> Result<T> {
        let mut secret = self.secret.write().unwrap_or_else(PoisonError::into_inner);
        secret.take().ok_or_else(|| NativeFailure::closed(self.class))
    }
}
