use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::lock;

/// Detects the end of a thread: the thread drops its half of the pair when it ends.
pub(super) struct ThreadExit(Mutex<Receiver<Infallible>>);

impl ThreadExit {
    pub(super) fn pair() -> (SyncSender<Infallible>, Self) {
        let (ending, ended) = sync_channel(0);
        (ending, Self(Mutex::new(ended)))
    }

    pub(super) fn within(&self, limit: Duration) -> bool {
        matches!(lock(&self.0).recv_timeout(limit), Err(RecvTimeoutError::Disconnected))
    }
}
