//! Links between the processes of a group: shared memory as it is, TCP with TLS, in which the replica proves its key and the
//! other end that of a replica or client.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::SecretKey;
use quorate_link::{Endpoint, Link, Listener};
use quorate_tls::{Tls, server_name};
use rustls::{ClientConnection, ServerConfig, ServerConnection};

use super::group::{self, Group};
use super::{Exit, Failure, OrFail};

/// Protocol inside TLS (ALPN).
const PROTOCOL: &[u8] = b"quorate-replicate/1";

/// Connects to a replica of the group.
///
/// # Errors
/// Those of [`Link::connect`]; [`ErrorKind::NotFound`] if the group has no such replica.
pub(super) fn connect(group: &Group, replica: u16, key: &SecretKey, limit: Duration) -> io::Result<Link> {
    let unknown = || io::Error::new(ErrorKind::NotFound, "no such replica");
    let endpoint = group.endpoints.get(usize::from(replica)).ok_or_else(unknown)?;
    let link = Link::connect(endpoint, limit)?;
    if matches!(endpoint, Endpoint::SharedMemory(_)) {
        return Ok(link);
    }
    let expected = group.committee.key(replica).ok_or_else(unknown)?;
    let tls = tls(group, key).map_err(io::Error::other)?;
    let config = tls.client_config(expected).map_err(io::Error::other)?;
    let name = server_name().map_err(io::Error::other)?;
    Ok(link.with_tls(ClientConnection::new(config, name).map_err(io::Error::other)?))
}

/// Accepts links of the parties of a group.
pub(super) struct Acceptor {
    listener: Listener,
    /// For TCP.
    tls: Option<Arc<ServerConfig>>,
}

impl Acceptor {
    /// Listens at the address of a replica.
    ///
    /// # Errors
    /// [`Exit::Unreachable`] if another process does; [`Exit::Setup`] if the group has no such replica.
    pub(super) fn bind(group: &Group, replica: u16, key: &SecretKey) -> Result<Self, Failure> {
        let endpoint = group.endpoints.get(usize::from(replica));
        let endpoint = endpoint.ok_or_else(|| Failure::new(Exit::Setup, "no such replica"))?;
        let listener = Listener::bind(endpoint).or_fail(Exit::Unreachable, endpoint)?;
        let tls = match endpoint {
            Endpoint::SharedMemory(_) => None,
            Endpoint::Tcp(_) => Some(tls(group, key)?.server_config()),
        };
        Ok(Self { listener, tls })
    }

    /// Returns a new link, if a peer has connected.
    pub(super) fn accept(&mut self) -> Option<Link> {
        // An error concerns the peer that connected, or it is repeated at the next look.
        let link = self.listener.accept().ok()??;
        match &self.tls {
            None => Some(link),
            Some(config) => Some(link.with_tls(ServerConnection::new(config.clone()).ok()?)),
        }
    }

    /// The listener, to wait for peers.
    pub(super) fn listener(&self) -> &Listener {
        &self.listener
    }
}

fn tls(group: &Group, key: &SecretKey) -> Result<Tls, Failure> {
    let keys = (0..).zip(group.committee.keys().iter().chain(&group.clients));
    Tls::accepting(group::copy(key)?, keys, PROTOCOL).or_fail(Exit::Failed, "TLS")
}
