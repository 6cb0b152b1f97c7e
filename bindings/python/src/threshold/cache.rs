//! The coefficients of the sets of members that were used last.

use std::sync::{Mutex, PoisonError, TryLockError};

use pyo3::prelude::*;
use quorate::any::threshold as any;

use crate::convert::{Capacity, size};

/// Lagrange coefficients of the sets of members that were used last. In a quiet network the same members answer first again
/// and again: let everything that combines share one. Threads may share it.
#[pyclass(frozen, module = "quorate.threshold")]
pub(crate) struct Cache(Mutex<any::Cache>);

#[pymethods]
impl Cache {
    /// A cache of at most so many sets for each group, at least one. Memory: 34 bytes for each member of a set.
    #[new]
    #[pyo3(signature = (capacity = Capacity(16)))]
    fn new(capacity: Capacity) -> Self {
        Self(Mutex::new(any::Cache::new(size(capacity.0))))
    }
}

impl Cache {
    /// Works with a cache, if there is one. While another thread does, it works without: that is faster than to wait.
    pub(super) fn with<T>(cache: Option<&Self>, work: impl FnOnce(&mut any::Cache) -> T) -> T {
        match cache.map(|cache| cache.0.try_lock()) {
            Some(Ok(mut cache)) => work(&mut cache),
            Some(Err(TryLockError::Poisoned(cache))) => work(&mut cache.into_inner()),
            Some(Err(TryLockError::WouldBlock)) | None => work(&mut any::Cache::default()),
        }
    }
}

/// What combines, behind a lock that is only waited for without the interpreter, and the cache that it was given or its own.
pub(super) struct Own<T> {
    inner: Mutex<(T, any::Cache)>,
    shared: Option<Py<Cache>>,
}

impl<T: Send> Own<T> {
    pub(super) fn new(inner: T, shared: Option<Py<Cache>>) -> Self {
        Self { inner: Mutex::new((inner, any::Cache::new(1))), shared }
    }

    pub(super) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T, &mut any::Cache) -> R + Send,
    ) -> R {
        py.detach(|| {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            let (inner, own) = &mut *inner;
            match &self.shared {
                Some(cache) => Cache::with(Some(cache.get()), |cache| work(inner, cache)),
                None => work(inner, own),
            }
        })
    }
}
