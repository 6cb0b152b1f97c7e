//! States of some heights that stay readable while later blocks are executed, for nodes that join.
//!
//! A [`FrozenState`] is a snapshot of the database, not a copy: it costs the space of entries that later blocks replace, until
//! it is released. It ends with the process.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use fjall::{Keyspace, Readable, Snapshot};

use super::state::{is_reserved, unreadable, visit_entries};
use crate::application::{ApplicationError, Outline, State, StateSource, Visitor};

/// Number of certified states to keep beside a new one: a state is released when the third one after it is added.
const KEPT: usize = 2;
/// Maximum number of states. More than the certified ones are kept while execution is far ahead of the states in blocks.
const MAX_HELD: usize = 6;

/// The state after a height.
pub struct FrozenState {
    height: u64,
    state: State,
    /// True while a thread computes the outline.
    preparing: AtomicBool,
    outline: OnceLock<(Bytes, Arc<dyn Outline>)>,
    /// The encoded head, once it is complete.
    pub(crate) head: OnceLock<Bytes>,
}

impl FrozenState {
    pub(super) fn new(height: u64, entries: Keyspace, snapshot: Snapshot) -> Self {
        let state = State::new(Arc::new(FrozenEntries { entries, snapshot }));
        let (preparing, outline) = (AtomicBool::new(false), OnceLock::new());
        Self { height, state, preparing, outline, head: OnceLock::new() }
    }

    /// The height.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// The entries.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The outline, encoded and opened, once it is [set](Self::set_outline).
    pub fn outline(&self) -> Option<&(Bytes, Arc<dyn Outline>)> {
        self.outline.get()
    }

    /// Sets the outline.
    pub fn set_outline(&self, bytes: Bytes, outline: Arc<dyn Outline>) {
        let _ = self.outline.set((bytes, outline));
    }

    /// Returns true if no other thread computes the outline: then the caller does, and ends with
    /// [`end_preparation`](Self::end_preparation).
    pub fn begin_preparation(&self) -> bool {
        !self.preparing.swap(true, Ordering::AcqRel)
    }

    /// Allows another attempt, if there is no outline.
    pub fn end_preparation(&self) {
        self.preparing.store(false, Ordering::Release);
    }
}

impl fmt::Debug for FrozenState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrozenState({})", self.height)
    }
}

/// The frozen states of a node, ascending by height.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    held: Mutex<Vec<Arc<FrozenState>>>,
}

impl Snapshots {
    /// Adds the state after the newest block, and releases those that are not needed any more. `stated` is the height of the
    /// newest state that a block contains.
    pub(super) fn add(&self, frozen: FrozenState, stated: u64) {
        let mut held = self.lock();
        let certified = held.iter().filter(|state| state.height <= stated).count();
        held.drain(..certified.saturating_sub(KEPT));
        if held.len() < MAX_HELD {
            held.push(Arc::new(frozen));
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<FrozenState>> {
        self.lock().clone()
    }

    pub(super) fn oldest(&self) -> Option<u64> {
        self.lock().first().map(|state| state.height)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<FrozenState>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a snapshot of the entries.
struct FrozenEntries {
    entries: Keyspace,
    snapshot: Snapshot,
}

impl StateSource for FrozenEntries {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ApplicationError> {
        if is_reserved(key) {
            return Ok(None);
        }
        Ok(self.snapshot.get(&self.entries, key).map_err(unreadable)?.map(|value| value.to_vec()))
    }

    fn visit(&self, prefix: &[u8], visit: &mut Visitor<'_>) -> Result<(), ApplicationError> {
        visit_entries(self.snapshot.prefix(&self.entries, prefix), visit)
    }

    fn visit_range(
        &self,
        first: &[u8],
        last: &[u8],
        visit: &mut Visitor<'_>,
    ) -> Result<(), ApplicationError> {
        visit_entries(self.snapshot.range(&self.entries, first..=last), visit)
    }
}
