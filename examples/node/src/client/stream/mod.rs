//! The framed submission stream; [`protocol`] has the bytes.

mod connection;
mod open;
pub mod protocol;

use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};

use super::code::Code;
use super::listen::{self, Stopping};
use crate::handle::Handle;
use connection::Connection;
use protocol::Event;
use quorate::wire::Writer;

/// What every connection needs.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) handle: Handle,
    pub(super) chain: [u8; 32],
    pub(super) max_transaction: usize,
}

/// Serves the stream until the node stops.
pub(super) async fn serve(listener: TcpListener, limit: usize, context: Context, stopping: Stopping) {
    let context = Arc::new(context);
    let serve = |stream, peer| {
        let (context, stopping) = (context.clone(), stopping.clone());
        async move {
            let connections = context.handle.metrics().clients.connections.clone();
            connections.inc();
            if let Err(error) = Connection::new(stream, &context, stopping).run().await {
                tracing::debug!(%peer, %error, "a submission stream ended");
            }
            connections.dec();
        }
    };
    listen::accept(listener, limit, stopping.clone(), serve, refuse).await;
}

/// Tells a client that there is no room; what the socket does not take at once is not sent.
fn refuse(stream: TcpStream) {
    let mut w = Writer::new();
    Event::Closing { code: Code::TooManyClients.number() }.write(&mut w);
    let _ = stream.try_write(&w.into_bytes());
}
