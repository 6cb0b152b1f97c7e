//! Exit codes, and the failure type that carries an exit code with its message.

/// The exit codes. `HELP` documents them and a test keeps the two together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// A failure without a code of its own, such as a full disk.
    Failed = 1,
    /// The command line is wrong (clap uses the same code).
    Usage = 2,
    /// A configuration, genesis or key file, or a data directory, cannot be used.
    Setup = 3,
    /// No validator answers.
    Unreachable = 4,
    /// A validator refused the request.
    Refused = 5,
    /// The requested item does not exist or did not commit in time.
    NotFound = 6,
    /// A proof does not verify: the validator that sent it is wrong or lying.
    BadProof = 7,
    /// Validators delivered different blocks at one height.
    Contradiction = 8,
    /// A validator process ended unexpectedly, or never became healthy.
    Crashed = 9,
    /// A port that a validator needs is in use.
    PortTaken = 10,
    /// The validator is no longer a member of its chain.
    Left = 11,
    /// A membership change lacks the approval of a quorum.
    NotAllowed = 12,
}

/// The table at the end of `quorate --help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0   done
  1   a failure without a code of its own, such as a full disk
  2   the command line is wrong
  3   a configuration, genesis or key file, or a data directory, cannot be used
  4   no validator answers
  5   a validator refused the request
  6   the requested item does not exist or did not commit in time
  7   a proof does not verify: the validator that sent it is wrong or lying
  8   validators delivered different blocks at one height
  9   a validator process ended unexpectedly, or never became healthy
  10  a port that a validator needs is in use
  11  the validator is no longer a member of its chain
  12  a membership change lacks the approval of a quorum";

quorate_support::failure!(Exit);

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
            Exit::Unreachable,
            Exit::Refused,
            Exit::NotFound,
            Exit::BadProof,
            Exit::Contradiction,
            Exit::Crashed,
            Exit::PortTaken,
            Exit::Left,
            Exit::NotAllowed,
        ];
        let expected: Vec<String> =
            std::iter::once(0).chain(all.iter().map(|e| *e as i32)).map(|n| n.to_string()).collect();
        assert_eq!(listed, expected);
    }
}
