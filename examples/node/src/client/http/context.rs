use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::body::Bodies;
use crate::Result;
use crate::client::listen::Stopping;
use crate::config::ClientConfig;
use crate::genesis::Genesis;
use crate::handle::Handle;

/// Maximum number of requests that read the disk at once; others queue.
const MAX_LOOKUPS: usize = 4;
/// Maximum number of requests that wait for a commit, and of those that queue for the disk.
const MAX_WAITERS: usize = 256;

/// Maximum number of requests for a snapshot that read the disk at once: fewer than lookups, so that others are answered.
const MAX_SNAPSHOT_READS: usize = 2;
/// Maximum number of pieces of snapshots that clients are receiving.
const MAX_PIECES: usize = 8;

/// State that all request handlers share.
#[derive(Clone)]
pub(in crate::client) struct Context {
    pub(super) handle: Handle,
    pub(super) genesis: Arc<str>,
    pub(super) max_body: usize,
    pub(super) bodies: Bodies,
    pub(super) max_transaction: usize,
    pub(super) stream: Option<SocketAddr>,
    pub(super) lookups: Arc<Semaphore>,
    pub(super) waiters: Arc<Semaphore>,
    pub(super) snapshot_reads: Arc<Semaphore>,
    pub(super) pieces: Arc<Semaphore>,
    pub(super) stopping: Stopping,
}

impl Context {
    pub(in crate::client) fn new(
        config: &ClientConfig,
        handle: Handle,
        genesis: &Genesis,
        stream: Option<SocketAddr>,
        stopping: Stopping,
    ) -> Result<Self> {
        let max_transaction = genesis.parameters.max_transaction_bytes as usize;
        Ok(Self {
            handle,
            genesis: genesis.to_toml()?.into(),
            // The chain's limit holds at every validator.
            max_body: config.max_body_bytes.max(max_transaction),
            bodies: Bodies::default(),
            max_transaction,
            stream,
            lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            waiters: Arc::new(Semaphore::new(MAX_WAITERS)),
            snapshot_reads: Arc::new(Semaphore::new(MAX_SNAPSHOT_READS)),
            pieces: Arc::new(Semaphore::new(MAX_PIECES)),
            stopping,
        })
    }
}
