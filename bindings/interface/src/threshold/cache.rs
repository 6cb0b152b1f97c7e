//! A cache of the coefficients of recently used sets of members, and the combiners that use it.

use core::fmt;
use std::sync::{Arc, Mutex, TryLockError};

use quorate::any::threshold as any;

use crate::Locked;

class! {
    /// A cache of the Lagrange coefficients of recently used sets of members. In a stable network the same members
    /// usually respond first, so share one cache among all combiners of a committee. Threads may share it.
    object struct Cache(Arc<Mutex<any::Cache>>): Clone, Debug;
    shown |self, f| f.write_str("Cache()");
    /// Creates a cache of at most `capacity` sets for each group, at least one; 16 by default. Memory: 34 bytes for
    /// each member of a set.
    quick fn new(#[cfg_attr(binding, default = 16)] capacity: Option<usize>) -> Self {
        let cache = capacity.map_or_else(any::Cache::default, any::Cache::new);
        Self(Arc::new(Mutex::new(cache)))
    }
}

impl Cache {
    /// Works with the cache, if there is one. If another thread holds it, works without it, which is faster than
    /// waiting.
    pub(crate) fn with<T>(cache: Option<&Self>, work: impl FnOnce(&mut any::Cache) -> T) -> T {
        match cache.map(|cache| cache.0.try_lock()) {
            Some(Ok(mut cache)) => work(&mut cache),
            Some(Err(TryLockError::Poisoned(cache))) => work(&mut cache.into_inner()),
            Some(Err(TryLockError::WouldBlock)) | None => work(&mut any::Cache::default()),
        }
    }
}

/// A combiner behind a lock, and its cache: that of the user, or one of its own.
pub(crate) struct WithCache<T> {
    inner: Locked<(T, any::Cache)>,
    shared: Option<Cache>,
}

impl<T> WithCache<T> {
    pub(crate) fn new(inner: T, shared: Option<&Cache>) -> Self {
        Self { inner: Locked::new((inner, any::Cache::new(1))), shared: shared.cloned() }
    }

    /// Works with the combiner and its cache.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T, &mut any::Cache) -> R) -> R {
        let mut inner = self.inner.lock();
        let (inner, own) = &mut *inner;
        match &self.shared {
            Some(cache) => Cache::with(Some(cache), |cache| work(inner, cache)),
            None => work(inner, own),
        }
    }
}

/// Shows nothing of the combiner, whose lock may be held.
impl<T> fmt::Debug for WithCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithCache").finish_non_exhaustive()
    }
}
