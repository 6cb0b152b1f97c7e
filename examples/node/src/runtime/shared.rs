use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::inbox::{End, Inbox};
use crate::NodeError;
use crate::handle::{CommitEvent, Digest};
use crate::protocol::Status;

/// Execution may be behind the chain by this many blocks before clients are asked to wait.
const LAG: u64 = 16;

/// What the threads of a node tell each other and whoever asks.
pub(super) struct Shared {
    machine: Mutex<Status>,
    executed: Mutex<(u64, Digest)>,
    delivered: AtomicU64,
    certificate_bytes: AtomicU32,
    transactions: AtomicU64,
    failure: Mutex<Option<NodeError>>,
    signs: watch::Sender<Signs>,
    inbox: Arc<Inbox>,
}

/// What those should know who wait.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    /// The node cannot go on.
    failed: bool,
    /// Its owner does not want it any more.
    unwanted: bool,
    /// The epoch is over.
    turned: bool,
}

impl Shared {
    /// At the start: the machine's numbers, and height and application root of what is executed.
    pub(super) fn new(machine: Status, executed: (u64, Digest), inbox: Arc<Inbox>) -> Self {
        Self {
            machine: Mutex::new(machine),
            delivered: AtomicU64::new(executed.0),
            executed: Mutex::new(executed),
            certificate_bytes: AtomicU32::new(0),
            transactions: AtomicU64::new(0),
            failure: Mutex::new(None),
            signs: watch::Sender::default(),
            inbox,
        }
    }

    pub(super) fn set_machine(&self, status: Status) {
        *lock(&self.machine) = status;
    }

    pub(super) fn machine(&self) -> Status {
        *lock(&self.machine)
    }

    /// Height and application root of what is executed.
    pub(super) fn executed(&self) -> (u64, Digest) {
        *lock(&self.executed)
    }

    /// Transactions executed since the start.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Size of the newest certificate.
    pub(super) fn certificate_bytes(&self) -> u32 {
        self.certificate_bytes.load(Ordering::Relaxed)
    }

    /// Notes that a block waits for execution; true if too many do.
    pub(super) fn set_delivered(&self, height: u64) -> bool {
        self.delivered.store(height, Ordering::Relaxed);
        self.lags()
    }

    /// Notes that a block was executed; true if too many wait.
    pub(super) fn set_executed(&self, commit: &CommitEvent) -> bool {
        *lock(&self.executed) = (commit.height, commit.state_root);
        self.transactions.fetch_add(commit.transactions.into(), Ordering::Relaxed);
        self.certificate_bytes.store(commit.certificate_bytes, Ordering::Relaxed);
        self.lags()
    }

    /// The node cannot go on: the machine ends, so that nothing is signed any more. The first reason counts.
    pub(super) fn fail(&self, error: NodeError) {
        tracing::error!(code = error.code(), %error, "the node cannot go on");
        lock(&self.failure).get_or_insert(error);
        self.inbox.end(End::Abort);
        self.signs.send_modify(|signs| signs.failed = true);
    }

    /// Completes when the node cannot go on.
    pub(super) async fn failed(&self) {
        self.see(|signs| signs.failed).await;
    }

    pub(super) fn has_failed(&self) -> bool {
        self.signs.borrow().failed
    }

    /// The node's owner does not want it any more.
    pub(super) fn give_up(&self) {
        self.signs.send_modify(|signs| signs.unwanted = true);
    }

    /// Completes when the node's owner does not want it any more.
    pub(super) async fn unwanted(&self) {
        self.see(|signs| signs.unwanted).await;
    }

    /// The epoch is over: the machine ends, so that the next one's begins.
    pub(super) fn turn(&self) {
        self.inbox.end(End::Turn);
        self.signs.send_modify(|signs| signs.turned = true);
    }

    /// The next epoch begins.
    pub(super) fn turned(&self) {
        self.signs.send_modify(|signs| signs.turned = false);
        self.inbox.turn();
    }

    /// Completes when the threads end, whyever.
    pub(super) async fn over(&self) {
        self.see(|signs| signs.failed || signs.unwanted || signs.turned).await;
    }

    async fn see(&self, what: impl Fn(&Signs) -> bool) {
        // The sender is alive as long as this is.
        let _ = self.signs.subscribe().wait_for(what).await;
    }

    pub(super) fn take_failure(&self) -> Option<NodeError> {
        lock(&self.failure).take()
    }

    fn lags(&self) -> bool {
        self.delivered.load(Ordering::Relaxed) > self.executed().0 + LAG
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
