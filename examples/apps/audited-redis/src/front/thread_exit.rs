use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::lock;

/// Whether a thread has ended: what it holds of this pair is dropped then.
pub(super) struct ThreadExit(Mutex<Receiver<Infallible>>);

impl ThreadExit {
    pub(super) fn pair() -> (SyncSender<Infallible>, Self) {
        let (ending, ended) = sync_channel(0);
        (ending, Self(Mutex::new(ended)))
    }

    pub(super) fn within(&self, patience: Duration) -> bool {
        matches!(lock(&self.0).recv_timeout(patience), Err(RecvTimeoutError::Disconnected))
    }
}
