//! Exit codes, and failures with their code, cause and remedy.

use quorate_node::NodeError;

/// The exit codes. A test compares them with `HELP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed = 1,
    /// Also the code of clap.
    Usage = 2,
    Setup = 3,
    PortTaken = 4,
    Stalled = 5,
    Violated = 6,
    NotEvidence = 7,
    Interrupted = 130,
}

/// Table at the end of `quorate-broadcast --help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success
  1    another failure, such as a full disk
  2    invalid command line
  3    unusable group file, key file or data directory
  4    a required port is in use
  5    members of a measurement did not connect or deliver in time
  6    a simulated run violated a property; the replay command is printed
  7    an evidence file proves nothing
  130  interrupted before a measurement was complete";

quorate_support::failure!(Exit);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_exit_code_once() {
        let listed: Vec<&str> =
            HELP.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
        let all = [
            Exit::Failed,
            Exit::Usage,
            Exit::Setup,
            Exit::PortTaken,
            Exit::Stalled,
            Exit::Violated,
            Exit::NotEvidence,
            Exit::Interrupted,
        ];
        let expected: Vec<String> =
            std::iter::once(0).chain(all.iter().map(|e| *e as i32)).map(|n| n.to_string()).collect();
        assert_eq!(listed, expected);
    }
}
