//! Exit codes of `quorate-broadcast`, and its failure type.

use quorate_node::NodeError;

quorate_support::exit_codes! {
    /// Exit codes.
    pub(crate) enum Exit {
        Done = 0 => "success",
        Failed = 1 => "another failure, such as a full disk",
        Usage = 2 => "invalid command line",
        Setup = 3 => "unusable group file, key file or data directory",
        PortTaken = 4 => "a required port is in use",
        Stalled = 5 => "members of a measurement did not connect or deliver in time",
        Violated = 6 => "a simulated run violated a property; the replay command is printed",
        NotEvidence = 7 => "an evidence file proves nothing",
        Interrupted = 130 => "interrupted before a measurement was complete",
    }
}

quorate_support::failure!(
    pub(crate) struct Failure {
        exit: Exit,
    }
);

impl From<NodeError> for Failure {
    fn from(error: NodeError) -> Self {
        let exit = match &error {
            NodeError::Bind { .. } => Exit::PortTaken,
            NodeError::Config { .. }
            | NodeError::Genesis { .. }
            | NodeError::KeyFile { .. }
            | NodeError::NotAMember { .. }
            | NodeError::DataInUse { .. }
            | NodeError::DataMismatch { .. }
            | NodeError::Corrupt { .. }
            | NodeError::SameIdentity { .. }
            | NodeError::Io { path: Some(_), .. } => Exit::Setup,
            _ => Exit::Failed,
        };
        Failure::new(exit, error.to_string())
    }
}
