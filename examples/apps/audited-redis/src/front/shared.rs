use std::sync::Arc;

use quorate_audit::refusals::RefusalLog;
use tokio::sync::{Semaphore, mpsc};

use super::clients::{Clients, Rules};
use super::committer::AcceptedCommand;
use super::upstream::Upstream;

/// State shared by all connections.
pub(super) struct Shared {
    pub(super) store: [u8; 32],
    pub(super) rules: Rules,
    pub(super) clients: Clients,
    pub(super) ops: mpsc::Sender<AcceptedCommand>,
    /// Limits the total size of waiting commands, in KiB.
    pub(super) room: Arc<Semaphore>,
    pub(super) upstream: Arc<Upstream>,
    pub(super) refusals: Arc<RefusalLog>,
}

/// Returns the size of a command in KiB, rounded up.
pub(super) fn kib(body: &[u8]) -> u32 {
    u32::try_from(body.len().div_ceil(1024)).unwrap_or(u32::MAX)
}
