//! One error type for every building block. Each error has a stable code and a message that says what was expected,
//! what arrived and what to do; where members are at fault, it names them.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Result of every fallible call in this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error of this crate.
///
/// Match on the variant in Rust and on [`code`](Error::code) in all other languages. Several variants can share one
/// code: [`WrongLength`](Error::WrongLength) is a more precise `MALFORMED`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not an encoding of the type: unknown tag, impossible value, not a point of the curve.
    Malformed {
        /// Name of the decoded type.
        what: &'static str,
    },
    /// The input has the wrong length. The code is `MALFORMED`.
    WrongLength {
        /// Name of the decoded type.
        what: &'static str,
        /// Expected number of bytes.
        expected: u64,
        /// Number of bytes in the input.
        actual: u64,
    },
    /// The input ends before the value is complete. The code is `MALFORMED`.
    Truncated {
        /// Number of bytes that the next field needs.
        expected: u64,
        /// Number of bytes left in the input.
        actual: u64,
    },
    /// The input continues after the end of the value. The code is `MALFORMED`.
    TrailingBytes {
        /// Number of bytes after the value.
        count: u64,
    },
    /// The bytes decode, but they are not the one canonical encoding of the value.
    NonCanonical {
        /// Name of the decoded type.
        what: &'static str,
    },
    /// A length or count in the input is above its limit; nothing was allocated for it.
    TooLarge {
        /// Name of the limited quantity.
        what: &'static str,
        /// The largest accepted value.
        limit: u64,
    },
    /// The point is on the curve but outside the prime-order subgroup.
    NotInSubgroup,
    /// A key, a signature or an aggregate is the point at infinity or has small order.
    Infinity,
    /// The committee has no member with this index.
    UnknownSigner {
        /// The unknown index.
        index: u32,
    },
    /// A member appears more than once where each member may appear once.
    DuplicateSigner {
        /// The repeated index.
        index: u32,
    },
    /// Members are not in ascending order. The code is `DUPLICATE_SIGNER`.
    OutOfOrder {
        /// Index of the first member that follows a larger index.
        index: u32,
    },
    /// Two members of a committee have the same key, or the keys are negations of each other.
    RelatedKeys {
        /// Index of the first of the two members.
        first: u32,
        /// Index of the member whose key repeats or negates the first one.
        second: u32,
    },
    /// The committee has no members or too many, or its weights are zero or too large in sum.
    BadCommittee {
        /// The violated rule.
        rule: &'static str,
    },
    /// No erasure code supports this number of shards or these parameters.
    BadShape {
        /// The violated rule.
        rule: &'static str,
    },
    /// The sender committed to shards that do not encode one message. Every member that decodes them gets this error.
    BadEncoding,
    /// The signers or the shards do not reach the threshold.
    BelowQuorum {
        /// Weight of the signers, or number of shards.
        signed: u128,
        /// Required weight, or required number of shards.
        needed: u128,
    },
    /// A signature does not verify.
    BadSignature {
        /// Members whose signature does not verify, ascending; empty if the signature belongs to no single member.
        signers: Vec<u16>,
    },
    /// A proof of possession does not verify for its key.
    BadPossession,
    /// Shares of a secret, a signature or a decryption are wrong.
    BadShare {
        /// Members whose share is wrong, ascending; empty if the shares contradict each other and the wrong ones
        /// cannot be identified yet.
        members: Vec<u16>,
    },
    /// A threshold ciphertext's proof does not verify, or its payload does not match its label and key. Members must
    /// not make decryption shares of it.
    BadCiphertext,
    /// The object is valid, but it belongs to another committee, chain, epoch, view, key or suite.
    WrongContext {
        /// The part that does not match.
        what: &'static str,
    },
    /// A number in the object differs from the expected one. The code is `WRONG_CONTEXT`.
    Mismatch {
        /// The part that does not match: an epoch, a view, a kind, a suite, a committee size.
        what: &'static str,
        /// The value that the context requires.
        expected: u64,
        /// The value in the object.
        actual: u64,
    },
    /// No alternative has this name or number. The code is `WRONG_CONTEXT`.
    UnknownName {
        /// The kind of thing that was named.
        what: &'static str,
        /// The unknown name or number, at most 64 characters of it.
        given: String,
        /// The known names.
        known: &'static [&'static str],
    },
    /// The statement contradicts an earlier signed one; nothing was signed.
    Contradiction {
        /// Kind of the statement.
        kind: u8,
        /// View of the last signed statement of that kind.
        signed_view: u64,
    },
    /// The two objects offered as evidence do not contradict each other.
    NotEvidence,
    /// A one-time resource is used up and nothing was signed: no unused one-time key is left, or the presignature is
    /// spent, burnt, or outside its plan or epoch.
    Exhausted,
    /// The signer used one one-time key for two different messages. Reject all its further signatures.
    OneTimeReuse,
    /// The ticket does not win its lottery; the member that presents it is at fault.
    NotDrawn,
    /// The signer sent more announcements than its allowance; the excess was not processed.
    RateLimited,
    /// The random number generator failed.
    Rng,
}

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
        }
    }

    /// Returns the variant's fields by name, in the order of their declaration.
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
            Error::NotInSubgroup
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

    /// Returns the members at fault, ascending; empty if the error names none.
    pub fn culprits(&self) -> &[u16] {
        match self {
            Error::BadSignature { signers: members } | Error::BadShare { members } => members,
            _ => &[],
        }
    }

    /// Returns a [`BadSignature`](Error::BadSignature) that names no member.
    #[cfg(any(feature = "bls", feature = "ed25519"))]
    pub(crate) fn bad_signature() -> Self {
        Error::BadSignature { signers: Vec::new() }
    }

    /// Returns the error for an unknown name or number of `what`; keeps at most 64 characters of it.
    #[cfg(any(feature = "bls", feature = "ed25519"))]
    pub(crate) fn unknown_name(
        what: &'static str,
        given: impl fmt::Display,
        known: &'static [&'static str],
    ) -> Self {
        let given: String = alloc::format!("{given}").chars().take(64).collect();
        Error::UnknownName { what, given, known }
    }

    /// Names `signer` as the culprit of a [`BadSignature`](Error::BadSignature); leaves other errors as they are.
    pub(crate) fn blame(self, signer: u16) -> Self {
        match self {
            Error::BadSignature { .. } => Error::BadSignature { signers: [signer].into() },
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed { what } => write!(f, "malformed {what}"),
            Error::WrongLength { what, expected, actual } => {
                write!(f, "malformed {what}: expected {expected} bytes, got {actual}")
            }
            Error::Truncated { expected, actual } => {
                write!(f, "truncated input: expected at least {expected} more bytes, got {actual}")
            }
            Error::TrailingBytes { count } => {
                write!(f, "trailing bytes: expected the end of the input, got {count} more bytes")
            }
            Error::NonCanonical { what } => {
                write!(f, "non-canonical encoding: {what}; re-encode the value with quorate")
            }
            Error::TooLarge { what, limit } => write!(f, "{what}: above the limit of {limit}"),
            Error::NotInSubgroup => {
                f.write_str("the point is outside the prime-order subgroup; reject its sender")
            }
            Error::Infinity => {
                f.write_str("the point is the point at infinity or has small order; reject its sender")
            }
            Error::UnknownSigner { index } => write!(f, "unknown member {index}: the committee is smaller"),
            Error::DuplicateSigner { index } => {
                write!(f, "duplicate member {index}: each member may appear once")
            }
            Error::OutOfOrder { index } => {
                write!(f, "member {index} is out of order: sort the members in ascending order")
            }
            Error::RelatedKeys { first, second } => {
                write!(
                    f,
                    "the keys of members {first} and {second} are equal or negations of each other; remove one"
                )
            }
            Error::BadCommittee { rule } => write!(f, "invalid committee: {rule}"),
            Error::BadShape { rule } => write!(f, "no such erasure code: {rule}"),
            Error::BadEncoding => f.write_str(
                "the shards do not encode one message; reject their sender and keep the shards as evidence",
            ),
            Error::BelowQuorum { signed, needed } => {
                write!(f, "below quorum: weight {signed} of {needed}; collect more")
            }
            Error::BadSignature { signers } if signers.is_empty() => {
                f.write_str("the signature does not verify")
            }
            Error::BadSignature { signers } => {
                write!(f, "the signatures of members {signers:?} do not verify")
            }
            Error::BadPossession => f.write_str(
                "the proof of possession does not verify for this key; ask the key's owner for a new one",
            ),
            Error::BadShare { members } if members.is_empty() => {
                f.write_str("the shares contradict each other; collect more to identify the wrong ones")
            }
            Error::BadShare { members } => {
                write!(f, "the shares of members {members:?} are wrong; discard them")
            }
            Error::BadCiphertext => {
                f.write_str("the ciphertext does not verify; treat it as if it were empty")
            }
            Error::WrongContext { what } => write!(f, "wrong context: {what}"),
            Error::Mismatch { what, expected, actual } => {
                write!(f, "{what} does not match: expected {expected}, got {actual}")
            }
            Error::UnknownName { what, given, known } => {
                write!(f, "unknown {what} {given}: expected one of {}", known.join(", "))
            }
            Error::Contradiction { kind, signed_view } => write!(
                f,
                "refused to sign: contradicts the statement of kind {kind} that was signed at view {signed_view}"
            ),
            Error::NotEvidence => {
                f.write_str("not evidence: the two objects do not contradict each other")
            }
            Error::Exhausted => f.write_str(
                "no unused one-time key or presignature is left; prepare a batch, or sign under an unspent tag",
            ),
            Error::OneTimeReuse => f.write_str(
                "a one-time key signed two messages; reject its signer and keep both signatures as evidence",
            ),
            Error::NotDrawn => {
                f.write_str("the ticket does not win its lottery; drop the message that carries it")
            }
            Error::RateLimited => f.write_str(
                "too many announcements from this signer; its signatures still verify on the slow path",
            ),
            Error::Rng => f.write_str("the random number generator failed; do not continue without it"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::Error;
    use alloc::string::ToString;

    #[test]
    fn messages_name_the_expected_and_the_actual_value() {
        let cases = [
            (
                Error::WrongLength { what: "digest", expected: 32, actual: 31 },
                "malformed digest: expected 32 bytes, got 31",
            ),
            (
                Error::Mismatch { what: "epoch", expected: 3, actual: 4 },
                "epoch does not match: expected 3, got 4",
            ),
            (Error::BelowQuorum { signed: 2, needed: 3 }, "below quorum: weight 2 of 3; collect more"),
            (
                Error::UnknownName { what: "suite", given: "bsl".into(), known: &["bls", "ed25519"] },
                "unknown suite bsl: expected one of bls, ed25519",
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
            assert!(Error::CODES.contains(&error.code()));
        }
    }
}
