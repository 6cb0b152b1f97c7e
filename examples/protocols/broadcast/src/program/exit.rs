//! How the program ends: one failure type that carries the exit code, what went wrong, and what to do.

use quorate_node::NodeError;

/// The exit codes. `HELP` documents them and a test keeps the two together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed = 1,
    /// clap uses the same code.
    Usage = 2,
    Setup = 3,
    PortTaken = 4,
    Stalled = 5,
    Violated = 6,
    NotEvidence = 7,
    Interrupted = 130,
}

/// The table at the end of `quorate-broadcast --help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0    done
  1    something failed that has no code below, such as a full disk
  2    the command line is wrong
  3    a group file, a key file or a data directory cannot be used
  4    a port that a member needs is taken
  5    members of a measurement did not connect, or did not deliver in time
  6    a simulated run violated a property; the command that replays it is printed
  7    a file of evidence proves nothing
  130  Ctrl-C, before a measurement was done";

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
