//! Drives the state machine: persist, then send.
//!
//! ```text
//!            links (tokio)                 clients
//!                 │ frames                    │ transactions
//!                 ▼                           ▼
//!              inbox ◄──── sealed batches ── ingest
//!                 │
//!                 ▼
//!   machine thread: decode, handle, timers ──► two step_queues: batches, and everything else
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
//! When the members of the chain change, the machine, its threads and the links end, and the next epoch's begin: see
//! `life`.
//!
//! A failure of the disk or of the application, or a second process with the same identity key, stops the node:
//! nothing is signed or sent from then on, and [`Node::failed`] says why.

mod archive;
mod clock;
mod context;
mod driver;
mod engine;
mod inbox;
mod ingest;
mod reports;
mod service;
mod shared;
mod start;
mod step_queue;
mod supervisor;
mod writer;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::task::JoinHandle;

use inbox::{End, Inbox};
use ingest::Ingest;
use shared::Shared;
pub use start::Starting;

use crate::Result;
use crate::application::Application;
use crate::config::NodeConfig;
use crate::genesis::Genesis;
use crate::handle::Handle;
use crate::protocol::Protocol;

/// A running validator, or one that looks on until it is one. Dropping it stops it without waiting; [`shutdown`](Node::shutdown) waits.
pub struct Node {
    handle: Handle,
    inbox: Arc<Inbox>,
    ingest: Arc<Ingest>,
    shared: Arc<Shared>,
    address: SocketAddr,
    life: Option<JoinHandle<()>>,
}

impl Node {
    /// Starts a validator of a chain that runs the protocol `P`: reads the keys, locks the data directory, restores what was durable, links up.
    /// Must be called inside a tokio runtime with time and I/O; one or two worker threads are enough.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) if `genesis` is for another protocol than `P`; otherwise what
    /// prevents the start, with the remedy.
    // The future is boxed: an `async fn` would be compiled in each crate that awaits it, with the whole node in it.
    pub fn start<P: Protocol>(
        config: NodeConfig,
        genesis: Genesis,
        application: Box<dyn Application>,
    ) -> Starting {
        start::start::<P>(config, genesis, application)
    }

    /// The client side.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Where links from other validators are accepted.
    pub fn link_address(&self) -> SocketAddr {
        self.address
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
        self.stop();
        if let Some(life) = self.life.take() {
            // A panic of it would be one of this crate: threads report theirs.
            let _ = life.await;
        }
        self.shared.take_failure().map_or(Ok(()), Err)
    }
}

impl Node {
    fn stop(&self) {
        self.ingest.stop();
        self.inbox.end(End::Finish);
        self.shared.give_up();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}
