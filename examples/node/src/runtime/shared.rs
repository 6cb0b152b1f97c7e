use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::inbox::{End, Inbox};
use crate::NodeError;
use crate::handle::{CommitEvent, Digest};
use crate::protocol::Status;

/// Number of blocks that execution may fall behind before the node refuses transactions.
const MAX_LAG: u64 = 16;

/// State that the threads of a node share.
pub(super) struct Shared {
    machine: Mutex<Status>,
    executed: Mutex<(u64, Digest)>,
    delivered: AtomicU64,
    certificate_bytes: AtomicU32,
    transactions: AtomicU64,
    failure: Mutex<Option<NodeError>>,
    signals: watch::Sender<Signals>,
    inbox: Arc<Inbox>,
}

/// Conditions that tasks wait for. They are independent: a node may fail during a shutdown.
#[derive(Clone, Copy, Debug, Default)]
struct Signals {
    /// The node has failed.
    failed: bool,
    /// The owner has requested the shutdown.
    shutdown: bool,
    /// The epoch has ended.
    epoch_ended: bool,
}

impl Shared {
    /// Creates the state at the start: the replica's status, and height and application root of the executed state.
    pub(super) fn new(machine: Status, executed: (u64, Digest), inbox: Arc<Inbox>) -> Self {
        Self {
            machine: Mutex::new(machine),
            delivered: AtomicU64::new(executed.0),
            executed: Mutex::new(executed),
            certificate_bytes: AtomicU32::new(0),
            transactions: AtomicU64::new(0),
            failure: Mutex::new(None),
            signals: watch::Sender::default(),
            inbox,
        }
    }

    pub(super) fn set_machine(&self, status: Status) {
        *lock(&self.machine) = status;
    }

    pub(super) fn machine(&self) -> Status {
        lock(&self.machine).clone()
    }

    /// Height and application root of the executed state.
    pub(super) fn executed(&self) -> (u64, Digest) {
        *lock(&self.executed)
    }

    /// Number of transactions executed since the start.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Size of the newest certificate in bytes.
    pub(super) fn certificate_bytes(&self) -> u32 {
        self.certificate_bytes.load(Ordering::Relaxed)
    }

    /// Notes that a block awaits execution. Returns true if too many do.
    pub(super) fn set_delivered(&self, height: u64) -> bool {
        self.delivered.store(height, Ordering::Relaxed);
        self.lags()
    }

    /// Notes that a block was executed. Returns true if too many await execution.
    pub(super) fn set_executed(&self, commit: &CommitEvent) -> bool {
        *lock(&self.executed) = (commit.height, commit.state_root);
        self.transactions.fetch_add(commit.transactions.into(), Ordering::Relaxed);
        self.certificate_bytes.store(commit.certificate_bytes, Ordering::Relaxed);
        self.lags()
    }

    /// Stops the node after a failure: the machine ends, so that nothing more is signed. The first reason is kept.
    pub(super) fn fail(&self, error: NodeError) {
        tracing::error!(code = error.code(), %error, "the node has failed");
        lock(&self.failure).get_or_insert(error);
        self.inbox.end(End::Abort);
        self.signals.send_modify(|signals| signals.failed = true);
    }

    /// Completes when the node has failed.
    pub(super) async fn failed(&self) {
        self.wait_for(|signals| signals.failed).await;
    }

    /// Code of the failure; `None` if the node has not failed.
    pub(super) fn failure_code(&self) -> Option<&'static str> {
        lock(&self.failure).as_ref().map(NodeError::code)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.signals.borrow().failed
    }

    /// Requests the shutdown of the node.
    pub(super) fn request_shutdown(&self) {
        self.signals.send_modify(|signals| signals.shutdown = true);
    }

    /// Completes when the shutdown is requested.
    pub(super) async fn shutdown_requested(&self) {
        self.wait_for(|signals| signals.shutdown).await;
    }

    /// Ends the epoch: stops the machine, so that the supervisor starts the next epoch.
    pub(super) fn end_epoch(&self) {
        self.inbox.end(End::Epoch);
        self.signals.send_modify(|signals| signals.epoch_ended = true);
    }

    /// Prepares for the next epoch.
    pub(super) fn start_epoch(&self) {
        self.signals.send_modify(|signals| signals.epoch_ended = false);
        self.inbox.start_epoch();
    }

    /// Completes when the threads of the epoch end, for any reason.
    pub(super) async fn engine_ended(&self) {
        self.wait_for(|signals| signals.failed || signals.shutdown || signals.epoch_ended).await;
    }

    /// Returns true if the threads of the epoch end.
    pub(super) fn is_engine_ending(&self) -> bool {
        let signals = *self.signals.borrow();
        signals.failed || signals.shutdown || signals.epoch_ended
    }

    async fn wait_for(&self, condition: impl Fn(&Signals) -> bool) {
        // Cannot fail: `self` holds the sender.
        let _ = self.signals.subscribe().wait_for(condition).await;
    }

    pub(super) fn take_failure(&self) -> Option<NodeError> {
        lock(&self.failure).take()
    }

    fn lags(&self) -> bool {
        self.delivered.load(Ordering::Relaxed) > self.executed().0 + MAX_LAG
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
