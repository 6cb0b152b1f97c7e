//! Exit codes of `ethereum-sync`, and its failure type.

quorate_support::exit_codes! {
    /// Exit codes. The machine-readable codes are the same in all languages of this example.
    pub(crate) enum Exit {
        Verified = 0 => "verified",
        Failed = 1 ("FAILED") => "something failed that has no code below, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Input = 3 ("BAD_INPUT") => "a file cannot be used",
        Refused = 4 => "an update was refused: do not use it",
        Weak = 5 => "every signature is valid, but fewer than two thirds signed an update: do not treat its headers as final",
    }
}

quorate_support::failure!(
    pub(crate) struct Failure {
        exit: Exit,
    }
);

impl Failure {
    /// Creates the failure for a file that cannot be used.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Exit::Input, message)
    }

    /// Creates the failure for an update that a light client must not use.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::with_code(Exit::Refused, code, message)
    }

    /// Creates the failure for an error of the operating system.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }
}
