use std::io::{ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use super::limits::{CAPACITY, Closed, MAX_MESSAGE, SendError, timed_out};

/// Maximum number of bytes that wait for the socket.
const MAX_UNSENT: usize = CAPACITY * (MAX_MESSAGE + 4);
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// One end of a link over TCP: each message follows its length, 4 bytes, little endian.
#[derive(Debug)]
pub(super) struct TcpLink {
    stream: TcpStream,
    /// Bytes that the socket has not accepted.
    unsent: Vec<u8>,
    /// Bytes that were read.
    received: Vec<u8>,
    /// Where the next message begins in `received`.
    at: usize,
    is_closed: bool,
}

impl TcpLink {
    pub(super) fn connect(address: &str, limit: Duration) -> Result<Self> {
        let mut last = timed_out(address);
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, limit) {
                Ok(stream) => return Self::new(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    pub(super) fn new(stream: TcpStream) -> Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream, unsent: Vec::new(), received: Vec::new(), at: 0, is_closed: false })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> std::result::Result<(), SendError> {
        self.flush();
        if self.is_closed {
            return Err(SendError::Closed);
        }
        if self.unsent.len() + 4 + message.len() > MAX_UNSENT {
            return Err(SendError::Full);
        }
        let len = u32::try_from(message.len()).unwrap_or(u32::MAX);
        self.unsent.extend_from_slice(&len.to_le_bytes());
        self.unsent.extend_from_slice(message);
        self.flush();
        Ok(())
    }

    pub(super) fn receive(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        if self.take(message)? {
            return Ok(true);
        }
        self.flush();
        self.read();
        if self.take(message)? {
            return Ok(true);
        }
        if self.is_closed { Err(Closed) } else { Ok(false) }
    }

    /// Takes a complete message from the bytes that were read. A length above the maximum ends the link.
    fn take(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        let rest = self.received.get(self.at..).unwrap_or_default();
        let Some((len, rest)) = rest.split_first_chunk() else { return Ok(false) };
        let len = u32::from_le_bytes(*len) as usize;
        if len > MAX_MESSAGE {
            self.is_closed = true;
            return Err(Closed);
        }
        let Some(content) = rest.get(..len) else { return Ok(false) };
        message.clear();
        message.extend_from_slice(content);
        self.at += 4 + len;
        Ok(true)
    }

    fn read(&mut self) {
        self.received.drain(..self.at);
        self.at = 0;
        let old = self.received.len();
        self.received.resize(old + CHUNK, 0);
        let read = self.stream.read(self.received.get_mut(old..).unwrap_or_default());
        self.received.truncate(old + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => self.is_closed = true,
            Ok(_) => {}
            Err(error) => self.is_closed |= is_fatal(error.kind()),
        }
    }

    fn flush(&mut self) {
        let mut sent = 0;
        while let Some(rest) = self.unsent.get(sent..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(written) => sent += written,
                Err(error) => {
                    self.is_closed |= is_fatal(error.kind());
                    break;
                }
            }
        }
        self.unsent.drain(..sent);
    }
}

fn is_fatal(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl AsFd for TcpLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
