use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shared_memory::SharedMemoryLink;
use super::socket::connect_within;
use super::tcp::TcpLink;
use super::{Endpoint, Link};

/// Time limit for the question whether another process listens. One that does not answer does.
const PROBE: Duration = Duration::from_secs(1);

/// Accepts links.
#[derive(Debug)]
pub struct Listener(Kind);

#[derive(Debug)]
enum Kind {
    SharedMemory { socket: UnixListener, path: PathBuf },
    Tcp(TcpListener),
}

impl Listener {
    /// Listens. A socket file that a killed process left behind is replaced.
    ///
    /// # Errors
    /// I/O errors; [`ErrorKind::AddrInUse`] if another process listens.
    pub fn bind(endpoint: &Endpoint) -> Result<Self> {
        match endpoint {
            Endpoint::SharedMemory(path) => {
                let socket = bind_socket(path)?;
                socket.set_nonblocking(true)?;
                Ok(Self(Kind::SharedMemory { socket, path: path.clone() }))
            }
            Endpoint::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                listener.set_nonblocking(true)?;
                Ok(Self(Kind::Tcp(listener)))
            }
        }
    }

    /// Returns the address to connect to, with the port that the system chose.
    ///
    /// # Errors
    /// I/O errors.
    pub fn endpoint(&self) -> Result<Endpoint> {
        Ok(match &self.0 {
            Kind::SharedMemory { path, .. } => Endpoint::SharedMemory(path.clone()),
            Kind::Tcp(listener) => Endpoint::Tcp(listener.local_addr()?.to_string()),
        })
    }

    /// Returns a new link, if a peer has connected. Never waits for a peer; creating shared memory takes about a
    /// millisecond.
    ///
    /// # Errors
    /// I/O errors that concern one peer, or too many open files: the caller goes on.
    pub fn accept(&mut self) -> Result<Option<Link>> {
        let accepted = match &self.0 {
            Kind::SharedMemory { socket, .. } => socket
                .accept()
                .and_then(|(stream, _)| SharedMemoryLink::accept(stream))
                .map(Link::shared_memory),
            Kind::Tcp(listener) => {
                listener.accept().and_then(|(stream, _)| TcpLink::new(stream)).map(Link::tcp)
            }
        };
        match accepted {
            Ok(link) => Ok(Some(link)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Listener {
    /// The descriptor is readable when a peer has connected.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Kind::SharedMemory { socket, .. } => socket.as_fd(),
            Kind::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Kind::SharedMemory { path, .. } = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

fn bind_socket(path: &Path) -> Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => match connect_within(path, PROBE) {
            Err(refused) if refused.kind() == ErrorKind::ConnectionRefused => {
                fs::remove_file(path)?;
                UnixListener::bind(path)
            }
            _ => Err(Error::new(error.kind(), format!("{}: another process listens there", path.display()))),
        },
        bound => bound,
    }
}
