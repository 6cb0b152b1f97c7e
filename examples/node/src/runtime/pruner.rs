use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::shared::Shared;
use crate::protocol::Protocol;
use crate::store::Store;

/// Thread that removes old blocks, in steps between which votes are written.
pub(super) struct Pruner<P: Protocol> {
    store: Arc<Store<P>>,
    shared: Arc<Shared>,
    /// Number of newest blocks to keep.
    keep: u64,
    executed: Receiver<()>,
}

impl<P: Protocol> Pruner<P> {
    /// Creates it with the sender that wakes it after a block.
    pub(super) fn new(store: &Arc<Store<P>>, shared: &Arc<Shared>, keep: u64) -> (SyncSender<()>, Self) {
        let (sender, executed) = sync_channel(1);
        (sender, Self { store: store.clone(), shared: shared.clone(), keep, executed })
    }

    /// Runs until the sender is dropped.
    pub(super) fn run(self) {
        loop {
            match self.store.prune(self.keep) {
                Ok(true) if !self.shared.is_engine_ending() => continue,
                Ok(_) => {}
                Err(error) => return self.shared.fail(error),
            }
            if self.executed.recv().is_err() {
                return;
            }
        }
    }
}
