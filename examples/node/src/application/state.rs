use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock};

use super::error::ApplicationError;

/// Read-only view of the application's key–value map in the store, after the last executed block. Cheap to clone.
#[derive(Clone)]
pub struct State {
    source: Arc<dyn StateSource>,
}

/// Data source of a [`State`].
pub trait StateSource: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// If the disk fails.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError>;

    /// Calls `visit` with every entry whose key begins with `prefix`, in ascending order of keys.
    ///
    /// # Errors
    /// If the disk fails, or the error that `visit` returns.
    fn visit(&self, prefix: &[u8], visit: &mut Visitor<'_>) -> Result<(), ApplicationError>;

    /// Calls `visit` with every entry whose key is at least `first` and at most `last`, in ascending order of keys.
    ///
    /// # Errors
    /// If the disk fails, or the error that `visit` returns.
    fn visit_range(&self, first: &[u8], last: &[u8], visit: &mut Visitor<'_>)
    -> Result<(), ApplicationError>;
}

/// Function that is called with each entry.
pub type Visitor<'a> = dyn FnMut(&[u8], &[u8]) -> Result<(), ApplicationError> + 'a;

/// Function that writes changes to the state, atomically and after all earlier ones.
pub type StateWriter<'a> = dyn FnMut(&Changes) -> Result<(), ApplicationError> + 'a;

impl State {
    /// Creates a state that reads from `source`.
    pub fn new(source: Arc<dyn StateSource>) -> Self {
        Self { source }
    }

    /// Creates a state without entries.
    pub fn empty() -> Self {
        Self::new(Arc::new(BTreeMap::new()))
    }

    /// The value of a key.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError> {
        self.source.get(key)
    }

    /// Calls `visit` with every entry whose key begins with `prefix`, in ascending order of keys.
    ///
    /// # Errors
    /// If the disk fails, or the error that `visit` returns.
    pub fn visit(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), ApplicationError>,
    ) -> Result<(), ApplicationError> {
        self.source.visit(prefix, &mut visit)
    }

    /// Calls `visit` with every entry whose key is at least `first` and at most `last`, in ascending order of keys.
    ///
    /// # Errors
    /// If the disk fails, or the error that `visit` returns.
    pub fn visit_range(
        &self,
        first: &[u8],
        last: &[u8],
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), ApplicationError>,
    ) -> Result<(), ApplicationError> {
        self.source.visit_range(first, last, &mut visit)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State")
    }
}

/// A map in memory, for tests and examples.
impl StateSource for BTreeMap<Vec<u8>, Vec<u8>> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError> {
        Ok(BTreeMap::get(self, key).cloned())
    }

    fn visit(&self, prefix: &[u8], visit: &mut Visitor<'_>) -> Result<(), ApplicationError> {
        self.range(prefix.to_vec()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .try_for_each(|(k, v)| visit(k, v))
    }

    fn visit_range(
        &self,
        first: &[u8],
        last: &[u8],
        visit: &mut Visitor<'_>,
    ) -> Result<(), ApplicationError> {
        if first > last {
            return Ok(());
        }
        self.range::<[u8], _>((Bound::Included(first), Bound::Included(last)))
            .try_for_each(|(k, v)| visit(k, v))
    }
}

/// A map in memory that changes, for tests and examples. Do not change it during a visit.
impl StateSource for RwLock<BTreeMap<Vec<u8>, Vec<u8>>> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError> {
        StateSource::get(&*self.read().unwrap_or_else(PoisonError::into_inner), key)
    }

    fn visit(&self, prefix: &[u8], visit: &mut Visitor<'_>) -> Result<(), ApplicationError> {
        self.read().unwrap_or_else(PoisonError::into_inner).visit(prefix, visit)
    }

    fn visit_range(
        &self,
        first: &[u8],
        last: &[u8],
        visit: &mut Visitor<'_>,
    ) -> Result<(), ApplicationError> {
        self.read().unwrap_or_else(PoisonError::into_inner).visit_range(first, last, visit)
    }
}

/// Changes of a block to the [`State`]. The last change of a key counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    entries: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Changes {
    /// Sets a key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        self.entries.insert(key.to_vec(), Some(value.to_vec()));
    }

    /// Removes a key if it exists.
    pub fn delete(&mut self, key: &[u8]) {
        self.entries.insert(key.to_vec(), None);
    }

    /// The changed keys in ascending order, each with its new value or `None` if it is removed.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.entries.iter().map(|(k, v)| (k.as_slice(), v.as_deref()))
    }

    /// Applies the changes to a map in memory, for tests and examples.
    pub fn apply_to(&self, map: &mut BTreeMap<Vec<u8>, Vec<u8>>) {
        for (key, value) in self.iter() {
            match value {
                Some(value) => map.insert(key.to_vec(), value.to_vec()),
                None => map.remove(key),
            };
        }
    }
}
