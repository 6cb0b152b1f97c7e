//! One error type for every block. Each error has a stable code, says what is wrong and what to do, and names
//! the members at fault where there are any.

use alloc::vec::Vec;
use core::fmt;

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What can go wrong. Match on the variant in Rust, on [`code`](Error::code) everywhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not an encoding of the thing at all: wrong length, unknown tag, not a point.
    Malformed {
        /// What was being decoded.
        what: &'static str,
    },
    /// The bytes decode, but a shorter or different encoding of the same value is the only accepted one.
    NonCanonical {
        /// What was being decoded.
        what: &'static str,
    },
    /// A length or count in the input is above the limit; nothing was allocated for it.
    TooLarge {
        /// What was being decoded.
        what: &'static str,
        /// The largest accepted value.
        limit: u64,
    },
    /// The point is on the curve but outside the prime-order subgroup.
    NotInSubgroup,
    /// A key, a signature or an aggregate is the point at infinity (or of small order).
    Infinity,
    /// The index does not belong to the committee.
    UnknownSigner {
        /// The offending index.
        index: u32,
    },
    /// The same member appears twice where each may appear once.
    DuplicateSigner {
        /// The repeated index.
        index: u32,
    },
    /// Two members of a committee have the same key, or one has the negation of the other's.
    RelatedKeys {
        /// The member that came first.
        first: u32,
        /// The member that repeats or negates it.
        second: u32,
    },
    /// A committee was given no members, too many, or weights that are zero or too large in sum.
    BadCommittee {
        /// Which rule was broken.
        rule: &'static str,
    },
    /// No erasure code makes shards of this number, or with these parameters.
    BadShape {
        /// Which rule was broken.
        rule: &'static str,
    },
    /// A sender committed to shards that are not those of one message; all who decode them come to this.
    BadEncoding,
    /// The signers, or the shards, do not reach the threshold.
    BelowQuorum {
        /// Weight of the signers, or how many shards there are.
        signed: u128,
        /// Weight, or shards, that are needed.
        needed: u128,
    },
    /// A signature does not verify; `signers` names the members whose signature is bad, where that is known.
    BadSignature {
        /// The culprits, ascending; empty if the signature belongs to no single member.
        signers: Vec<u16>,
    },
    /// A proof of possession does not verify for its key.
    BadPossession,
    /// Shares of a secret, a signature or a decryption are wrong; `members` names whose, where that is known.
    BadShare {
        /// The culprits, ascending; empty if the shares contradict each other and it is open which are wrong.
        members: Vec<u16>,
    },
    /// A threshold ciphertext's proof does not hold, or its payload is not what its label and its key say. No share of
    /// it may be made.
    BadCiphertext,
    /// The object is valid, but for another committee, chain, epoch, view or suite than the one at hand.
    WrongContext {
        /// What does not fit here.
        what: &'static str,
    },
    /// Signing this would contradict something that was signed before; nothing was signed.
    Contradiction {
        /// The kind of statement.
        kind: u8,
        /// The view of the last statement of that kind.
        signed_view: u64,
    },
    /// Two objects that were offered as evidence do not contradict each other.
    NotEvidence,
    /// What signs once is used up, and nothing was signed: no fresh one-time key is left, or this presignature is spent,
    /// burnt, or past its plan or epoch.
    Exhausted,
    /// The signer used one one-time key for two different messages; refuse it from now on.
    OneTimeReuse,
    /// The ticket is not one that wins its lottery; a member who shows it is at fault.
    NotDrawn,
    /// More announcements came from this signer than its allowance; the rest were not looked at.
    RateLimited,
    /// The random number generator failed.
    Rng,
}

/// A detail of an error, for languages that have no enum variants with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// Words.
    Text(&'static str),
    /// A number.
    Number(u128),
    /// Indices of members, ascending.
    Members(Vec<u16>),
}

impl Error {
    /// Every code that [`code`](Error::code) can return: the list that each binding's tests compare with.
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

