//! A cache of the coefficients of recently used sets of members.

use std::sync::{Mutex, PoisonError, TryLockError};

use pyo3::prelude::*;
use quorate::any::threshold as any;

use crate::convert::{Capacity, size};

/// A cache of the Lagrange coefficients of recently used sets of members. In a stable network the same members usually
/// respond first, so share one cache among all combiners. Threads may share it.
#[pyclass(frozen, module = "quorate.threshold")]
pub(crate) struct Cache(Mutex<any::Cache>);

#[pymethods]
impl Cache {
    /// A cache of at most `capacity` sets for each group, at least one. Memory: 34 bytes for each member of a set.
    #[new]
    #[pyo3(signature = (capacity = Capacity(16)), text_signature = "(capacity=16)")]
    fn new(capacity: Capacity) -> Self {
        Self(Mutex::new(any::Cache::new(size(capacity.0))))
    }
}

impl Cache {
    /// Works with the cache, if there is one. If another thread holds it, works without it, which is faster than
    /// waiting.
    pub(super) fn with<T>(cache: Option<&Self>, work: impl FnOnce(&mut any::Cache) -> T) -> T {
        match cache.map(|cache| cache.0.try_lock()) {
            Some(Ok(mut cache)) => work(&mut cache),
            Some(Err(TryLockError::Poisoned(cache))) => work(&mut cache.into_inner()),
            Some(Err(TryLockError::WouldBlock)) | None => work(&mut any::Cache::default()),
        }
    }
}

/// A combiner behind a lock that threads wait for only without the interpreter, and its cache, given or its own.
pub(super) struct WithCache<T> {
    inner: Mutex<(T, any::Cache)>,
    shared: Option<Py<Cache>>,
}

impl<T: Send> WithCache<T> {
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
