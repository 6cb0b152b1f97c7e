use std::fmt;

/// Reason why an application rejects a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    code: &'static str,
    message: String,
}

impl Rejection {
    /// Creates a rejection with a stable code and a message with the remedy.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Rejection {}

/// Failure of the local machine or of its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationError {
    message: String,
}

impl ApplicationError {
    /// Creates an error with a message that names the problem and its remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for ApplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApplicationError {}

impl From<ApplicationError> for crate::NodeError {
    fn from(e: ApplicationError) -> Self {
        crate::NodeError::Application { problem: e.message }
    }
}