    /// A short code that never changes its meaning, the same in all languages.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Malformed { .. } => "MALFORMED",
            Error::NonCanonical { .. } => "NON_CANONICAL",
            Error::TooLarge { .. } => "TOO_LARGE",
            Error::NotInSubgroup => "NOT_IN_SUBGROUP",
            Error::Infinity => "INFINITY",
            Error::UnknownSigner { .. } => "UNKNOWN_SIGNER",
            Error::DuplicateSigner { .. } => "DUPLICATE_SIGNER",
            Error::RelatedKeys { .. } => "RELATED_KEYS",
            Error::BadCommittee { .. } => "BAD_COMMITTEE",
            Error::BadShape { .. } => "BAD_SHAPE",
            Error::BadEncoding => "BAD_ENCODING",
            Error::BelowQuorum { .. } => "BELOW_QUORUM",
            Error::BadSignature { .. } => "BAD_SIGNATURE",
            Error::BadPossession => "BAD_POSSESSION",
            Error::BadShare { .. } => "BAD_SHARE",
            Error::BadCiphertext => "BAD_CIPHERTEXT",
            Error::WrongContext { .. } => "WRONG_CONTEXT",
            Error::Contradiction { .. } => "CONTRADICTION",
            Error::NotEvidence => "NOT_EVIDENCE",
            Error::Exhausted => "EXHAUSTED",
            Error::OneTimeReuse => "ONE_TIME_REUSE",
            Error::NotDrawn => "NOT_DRAWN",
            Error::RateLimited => "RATE_LIMITED",
            Error::Rng => "RNG",
        }
    }

    /// The fields of the variant by name, in the order of their declaration.
    pub fn details(&self) -> Vec<(&'static str, Detail)> {
        use Detail::{Members, Number, Text};
        let index = |index: &u32| Number((*index).into());
        match self {
            Error::Malformed { what } | Error::NonCanonical { what } | Error::WrongContext { what } => {
                [("what", Text(what))].into()
            }
            Error::TooLarge { what, limit } => {
                [("what", Text(what)), ("limit", Number((*limit).into()))].into()
            }
            Error::UnknownSigner { index: i } | Error::DuplicateSigner { index: i } => {
                [("index", index(i))].into()
            }
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

    /// The members whose fault it is, where the error names any.
    pub fn culprits(&self) -> &[u16] {
        match self {
            Error::BadSignature { signers: members } | Error::BadShare { members } => members,
            _ => &[],
        }
    }

    /// A signature that verifies for nobody in particular.
    #[cfg(any(feature = "bls", feature = "ed25519"))]
    pub(crate) fn bad_signature() -> Self {
        Error::BadSignature { signers: Vec::new() }
    }

    /// Names whose signature it is that does not verify.
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
            Error::Malformed { what } => {
                write!(f, "{what}: these bytes are not an encoding of it; check length and origin")
            }
            Error::NonCanonical { what } => {
                write!(f, "{what}: not the canonical encoding; re-encode the value with quorate")
            }
            Error::TooLarge { what, limit } => write!(f, "{what}: above the limit of {limit}"),
            Error::NotInSubgroup => {
                f.write_str("the point is outside the prime-order subgroup; refuse its sender")
            }
            Error::Infinity => {
                f.write_str("the point is the neutral element or of small order; refuse its sender")
            }
            Error::UnknownSigner { index } => write!(f, "there is no member {index} in this committee"),
            Error::DuplicateSigner { index } => write!(f, "member {index} appears more than once"),
            Error::RelatedKeys { first, second } => {
                write!(
                    f,
                    "the keys of members {first} and {second} are equal or each other's negation; drop one"
                )
            }
            Error::BadCommittee { rule } => write!(f, "not a committee: {rule}"),
            Error::BadShape { rule } => write!(f, "no such erasure code: {rule}"),
            Error::BadEncoding => f.write_str(
                "the sender's shards are not of one message; refuse the sender and keep the shards as evidence",
            ),
            Error::BelowQuorum { signed, needed } => {
                write!(f, "{signed} of the {needed} that are needed are there; collect more")
            }
            Error::BadSignature { signers } if signers.is_empty() => {
                f.write_str("the signature does not verify")
            }
            Error::BadSignature { signers } => {
                write!(f, "the signatures of members {signers:?} do not verify")
            }
            Error::BadPossession => f.write_str(
                "the proof of possession does not verify for this key; ask its owner for a new one",
            ),
            Error::BadShare { members } if members.is_empty() => {
                f.write_str("the shares contradict each other; collect more of them to see which are wrong")
            }
            Error::BadShare { members } => {
                write!(f, "the shares of members {members:?} are wrong; drop them")
            }
            Error::BadCiphertext => {
                f.write_str("the ciphertext is not a valid one of its author; treat it as if it were empty")
            }
            Error::WrongContext { what } => write!(f, "valid elsewhere, not here, because of the {what}"),
            Error::Contradiction { kind, signed_view } => write!(
                f,
                "refused: a statement of kind {kind} was already signed at view {signed_view} and this one contradicts it"
            ),
            Error::NotEvidence => f.write_str("the two objects do not contradict each other"),
            Error::Exhausted => f.write_str(
                "no fresh one-time key or presignature is left; prepare a batch, or sign under an unspent tag",
            ),
            Error::OneTimeReuse => f.write_str(
                "one one-time key signed two messages; refuse its signer and keep both signatures",
            ),
            Error::NotDrawn => f.write_str("the ticket does not win its lottery; drop what came with it"),
            Error::RateLimited => {
                f.write_str("too many announcements from this signer; slow signatures still verify")
            }
            Error::Rng => f.write_str("the random number generator failed; do not go on without it"),
        }
    }
}

impl core::error::Error for Error {}
