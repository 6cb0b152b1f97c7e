//! Interfaces for clients: HTTP with JSON, and a framed stream for clients that submit thousands of transactions a second.
//! `spec/http.md` is the reference for both.
//!
//! Both use only a [`Handle`], so they serve any consensus protocol and any application. The resources of a client are
//! bounded: connections, bodies, waiting requests, unread events. A client that does not read is disconnected; a client
//! that exceeds a limit receives a stable [`Code`].
//!
//! There is no authentication. By default both listen on the loopback interface only.

mod code;
mod http;
mod listen;
mod stall;
pub mod stream;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Result;
use crate::config::NodeConfig;
use crate::descriptors;
use crate::genesis::Genesis;
use crate::handle::Handle;

pub use code::Code;

/// Timeout for stopping the listeners.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// The running listeners. Dropping it stops them.
#[derive(Debug)]
pub struct Clients {
    http: Option<SocketAddr>,
    stream: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    listeners: Vec<JoinHandle<()>>,
}

impl Clients {
    /// Binds both addresses of `config.clients` and serves until stopped, on the runtime that calls this. Give clients a
    /// runtime of their own, so that they cannot delay the links. If the process may not open as many files as the
    /// configuration permits clients, fewer clients are served.
    ///
    /// # Errors
    /// [`NodeError::Bind`](crate::NodeError::Bind) if an address cannot be bound,
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) if `genesis` is invalid,
    /// [`NodeError::OpenFiles`](crate::NodeError::OpenFiles) if the process may open too few files.
    pub async fn start(config: &NodeConfig, handle: Handle, genesis: &Genesis) -> Result<Self> {
        let limit = descriptors::client_connections(config, genesis.members.len())?;
        let config = &config.clients;
        let (stop, stopping) = watch::channel(false);
        let mut clients = Self { http: None, stream: None, stop, listeners: Vec::new() };
        let stream = match config.stream.as_str() {
            "" => None,
            address => Some(listen::bind(address).await?),
        };
        clients.stream = stream.as_ref().and_then(|listener| listener.local_addr().ok());
        if !config.http.is_empty() {
            let listener = listen::bind(&config.http).await?;
            clients.http = listener.local_addr().ok();
            let context =
                http::Context::new(config, handle.clone(), genesis, clients.stream, stopping.clone())?;
            let server = http::serve(listener, limit, context, stopping.clone());
            clients.listeners.push(tokio::spawn(server));
        }
        if let Some(listener) = stream {
            let context = stream::Context {
                handle,
                chain: genesis.chain_id().0,
                max_transaction: genesis.parameters.max_transaction_bytes as usize,
            };
            clients.listeners.push(tokio::spawn(stream::serve(listener, limit, context, stopping)));
        }
        Ok(clients)
    }

    /// Address of the HTTP listener, if there is one.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http
    }

    /// Address of the submission stream, if there is one.
    pub fn stream_address(&self) -> Option<SocketAddr> {
        self.stream
    }

    /// Stops accepting clients, and gives the connected ones a short time to finish.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let all = async {
            for listener in &mut self.listeners {
                // A listener that panicked has stopped as well.
                let _ = listener.await;
            }
        };
        let _ = tokio::time::timeout(STOP_TIMEOUT, all).await;
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        for listener in &self.listeners {
            listener.abort();
        }
    }
}
