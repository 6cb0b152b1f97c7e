//! Exit codes of `quorate-broadcast`, and its failure type.

use quorate_node::NodeError;

quorate_support::exit_codes! {
    /// Exit codes.
    pub(crate) enum Exit {
        Done = 0 => "done",
        Failed = 1 => "something failed that has no code below, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Setup = 3 => "a group file, a key file or a data directory cannot be used",
        PortTaken = 4 => "a port that a member needs is in use",
        Stalled = 5 => "members of a measurement did not connect, or did not deliver in time",
        Violated = 6 => "a simulated run violated a property; the command that replays it is printed",
        NotEvidence = 7 => "a file of evidence proves nothing",
        Interrupted = 130 => "Ctrl-C before a measurement was complete",
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
