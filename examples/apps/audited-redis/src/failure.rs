//! How a command of the program ends: a code for scripts, a reason and what to do for people.

use std::fmt;
use std::process::ExitCode;

/// The table at the end of `audited-redis --help`.
pub const HELP: &str = "\
Exit codes:
  0  done; the log is whole; the proof holds
  1  something failed that has no code below, such as a full disk
  2  the command line is wrong
  3  a configuration, a key file, a log or a proof cannot be used
  4  nobody answers, or an address is taken
  5  the front refused the command
  6  the log was tampered with, or the proof does not hold
  7  the log has no such entry";

/// The exit codes; [`HELP`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Anything that has no code of its own.
    Failed = 1,
    /// A file cannot be used.
    Input = 3,
    /// Nobody answers.
    Unreachable = 4,
    /// The front refused.
    Refused = 5,
    /// The log or the proof is not what it should be.
    Tampered = 6,
    /// No such entry.
    NotFound = 7,
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
    /// A failure of the machine.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, code: "FAILED", message: message.into() }
    }

    /// A file that cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, code: "BAD_INPUT", message: message.into() }
    }

    /// Nobody answers.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self { exit: Exit::Unreachable, code: "UNREACHABLE", message: message.into() }
    }

    /// The same, with the place where it happened in front.
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Another failure.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into() }
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

/// Puts what was being done before the reason why it failed.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure>;
    fn reading(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> Doing<T> for Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|reason| Failure::failed(format!("{what}: {reason}")))
    }

    fn reading(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|reason| Failure::input(format!("{what}: {reason}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_exit_code_once() {
        let listed: Vec<u8> =
            HELP.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        let ours =
            [Exit::Failed, Exit::Input, Exit::Unreachable, Exit::Refused, Exit::Tampered, Exit::NotFound];
        // 0 is success, 2 is clap's.
        let mut expected: Vec<u8> = ours.iter().map(|exit| *exit as u8).chain([0, 2]).collect();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}
