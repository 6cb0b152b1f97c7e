//! What clients of a node talk to: HTTP with JSON, and a framed stream for those who submit thousands of
//! transactions a second. `spec/http.md` describes both for whoever writes a client.
//!
//! Both stand on a [`Handle`] alone, so they serve any consensus protocol and any application. Everything a
//! client can make the node hold is bounded: connections, bodies, waiting requests, unread events. A client that
//! does not read is cut off; a client that asks for too much is told so with a stable [`Code`].
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
use crate::config::ClientConfig;
use crate::genesis::Genesis;
use crate::handle::Handle;

pub use code::Code;

/// How long the listeners may take to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// The running listeners. They stop when this is dropped.
#[derive(Debug)]
pub struct Clients {
    http: Option<SocketAddr>,
    stream: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    listeners: Vec<JoinHandle<()>>,
}

impl Clients {
    /// Binds both addresses of `config` and serves until stopped.
    ///
    /// # Errors
    /// [`NodeError::Bind`](crate::NodeError::Bind) if an address cannot be listened on,
    /// [`NodeError::Genesis`](crate::NodeError::Genesis) if `genesis` is none.
    pub async fn start(config: &ClientConfig, handle: Handle, genesis: &Genesis) -> Result<Self> {
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
            let server = http::serve(listener, config.max_connections, context, stopping.clone());
            clients.listeners.push(tokio::spawn(server));
        }
        if let Some(listener) = stream {
            let context = stream::Context {
                handle,
                chain: genesis.chain_id().0,
                max_transaction: genesis.parameters.max_transaction_bytes as usize,
            };
            clients.listeners.push(tokio::spawn(stream::serve(
                listener,
                config.max_connections,
                context,
                stopping,
            )));
        }
        Ok(clients)
    }

    /// Where HTTP is served, if it is.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http
    }

    /// Where the submission stream is served, if it is.
    pub fn stream_address(&self) -> Option<SocketAddr> {
        self.stream
    }

    /// Takes no new clients, tells the connected ones, and gives them a moment to end.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let all = async {
            for listener in &mut self.listeners {
                // A listener that panicked has stopped too.
                let _ = listener.await;
            }
        };
        let _ = tokio::time::timeout(STOP_PATIENCE, all).await;
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        for listener in &self.listeners {
            listener.abort();
        }
    }
}
