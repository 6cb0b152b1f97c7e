use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::{NodeError, Result};

/// Signal to all connections that the node is stopping.
pub(super) type Stopping = watch::Receiver<bool>;

/// Time for connections to finish when the node stops.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(2);
/// Pause after a failed `accept`, which mostly means that no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Binds an address.
pub(super) async fn bind(address: &str) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|source| NodeError::Bind { address: address.to_owned(), source })
}

/// Resolves when the node stops.
pub(super) async fn stopped(stopping: &mut Stopping) {
    // An error means that the sender was dropped, which also stops the connections.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Numbers of connections that are served at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// For clients.
    pub(super) clients: usize,
    /// For connections that arrive while all places for clients are in use.
    pub(super) spare: usize,
}

/// Accepts connections until the node stops; then gives the open ones a short time to end. Calls `serve` with true for a
/// connection in a spare place, and `refuse`, which must not wait, for connections without a place.
pub(super) async fn accept<F, R>(
    listener: TcpListener,
    places: Places,
    mut stopping: Stopping,
    serve: impl Fn(TcpStream, SocketAddr, bool) -> F,
    refuse: R,
) where
    F: Future<Output = ()> + Send + 'static,
    R: Fn(TcpStream),
{
    let clients = Arc::new(Semaphore::new(places.clients));
    let spare = Arc::new(Semaphore::new(places.spare));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = stopped(&mut stopping) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(code = "CLIENT_NOT_ACCEPTED", %error, "cannot accept a client");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Otherwise small answers wait for the client's delayed acknowledgement.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let place = clients.clone().try_acquire_owned().map(|place| (place, false));
        let Ok((place, is_spare)) =
            place.or_else(|_| spare.clone().try_acquire_owned().map(|place| (place, true)))
        else {
            refuse(stream);
            continue;
        };
        let connection = serve(stream, peer, is_spare);
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(STOP_GRACE_PERIOD, all).await;
}
