//! How a command of the program ends: a code for scripts, a reason and what to do for people.

use std::fmt;
use std::process::ExitCode;

use quorate_node::NodeError;

/// The table at the end of `threshold-signing --help`.
pub const HELP: &str = "\
Exit codes:
  0    done; the signature verifies; the evidence holds
  1    something failed that has no code below, such as a full disk
  2    the command line is wrong
  3    a group, key, deal or share file, or a data directory, cannot be used
  4    an address is taken
  5    too few parties gave a share; the message says of each why
  6    the signature does not verify, or the evidence does not hold
  7    no presignature is left
  130  Ctrl-C, before it was done";

/// The exit codes; [`HELP`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Anything that has no code of its own.
    Failed = 1,
    /// A file cannot be used.
    Setup = 3,
    /// An address is taken.
    PortTaken = 4,
    /// Too few parties.
    BelowQuorum = 5,
    /// A signature or evidence that does not hold.
    Refuted = 6,
    /// No presignature is left.
    Exhausted = 7,
    /// Ctrl-C.
    Interrupted = 130,
}

/// Why there is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the program ends with.
    pub exit: Exit,
    /// A stable word for programs.
    pub code: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Failure {
    /// A failure with everything.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into() }
    }

    /// A failure of the machine.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, "FAILED", message)
    }

    /// A file that cannot be used.
    pub fn setup(message: impl Into<String>) -> Self {
        Self::new(Exit::Setup, "SETUP", message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Failure {}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
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
        Self::new(exit, error.code(), error.to_string())
    }
}

impl From<quorate::Error> for Failure {
    fn from(error: quorate::Error) -> Self {
        Self::new(Exit::Failed, error.code(), error.to_string())
    }
}

/// Puts what was being done before the reason why it failed.
pub trait Doing<T> {
    /// The machine failed.
    ///
    /// # Errors
    /// What `self` says.
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure>;

    /// A file cannot be used.
    ///
    /// # Errors
    /// What `self` says.
    fn reading(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> Doing<T> for Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|reason| Failure::failed(format!("{what}: {reason}")))
    }

    fn reading(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|reason| Failure::setup(format!("{what}: {reason}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_exit_code_once() {
        let listed: Vec<u8> =
            HELP.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        let ours = [
            Exit::Failed,
            Exit::Setup,
            Exit::PortTaken,
            Exit::BelowQuorum,
            Exit::Refuted,
            Exit::Exhausted,
            Exit::Interrupted,
        ];
        // 0 is success, 2 is clap's.
        let mut expected: Vec<u8> = ours.iter().map(|exit| *exit as u8).chain([0, 2]).collect();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}
