use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use quorate::Error;

/// Reason why a [`RemoteSigner`](super::RemoteSigner) has no signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignerError {
    /// The signer did not answer in time, refused the connection, or closed it.
    Unreachable {
        /// Its address.
        address: SocketAddr,
        /// The cause.
        reason: String,
    },
    /// The signer failed a moment ago and is not asked again yet.
    Paused {
        /// Its address.
        address: SocketAddr,
        /// Time until it is asked again.
        retry_in: Duration,
    },
    /// The signer holds the voting key of another member.
    WrongKey {
        /// Its address.
        address: SocketAddr,
    },
    /// The answer is malformed, belongs to another request, or has a signature that does not verify.
    BadAnswer {
        /// The signer's address.
        address: SocketAddr,
        /// The problem.
        problem: Error,
    },
    /// The signer refused to sign.
    Refused(Error),
}

impl SignerError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SignerError::Unreachable { .. } | SignerError::Paused { .. } => "SIGNER_UNREACHABLE",
            SignerError::WrongKey { .. } => "SIGNER_WRONG_KEY",
            SignerError::BadAnswer { .. } => "SIGNER_BAD_ANSWER",
            SignerError::Refused(error) => error.code(),
        }
    }

    /// The error for a guard. What is no refusal of the signer's guard becomes [`Error::JournalFailed`]: the record at the
    /// signer may not be durable, and no vote leaves.
    pub(super) fn into_guard_error(self) -> Error {
        let reason = self.to_string();
        match self {
            SignerError::Refused(error) => error,
            SignerError::Unreachable { address, .. }
            | SignerError::Paused { address, .. }
            | SignerError::WrongKey { address }
            | SignerError::BadAnswer { address, .. } => {
                Error::JournalFailed { path: address.to_string(), operation: "asking the signer", reason }
            }
        }
    }
}

impl fmt::Display for SignerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignerError::Unreachable { address, reason } => {
                write!(f, "the signer at {address} does not answer: {reason}")
            }
            SignerError::Paused { address, retry_in } => {
                write!(
                    f,
                    "the signer at {address} did not answer; it is asked again in {} ms",
                    retry_in.as_millis()
                )
            }
            SignerError::WrongKey { address } => write!(
                f,
                "the signer at {address} holds the voting key of another member; start it with the keys of this validator"
            ),
            SignerError::BadAnswer { address, problem } => {
                write!(f, "the signer at {address} sent a wrong answer: {problem}")
            }
            SignerError::Refused(error) => write!(f, "the signer refused: {error}"),
        }
    }
}

impl std::error::Error for SignerError {}
