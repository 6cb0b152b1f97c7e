use std::fmt;
use std::io;

use super::hello::Verdict;

/// Reason why a connection failed or ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// The operating system or the peer closed the connection.
    Io(io::Error),
    /// TLS failed.
    Tls(rustls::Error),
    /// An operation timed out.
    Timeout {
        /// The operation.
        during: &'static str,
    },
    /// The peer refused this end's hello.
    Refused(Verdict),
    /// This end refused the peer's hello.
    Refuses(Verdict),
    /// The peer's hello or answer is malformed.
    Hello(quorate::Error),
    /// The peer announced a frame above the limit.
    TooLarge {
        /// Announced length in bytes.
        length: usize,
        /// Limit in bytes.
        limit: usize,
    },
    /// The peer sent data on a one-way connection.
    Unexpected,
    /// A newer connection of the same peer replaced this one.
    Replaced,
    /// The peer sent too many invalid frames.
    Expelled,
    /// A newer connection took the place of this one, which had not authenticated itself.
    TooMany,
}

impl LinkError {
    /// Stable code.
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
            LinkError::TooMany => "TOO_MANY",
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
                f.write_str("the peer closed the connection")
            }
            LinkError::Io(e) => write!(f, "the connection ended: {e}"),
            LinkError::Tls(rustls::Error::AlertReceived(alert)) if is_identity_alert(*alert) => {
                f.write_str(
                    "the peer does not accept this node's identity key: this node is not a member, or no longer one; compare \
                     the genesis files",
                )
            }
            LinkError::Tls(e) if is_identity(e) => {
                f.write_str("the peer presented another identity key than the expected one")
            }
            LinkError::Tls(e) => write!(f, "TLS: {e}"),
            LinkError::Timeout { during } => write!(f, "{during} timed out"),
            LinkError::Refused(v) => write!(f, "refused by the peer: {v}"),
            LinkError::Refuses(v) => write!(f, "refused: {v}"),
            LinkError::Hello(e) => write!(f, "hello: {e}"),
            LinkError::TooLarge { length, limit } => {
                write!(f, "announced frame too large: expected at most {limit} bytes, got {length}")
            }
            LinkError::Unexpected => f.write_str("unexpected data on a one-way connection"),
            LinkError::Replaced => f.write_str("replaced by a newer connection of the same member"),
            LinkError::Expelled => f.write_str("disconnected after too many invalid frames"),
            LinkError::TooMany => {
                f.write_str("too many unauthenticated connections: a newer one took the place of this one")
            }
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
