use std::fs::File;
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Read, Result, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use super::limits::{Closed, SendError, timed_out};
use super::ring::{self, Receiver, Sender};
use super::socket::connect_within;
use super::waiting::SPIN;

/// The byte with which a listener sends the memory of the two rings: the version of their format.
const VERSION: u8 = 1;
/// Number of polls without a message after which the socket is read, to notice the end of the peer.
const POLLS: u32 = 1024;

/// One end of a link in shared memory.
#[derive(Debug)]
pub(super) struct SharedMemoryLink {
    sender: Sender,
    receiver: Receiver,
    /// Wakes a sleeping reader, and ends with the peer.
    socket: UnixStream,
    /// Time of the last message that was sent.
    sent: Option<Instant>,
    /// Polls since the last message or the last look at the socket.
    polls: u32,
    is_closed: bool,
}

impl SharedMemoryLink {
    /// Creates the rings of a link for a peer, and sends it their memory.
    pub(super) fn accept(socket: UnixStream) -> Result<Self> {
        let [up, down] = [ring::create()?, ring::create()?];
        let files = [up.as_fd(), down.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&files));
        // The socket's buffer is empty, so that this does not block.
        sendmsg(&socket, &[IoSlice::new(&[VERSION])], &mut ancillary, SendFlags::empty())?;
        Self::with(&down, &up, socket)
    }

    pub(super) fn connect(path: &Path, limit: Duration) -> Result<Self> {
        let began = Instant::now();
        let socket = connect_within(path, limit)?;
        // Zero would be no limit.
        let left = limit.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
        socket.set_read_timeout(Some(left))?;
        let [up, down] = receive_files(&socket).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => timed_out(&path.display().to_string()),
            _ => error,
        })?;
        Self::with(&up, &down, socket)
    }

    fn with(outgoing: &File, incoming: &File, socket: UnixStream) -> Result<Self> {
        let (sender, receiver) = (Sender::new(outgoing)?, Receiver::new(incoming)?);
        socket.set_nonblocking(true)?;
        Ok(Self { sender, receiver, socket, sent: None, polls: 0, is_closed: false })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> std::result::Result<(), SendError> {
        if let Err(error) = self.sender.send(message) {
            // A ring whose reader has ended stays full.
            self.read_socket();
            return Err(if self.is_closed { SendError::Closed } else { error });
        }
        let now = Instant::now();
        if self.sent.is_none_or(|sent| now.duration_since(sent) >= SPIN / 2) {
            // A full socket buffer wakes the reader too; the other errors say that the peer has ended.
            let written = (&self.socket).write(&[0]);
            self.is_closed |= written.is_err_and(|error| error.kind() != ErrorKind::WouldBlock);
        }
        self.sent = Some(now);
        if self.is_closed { Err(SendError::Closed) } else { Ok(()) }
    }

    pub(super) fn receive(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        if self.receiver.receive(message)? {
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
        if self.receiver.receive(message)? { Ok(true) } else { Err(Closed) }
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

/// Receives the memory of the rings: that of the connector's messages first.
fn receive_files(socket: &UnixStream) -> Result<[File; 2]> {
    let mut version = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut buffer = [IoSliceMut::new(&mut version)];
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let received = rustix::io::retry_on_intr(|| recvmsg(socket, &mut buffer, &mut ancillary, flags))?;
    let files = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files.map(File::from)),
        _ => None,
    });
    let files: Vec<File> = files.flatten().collect();
    let other = "shared memory: the listener sent no rings, or those of another version";
    let files = files.try_into().ok().filter(|_| received.bytes == 1 && version == [VERSION]);
    files.ok_or_else(|| Error::new(ErrorKind::InvalidData, other))
}

impl AsFd for SharedMemoryLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
