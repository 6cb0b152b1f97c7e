//! Secrets that are used once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use quorate::{Error, Result};

/// A value that can be taken once; after that, it is [`Error::Exhausted`].
#[derive(Debug)]
pub(super) struct Once<T>(Mutex<Option<T>>);

impl<T> Once<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(Some(value)))
    }

    /// Works on the value.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R> {
        self.lock().as_mut().map(work).ok_or(Error::Exhausted)
    }

    /// Takes the value out permanently.
    pub(super) fn take(&self) -> Result<T> {
        self.lock().take().ok_or(Error::Exhausted)
    }

    /// Returns true if the value was taken.
    pub(super) fn is_spent(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
