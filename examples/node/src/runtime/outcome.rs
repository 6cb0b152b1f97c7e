use std::sync::{Mutex, PoisonError};

use crate::epochs::NextEpoch;
use crate::execution::Executor;
use crate::protocol::Protocol;

/// Results that the threads of an epoch leave for the next epoch.
pub(super) struct Outcome<P: Protocol> {
    next_epoch: Mutex<Option<NextEpoch>>,
    executor: Mutex<Option<Executor<P>>>,
}

impl<P: Protocol> Outcome<P> {
    /// Notes that the epoch has ended.
    pub(super) fn set_next_epoch(&self, next_epoch: NextEpoch) {
        *self.next_epoch.lock().unwrap_or_else(PoisonError::into_inner) = Some(next_epoch);
    }

    /// Notes that all delivered blocks are executed and written to disk.
    pub(super) fn set_executor(&self, executor: Option<Executor<P>>) {
        *self.executor.lock().unwrap_or_else(PoisonError::into_inner) = executor;
    }

    /// Takes the results; `None` if the epoch has not ended or execution failed.
    pub(super) fn take(&self) -> Option<(NextEpoch, Executor<P>)> {
        let (next_epoch, executor) = (take(&self.next_epoch), take(&self.executor));
        next_epoch.zip(executor)
    }
}

impl<P: Protocol> Default for Outcome<P> {
    fn default() -> Self {
        Self { next_epoch: Mutex::new(None), executor: Mutex::new(None) }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
