use std::time::Duration;

use quorate::ed25519;
use quorate_tls::{anonymous_client_config, server_name};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::context::PROTOCOL;
use super::error::LinkError;

/// Connects to `address`, and checks that the process there has the identity key `key` and accepts links.
///
/// Needs no key and signs nothing: in TLS 1.3 the acceptor proves its identity first. This end then offers no key, so the
/// acceptor refuses it, and counts and logs one refused connection.
///
/// # Errors
/// If nothing answers within `limit`, or another key.
pub async fn identify(address: &str, key: &ed25519::PublicKey, limit: Duration) -> Result<(), LinkError> {
    let identified = timeout(limit, async {
        let stream = TcpStream::connect(address).await?;
        let connector = TlsConnector::from(anonymous_client_config(key, PROTOCOL).map_err(LinkError::Tls)?);
        connector.connect(server_name().map_err(LinkError::Tls)?, stream).await?;
        Ok(())
    });
    identified.await.unwrap_or(Err(LinkError::Timeout { during: "the handshake" }))
}
