use std::fmt;
use std::io;

use super::hello::Verdict;

/// Why a connection could not be made, or ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// The operating system, or the other end, closed it.
    Io(io::Error),
    /// TLS refused.
    Tls(rustls::Error),
    /// Something took too long.
    Timeout {
        /// What.
        during: &'static str,
    },
    /// The other end refused what this end said about itself.
    Refused(Verdict),
    /// This end refused what the other end said about itself.
    Refuses(Verdict),
    /// What the other end said about itself cannot be read.
    Hello(quorate::Error),
    /// A frame above the limit was announced.
    TooLarge {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// Bytes came where none may come.
    Unexpected,
    /// A newer connection took its place.
    Replaced,
    /// Too many frames were refused.
    Expelled,
}

impl LinkError {
    /// A short code that never changes its meaning.
    pub fn code(&self) -> &'static str {
        match self {
            LinkError::Io(_) => "CLOSED",
            LinkError::Tls(e) if is_identity(e) => "UNKNOWN_IDENTITY",
            LinkError::Tls(_) => "TLS",
            LinkError::Timeout { .. } => "TIMEOUT",
            LinkError::Refused(v) | LinkError::Refuses(v) => v.code(),
            LinkError::Hello(e) => e.code(),
            LinkError::TooLarge { .. } => "TOO_LARGE",
            LinkError::Unexpected => "UNEXPECTED",
            LinkError::Replaced => "REPLACED",
            LinkError::Expelled => "EXPELLED",
        }
    }
}

impl From<io::Error> for LinkError {
    fn from(e: io::Error) -> Self {
        match e.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(tls) => LinkError::Tls(tls.clone()),
            None => LinkError::Io(e),
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("the other end closed the connection")
            }
            LinkError::Io(e) => write!(f, "the connection ended: {e}"),
            LinkError::Tls(rustls::Error::AlertReceived(alert)) if is_identity_alert(*alert) => {
                f.write_str("the other end does not know this node's identity key: it is not, or no more, a member there; compare genesis \
                 files")
            }
            LinkError::Tls(e) if is_identity(e) => {
                f.write_str("the other end's identity key is not the one that it is known by")
            }
            LinkError::Tls(e) => write!(f, "TLS: {e}"),
            LinkError::Timeout { during } => write!(f, "{during} took too long"),
            LinkError::Refused(v) => write!(f, "refused by the other end: {v}"),
            LinkError::Refuses(v) => write!(f, "refused: {v}"),
            LinkError::Hello(e) => write!(f, "hello: {e}"),
            LinkError::TooLarge { length, limit } => {
                write!(f, "a frame of {length} bytes was announced, the limit is {limit}")
            }
            LinkError::Unexpected => f.write_str("bytes came back on a one-way connection"),
            LinkError::Replaced => f.write_str("a newer connection of the same member took its place"),
            LinkError::Expelled => f.write_str("too many frames were refused"),
        }
    }
}

impl std::error::Error for LinkError {}

fn is_identity(e: &rustls::Error) -> bool {
    match e {
        rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => true,
        rustls::Error::AlertReceived(alert) => is_identity_alert(*alert),
        _ => false,
    }
}

fn is_identity_alert(alert: rustls::AlertDescription) -> bool {
    use rustls::AlertDescription as A;
    matches!(alert, A::AccessDenied | A::BadCertificate | A::UnknownCA | A::CertificateUnknown)
}
