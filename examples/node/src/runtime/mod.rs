//! Drives the state machine: persist, then send.
//!
//! ```text
//!            links (tokio)                 clients
//!                 │ frames                    │ transactions
//!                 ▼                           ▼
//!              inbox ◄──── sealed batches ── ingest
//!                 │
//!                 ▼
//!   machine thread: decode, handle, timers ──► two outflows: batches, and everything else
//!                                                       │ each has a writer thread
//!                                                       ▼
//!                              one durable write of all records that gathered
//!                                                       │ then
//!                         messages ──► links            ▼ then
//!                                                    outputs: deliveries ──► execution thread
//!                                                             questions  ──► archive thread
//!                                                             own batches ──► ingest
//! ```
//!
//! Nothing leaves before what it rests on is durable. While the disk writes, the machine goes on; what it makes
//! meanwhile becomes one write (group commit). Every queue is bounded: frames by the links' share of each peer,
//! steps by weight, deliveries and questions by number, own batches by the machine. When execution falls behind,
//! clients are asked to wait first; if it falls behind further, the writer waits for it, and then the machine.
//!
//! A failure of the disk or of the application, or a second process with the same identity key, stops the node:
//! nothing is signed or sent from then on, and [`Node::failed`] says why.

mod archive;
mod clock;
mod inbox;
mod ingest;
mod machine;
mod outflow;
mod reports;
mod service;
mod shared;
mod start;
mod writer;

use std::sync::Arc;
use std::thread::JoinHandle;

use inbox::{End, Inbox};
use ingest::Ingest;
use shared::Shared;

use crate::Result;
use crate::application::Application;
use crate::config::NodeConfig;
use crate::handle::Handle;
use crate::links::Links;

/// A running validator. Dropping it stops it without waiting; [`shutdown`](Node::shutdown) waits.
pub struct Node {
    handle: Handle,
    inbox: Arc<Inbox>,
    ingest: Arc<Ingest>,
    shared: Arc<Shared>,
    links: Option<Links>,
    threads: Vec<JoinHandle<()>>,
}

impl Node {
    /// Starts a validator: reads genesis and keys, takes the data directory, restores what was durable, links up.
    /// Must be called inside a tokio runtime with time and I/O; one or two worker threads are enough.
    ///
    /// # Errors
    /// Whatever keeps the node from starting, with what to do about it.
    pub async fn start(config: NodeConfig, application: impl Application) -> Result<Self> {
        start::start(config, Box::new(application)).await
    }

    /// The client side.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Where links from other validators are accepted.
    pub fn link_address(&self) -> Option<std::net::SocketAddr> {
        self.links.as_ref().map(Links::address)
    }

    /// Completes when the node cannot go on. Call [`shutdown`](Node::shutdown) then: it gives the reason.
    pub async fn failed(&self) {
        self.shared.failed().await;
    }

    /// Stops: no more transactions are taken, what was taken is made durable, threads and links end.
    ///
    /// # Errors
    /// Why the node failed, before or on the way.
    pub async fn shutdown(mut self) -> Result<()> {
        self.ingest.stop();
        self.inbox.end(End::Finish);
        let threads = std::mem::take(&mut self.threads);
        let ended = tokio::task::spawn_blocking(move || {
            for thread in threads {
                // A panic has made the node fail already.
                let _ = thread.join();
            }
        });
        // The task only waits, it cannot fail.
        let _ = ended.await;
        if let Some(links) = self.links.take() {
            links.shutdown().await;
        }
        self.shared.take_failure().map_or(Ok(()), Err)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.ingest.stop();
        self.inbox.end(End::Finish);
    }
}
