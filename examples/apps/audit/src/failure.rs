//! Exit codes of the programs, and their failure type.

quorate_support::exit_codes! {
    /// Exit codes.
    pub enum Exit {
        Done = 0 => "done; the log is intact; the proof is valid",
        Failed = 1 ("FAILED") => "something failed that has no code below, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Input = 3 ("BAD_INPUT") => "a configuration, a key file, a log or a proof cannot be used",
        Unreachable = 4 ("UNREACHABLE") => "the server or its database does not answer, or an address is in use",
        Refused = 5 => "the server refused the command",
        Tampered = 6 => "the log was tampered with, or the proof is invalid",
        NotFound = 7 => "the log has no such entry",
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
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Exit::Input, message)
    }

    /// Creates the failure for a server or a database that does not answer.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unreachable, message)
    }
}
