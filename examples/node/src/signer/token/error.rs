use std::fmt;
use std::path::PathBuf;

/// Reason why the key in a token cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// The module cannot be loaded or does not start.
    Module {
        /// Its file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// No token has this label, or several have it.
    NotFound {
        /// Label of the token.
        token: String,
        /// The problem.
        problem: String,
    },
    /// There is no PIN, or the token does not accept it.
    Pin {
        /// Label of the token.
        token: String,
        /// The problem.
        problem: String,
    },
    /// The token has no such key, or cannot use it.
    Key {
        /// Label of the token.
        token: String,
        /// Label of the key.
        key: String,
        /// The problem.
        problem: String,
    },
    /// The token failed in an operation: it was removed, or its session is lost.
    Failed {
        /// Label of the token.
        token: String,
        /// The operation.
        operation: &'static str,
        /// The token's answer.
        reason: String,
    },
}

impl TokenError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            TokenError::Module { .. } => "TOKEN_MODULE",
            TokenError::NotFound { .. } => "TOKEN_NOT_FOUND",
            TokenError::Pin { .. } => "TOKEN_PIN",
            TokenError::Key { .. } => "TOKEN_KEY",
            TokenError::Failed { .. } => "TOKEN_FAILED",
        }
    }

    /// Returns true if a later start may succeed without a change of the setup: the token is absent or failed. A wrong PIN is
    /// no such error, because each try with it brings the token closer to locking itself.
    pub fn is_temporary(&self) -> bool {
        matches!(self, TokenError::NotFound { .. } | TokenError::Failed { .. })
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Module { path, problem } => write!(
                f,
                "the PKCS#11 module {} cannot be used: {problem}; name the shared library of the token's vendor, which for \
                 SoftHSM2 is libsofthsm2.so",
                path.display()
            ),
            TokenError::NotFound { token, problem } => write!(f, "token {token}: {problem}"),
            TokenError::Pin { token, problem } => write!(f, "PIN of the token {token}: {problem}"),
            TokenError::Key { token, key, problem } => write!(f, "key {key} in the token {token}: {problem}"),
            TokenError::Failed { token, operation, reason } => write!(
                f,
                "the token {token} failed in {operation}: {reason}; check that it is connected, and start again"
            ),
        }
    }
}

impl std::error::Error for TokenError {}

/// Describes an error of a module: the function and its return value, without the long text that the specification of
/// PKCS#11 has for the value.
pub(super) fn describe(error: &cryptoki::error::Error) -> String {
    match error {
        cryptoki::error::Error::Pkcs11(value, function) => format!("C_{function:?} returned {value:?}"),
        other => other.to_string(),
    }
}
