use std::sync::Arc;

use quorate::wire::Writer;
use tokio::net::{TcpListener, TcpStream};

use super::connection::Connection;
use super::context::Context;
use super::protocol::Event;
use crate::client::code::Code;
use crate::client::listen::{self, Places, Stopping};

/// Serves the stream until the node stops.
pub(in crate::client) async fn serve(
    listener: TcpListener,
    limit: usize,
    context: Context,
    stopping: Stopping,
) {
    let context = Arc::new(context);
    let serve = |stream, peer, _| {
        let (context, stopping) = (context.clone(), stopping.clone());
        async move {
            let connections = context.handle.metrics().clients.connections.clone();
            connections.inc();
            if let Err(error) = Connection::new(stream, &context, stopping).run().await {
                tracing::debug!(%peer, %error, "submission stream ended");
            }
            connections.dec();
        }
    };
    let places = Places { clients: limit, spare: 0 };
    listen::accept(listener, places, stopping.clone(), serve, refuse).await;
}

/// Refuses a connection above the limit, with an event if the socket accepts it without waiting.
fn refuse(stream: TcpStream) {
    let mut w = Writer::new();
    Event::Closing { code: Code::TooManyClients.number() }.write(&mut w);
    let _ = stream.try_write(&w.into_bytes());
}
