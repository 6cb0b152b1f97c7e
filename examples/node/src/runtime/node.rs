use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;

use super::context::NodeContext;
use super::inbox::End;
use super::supervisor::{NodeSupervisor, RunningNode};
use crate::application::Application;
use crate::config::NodeConfig;
use crate::descriptors;
use crate::genesis::Genesis;
use crate::handle::Handle;
use crate::protocol::Protocol;
use crate::store::with_cause;
use crate::{NodeError, Result};

/// A running validator or observer. Dropping it stops it without waiting; [`shutdown`](Node::shutdown) waits.
pub struct Node {
    running: RunningNode,
    /// The data directory.
    data: PathBuf,
}

/// Future of a node that is starting.
pub type Starting = Pin<Box<dyn Future<Output = Result<Node>> + Send>>;

impl Node {
    /// Starts a validator of a chain that runs the protocol `P`: reads the keys, locks the data directory, restores the
    /// durable state and starts the links. Must be called inside a tokio runtime with time and I/O; one or two worker
    /// threads suffice.
    ///
    /// # Errors
    /// [`NodeError::Genesis`] if `genesis` is for another protocol than `P`; otherwise the problem that prevents the
    /// start, with its remedy.
    // The future is boxed: an `async fn` would be compiled in each crate that awaits it, with the whole node in it.
    pub fn start<P: Protocol>(
        config: NodeConfig,
        genesis: Genesis,
        application: Box<dyn Application>,
    ) -> Starting {
        Box::pin(async move {
            config.check()?;
            descriptors::client_connections(&config, genesis.members.len())?;
            if genesis.protocol != *P::NAME {
                let problem = format!("protocol: expected {}, got {}", P::NAME, genesis.protocol);
                return Err(NodeError::Genesis { path: None, problem });
            }
            P::check_genesis(&genesis)?;
            // Verifying possession proofs and reading the store takes a while: not on an async thread.
            let opened =
                tokio::task::spawn_blocking(move || NodeContext::<P>::open(config, genesis, application));
            let opened = opened.await.map_err(|e| NodeError::Stopped { why: e.to_string() })?;
            let (context, epoch, checker) = opened?;
            let data = context.config.node.data.clone();
            Ok(Self { running: NodeSupervisor::start(context, epoch, checker).await?, data })
        })
    }

    /// The interface for clients.
    pub fn handle(&self) -> Handle {
        self.running.handle.clone()
    }

    /// Address that accepts links from other validators.
    pub fn link_address(&self) -> SocketAddr {
        self.running.address
    }

    /// Completes when the node has failed. Then call [`shutdown`](Node::shutdown), which returns the reason.
    pub async fn failed(&self) {
        self.running.shared.failed().await;
    }

    /// Stops the node: refuses further transactions, makes the accepted ones durable, and ends threads and links.
    ///
    /// # Errors
    /// The reason why the node failed, before or during the shutdown.
    pub async fn shutdown(mut self) -> Result<()> {
        self.stop();
        if let Some(supervisor) = self.running.supervisor.take() {
            // The task does not panic: the threads report their panics.
            let _ = supervisor.await;
        }
        self.running.shared.take_failure().map_or(Ok(()), |error| Err(with_cause(error, &self.data)))
    }

    fn stop(&self) {
        self.running.ingest.stop();
        self.running.inbox.end(End::Shutdown);
        self.running.shared.request_shutdown();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}
