use std::io::{BufRead, ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustls::Connection;

use super::limits::{CAPACITY, Closed, MAX_MESSAGE, SendError, timed_out};

/// Maximum number of bytes that wait for the socket.
const MAX_UNSENT: usize = CAPACITY * (MAX_MESSAGE + 4);
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// One end of a link over TCP: each message follows its length, 4 bytes, little endian.
#[derive(Debug)]
pub(super) struct TcpLink {
    stream: TcpStream,
    tls: Option<Box<Connection>>,
    /// Bytes that the socket, or TLS, has not accepted.
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
        Ok(Self { stream, tls: None, unsent: Vec::new(), received: Vec::new(), at: 0, is_closed: false })
    }

    pub(super) fn with_tls(mut self, mut tls: Connection) -> Self {
        // What waits for the peer waits here, where it is bounded.
        tls.set_buffer_limit(Some(CHUNK));
        self.tls = Some(Box::new(tls));
        // The client speaks first.
        self.flush();
        self
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
        match &mut self.tls {
            None => self.is_closed |= read_chunk(&mut self.stream, &mut self.received),
            Some(tls) => {
                let is_at_end = match tls.read_tls(&mut self.stream) {
                    Ok(read) => read == 0,
                    Err(error) => is_fatal(error.kind()),
                };
                let is_over = tls.process_new_packets().map_or(true, |state| state.peer_has_closed());
                // Records that arrived before the end are read too.
                while matches!(tls.reader().fill_buf(), Ok(bytes) if !bytes.is_empty()) {
                    read_chunk(&mut tls.reader(), &mut self.received);
                }
                self.is_closed |= is_at_end || is_over;
                // The next message of the handshake, or an alert.
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if let Some(tls) = &mut self.tls {
            loop {
                // No more than the buffer limit, and before the end of the handshake nothing of it travels.
                let written = tls.writer().write(&self.unsent).unwrap_or(0);
                self.unsent.drain(..written);
                while tls.wants_write() {
                    if let Err(error) = tls.write_tls(&mut self.stream) {
                        self.is_closed |= is_fatal(error.kind());
                        return;
                    }
                }
                if written == 0 {
                    return;
                }
            }
        }
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

/// Appends what can be read at once, and returns true at the end of the stream.
fn read_chunk(stream: &mut impl Read, received: &mut Vec<u8>) -> bool {
    let old = received.len();
    received.resize(old + CHUNK, 0);
    let read = stream.read(received.get_mut(old..).unwrap_or_default());
    received.truncate(old + read.as_ref().map_or(0, |read| *read));
    match read {
        Ok(read) => read == 0,
        Err(error) => is_fatal(error.kind()),
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
