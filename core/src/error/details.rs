//! The code and the fields of an error, for other languages.

use alloc::vec::Vec;

use super::Error;

/// One field of an error, for languages that have no enum variants with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(u128),
    /// Indices of members, ascending.
    Members(Vec<u16>),
}

impl Error {
    /// Every code that [`code`](Error::code) can return. The tests of each binding compare their list with this one.
    pub const CODES: &'static [&'static str] = &[
        "MALFORMED",
        "NON_CANONICAL",
        "TOO_LARGE",
        "NOT_IN_SUBGROUP",
        "INFINITY",
        "UNKNOWN_SIGNER",
        "DUPLICATE_SIGNER",
        "RELATED_KEYS",
        "BAD_COMMITTEE",
        "BAD_SHAPE",
        "BAD_ENCODING",
        "BELOW_QUORUM",
        "BAD_SIGNATURE",
        "BAD_POSSESSION",
        "BAD_SHARE",
        "BAD_CIPHERTEXT",
        "WRONG_CONTEXT",
        "CONTRADICTION",
        "NOT_EVIDENCE",
        "EXHAUSTED",
        "ONE_TIME_REUSE",
        "NOT_DRAWN",
        "RATE_LIMITED",
        "RNG",
        "JOURNAL_MISSING",
        "JOURNAL_EXISTS",
        "JOURNAL_IN_USE",
        "JOURNAL_DAMAGED",
        "JOURNAL_FAILED",
        "KEY_FAILED",
    ];

    /// Returns the error's code, which is the same in all languages and never changes its meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Malformed { .. }
            | Error::WrongLength { .. }
            | Error::Truncated { .. }
            | Error::TrailingBytes { .. } => "MALFORMED",
            Error::NonCanonical { .. } => "NON_CANONICAL",
            Error::TooLarge { .. } => "TOO_LARGE",
            Error::NotInSubgroup => "NOT_IN_SUBGROUP",
            Error::Infinity => "INFINITY",
            Error::UnknownSigner { .. } => "UNKNOWN_SIGNER",
            Error::DuplicateSigner { .. } | Error::OutOfOrder { .. } => "DUPLICATE_SIGNER",
            Error::RelatedKeys { .. } => "RELATED_KEYS",
            Error::BadCommittee { .. } => "BAD_COMMITTEE",
            Error::BadShape { .. } => "BAD_SHAPE",
            Error::BadEncoding => "BAD_ENCODING",
            Error::BelowQuorum { .. } => "BELOW_QUORUM",
            Error::BadSignature { .. } => "BAD_SIGNATURE",
            Error::BadPossession => "BAD_POSSESSION",
            Error::BadShare { .. } => "BAD_SHARE",
            Error::BadCiphertext => "BAD_CIPHERTEXT",
            Error::WrongContext { .. } | Error::Mismatch { .. } | Error::UnknownName { .. } => {
                "WRONG_CONTEXT"
            }
            Error::Contradiction { .. } => "CONTRADICTION",
            Error::NotEvidence => "NOT_EVIDENCE",
            Error::Exhausted => "EXHAUSTED",
            Error::OneTimeReuse => "ONE_TIME_REUSE",
            Error::NotDrawn => "NOT_DRAWN",
            Error::RateLimited => "RATE_LIMITED",
            Error::Rng => "RNG",
            Error::JournalMissing { .. } => "JOURNAL_MISSING",
            Error::JournalExists { .. } => "JOURNAL_EXISTS",
            Error::JournalInUse { .. } => "JOURNAL_IN_USE",
            Error::JournalDamaged { .. } => "JOURNAL_DAMAGED",
            Error::JournalFailed { .. } => "JOURNAL_FAILED",
            Error::KeyFailed { .. } => "KEY_FAILED",
        }
    }

    /// Returns the variant's fields by name, in the order of their declaration. Paths and the system's reasons are only in
    /// the message.
    ///
    /// Variants that share a code have the fields of the general variant first: `what` for `MALFORMED` and
    /// `WRONG_CONTEXT`.
    pub fn details(&self) -> Vec<(&'static str, Detail)> {
        use Detail::{Members, Number, Text};
        let index = |index: &u32| Number((*index).into());
        let number = |number: &u64| Number((*number).into());
        match self {
            Error::Malformed { what }
            | Error::NonCanonical { what }
            | Error::WrongContext { what }
            | Error::UnknownName { what, .. } => [("what", Text(what))].into(),
            Error::WrongLength { what, expected, actual } | Error::Mismatch { what, expected, actual } => {
                [("what", Text(what)), ("expected", number(expected)), ("actual", number(actual))].into()
            }
            Error::Truncated { expected, actual } => [
                ("what", Text("truncated input")),
                ("expected", number(expected)),
                ("actual", number(actual)),
            ]
            .into(),
            Error::TrailingBytes { count } => {
                [("what", Text("trailing bytes")), ("count", number(count))].into()
            }
            Error::TooLarge { what, limit } => {
                [("what", Text(what)), ("limit", Number((*limit).into()))].into()
            }
            Error::UnknownSigner { index: i }
            | Error::DuplicateSigner { index: i }
            | Error::OutOfOrder { index: i } => [("index", index(i))].into(),
            Error::RelatedKeys { first, second } => {
                [("first", index(first)), ("second", index(second))].into()
            }
            Error::BadCommittee { rule } | Error::BadShape { rule } => [("rule", Text(rule))].into(),
            Error::BelowQuorum { signed, needed } => {
                [("signed", Number(*signed)), ("needed", Number(*needed))].into()
            }
            Error::BadSignature { signers } => [("signers", Members(signers.clone()))].into(),
            Error::BadShare { members } => [("members", Members(members.clone()))].into(),
            Error::Contradiction { kind, signed_view } => {
                [("kind", Number((*kind).into())), ("signed_view", Number((*signed_view).into()))].into()
            }
            Error::JournalDamaged { offset, .. } => [("offset", number(offset))].into(),
            Error::JournalFailed { operation, .. } => [("operation", Text(operation))].into(),
            Error::JournalMissing { .. }
            | Error::JournalExists { .. }
            | Error::JournalInUse { .. }
            | Error::KeyFailed { .. }
            | Error::NotInSubgroup
            | Error::Infinity
            | Error::BadEncoding
            | Error::BadPossession
            | Error::BadCiphertext
            | Error::NotEvidence
            | Error::Exhausted
            | Error::OneTimeReuse
            | Error::NotDrawn
            | Error::RateLimited
            | Error::Rng => Vec::new(),
        }
    }
}
