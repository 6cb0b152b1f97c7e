//! Secrets behind a lock until they are closed or their ownership is transferred.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::sync::RwLockExt;

use crate::failure::{Failure, Outcome};

/// A secret and its name. Users share the lock; closing waits for them, but not for those of [`shared`](Held::shared).
/// Threads wait for the lock only without the interpreter.
pub(crate) struct Held<T> {
    what: &'static str,
    secret: RwLock<Option<Arc<T>>>,
}

impl<T: Send + Sync> Held<T> {
    pub(crate) fn new(what: &'static str, secret: T) -> Self {
        Self { what, secret: RwLock::new(Some(Arc::new(secret))) }
    }

    /// Works on the secret; the caller has released the interpreter.
    pub(crate) fn locked<R>(&self, work: impl FnOnce(&T) -> R) -> Outcome<R> {
        let secret = self.secret.read().unwrap_or_else(PoisonError::into_inner);
        secret.as_deref().map(work).ok_or(Failure::Closed(self.what))
    }

    /// As [`locked`](Held::locked), without the lock: for long work on an object that is never taken. If it is closed
    /// meanwhile, it is wiped when the work ends. A child that is forked meanwhile has no thread that would release a lock,
    /// so it could not close the object.
    pub(crate) fn shared<R>(&self, work: impl FnOnce(&T) -> R) -> Outcome<R> {
        let secret = self.secret.read().unwrap_or_else(PoisonError::into_inner).clone();
        secret.as_deref().map(work).ok_or(Failure::Closed(self.what))
    }

    /// As [`locked`](Held::locked), but the interpreter is released only while the thread waits.
    pub(crate) fn attached<R>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R) -> Outcome<R> {
        let secret = self.secret.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        secret.as_deref().map(work).ok_or(Failure::Closed(self.what))
    }

    /// Takes the secret out permanently; the caller has released the interpreter.
    pub(crate) fn take(&self) -> Outcome<T> {
        let secret = self.secret.write().unwrap_or_else(PoisonError::into_inner).take();
        secret.and_then(Arc::into_inner).ok_or(Failure::Closed(self.what))
    }

    pub(crate) fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.secret.write().unwrap_or_else(PoisonError::into_inner).take()));
    }

    pub(crate) fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.secret.read().unwrap_or_else(PoisonError::into_inner).is_none())
    }
}
