//! How the program ends: a code for scripts, a reason and what to do for people.

use std::fmt;
use std::process::ExitCode;

/// The table at the end of `ethereum-sync --help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  verified
  1  something failed that has no code below, such as a full disk
  2  the command line is wrong
  3  a file cannot be used
  4  an update was refused: do not use it
  5  every signature is right, but fewer than two thirds signed an update: do not treat its headers as final";

/// The exit codes; [`HELP`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed = 1,
    Input = 3,
    Refused = 4,
    Weak = 5,
}

/// Why there is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub exit: Exit,
    /// Stable, the same in all of this example's languages.
    pub code: &'static str,
    pub message: String,
}

impl Failure {
    /// A file that cannot be used.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, code: "BAD_INPUT", message: message.into() }
    }

    /// An update that a light client must not use.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self { exit: Exit::Refused, code, message: message.into() }
    }

    /// A failure of the machine.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, code: "FAILED", message: message.into() }
    }

    /// The same, with the place where it happened in front.
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
