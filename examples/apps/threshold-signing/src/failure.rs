//! Exit codes of `threshold-signing`, and its failure type.

use quorate_node::NodeError;

quorate_support::exit_codes! {
    /// Exit codes.
    pub enum Exit {
        Done = 0 => "done; the signature verifies; the evidence is valid",
        Failed = 1 ("FAILED") => "something failed that has no code below, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Setup = 3 ("SETUP") => "a group, key, deal or share file, or a data directory, cannot be used",
        PortTaken = 4 => "an address is in use",
        BelowQuorum = 5 => "too few parties gave a valid share; the message gives the reason for each party",
        Refuted = 6 => "the signature does not verify, or the evidence is invalid",
        Exhausted = 7 => "no presignature is left",
        Interrupted = 130 => "Ctrl-C before the command was complete",
    }
}

quorate_support::failure!(
    pub struct Failure {
        exit: Exit,
    }
);

impl Failure {
    /// Creates the failure for an error of the operating system.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// Creates the failure for a file that cannot be used.
    pub fn setup(message: impl Into<String>) -> Self {
        Self::new(Exit::Setup, message)
    }
}

impl From<NodeError> for Failure {
    fn from(error: NodeError) -> Self {
        let exit = match &error {
            NodeError::Bind { .. } => Exit::PortTaken,
            NodeError::KeyFile { .. }
            | NodeError::DataInUse { .. }
            | NodeError::DataMismatch { .. }
            | NodeError::Corrupt { .. }
            | NodeError::Io { path: Some(_), .. } => Exit::Setup,
            _ => Exit::Failed,
        };
        Self::with_code(exit, error.code(), error.to_string())
    }
}

impl From<quorate::Error> for Failure {
    fn from(error: quorate::Error) -> Self {
        Self::with_code(Exit::Failed, error.code(), error.to_string())
    }
}
