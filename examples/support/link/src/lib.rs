//! Two-way links between two processes: shared memory on one machine, TCP otherwise, with one interface.
//!
//! | | shared memory, `shm:PATH` | TCP, `HOST:PORT` |
//! |---|---|---|
//! | messages | two single-producer rings, without a system call | frames with a length |
//! | rendezvous | a Unix socket at the path | the connection |
//! | end of the peer | end of the Unix socket, which the kernel closes for a killed process | end of the connection |
//! | trust | the peer can write to the shared memory: processes of one user | none, but anyone in between can read and change the messages, without [`Link::with_tls`] |
//!
//! A message has at most [`MAX_MESSAGE`] bytes, and at most [`CAPACITY`] messages wait for a reader that does not read: then
//! [`Link::send`] fails with [`SendError::Full`], so that no memory grows. Nothing blocks, except
//! [`Link::receive_within`] and [`wait`].
//!
//! **Cost.** `quorate-link bench` measures the round trip of a message through shared memory and TCP, and beside them through a
//! plain ring of two counters and a buffer between two threads. `cargo xtask bench dsig` has a row with both figures; measure on
//! a machine without other load. The rings are our own, because those of iceoryx2 exceeded the target of at most 1 µs
//! more than the plain ring.
//!
//! **Sleeping.** A reader polls. With [`Pace::Sleep`] it polls for [`SPIN`] after the last message and then sleeps in the
//! kernel. A sender that sent nothing for half of that time wakes it through the socket with its next message. If the
//! sender is suspended between its look at the clock and the message, the reader finds the message within [`NAP`].
mod limits;
mod listener;
mod ring;
mod shared_memory;
mod socket;
mod tcp;
mod waiting;

pub use limits::{CAPACITY, Closed, MAX_MESSAGE, SendError};
pub use listener::Listener;
pub use waiting::{NAP, Pace, SPIN, wait};

use std::fmt;
use std::io::Result;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use shared_memory::SharedMemoryLink;
use tcp::TcpLink;

/// Address of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Shared memory; the path is that of the Unix socket where the processes meet.
    SharedMemory(PathBuf),
    /// Host and port.
    Tcp(String),
}

/// One end of a link. It belongs to one thread.
#[derive(Debug)]
pub struct Link(Kind);

#[derive(Debug)]
enum Kind {
    SharedMemory(Box<SharedMemoryLink>),
    Tcp(TcpLink),
}

impl Link {
    /// Connects to a listener.
    ///
    /// # Errors
    /// I/O errors; [`TimedOut`](std::io::ErrorKind::TimedOut) if the listener does not answer within `limit`.
    pub fn connect(endpoint: &Endpoint, limit: Duration) -> Result<Self> {
        match endpoint {
            Endpoint::SharedMemory(path) => Ok(Self::shared_memory(SharedMemoryLink::connect(path, limit)?)),
            Endpoint::Tcp(address) => Ok(Self(Kind::Tcp(TcpLink::connect(address, limit)?))),
        }
    }

    fn shared_memory(link: SharedMemoryLink) -> Self {
        Self(Kind::SharedMemory(Box::new(link)))
    }

    fn tcp(link: TcpLink) -> Self {
        Self(Kind::Tcp(link))
    }

    /// Protects a link over TCP with TLS, before its first message. `tls` is the end of one connection; it knows which peers it
    /// accepts. A message that it sends travels when the handshake is done, and a handshake that fails closes the link.
    /// Links over shared memory need no protection and stay as they are: the kernel connects them.
    #[must_use]
    pub fn with_tls(self, tls: impl Into<rustls::Connection>) -> Self {
        match self.0 {
            Kind::Tcp(link) => Self(Kind::Tcp(link.with_tls(tls.into()))),
            Kind::SharedMemory(_) => self,
        }
    }

    /// Sends a message. Never waits.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn send(&mut self, message: &[u8]) -> std::result::Result<(), SendError> {
        if message.len() > MAX_MESSAGE {
            return Err(SendError::TooLong);
        }
        match &mut self.0 {
            Kind::SharedMemory(link) => link.send(message),
            Kind::Tcp(link) => link.send(message),
        }
    }

    /// Replaces `message` by the next message and returns true, or returns false if there is none yet. Never waits.
    ///
    /// # Errors
    /// [`Closed`] after the last message of a peer that has ended.
    pub fn receive(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        match &mut self.0 {
            Kind::SharedMemory(link) => link.receive(message),
            Kind::Tcp(link) => link.receive(message),
        }
    }

    /// Waits for a message, at most for `limit`. Returns false if there was none.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn receive_within(
        &mut self,
        message: &mut Vec<u8>,
        pace: Pace,
        limit: Duration,
    ) -> std::result::Result<bool, Closed> {
        if self.receive(message)? {
            return Ok(true);
        }
        let began = Instant::now();
        loop {
            for _ in 0..64 {
                if self.receive(message)? {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
            let waited = began.elapsed();
            let Some(left) = limit.checked_sub(waited) else { return Ok(false) };
            if pace == Pace::Sleep && waited >= SPIN {
                wait(&[self.as_fd()], left.min(NAP));
            }
        }
    }
}

impl AsFd for Link {
    /// The descriptor becomes readable when a sleeping reader has to look for messages.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Kind::SharedMemory(link) => link.as_fd(),
            Kind::Tcp(link) => link.as_fd(),
        }
    }
}

impl std::str::FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.strip_prefix("shm:") {
            Some(path) if !path.is_empty() => Ok(Self::SharedMemory(path.into())),
            None if text
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) =>
            {
                Ok(Self::Tcp(text.to_owned()))
            }
            _ => Err(format!("expected shm:PATH or HOST:PORT, got {text:?}")),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharedMemory(path) => write!(f, "shm:{}", path.display()),
            Self::Tcp(address) => f.write_str(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_parsed_and_printed() {
        for text in ["shm:/run/kv.sock", "localhost:7379", "[::1]:80"] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        for text in ["", "shm:", "host", ":80", "host:port", "host:70000"] {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
