//! How the program ends: one failure type that carries the exit code, what went wrong, and what to do.

/// The exit codes. `HELP` documents them and a test keeps the two together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Something failed for which there is no code below, such as a full disk.
    Failed = 1,
    /// The command line is wrong (clap uses the same code).
    Usage = 2,
    /// A configuration, genesis or key file, or a data directory, cannot be used.
    Setup = 3,
    /// No validator answers.
    Unreachable = 4,
    /// A validator refused the request.
    Refused = 5,
    /// There is no such thing, or it did not commit in the time given.
    NotFound = 6,
    /// A proof does not verify: the validator that sent it is wrong or lying.
    BadProof = 7,
    /// Validators delivered different blocks at one height.
    Contradiction = 8,
    /// A validator process ended by itself, or never became healthy.
    Crashed = 9,
    /// A port that a validator needs is taken.
    PortTaken = 10,
    /// The validator has left: it is no member of its chain any more.
    Left = 11,
    /// A change of the members is not allowed by enough of them.
    NotAllowed = 12,
}

/// The table at the end of `quorate --help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0   done
  1   something failed that has no code below, such as a full disk
  2   the command line is wrong
  3   a configuration, genesis or key file, or a data directory, cannot be used
  4   no validator answers
  5   a validator refused the request
  6   there is no such thing, or it did not commit in the time given
  7   a proof does not verify: the validator that sent it is wrong or lying
  8   validators delivered different blocks at one height
  9   a validator process ended by itself, or never became healthy
  10  a port that a validator needs is taken
  11  the validator has left: it is no member of its chain any more
  12  a change of the members is not allowed by enough of them";

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
