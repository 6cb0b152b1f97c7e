//! The limits of links, and the errors at them.

use std::fmt;
use std::io::{Error, ErrorKind};

/// Maximum length of a message.
pub const MAX_MESSAGE: usize = 8192;
/// Maximum number of messages that wait for the reader.
pub const CAPACITY: usize = 64;

/// Error of [`Link::send`](crate::Link::send).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The reader has not read enough of the earlier messages. The message was not sent; try again later.
    Full,
    /// The peer has closed the link or has ended.
    Closed,
    /// The message is longer than [`MAX_MESSAGE`].
    TooLong,
}

/// The peer has closed the link or has ended, and all its messages are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(f, "the peer does not read: {CAPACITY} messages wait"),
            Self::Closed => Closed.fmt(f),
            Self::TooLong => write!(f, "the message is longer than {MAX_MESSAGE} bytes"),
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the peer has closed the link")
    }
}

impl std::error::Error for SendError {}
impl std::error::Error for Closed {}

/// Returns the error of a peer that does not answer.
pub(super) fn timed_out(what: &str) -> Error {
    Error::new(ErrorKind::TimedOut, format!("{what}: no answer in time"))
}
