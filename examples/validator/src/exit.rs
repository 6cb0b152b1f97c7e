//! Exit codes of `quorate`, and its failure type.

quorate_support::exit_codes! {
    /// Exit codes.
    pub(crate) enum Exit {
        Done = 0 => "done",
        Failed = 1 => "a failure without a code of its own, such as a full disk",
        Usage = 2 => "the command line is wrong",
        Setup = 3 => "a configuration, genesis or key file, or a data directory, cannot be used",
        Unreachable = 4 => "no validator answers",
        Refused = 5 => "a validator refused the request",
        NotFound = 6 => "the requested item does not exist or did not commit in time",
        BadProof = 7 => "a proof or evidence does not verify: its source is wrong or lying",
        Contradiction = 8 => "validators delivered different blocks at one height",
        Crashed = 9 => "a validator process ended unexpectedly, or never became healthy",
        PortTaken = 10 => "a port that a validator needs is in use",
        Left = 11 => "the validator is no longer a member of its chain",
        NotAllowed = 12 => "a membership change lacks the approval of a quorum",
        EmptyData = 13 => "the data directory is empty, and --new-validator is not given",
        Unhealthy = 14 => "a check of quorate doctor failed",
    }
}

quorate_support::failure!(
    pub(crate) struct Failure {
        exit: Exit,
    }
);
