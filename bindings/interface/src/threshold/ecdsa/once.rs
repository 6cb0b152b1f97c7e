//! Secrets that are used once.

use quorate::{Error, Result};

use crate::Locked;

/// A value that can be taken once; after that, it is [`Error::Exhausted`].
#[derive(Debug)]
pub(super) struct Once<T>(Locked<Option<T>>);

impl<T> Once<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Locked::new(Some(value)))
    }

    /// Works on the value.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R> {
        self.0.lock().as_mut().map(work).ok_or(Error::Exhausted)
    }

    /// Takes the value out permanently.
    pub(super) fn take(&self) -> Result<T> {
        self.0.lock().take().ok_or(Error::Exhausted)
    }

    /// Returns true if the value was taken.
    pub(super) fn is_spent(&self) -> bool {
        self.0.lock().is_none()
    }
}
