use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

use super::clients::{Clients, Rules};
use super::committer::AcceptedCommand;
use super::refusals::RefusalLog;
use super::upstream::Upstream;

/// What all connections share.
pub(super) struct Shared {
    pub(super) store: [u8; 32],
    pub(super) rules: Rules,
    pub(super) clients: Clients,
    pub(super) ops: mpsc::Sender<AcceptedCommand>,
    /// For the bytes of the commands that wait, in KiB.
    pub(super) room: Arc<Semaphore>,
    pub(super) upstream: Arc<Upstream>,
    pub(super) refusals: Arc<RefusalLog>,
}

/// How many KiB a command takes.
pub(super) fn kib(body: &[u8]) -> u32 {
    u32::try_from(body.len().div_ceil(1024)).unwrap_or(u32::MAX)
}
