//! Stable codes of errors and refusals that clients receive.

use std::fmt;

use crate::handle::Refusal;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $status:literal;)*) => {
        /// Reason why a request fails. HTTP carries the name, the submission stream the number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum Code {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The name, as in `{"code": "BUSY"}`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)*
                }
            }

            /// The HTTP status.
            pub fn http_status(self) -> u16 {
                match self {
                    $(Code::$variant => $status,)*
                }
            }
        }
    };
}

codes! {
    /// The transaction is empty.
    Empty = 1, "EMPTY", 400;
    /// The transaction is above the chain's limit.
    TooLarge = 2, "TOO_LARGE", 413;
    /// The application or the protocol rejects the transaction.
    Rejected = 3, "REJECTED", 422;
    /// The same bytes are already pending, or were committed before.
    Duplicate = 4, "DUPLICATE", 409;
    /// The validator's mempool is full: retry later or use another validator.
    Busy = 5, "BUSY", 429;
    /// The validator is catching up with the chain: retry later or use another validator.
    Syncing = 6, "SYNCING", 503;
    /// The validator is shutting down: use another validator.
    ShuttingDown = 7, "SHUTTING_DOWN", 503;
    /// The request is malformed.
    BadRequest = 32, "BAD_REQUEST", 400;
    /// A browser sent the request on behalf of another site.
    ForeignOrigin = 33, "FOREIGN_ORIGIN", 403;
    /// The requested object does not exist, or not yet.
    NotFound = 34, "NOT_FOUND", 404;
    /// The path does not support the method.
    MethodNotAllowed = 35, "METHOD_NOT_ALLOWED", 405;
    /// The body did not arrive in time.
    Timeout = 36, "TIMEOUT", 408;
    /// The body is above the validator's limit.
    BodyTooLarge = 37, "BODY_TOO_LARGE", 413;
    /// Too many clients are connected or waiting: retry later or use another validator.
    TooManyClients = 38, "TOO_MANY_CLIENTS", 503;
    /// The client reads too slowly.
    TooSlow = 39, "TOO_SLOW", 503;
    /// The stream does not start with the preamble of this version.
    BadPreamble = 40, "BAD_PREAMBLE", 400;
    /// The requested block or transaction is pruned at this validator: ask an archive node.
    Pruned = 42, "PRUNED", 410;
    /// The validator has released the snapshot: begin again with the newest one.
    SnapshotGone = 43, "SNAPSHOT_GONE", 410;
    /// The validator prepares its snapshot: retry later.
    SnapshotPreparing = 44, "SNAPSHOT_PREPARING", 503;
    /// Internal error; the validator's log has the details.
    Internal = 41, "INTERNAL", 500;
}

impl Code {
    /// The code with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| *code as u16 == number)
    }

    /// The number.
    pub fn number(self) -> u16 {
        self as u16
    }
}

impl From<&Refusal> for Code {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Empty => Code::Empty,
            Refusal::TooLarge { .. } => Code::TooLarge,
            Refusal::Rejected { .. } => Code::Rejected,
            Refusal::Duplicate { .. } => Code::Duplicate,
            Refusal::Busy { .. } => Code::Busy,
            Refusal::Syncing => Code::Syncing,
            Refusal::ShuttingDown => Code::ShuttingDown,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::time::Duration;

    #[test]
    fn numbers_and_names_are_unique_and_round_trip() {
        let numbers: BTreeSet<u16> = Code::ALL.iter().map(|c| c.number()).collect();
        let names: BTreeSet<&str> = Code::ALL.iter().map(|c| c.name()).collect();
        assert_eq!((numbers.len(), names.len()), (Code::ALL.len(), Code::ALL.len()));
        for code in Code::ALL {
            assert_eq!(Code::from_number(code.number()), Some(*code));
            assert!((400..600).contains(&code.http_status()));
        }
        assert_eq!(Code::from_number(0), None);
    }

    #[test]
    fn the_specification_lists_every_code() {
        let page = include_str!("../../../../spec/http.md");
        for code in Code::ALL {
            let row = format!("| `{code}` | {} | {} |", code.number(), code.http_status());
            assert!(page.contains(&row), "spec/http.md lacks {row}");
        }
        assert_eq!(
            page.lines()
                .filter(|line| line.starts_with("| `") && line.contains("` | "))
                .filter(|line| {
                    line.split('|').nth(2).is_some_and(|number| number.trim().parse::<u16>().is_ok())
                })
                .count(),
            Code::ALL.len()
        );
    }

    #[test]
    fn a_refusal_keeps_its_code() {
        let refusals = [
            Refusal::Empty,
            Refusal::TooLarge { limit: 1 },
            Refusal::Rejected { reason: String::new() },
            Refusal::Duplicate { id: Default::default() },
            Refusal::Busy { retry_after: Duration::ZERO },
            Refusal::Syncing,
            Refusal::ShuttingDown,
        ];
        for refusal in &refusals {
            assert_eq!(Code::from(refusal).name(), refusal.code());
        }
    }
}
