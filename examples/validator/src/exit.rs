//! Exit codes of `quorate`, and its failure type.

quorate_support::exit_codes! {
    /// Exit codes.
    pub(crate) enum Exit {
        Done = 0 => "done",
        Failed = 1 => "something failed that has no code below, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Setup = 3 => "a configuration, genesis or key file, or a data directory, cannot be used",
        Unreachable = 4 => "no validator answers",
        Refused = 5 => "a validator refused the request",
        NotFound = 6 => "not found, or not committed in the time given",
        BadProof = 7 => "a proof does not verify: the validator that sent it is faulty",
        Contradiction = 8 => "validators delivered different blocks at one height",
        Crashed = 9 => "a validator process exited unexpectedly, or never became healthy",
        PortTaken = 10 => "a port that a validator needs is in use",
        Left = 11 => "the validator has left: it is no longer a member of its chain",
        NotAllowed = 12 => "too few members allowed the change of the committee",
    }
}

quorate_support::failure!(
    pub(crate) struct Failure {
        exit: Exit,
    }
);
