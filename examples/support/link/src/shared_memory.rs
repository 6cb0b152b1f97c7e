use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use iceoryx2::config::Config;
use iceoryx2::node::NodeBuilder;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::{BackpressureStrategy, SignalHandlingMode};
use iceoryx2::service::ipc::Service;
use iceoryx2::service::port_factory::publish_subscribe::PortFactory;

use super::limits::{CAPACITY, Closed, MAX_MESSAGE, SendError, timed_out};
use super::socket::connect_within;
use super::waiting::SPIN;

/// The process in iceoryx2. It removes the shared memory of processes that were killed.
pub(super) type Node = iceoryx2::node::Node<Service>;

/// Length of the name of a link, in hexadecimal digits.
const NAME: usize = 32;
/// Number of polls without a message after which the socket is read, to notice the end of the peer.
const POLLS: u32 = 1024;

/// One end of a link in shared memory.
#[derive(Debug)]
pub(super) struct SharedMemoryLink {
    sender: Publisher<Service, [u8], ()>,
    receiver: Subscriber<Service, [u8], ()>,
    /// Wakes a sleeping reader, and ends with the peer.
    socket: UnixStream,
    /// Time of the last message that was sent.
    sent: Option<Instant>,
    /// Polls since the last message or the last look at the socket.
    polls: u32,
    is_closed: bool,
    _node: Option<Node>,
}

/// Creates the node of this process.
pub(super) fn node() -> Result<Node> {
    // No configuration file influences the links, and signals belong to the program.
    let builder = NodeBuilder::new().config(&Config::default());
    builder.signal_handling_mode(SignalHandlingMode::Disabled).create().map_err(failed)
}

impl SharedMemoryLink {
    /// Creates the rings of a link for a peer, and tells it their name.
    pub(super) fn accept(node: &Node, mut socket: UnixStream) -> Result<Self> {
        let mut name = [0; NAME / 2];
        getrandom::fill(&mut name).map_err(failed)?;
        let name = hex::encode(name);
        let (up, down) = (ring(node, &name, "up", true)?, ring(node, &name, "down", true)?);
        let link = Self::with(&down, &up, socket.try_clone()?, None)?;
        // The socket's buffer is empty, so that this does not block.
        socket.write_all(name.as_bytes())?;
        Ok(link)
    }

    pub(super) fn connect(path: &Path, limit: Duration) -> Result<Self> {
        let began = Instant::now();
        let mut socket = connect_within(path, limit)?;
        // Zero would be no limit.
        let left = limit.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
        socket.set_read_timeout(Some(left))?;
        let mut name = [0; NAME];
        socket.read_exact(&mut name).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => timed_out(&path.display().to_string()),
            _ => error,
        })?;
        let name = std::str::from_utf8(&name).ok().filter(|name| hex::decode(name).is_ok());
        let name = name.ok_or_else(|| failed("the listener sent no name of a link"))?;
        let node = node()?;
        let (up, down) = (ring(&node, name, "up", false)?, ring(&node, name, "down", false)?);
        Self::with(&up, &down, socket, Some(node))
    }

    fn with(outgoing: &Ring, incoming: &Ring, socket: UnixStream, node: Option<Node>) -> Result<Self> {
        let receiver = incoming.subscriber_builder().buffer_size(CAPACITY).create().map_err(failed)?;
        let sender = outgoing
            .publisher_builder()
            .initial_max_slice_len(MAX_MESSAGE)
            .max_loaned_samples(1)
            .backpressure_strategy(BackpressureStrategy::DiscardData)
            .create()
            .map_err(failed)?;
        socket.set_nonblocking(true)?;
        Ok(Self { sender, receiver, socket, sent: None, polls: 0, is_closed: false, _node: node })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> std::result::Result<(), SendError> {
        let loaned = self.sender.loan_slice_uninit(message.len()).map_err(|_| SendError::Full)?;
        // Undelivered data was discarded, because the ring is full or the peer has no ring any more.
        if loaned.write_from_slice(message).send().map_err(|_| SendError::Closed)? == 0 {
            self.read_socket();
            return Err(if self.is_closed { SendError::Closed } else { SendError::Full });
        }
        let now = Instant::now();
        if self.sent.is_none_or(|sent| now.duration_since(sent) >= SPIN / 2) {
            // A full socket buffer wakes the reader too.
            let _ = (&self.socket).write(&[0]);
        }
        self.sent = Some(now);
        Ok(())
    }

    pub(super) fn receive(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        if self.take(message)? {
            self.polls = 0;
            return Ok(true);
        }
        self.polls += 1;
        if self.polls < POLLS {
            return Ok(false);
        }
        self.polls = 0;
        self.read_socket();
        if !self.is_closed {
            return Ok(false);
        }
        // Messages from before the end, which may have arrived since the first look.
        if self.take(message)? { Ok(true) } else { Err(Closed) }
    }

    fn take(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        let Some(sample) = self.receiver.receive().map_err(|_| Closed)? else { return Ok(false) };
        message.clear();
        message.extend_from_slice(sample.payload());
        Ok(true)
    }

    /// Reads the bytes that wake a reader, and notices the end of the peer.
    fn read_socket(&mut self) {
        let mut bytes = [0; 64];
        loop {
            match (&self.socket).read(&mut bytes) {
                Ok(0) => self.is_closed = true,
                Ok(_) => continue,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => self.is_closed |= error.kind() != ErrorKind::WouldBlock,
            }
            return;
        }
    }
}

impl AsFd for SharedMemoryLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

type Ring = PortFactory<Service, [u8], ()>;

/// Creates or opens one direction of a link.
fn ring(node: &Node, name: &str, direction: &str, create: bool) -> Result<Ring> {
    let name = format!("quorate-link/{name}/{direction}");
    let name = name.as_str().try_into().map_err(failed)?;
    let builder = node
        .service_builder(&name)
        .publish_subscribe::<[u8]>()
        .max_nodes(2)
        .max_publishers(1)
        .max_subscribers(1)
        .subscriber_max_buffer_size(CAPACITY)
        .subscriber_max_borrowed_samples(1)
        .history_size(0)
        .enable_safe_overflow(false);
    if create { builder.create().map_err(failed) } else { builder.open().map_err(failed) }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::other(format!("shared memory: {error}"))
}
